"""Upkeep: pack a clone's loose objects and small packs, draw its history, and never lose an object."""

from pathlib import Path

from publisher.adapters.git.refs import past_stale_locks
from publisher.adapters.git.runner import Runner

LOOSE_IN_A_FOLDER = 16
"""One of 256 folders is counted, as their names are spread evenly: about 4,000 objects."""
PACKS = 40
SECONDS = 900.0


def tend(runner: Runner) -> bool:
    """Pack when much has piled up. Readers and writers may be at work meanwhile.

    Packs are joined while they are small beside the next larger one, so the whole history is
    written anew only as often as it doubles. Loose objects go into a pack whether or not a ref
    leads to them, and a file is removed only when a pack holds the same object: a worktree, or a
    commit that is not at its ref yet, misses nothing.
    """
    if not is_due(runner.git_dir):
        return False
    runner.run(
        "repack", "-d", "-l", "--geometric=2", "--no-write-bitmap-index", "--quiet",
        deadline=SECONDS,
    )  # fmt: skip
    return True


def draw_history(runner: Runner, tip: str) -> None:
    """Keep the shape of the tip's history in git's commit-graph file.

    Without it each fetch reads every commit there is, so a publication would cost what the
    history costs. It holds the branch's commits alone: those of jobs may go again.
    """
    past_stale_locks(
        runner,
        lambda: runner.run(
            "commit-graph", "write", "--stdin-commits", stdin=f"{tip}\n".encode(), deadline=SECONDS
        ),
    )


def is_due(git_dir: Path) -> bool:
    """Whether there is much to pack; costs the listing of two folders."""
    sample, packs = git_dir / "objects" / "17", git_dir / "objects" / "pack"
    loose = sum(1 for _ in sample.iterdir()) if sample.is_dir() else 0
    return loose > LOOSE_IN_A_FOLDER or len(list(packs.glob("*.pack"))) > PACKS
