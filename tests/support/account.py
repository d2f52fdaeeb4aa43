"""The machine account whose git configuration is legal and hostile, by every way in which git finds it."""

from pathlib import Path

import pytest

HOSTILE = """[user]
	useConfigOnly = true
[commit]
	gpgsign = true
	template = {folder}/template
	cleanup = scissors
[core]
	hooksPath = {folder}/hooks
	autocrlf = true
	commentChar = B
	quotePath = true
[color]
	ui = always
[pull]
	rebase = true
[rebase]
	autoStash = true
[rerere]
	enabled = true
	autoUpdate = true
[diff]
	noprefix = true
	external = /bin/false
[push]
	default = nothing
[log]
	showSignature = true
	date = relative
[status]
	short = true
	showUntrackedFiles = no
[trailer "Blog-Job-Id"]
	ifexists = doNothing
[i18n]
	commitEncoding = ISO-8859-1
"""


def hostile_account(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The account's configuration by every way in which git finds it."""
    hooks = folder / "hooks"
    hooks.mkdir(parents=True)
    (folder / "template").write_text("TEMPLATE\n")
    for name, body in (
        ("pre-commit", 'echo "hook says no" >&2; exit 1'),
        ("commit-msg", 'sed -i "/^Blog-/d" "$1"'),
        ("pre-push", "exit 1"),
        ("reference-transaction", "exit 1"),
    ):
        (hooks / name).write_text(f"#!/bin/sh\n{body}\n")
        (hooks / name).chmod(0o755)
    text = HOSTILE.format(folder=folder)
    for place in (folder / ".gitconfig", folder / ".config" / "git" / "config"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(folder / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(hooks))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Somebody Else")
