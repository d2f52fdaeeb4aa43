"""What a commit and a fetch leave in our clone is flushed to the disk: git flushes none of it by itself."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from publisher.adapters.git import environment
from tests.adapters.conftest import Builder, Opener
from tests.support.git import second_person


@dataclass(frozen=True)
class Flushes:
    """How often the git processes flushed: by git's own count, and by strace's where it is installed."""

    told: Path
    seen: Path | None

    def count(self) -> int:
        """Until now."""
        lines = self.told.read_text().splitlines() if self.told.exists() else []
        told = sum(
            int(line["value"])
            for line in map(json.loads, lines)
            if line.get("key") == "fsync/hardware-flush"
        )
        if self.seen is not None and self.seen.exists():
            assert self.seen.read_text().count("sync(") == told
        return told


@pytest.fixture
def flushes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Flushes:
    """The count of all git processes from here on."""
    found = Flushes(tmp_path / "told", tmp_path / "seen" if strace_works() else None)
    before = {"GIT_TRACE2_EVENT": str(found.told)}
    if found.seen is not None:
        watched = tmp_path / "bin" / "git"
        watched.parent.mkdir()
        watched.write_text(
            f"#!/bin/sh\nPATH={os.environ['PATH']}\n"
            f'exec strace -A -f -qq -e trace=fsync,fdatasync -e signal=none -o {found.seen} git "$@"\n'
        )
        watched.chmod(0o755)
        before["PATH"] = str(watched.parent)
    real = environment.base

    def base(**given: Any) -> dict[str, str]:
        return {**real(**given), **before}

    monkeypatch.setattr(environment, "base", base)
    return found


def strace_works() -> bool:
    """Whether this machine has it and lets it look at a process."""
    found = shutil.which("strace")
    return (
        found is not None
        and subprocess.run([found, "-o", os.devnull, "true"], check=False).returncode == 0
    )


def objects(clone: Path) -> set[Path]:
    """The files that hold objects: one each, or packs with their indexes."""
    return {file for file in clone.glob("objects/*/*") if file.parent.name != "info"}


def test_each_object_of_a_commit_and_its_ref_are_flushed(
    build: Builder, open_repository: Opener, flushes: Flushes
) -> None:
    repository = open_repository()
    before = objects(repository.runner.git_dir)
    build(repository.tip())
    added = objects(repository.runner.git_dir) - before
    assert added
    assert flushes.count() > len(added)


def test_what_a_fetch_brings_and_its_ref_are_flushed(
    build: Builder, open_repository: Opener, remote: Path, flushes: Flushes
) -> None:
    repository = open_repository()
    second_person(remote, {"content/posts/late.md": b"Late.\n"}, "late")
    before, known = objects(repository.runner.git_dir), flushes.count()
    repository.fetch()
    added = objects(repository.runner.git_dir) - before
    assert added
    assert flushes.count() - known > len(added)
