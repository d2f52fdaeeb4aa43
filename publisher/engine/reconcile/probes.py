"""probes: what failed with an open intent, and what people have in hand, is looked for every hour."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import OperationalError
from django.db.models import Exists, OuterRef, Q, QuerySet

from publisher import journal, spoiled
from publisher.domain.errors import LockBusy, OutcomeUnknown, StaleWorker
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import PEOPLES, Actor, Event, State
from publisher.engine import confirm, effects, roots, sites, waiting
from publisher.engine.confirm import Seen, Sighting
from publisher.engine.reconcile.alone import alone, words
from publisher.engine.reconcile.counts import Counts
from publisher.journal import Guard, Who
from publisher.models import Effect, Job, Site
from publisher.models.effect import EffectStatus
from publisher.models.job import IS_WITH_PEOPLE
from publisher.ports import Ports, Repository

log = structlog.get_logger(__name__)

WHO = Who(Actor.RECONCILE, "probe")
PATIENCE_SECONDS = 30.0
"""Once looking took this long no further remote is asked in this sweep."""
WENT_ON = "The branch went on without it, so nothing of it was published."
INTERVAL = timedelta(seconds=DEFAULT_LIMITS.probe_seconds)
AT_ONCE = 200
"""Jobs that people have in hand of one sweep."""


def run(ports: Ports, *, site: str = "") -> Counts:
    """Fetch and search only: no push, no new budget, no new draft (row R8).

    What is found is PUBLISHED; what is proved absent may be retried by a person. What was absent
    may be back, when somebody takes a rewritten history back. Each site, also one out of use, is
    fetched once for all of its jobs, those that answered the last time first.
    """
    counts = Counts()
    due = _due(ports, counts, site)
    begun = ports.clock.monotonic()
    for jobs in sorted(due.values(), key=_turn):
        if ports.clock.monotonic() - begun > PATIENCE_SECONDS:
            counts.left += len(jobs)
            continue
        with alone(counts, "probes", site=jobs[0].site.name):
            _look(jobs, ports, counts)
    return counts


def failed_with_open_write() -> QuerySet[Job]:
    """Found by the open writes, of which there are few, and not by the failed jobs."""
    is_open = Q(status=EffectStatus.INTENT.value) | Q(status=EffectStatus.UNKNOWN.value)
    found = Effect.objects.filter(is_open).order_by().values_list("job_id", flat=True)
    rows = Job.objects.select_related("site").filter(pk__in=set(found))
    return rows.filter(state=State.FAILED.value).order_by("pk")


def sent_before(now: datetime, *, site: str = "") -> QuerySet[Job]:
    """Jobs that people have in hand, and whose very bytes were sent and not found an hour ago.

    A person who names a site does not wait for the hour.
    """
    sent = Effect.objects.filter(
        job=OuterRef("pk"),
        status=EffectStatus.ABSENT.value,
        request_hash=OuterRef("payload_hash"),
    )
    lately = sent.filter(updated_at__gt=now - INTERVAL, updated_at__lte=now)
    narrowed = Q(site__name=site) if site else ~Exists(lately)
    rows = Job.objects.select_related("site").filter(IS_WITH_PEOPLE, Exists(sent), narrowed)
    return rows.order_by("updated_at")


def _due(ports: Ports, counts: Counts, site: str) -> dict[int, list[Job]]:
    """The jobs whose hour is over, by site; a person who names a site does not wait for it."""
    now = ports.clock.now()
    due: dict[int, list[Job]] = {}
    rows = failed_with_open_write()
    for job in spoiled.readable(rows.filter(site__name=site) if site else rows):
        counts.looked_at += 1
        if site or not now < job.available_at <= now + INTERVAL:
            due.setdefault(job.site_id, []).append(job)
        else:
            counts.left += 1
    sent = sent_before(now, site=site)
    silent = _silent(sent, ports, counts)
    for job in spoiled.readable(sent.exclude(site__in=silent)[:AT_ONCE]):
        counts.looked_at += 1
        due.setdefault(job.site_id, []).append(job)
    return due


def _silent(jobs: QuerySet[Job], ports: Ports, counts: Counts) -> list[int]:
    """Sites whose jobs would only wait, and however many they are hide no other's."""
    found = []
    for row in spoiled.readable(Site.objects.filter(pk__in=jobs.order_by().values("site"))):
        with alone(counts, "probes", site=row.name):
            if sites.is_silent(row, ports, pushes=False):
                found.append(row.pk)
    return found


def _turn(jobs: list[Job]) -> tuple[bool, datetime]:
    """Sites that were in trouble come last, and of those the one that waits for longest."""
    return bool(jobs[0].site.last_error), min(job.available_at for job in jobs)


def _look(jobs: list[Job], ports: Ports, counts: Counts) -> None:
    site = jobs[0].site
    if sites.is_silent(site, ports, pushes=False):
        counts.left += len(jobs)
        return
    repository = ports.repository(site.spec, lambda: False)
    try:
        tip, why = _fetch(repository, site)
        if not tip and not why:
            counts.left += len(jobs)
            return
        for job in jobs:
            job.site = site  # as it was found to be just now
            with alone(counts, "probes", job_id=job.pk):
                found = _probe(job, repository, tip, ports) if tip else _note(job, ports, why=why)
                counts.changed += found
                counts.left += not found
    finally:
        repository.close()


def _fetch(repository: Repository, site: Site) -> tuple[str, str]:
    """The tip, or why there is none; neither where somebody else waits for the remote already."""
    try:
        tip = repository.fetch()
        roots.watch(site, repository, tip)
    except LockBusy:
        return "", ""
    except Exception as error:
        # Whatever it is, it is told on each job, and the next site has its turn.
        return "", words(error)
    return tip, ""


def _probe(job: Job, repository: Repository, tip: str, ports: Ports) -> bool:
    """Whether it was found. What goes wrong with one job is told on it and asked again in an hour."""
    try:
        seen = confirm.search(repository, job, tip)
        if seen.sighting is Sighting.OURS and seen.commit is not None:
            now = ports.clock.now()
            guard = _found(effects.confirmed(ports.authority, seen.commit, now), now)
            journal.record(job, Event.CONFIRM, who=WHO, now=now, guard=guard,
                           commit=seen.commit.commit, tip=tip)  # fmt: skip
            return True
        if job.state in PEOPLES:
            return _note(job, ports, why=seen.why, found=seen.sighting.value)
        if job.site.stop_reason:
            return _note(job, ports, why=job.site.stop_reason)
        return _close(job, seen, tip, ports)
    except (StaleWorker, OperationalError):
        raise
    except Exception as error:
        return _note(job, ports, why=words(error))


def _found(confirmed: Guard, now: datetime) -> Guard:
    """It is there: nobody has to settle any more what stood in its way."""

    def guard(fresh: Job) -> Mapping[str, Any] | None:
        fresh.conflicts.filter(settled_at__isnull=True).update(
            settled_at=now, settled_by=WHO.name, settled_how="published"
        )
        return confirmed(fresh)

    return guard


def _close(job: Job, seen: Seen, tip: str, ports: Ports) -> bool:
    """Close the intent where the tip proves it absent; or say why it proves nothing yet."""
    guard = effects.proved_absent(ports, effects.left(tip), branch=job.site.branch, tip=tip)
    try:
        journal.note(job, "probed", who=WHO, now=ports.clock.now(), guard=guard, reason=WENT_ON,
                     changes={"failure_message": waiting.NOT_PUBLISHED}, result="absent",
                     tip=tip)  # fmt: skip
    except OutcomeUnknown as doubt:
        return _note(job, ports, why=seen.why or doubt.message, found=seen.sighting.value)
    return True


def _note(job: Job, ports: Ports, *, why: str, found: str = "unknown") -> bool:
    """Nothing is found: it is told and asked again in an hour. The history of a job that people have
    in hand says already that it is absent, and does not say so each hour.
    """
    now = ports.clock.now()
    if job.state in PEOPLES:
        log.info("probed", job_id=job.pk, reason=why, result=found)
        sent = Effect.objects.filter(job=job, status=EffectStatus.ABSENT.value)
        sent.update(updated_at=now)
        return False
    journal.note(job, "probed", who=WHO, now=now, reason=why, result=found,
                 changes={"available_at": now + INTERVAL})  # fmt: skip
    return False
