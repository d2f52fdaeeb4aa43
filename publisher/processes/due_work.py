"""Due work: the look that brings lost hints back, in a process of its own."""

import signal
import time
from collections.abc import Callable
from datetime import timedelta

import structlog
from django.db import DatabaseError, close_old_connections, connections
from django.utils import timezone
from django_q.models import Schedule
from django_q.tasks import async_task
from redis.exceptions import RedisError

LOOK_SECONDS = 10.0
log = structlog.get_logger(__name__)


def look_for_ever(due: Callable[[], object], *, sweep: str, sweep_seconds: int) -> None:
    """Call ``due`` every ten seconds, and ask for a sweep at once and then as often as wanted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the supervisor's affair
    connections.close_all()
    next_sweep = time.monotonic()
    while True:
        started = time.monotonic()
        try:
            if started >= next_sweep:
                schedule_sweep(sweep, seconds=sweep_seconds)
                async_task(sweep, task_name="sweep")
                # From one minute up the queue's own schedule does it.
                next_sweep = started + sweep_seconds if sweep_seconds < 60 else float("inf")
            hurry_sweep(sweep_seconds)
            due()
        except (DatabaseError, RedisError) as error:
            log.warning("due_work_not_seen", error=str(error))
        close_old_connections()
        time.sleep(max(0.1, min(LOOK_SECONDS, sweep_seconds) - (time.monotonic() - started)))


def hurry_sweep(seconds: int) -> None:
    """A sweep that was planned under a clock that was ahead is due once the clock is right."""
    now = timezone.now()
    latest = now + timedelta(seconds=2 * max(60, seconds))
    Schedule.objects.filter(name="sweep", next_run__gt=latest).update(next_run=now)


def schedule_sweep(sweep: str, *, seconds: int) -> None:
    """Keep the one schedule row of the sweep; the queue counts in whole minutes."""
    Schedule.objects.update_or_create(
        name="sweep",
        defaults={
            "func": sweep,
            "schedule_type": Schedule.MINUTES,
            "minutes": max(1, round(seconds / 60)),
            "repeats": -1,
        },
    )
