"""The accounts: the demo's five people, with one password that is kept in a file."""

import os
import re
import secrets
from collections.abc import Callable
from io import StringIO
from pathlib import Path

from django.contrib.auth import get_user_model
from django.core.management import call_command

from publisher.domain.errors import InvalidInput

PEOPLE = {
    "ada": ("submitter", "hands in articles"),
    "rui": ("reviewer", "approves or rejects them (begin with this one)"),
    "mei": ("reviewer", "approves or rejects them, too"),
    "omar": ("operator", "settles conflicts, looks after sites and workers"),
    "zoe": ("", "may log in, and nothing else"),
}
_PASSWORD = re.compile(r"^Password for all of them: (.+)$", re.MULTILINE)


def login_file(data_dir: Path) -> Path:
    """Where the password is kept, readable by the owner alone."""
    return data_dir / "demo-login.txt"


def ensure(data_dir: Path, chosen: str) -> bool:
    """Make the people and their password, or what an interrupted start left out.

    True when the password is new. An account that is there already and not the demo's is refused:
    it would get a password that stands in a file.
    """
    file = login_file(data_dir)
    is_new = not file.exists()
    if is_new:
        _refuse_strangers()
        _write(file, chosen or secrets.token_urlsafe(9))
    found = _PASSWORD.search(file.read_text())
    if found is None:
        raise InvalidInput("demo-login.txt", f"There is no password in {file}. Remove the file.")
    for name, (role, _what) in PEOPLE.items():
        quietly(call_command, "user", "add", name, *(("--role", role) if role else ()))
        user = get_user_model().objects.get(username=name)
        if not (user.password and user.has_usable_password()):
            user.set_password(found[1])
            user.save(update_fields=["password"])
    return is_new


def quietly(call: Callable[..., object], *words: str) -> None:
    """Run a command without its output."""
    call(*words, stdout=StringIO())


def _refuse_strangers() -> None:
    taken = get_user_model().objects.filter(username__in=PEOPLE).values_list("username", flat=True)
    if taken:
        raise InvalidInput(
            "demo",
            f"There is an account {min(taken)} already, and the demo would share its password. "
            "Use another data folder (IMPRIMATUR_DATA_DIR) for the demo.",
        )


def _write(file: Path, password: str) -> None:
    """The whole file at once and never readable by others."""
    lines = ["Log in to the demo as one of:", ""]
    lines += [f"  {name:<5} {what}" for name, (_role, what) in PEOPLE.items()]
    lines += ["", f"Password for all of them: {password}", f"(kept in {file})", ""]
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write("\n".join(lines))
    fresh.replace(file)
