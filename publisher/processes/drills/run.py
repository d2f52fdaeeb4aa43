"""Runs experiments one after the other and keeps what they left behind."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from publisher.processes.drills.experiments import EXPERIMENTS, Experiment
from publisher.processes.drills.scratch import ARTICLE, DRAFT, OTHER, PATH, DrillFailed, Scratch


@dataclass(frozen=True, slots=True)
class Result:
    """One promise, what was not kept of it, and where the snapshot lies."""

    name: str
    promise: str
    broken: tuple[str, ...]
    snapshot: Path

    @property
    def passed(self) -> bool:
        """Whether the promise was kept."""
        return not self.broken


def run(
    folder: Path, experiments: Sequence[Experiment] = EXPERIMENTS, program: tuple[str, ...] = ()
) -> Iterator[Result]:
    """Each experiment on the same approved job; everything stays below ``folder``.

    The job is made once and found again by a later call. ``program`` is what workers run instead
    of manage.py: a test plants a guard that is off.
    """
    live, kept = folder / "live", folder / "approved"
    if not kept.exists():
        prepare(Scratch(live))
        live.rename(kept)
    for experiment in experiments:
        shutil.copytree(kept, live, symlinks=True)
        snapshot = folder / "snapshots" / experiment.name
        yield _one(experiment, Scratch(live, program), snapshot)
        shutil.rmtree(live)


def _one(experiment: Experiment, scratch: Scratch, snapshot: Path) -> Result:
    try:
        broken = tuple(experiment.run(scratch))
    except (DrillFailed, subprocess.TimeoutExpired) as failure:
        broken = (str(failure),)
    scratch.keep(snapshot)
    return Result(experiment.name, experiment.promise, broken, snapshot)


def prepare(scratch: Scratch) -> None:
    """A site with two articles, and a ready draft of one of them that is approved."""
    scratch.remote.mkdir(parents=True)
    scratch.git("init", "--quiet", "--bare", "--initial-branch=main")
    root = scratch.git("hash-object", "-t", "tree", "-w", "--stdin").decode().strip()
    first = scratch.git("commit-tree", root, "-m", "Begin").decode().strip()
    scratch.git("update-ref", "refs/heads/main", first)
    scratch.somebody_commits(PATH, ARTICLE)
    scratch.somebody_commits(OTHER, b"Other.\n")
    (scratch.folder / "draft.md").write_bytes(DRAFT)
    scratch.command("migrate", "--verbosity", "0")
    scratch.command("user", "add", "ada", "--role", "submitter")
    scratch.command("user", "add", "rui", "--role", "reviewer")
    scratch.command("site", "add", "blog", "--remote", str(scratch.remote))
    (scratch.folder / "job").write_text(scratch.submit("blog"))
    scratch.work()
    scratch.approve(scratch.job)
