"""Inside an installation that runs: how soon a worker takes a job, and a number of publications.

``python -m bench.running latency 60`` or ``python -m bench.running publish 20`` with the
environment of the installation that ``manage.py run`` or ``worker`` serves; prints JSON.
Called by ``bench.start``.
"""

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import django

SITE = "demo"
DEADLINE_SECONDS = 30.0


def main() -> None:
    """Set Django up, do what was asked for, and print what came out."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "publisher.settings")
    django.setup()
    door = importlib.import_module("bench.door")
    does = {"latency": latencies, "publish": publish}[sys.argv[1]]
    print(json.dumps(does(door, int(sys.argv[2]))))


def latencies(door: Any, count: int) -> list[float]:
    """Milliseconds from the commit of a submit until another process sees the job claimed.

    One job at a time, the next when the one before has come to rest, so a worker is free.
    """
    found = []
    for number in range(count):
        job = door.submit(SITE, f"content/kitchen/latency-{time.time_ns()}.md", number)
        start = time.perf_counter()
        _until(lambda job=job: door.is_claimed(job), every=0.001)  # type: ignore[misc]
        found.append((time.perf_counter() - start) * 1000)
        _until(lambda job=job: door.state(job) == "WAITING_APPROVAL")  # type: ignore[misc]
    return found


def publish(door: Any, count: int) -> float:
    """Seconds in which this many articles were submitted, approved and published."""
    start = time.perf_counter()
    jobs = [
        door.submit(SITE, f"content/kitchen/published-{time.time_ns()}.md", number)
        for number in range(count)
    ]
    for job in jobs:
        _until(lambda job=job: door.state(job) == "WAITING_APPROVAL")  # type: ignore[misc]
        door.approve(job)
    for job in jobs:
        _until(lambda job=job: door.state(job) == "PUBLISHED")  # type: ignore[misc]
    return time.perf_counter() - start


def _until(is_so: Callable[[], bool], *, every: float = 0.02) -> None:
    end = time.monotonic() + DEADLINE_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit("The worker did not come so far in time.")
        time.sleep(every)


if __name__ == "__main__":
    main()
