"""A whole publication (engine, database, gates, git) against bare git, in turn, in one run.

``python -m bench.publish --files 100,10000,100000 --layout nested,flat`` makes a repository for each
pair and prints medians: the product's git work and the whole as ratios of the floor, the part
without fetch and push, git processes and queries. It refuses to judge a noisy floor.

``--batch 1,5,20,100`` delivers so many approved jobs at once, in turn with one alone, and prints what
a job's delivery costs: milliseconds, queries, git processes, pushes.
"""

import argparse
import importlib
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import django

from bench import git_floor

GIT_LIMIT = 1.3
WHOLE_LIMIT = 2.0
SPREAD = 1.5
WARM_UP = 1
BATCH_LIMIT = 1 / 3


def set_up(folder: Path) -> Any:
    """The product's side, in a scratch installation with its own SQLite database."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="publisher.settings", IMPRIMATUR_DATA_DIR=str(folder / "var")
    )
    os.environ.pop("DATABASE_URL", None)
    django.setup()
    return importlib.import_module("bench.product")


def floor_clone(folder: Path, remote: Path) -> Path:
    """The floor's own bare clone."""
    clone = folder / "floor.git"
    clone.mkdir()
    git_floor.git(clone, "init", "-q", "--bare", "--initial-branch=main")
    refspec = f"+{git_floor.BRANCH}:{git_floor.TRACKING}"
    git_floor.git(clone, "fetch", "-q", "--no-tags", str(remote), refspec)
    return clone


def measure(options: argparse.Namespace) -> int:
    """One repository: alternate floor and product, print what came out; the exit code."""
    files = int(options.files)
    with tempfile.TemporaryDirectory(prefix="publish-") as name:
        folder, start = Path(name), time.perf_counter()
        remote = git_floor.make_remote(
            folder / "remote.git", files=files, history=options.history,
            layout=options.layout, size=options.bytes,
        )  # fmt: skip
        clone = floor_clone(folder, remote)
        product = set_up(folder).Product(remote)
        print(f"{options.layout} {files}: made in {time.perf_counter() - start:.0f} s", flush=True)
        floors, all_spent = [], []
        for number in range(options.runs + WARM_UP):
            git_floor.move(remote, 2 * number)
            floors.append(git_floor.floor(remote, clone, 2 * number).total)
            git_floor.move(remote, 2 * number + 1)
            all_spent.append(product.publish(git_floor.payload(2 * number + 1)))
    return report(floors[WARM_UP:], all_spent[WARM_UP:])


def measure_batches(options: argparse.Namespace) -> int:
    """One repository: deliver batches of each size in turn; 1 when a job of 20 costs over a third."""
    sizes = [int(size) for size in options.batch.split(",")]
    with tempfile.TemporaryDirectory(prefix="publish-") as name:
        folder = Path(name)
        remote = git_floor.make_remote(
            folder / "remote.git", files=int(options.files), history=options.history,
            layout=options.layout, size=options.bytes,
        )  # fmt: skip
        product = set_up(folder).Product(remote)
        numbers = itertools.count()
        found: dict[int, list[Any]] = {size: [] for size in sizes}
        for number in range(options.runs + WARM_UP):
            for size in sizes:
                jobs = [product.ready(git_floor.own_payload(next(numbers))) for _ in range(size)]
                git_floor.move(remote, number)
                found[size].append(product.deliver(jobs))
    costs = {size: report_batch(size, spent[WARM_UP:]) for size, spent in found.items()}
    return int(1 in costs and 20 in costs and costs[20] > costs[1] * BATCH_LIMIT)


def report_batch(size: int, all_spent: list[Any]) -> float:
    """Print what a job costs in a batch of this size; the median in milliseconds."""
    cost = float(statistics.median(spent.spent for spent in all_spent)) / size
    queries = statistics.median(spent.queries for spent in all_spent) / size
    processes = statistics.median(spent.processes for spent in all_spent)
    pushes = statistics.median(spent.pushes for spent in all_spent)
    print(
        f"  batch {size}: {cost:.1f} ms and {queries:.0f} queries a job, "
        f"{processes:.0f} git processes and {pushes:.0f} pushes in all",
        flush=True,
    )
    return cost


def report(floors: list[float], all_spent: list[Any]) -> int:
    """Medians and ratios; 1 over a limit, 2 when the machine is too noisy to judge."""
    floor = statistics.median(floors)

    def median(field: str) -> float:
        return float(statistics.median(getattr(spent, field) for spent in all_spent))

    print(
        f"  floor {floor:.0f} ms, whole {median('whole'):.0f} ms, ratio {median('whole') / floor:.2f}"
    )
    print(f"  git work {median('git'):.0f} ms, ratio {median('git') / floor:.2f}")
    print(f"  without fetch and push {median('own'):.0f} ms")
    for name in ("processes", "queries"):
        counts = [getattr(spent, name) for spent in all_spent]
        print(f"  {name} {min(counts)} to {max(counts)}", flush=True)
    quartiles = statistics.quantiles(floors, n=4)
    if quartiles[2] / quartiles[0] > SPREAD:
        print("  The floor spreads too much to judge.")
        return 2
    return int(median("git") / floor > GIT_LIMIT or median("whole") / floor > WHOLE_LIMIT)


def main() -> None:
    """Each repository in a process of its own, because an installation is bound to a process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", default="100")
    parser.add_argument("--layout", default="nested")
    parser.add_argument("--history", type=int, default=100)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--bytes", type=int, default=4000, help="the size of an article")
    parser.add_argument("--batch", default="", help="how many jobs to deliver at once")
    options = parser.parse_args()
    if options.batch:
        raise SystemExit(measure_batches(options))
    pairs = list(itertools.product(options.layout.split(","), options.files.split(",")))
    if len(pairs) == 1:
        raise SystemExit(measure(options))
    rest = ["--history", options.history, "--runs", options.runs, "--bytes", options.bytes]
    codes = [
        subprocess.run(
            [sys.executable, "-m", "bench.publish", "--layout", layout, "--files", files]
            + [str(word) for word in rest],
            check=False,
        ).returncode
        for layout, files in pairs
    ]
    raise SystemExit(max(codes))


if __name__ == "__main__":
    main()
