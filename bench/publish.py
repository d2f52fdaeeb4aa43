"""A whole publication (engine, database, gates, git) against bare git, in turn, in one run.

``python -m bench.publish --files 100 --runs 9`` prints medians, their ratio and the queries per
publication. It refuses to judge when the floor itself spreads by more than 1.5.
"""

import argparse
import importlib
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

import django

from bench import git_floor

LIMIT = 2.0
SPREAD = 1.5


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


def main() -> None:
    """Alternate floor and product, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--history", type=int, default=100)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="publish-") as name:
        folder = Path(name)
        remote = git_floor.make_remote(
            folder / "remote.git", files=options.files, history=options.history
        )
        clone = floor_clone(folder, remote)
        product = set_up(folder).Product(remote)
        floors, wholes, queries = [], [], []
        for number in range(options.runs + 1):
            git_floor.move(remote, 2 * number)
            floor = git_floor.floor(remote, clone, 2 * number).total
            git_floor.move(remote, 2 * number + 1)
            spent = product.publish(git_floor.payload(2 * number + 1))
            if number:
                floors.append(floor)
                wholes.append(spent.whole)
                queries.append(spent.queries)
    report(options.files, floors, wholes, queries)


def report(files: int, floors: list[float], wholes: list[float], queries: list[int]) -> None:
    """Medians, ratio and spread; exit 1 over the limit, 2 when the machine is too noisy to judge."""
    floor, whole = statistics.median(floors), statistics.median(wholes)
    quartiles = statistics.quantiles(floors, n=4)
    print(f"files {files}: floor {floor:.0f} ms, product {whole:.0f} ms, ratio {whole / floor:.2f}")
    print(f"queries per publication: {min(queries)} to {max(queries)}")
    if quartiles[2] / quartiles[0] > SPREAD:
        print("The floor spreads too much to judge.")
        raise SystemExit(2)
    if whole / floor > LIMIT:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
