"""All of the crash matrix, as long as there is time: ``python -m tests.support.sweep --seed 7``.

Every passing of every point of every lane, in every stage, with each of the four kinds of trouble, and
pairs where the rescuer dies as well, in an order that the seed shuffles; half of the time goes to
PostgreSQL where it is installed. What breaks is printed with the line that repeats it.
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
from dataclasses import astuple, dataclass
from pathlib import Path

import django

if __name__ == "__main__":
    django.setup()

from tests.support import postgres
from tests.support.matrix import MODES, Way
from tests.support.ways import WAYS

PAIRS_EACH = 5
"""One pair for this many single troubles."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One run: trouble at a passing in the turn-th stage that has it; ``again``: and in recovery."""

    point: str
    mode: str
    turn: int
    again: str = ""


def trials(way: Way, seed: int) -> Iterator[Trial]:
    """All single ones once, shuffled, with pairs in between; without an end."""
    draw = random.Random(seed)
    single = [
        Trial(passing, mode, turn)
        for passing in dict.fromkeys(each for stage in way.stages for each in stage.passings)
        for turn in range(sum(passing in stage.passings for stage in way.stages))
        for mode in MODES
    ]
    while True:
        draw.shuffle(single)
        for number, trial in enumerate(single):
            yield trial
            if number % PAIRS_EACH == 0:
                again = f"{draw.choice(way.points)}={draw.choice(['exit', 'error', 'full'])}"
                yield Trial(trial.point, draw.choice(["exit", "error", "full"]), trial.turn, again)


def sweep(way: Way, seed: int, seconds: float, only: Trial | None = None) -> Counter[str]:
    """Run trials until the time is up; how many there were of each kind."""
    counts: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for trial in [only] if only else trials(way, seed):
        if time.monotonic() > end:
            break
        counts["pairs" if trial.again else trial.mode] += 1
        try:
            stage = way.run(
                trial.point, trial.mode, again=trial.again, turn=trial.turn, to_end=True
            )
            way.check(stage)
        except AssertionError as broken:
            counts["broken"] += 1
            print("BROKEN", *[repr(str(part)) for part in astuple(trial)], str(broken)[:1500])
            sys.stdout.flush()
    return counts


@contextmanager
def _database(kind: str) -> Iterator[str]:
    if kind == "sqlite":
        yield ""
        return
    with postgres.running_server() as dsn:
        yield postgres.new_database(dsn)


def main(arguments: list[str]) -> int:
    """Share the time among lanes and databases; 1 when something broke."""
    parser = argparse.ArgumentParser(description="All of the crash matrix.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=20)
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
    runs = total.total() - total["broken"]
    print(f"{runs} runs, {total['broken']} broke a promise.")
    return 1 if total["broken"] else 0


def _trial(point: str, mode: str, turn: str, again: str) -> Trial:
    return Trial(point, mode, int(turn), again)


def _kinds() -> list[str]:
    return ["sqlite", "postgresql"] if postgres.find_binaries() else ["sqlite"]


if __name__ == "__main__":
    os.environ.setdefault("IMPRIMATUR_NO_BOOTSTRAP", "1")
    sys.exit(main(sys.argv[1:]))
