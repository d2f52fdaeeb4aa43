"""The whole journey of real articles: created, then updated, each byte compared on the remote.

Run ``python -m bench.corpus``. The articles are looked for in ``IMPRIMATUR_BENCH_DATA``, else in
``../shared/data``. Exits 1 when an article was held up, changed or not published, 2 when there are
no articles. ``--mdx`` gives the pages that their own site reads as MDX that ending.
"""

import argparse
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django

from bench import git_floor

EDITED = "One more sentence, at the end."
SEED_FILES = 5


def articles() -> dict[str, bytes]:
    """The articles by language and name; empty when the folder is not there."""
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    folder = Path(os.environ.get("IMPRIMATUR_BENCH_DATA", default)) / "articles"
    found = sorted(folder.glob("*/*.md"))
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in found}


def edited(data: bytes) -> bytes:
    """A small edit, in the text's own line ends."""
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    return data.rstrip(b"\r\n") + 2 * newline + EDITED.encode() + newline


def runs(texts: dict[str, bytes], *, mdx: bool) -> Iterator[tuple[str, str, str, bytes]]:
    """What to do in turn: name, action, path and bytes."""
    for action, change in (("create", bytes), ("update", edited)):
        for name, data in texts.items():
            is_mdx = mdx and name.startswith("zh/")
            path = f"content/{name}x" if is_mdx else f"content/{name}"
            yield name, action, path, change(data)


def set_up(folder: Path) -> Any:
    """The product's side, in a scratch installation with its own SQLite database."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="publisher.settings", IMPRIMATUR_DATA_DIR=str(folder / "var")
    )
    os.environ.pop("DATABASE_URL", None)
    django.setup()
    return importlib.import_module("bench.corpus_journey")


def main() -> int:
    """Print a line for each journey, then what deviates; 0 when nothing does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mdx", action="store_true")
    parser.add_argument("--warnings", action="store_true", help="print the gates' warnings, too")
    options = parser.parse_args()
    texts = articles()
    if not texts:
        print("No articles: set IMPRIMATUR_BENCH_DATA to a folder with articles/.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="corpus-") as name:
        folder = Path(name)
        remote = git_floor.make_remote(folder / "remote.git", files=SEED_FILES, history=1)
        journeys = set_up(folder).Journeys(remote)
        print("action  state             same bytes  blocks  warnings      ms  article")
        failures = [
            f"{action} {name}: {', '.join(outcome.blocks) or outcome.state}"
            for name, action, path, data in runs(texts, mdx=options.mdx)
            if not (outcome := report(journeys, name, action, path, data, options)).as_promised
        ]
    print(f"\n{2 * len(texts)} journeys of {len(texts)} articles, {len(failures)} deviate.")
    print(*failures, sep="\n")
    return 1 if failures else 0


def report(journeys: Any, name: str, action: str, path: str, data: bytes, options: Any) -> Any:
    """One journey and its line of the table."""
    started = time.perf_counter()
    outcome = journeys.journey(path, data, action=action)
    spent = (time.perf_counter() - started) * 1000
    print(
        f"{action:6}  {outcome.state:16}  {'yes' if outcome.same_bytes else 'NO':10}"
        f"  {len(outcome.blocks):6}  {len(outcome.warnings):8}  {spent:6.0f}  {name}"
    )
    for warning in outcome.warnings if options.warnings else ():
        print(f"        {warning}")
    return outcome


if __name__ == "__main__":
    sys.exit(main())
