"""probes: jobs that failed with an open intent are looked for every hour; found ones are PUBLISHED."""

from datetime import timedelta

from django.db.models import Q, QuerySet

from publisher import journal
from publisher.domain.errors import RepositoryError, StaleWorker
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import Actor, Event, State
from publisher.engine import confirm, effects
from publisher.engine.confirm import Sighting
from publisher.engine.reconcile.counts import Counts
from publisher.journal import Who
from publisher.models import Effect, Job
from publisher.models.effect import EffectStatus
from publisher.ports import Ports

WHO = Who(Actor.RECONCILE, "probe")


def run(ports: Ports, *, site: str = "") -> Counts:
    """Fetch and search only: no push, no new budget, no new draft (row R8)."""
    now = ports.clock.now()
    counts = Counts()
    for job in failed_with_open_write():
        if site and job.site.name != site:
            continue
        counts.looked_at += 1
        if job.available_at > now and not site:
            counts.left += 1
        elif _probe(job, ports):
            counts.changed += 1
        else:
            counts.left += 1
    return counts


def failed_with_open_write() -> QuerySet[Job]:
    """Found by the open writes, of which there are few, and not by the failed jobs."""
    is_open = Q(status=EffectStatus.INTENT.value) | Q(status=EffectStatus.UNKNOWN.value)
    found = Effect.objects.filter(is_open).order_by().values_list("job_id", flat=True)
    rows = Job.objects.select_related("site").filter(pk__in=set(found))
    return rows.filter(state=State.FAILED.value).order_by("pk")


def _probe(job: Job, ports: Ports) -> bool:
    now = ports.clock.now()
    again = now + timedelta(seconds=DEFAULT_LIMITS.probe_seconds)
    try:
        repository = ports.repository(job.site.spec, lambda: False)
        try:
            tip = repository.fetch()
            seen = confirm.search(repository, job, tip)
        finally:
            repository.close()
        if seen.sighting is Sighting.OURS and seen.commit is not None:
            guard = effects.confirmed(ports.authority, seen.commit, now)
            journal.record(job, Event.CONFIRM, who=WHO, now=now, guard=guard,
                           commit=seen.commit.commit, tip=tip)  # fmt: skip
            return True
        found, why = seen.sighting.value, seen.why
    except RepositoryError as error:
        found, why = "unknown", error.message
    except StaleWorker:
        return False
    journal.note(job, "probed", who=WHO, now=now, reason=why, result=found,
                 changes={"available_at": again})  # fmt: skip
    return False
