"""Measure a sweep: what it costs with few and with many finished jobs, and few and many open ones.

Run ``python -m bench.reconcile`` (``--postgresql``, ``--finished 10000,1000000``, ``--open
50,5000``). Exits 1 when more finished jobs cost more than half as much again.
"""

import argparse
import importlib
import time
from datetime import timedelta
from typing import Any

from bench.scratch import installation

ROUNDS = 7
PROMISE = 1.5


def main() -> int:
    """Build up to each size and sweep; the best of a few rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--finished", default="10000,1000000")
    parser.add_argument("--open", default="50,5000")
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    sizes, opens = _numbers(options.finished), _numbers(options.open)
    cost: dict[tuple[int, int], tuple[float, float]] = {}
    with installation(postgresql=options.postgresql):
        many = importlib.import_module("bench.many")
        have = 0
        for size in sizes:
            many.write(size, first=have)
            have = size
            _watch()
            _seal_all()
            for number in opens:
                _open(number)
                cost[size, number] = _sweep()
                wall, cpu = cost[size, number]
                print(
                    f"{size:8} finished {number:5} open: {wall * 1000:7.1f} ms, CPU {cpu * 1000:.1f} ms"
                )
    # SQLite works in this process, whose own time says more on a busy machine.
    which = 0 if options.postgresql else 1
    worst = max(cost[sizes[-1], number][which] / cost[sizes[0], number][which] for number in opens)
    print(f"{sizes[-1]} finished jobs cost {worst:.2f} x what {sizes[0]} do")
    return 0 if worst <= PROMISE else 1


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _seal_all() -> None:
    """As if a sweep had gone by after each of them."""
    models = importlib.import_module("publisher.models")
    last = models.JobEvent.objects.order_by("-pk").first()
    number = models.Seal.objects.count() + 1
    models.Seal.objects.create(number=number, at=last.at, last_event=last.pk + 1000)


def _watch() -> None:
    """The finished jobs' site has a live checkout, which was looked at since."""
    models = importlib.import_module("publisher.models")
    now = importlib.import_module("publisher.clock").now()
    place = importlib.import_module("bench.finished").site()
    models.Site.objects.filter(pk=place.pk).update(live_checkout="/nowhere")
    models.LiveSight.objects.update_or_create(site=place, defaults={"looked_at": now})


def _open(count: int) -> None:
    """Jobs that were received and not yet claimed, on a site that is ready."""
    models = importlib.import_module("publisher.models")
    now = importlib.import_module("publisher.clock").now()
    place, _ = models.Site.objects.get_or_create(
        name="open",
        defaults={"scope": "default", "remote": "/nowhere", "branch": "main", "created_at": now},
    )
    models.Site.objects.update(clone_state="ready", fetched_at=now + timedelta(days=1))
    theirs = models.Job.objects.filter(site=place)
    with importlib.import_module("django.db").connection.cursor() as cursor:
        importlib.import_module("publisher.models.triggers").lift()
        cursor.execute("DELETE FROM publisher_job WHERE site_id = %s", [place.pk])
    have = theirs.count()
    models.Job.objects.bulk_create(
        models.Job(
            id=f"open-{n}", site=place, kind="blog.publish/v1", lane="publish", scope="default",
            requester="ada", state="RECEIVED", available_at=now, created_at=now, updated_at=now,
        )
        for n in range(have, count)
    )  # fmt: skip


def _sweep() -> tuple[float, float]:
    reconcile: Any = importlib.import_module("publisher.engine.reconcile")
    ports = importlib.import_module("publisher.wiring").ports()
    reconcile.sweep(ports)
    best = (float("inf"), float("inf"))
    for _ in range(ROUNDS):
        start, cpu = time.perf_counter(), time.process_time()
        reconcile.sweep(ports)
        best = min(best, (time.perf_counter() - start, time.process_time() - cpu))
    return best


if __name__ == "__main__":
    raise SystemExit(main())
