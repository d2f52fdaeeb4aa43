"""All of the crash matrix: ``python -m tests.support.sweep --seed 7``.

Every passing of every point of every lane, in every stage, with each of the four kinds of trouble, and
pairs where the rescuer meets trouble as well, in an order that the seed shuffles; on PostgreSQL too,
where it is installed. ``--minutes`` ends it before, each lane and database after its share. What
breaks is printed with the line that repeats it.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import django

if __name__ == "__main__":
    django.setup()

from tests.support import postgres
from tests.support.matrix import MODES, Way
from tests.support.ways import WAYS

PAIRS_EACH = 5
"""One pair for this many single troubles."""
HARD = ("exit", "error", "full")
"""What can happen twice in a row: nobody takes over from one that is paused, and dies."""
TO_DRAW = "?"


@dataclass(frozen=True, slots=True)
class Trial:
    """One run: trouble at a passing in the turn-th stage that has it; ``again``: and in recovery.

    ``?``: at a passing that is drawn once it is known which the rescuer has there.
    """

    point: str
    mode: str
    turn: int
    again: str = ""


def trials(way: Way, draw: random.Random) -> Iterator[Trial]:
    """All single ones once, shuffled, with pairs in between."""
    single = [
        Trial(passing, mode, turn)
        for passing in dict.fromkeys(each for stage in way.stages for each in stage.passings)
        for turn in range(sum(passing in stage.passings for stage in way.stages))
        for mode in MODES
    ]
    draw.shuffle(single)
    for number, trial in enumerate(single):
        yield trial
        if number % PAIRS_EACH == 0:
            yield replace(trial, mode=draw.choice(HARD), again=TO_DRAW)


def sweep(way: Way, seed: int, seconds: float = 0, only: Trial | None = None) -> Counter[str]:
    """Run all trials, or until the seconds are over when there are any; how many of each kind.

    Of the pairs that were drawn, ``pairs`` are those whose second trouble came.
    """
    counts: Counter[str] = Counter()
    draw = random.Random(seed)
    end = time.monotonic() + seconds
    for trial in [only] if only else trials(way, draw):
        if seconds and time.monotonic() > end:
            break
        _attempt(way, trial, draw, counts)
    return counts


def _attempt(way: Way, trial: Trial, draw: random.Random, counts: Counter[str]) -> None:
    counts["pairs drawn" if trial.again else trial.mode] += 1
    try:
        if trial.again == TO_DRAW:
            passings = way.recovery(trial.point, trial.mode, turn=trial.turn)
            again = f"{draw.choice(passings)}={draw.choice(HARD)}" if passings else ""
            trial = replace(trial, again=again)
        stage = way.run(trial.point, trial.mode, again=trial.again, turn=trial.turn, to_end=True)
        if trial.again:
            counts["pairs"] += way.was_passed(trial.again.partition("=")[0], by="second")
        way.check(stage)
    except AssertionError as broken:
        counts["broken"] += 1
        print("BROKEN", *[repr(str(part)) for part in astuple(trial)], str(broken)[:1500])
        sys.stdout.flush()


@contextmanager
def _database(kind: str) -> Iterator[str]:
    if kind == "sqlite":
        yield ""
        return
    with postgres.running_server() as dsn:
        yield postgres.new_database(dsn)


def main(arguments: list[str]) -> int:
    """All lanes on all databases, which share a limit of time; 1 when something broke."""
    parser = argparse.ArgumentParser(description="All of the crash matrix.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0, help="0: until all is done")
    parser.add_argument("--lane", choices=list(WAYS), action="append")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], action="append")
    parser.add_argument("--trial", nargs=4, metavar=("POINT", "MODE", "TURN", "AGAIN"))
    chosen = parser.parse_args(arguments)
    only = _trial(*chosen.trial) if chosen.trial else None
    lanes, kinds = chosen.lane or list(WAYS), chosen.database or _kinds()
    share = chosen.minutes * 60 / len(lanes) / len(kinds)
    total: Counter[str] = Counter()
    for kind in kinds:
        for lane in lanes:
            with (
                tempfile.TemporaryDirectory(prefix="crash-") as home,
                _database(kind) as url,
                WAYS[lane](Path(home), url) as way,
            ):
                counts = sweep(way, chosen.seed, share, only)
            print(f"seed {chosen.seed}, {kind}, {lane}:", dict(counts), flush=True)
            total += counts
    runs = sum(total[kind] for kind in (*MODES, "pairs drawn"))
    print(
        f"{runs} runs, {total['broken']} broke a promise; the second trouble came in "
        f"{total['pairs']} of {total['pairs drawn']} pairs."
    )
    return 1 if total["broken"] else 0


def _trial(point: str, mode: str, turn: str, again: str) -> Trial:
    return Trial(point, mode, int(turn), again)


def _kinds() -> list[str]:
    return ["sqlite", "postgresql"] if postgres.find_binaries() else ["sqlite"]


if __name__ == "__main__":
    os.environ.setdefault("IMPRIMATUR_NO_BOOTSTRAP", "1")
    sys.exit(main(sys.argv[1:]))
