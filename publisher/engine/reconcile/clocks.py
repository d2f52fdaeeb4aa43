"""clocks: what a clock that was ahead wrote down waits no longer than it was meant to, once it is right."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, Q

from publisher import journal, spoiled
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import Actor, State
from publisher.engine.external_sync import LOOK
from publisher.engine.outbox import RETRY_SECONDS
from publisher.engine.reconcile import fetches
from publisher.engine.reconcile.alone import alone
from publisher.engine.reconcile.counts import Counts
from publisher.engine.waiting import HELD_SECONDS
from publisher.env import LEASE_SECONDS
from publisher.journal import Who
from publisher.models import Job, Outbox, Site
from publisher.models.job import IS_CLAIMABLE
from publisher.ports import Ports

WHO = Who(Actor.CLOCK)
SLACK = timedelta(seconds=5)
"""Clocks that are set in small steps are no jump."""
_RETRY = timedelta(seconds=DEFAULT_LIMITS.backoff_cap_seconds)
_HELD = timedelta(seconds=HELD_SECONDS)
_LONGEST = {
    State.READY_TO_COMMIT.value: timedelta(days=366),  # the longest hold of a policy
    State.LOCAL_COMMITTED.value: _HELD,
    # Held at a stopped site as well, where a try may wait besides.
    State.RECHECK_CANDIDATES.value: max(_RETRY, _HELD),
    State.PUSHING.value: max(_RETRY, _HELD),
    State.RETRY_WAIT.value: max(_RETRY, _HELD),
}
"""How long a job may wait by itself in a state; in all others as long as between two tries."""
_LONGEST_LEASE = timedelta(seconds=LEASE_SECONDS[1])


def run(ports: Ports, *, site: str = "") -> Counts:
    """Cut down waits, leases and sights that end later than their own longest length allows.

    A time that a person asked for (``not_before``) is no wait of ours and stays. The name of a site
    narrows nothing: a clock is everybody's.
    """
    now = ports.clock.now()
    counts = Counts()
    for job in _jobs_ahead(now):
        counts.looked_at += 1
        with alone(counts, "clocks", job_id=job.pk):
            changed = _shorten_lease(job, now) or _shorten_wait(job, now)
            counts.changed += changed
            counts.left += not changed
    ahead = Q(due_at__gt=now) | Q(lease_until__gt=now)
    for message in spoiled.readable(Outbox.objects.filter(ahead, done_at__isnull=True)):
        counts.looked_at += 1
        with alone(counts, "clocks", message=message.pk):
            changed = _shorten_message(message, now)
            counts.changed += changed
            counts.left += not changed
    seen_ahead = Site.objects.filter(removed_at__isnull=True, fetched_at__gt=now + SLACK)
    for row in spoiled.readable(seen_ahead):
        counts.looked_at += 1
        with alone(counts, "clocks", site=row.name):
            # The future was not seen: it counts as never, and is looked at anew.
            Site.objects.filter(pk=row.pk, fetched_at=row.fetched_at).update(fetched_at=None)
            fetches.ask(row, now)
            counts.changed += 1
    return counts


def _jobs_ahead(now: datetime) -> Iterator[Job]:
    """Two questions, each of which the index of the claimable jobs answers."""
    rows = Job.objects.filter(IS_CLAIMABLE).order_by("available_at")
    ahead = rows.filter(available_at__gt=now).exclude(available_at=F("not_before"))
    yield from spoiled.readable(ahead)
    held = rows.filter(available_at__lte=now, lease_until__gt=now + _usual_lease())
    yield from spoiled.readable(held)


def _shorten_wait(job: Job, now: datetime) -> bool:
    """A wait that was written in the future begins anew; it never gets longer."""
    if job.available_at <= now:
        return False
    longest = _LONGEST.get(job.state, _RETRY)
    if job.updated_at > now + SLACK:
        wait = min(max(job.available_at - job.updated_at, timedelta()), longest)
    elif job.available_at > now + longest:
        wait = timedelta()
    else:
        return False
    if now + wait >= job.available_at:
        return False
    journal.note(
        job, "clock_set_right", who=WHO, now=now, changes={"available_at": now + wait},
        reason="The clock was ahead when this wait began. It counts from now on.",
        was=job.available_at.isoformat(),
    )  # fmt: skip
    return True


def _shorten_lease(job: Job, now: datetime) -> bool:
    """Whoever lives renews it long before; a longer lease than the usual one may be asked for."""
    until = _cut(job.lease_until, now, is_ahead=job.updated_at > now + SLACK)
    rows = Job.objects.filter(pk=job.pk, lease_until=job.lease_until)
    return until is not None and bool(rows.update(lease_until=until))


def _shorten_message(message: Outbox, now: datetime) -> bool:
    until = _cut(message.lease_until, now, is_ahead=message.created_at > now + SLACK)
    rows = Outbox.objects.filter(pk=message.pk, done_at__isnull=True)
    cut = until is not None and bool(
        rows.filter(lease_until=message.lease_until).update(lease_until=until)
    )
    if message.due_at > now + _longest(message):
        cut |= bool(rows.filter(due_at=message.due_at).update(due_at=now))
    return cut


def _longest(message: Outbox) -> timedelta:
    """The longest time between two tries; a look at hand edits waits for the site's quiet time."""
    if message.kind != LOOK:
        return timedelta(seconds=max(RETRY_SECONDS))
    site = Site.objects.filter(pk=message.payload["site"]).first()
    return timedelta(seconds=max(site.quiet_seconds + 1 if site else 0, *RETRY_SECONDS))


def _cut(until: datetime | None, now: datetime, *, is_ahead: bool) -> datetime | None:
    usual = _usual_lease()
    longest = usual if is_ahead else max(usual, _LONGEST_LEASE)
    return now + usual if until is not None and until > now + longest else None


def _usual_lease() -> timedelta:
    return timedelta(seconds=settings.IMPRIMATUR_LEASE_SECONDS)
