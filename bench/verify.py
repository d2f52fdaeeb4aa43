"""Measure verify over finished jobs, in seconds and as a ratio to a plain read of the same rows.

Run ``python -m bench.verify`` (``--postgresql`` for a private server, ``--jobs N``, ``--remote`` for
a remote that holds a commit of each job). Exits 1 when a breach is found among the sound rows, or when
it takes longer than the promise.
"""

import argparse
import importlib
import resource
import time
from typing import Any

from bench.scratch import installation

TABLES = (
    "publisher_job", "publisher_jobevent", "publisher_effect", "publisher_artifact",
    "publisher_revision", "reviews_approval", "reviews_decision",
)  # fmt: skip
PROMISE_SECONDS = 10.0
ROUNDS = 3


def main() -> int:
    """Build, read plainly, verify; the best of a few rounds each, in turns."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--remote", action="store_true")
    options = parser.parse_args()
    with installation(postgresql=options.postgresql) as folder:
        finished = importlib.import_module("bench.finished")
        remote = folder / "remote.git" if options.remote else None
        finished.write(options.jobs, remote=remote)
        if remote:
            _connect(finished.site())
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        floors, times = [], []
        for _ in range(ROUNDS):
            floors.append(_read())
            seconds, found = _verify()
            times.append(seconds)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if not options.remote:  # told, as it should be
        found = [breach for breach in found if breach.rule != "remote_unreadable"]
    floor, best = min(floors), min(times)
    print(
        f"{options.jobs} finished jobs, {len(finished.MOVES)} events each: "
        f"plain read {floor:.1f} s, verify {best:.1f} s ({best / floor:.1f} x), "
        f"worst {max(times):.1f} s, memory grown by {grown:.0f} MB, {len(found)} breaches"
    )
    for breach in found[:5]:
        print(breach)
    return 0 if not found and best <= PROMISE_SECONDS else 1


def _connect(site: Any) -> None:
    """Make the site's clone."""
    ports = importlib.import_module("publisher.wiring").ports()
    repository = ports.repository(site.spec, lambda: False)
    repository.ensure_clone()
    repository.close()


def _read() -> float:
    """Every row that verify reads, and nothing done with it."""
    connection = importlib.import_module("django.db").connection
    start = time.perf_counter()
    for table in TABLES:
        with connection.chunked_cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")
            while cursor.fetchmany(5000):
                pass
    return time.perf_counter() - start


def _verify() -> tuple[float, list[Any]]:
    ports = importlib.import_module("publisher.wiring").ports()
    audit = importlib.import_module("publisher.engine.audit.verify")
    cores = importlib.import_module("publisher.processes.cores")
    start = time.perf_counter()
    found = audit.verify(ports, spread=cores.spread)
    return time.perf_counter() - start, found


if __name__ == "__main__":
    raise SystemExit(main())
