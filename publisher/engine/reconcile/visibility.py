"""visibility: was published and is still visible are two facts; the second is looked at again."""

from datetime import timedelta

from publisher import journal
from publisher.domain.errors import ImprimaturError
from publisher.domain.states import Actor, State
from publisher.engine.reconcile.counts import Counts
from publisher.journal import Who
from publisher.models import Job, JobEvent, Site
from publisher.ports import Ports, Repository

WHO = Who(Actor.RECONCILE, "visibility")
WATCHED_DAYS = 30


def run(ports: Ports, *, site: str = "") -> Counts:
    """Warn once when a published commit is no longer in the branch's history; touch nothing."""
    counts = Counts()
    since = ports.clock.now() - timedelta(days=WATCHED_DAYS)
    for row in Site.objects.filter(removed_at__isnull=True).exclude(head=""):
        if site and row.name != site:
            continue
        published = Job.objects.select_related("site").filter(
            site=row, state=State.PUBLISHED.value, finished_at__gte=since
        )
        if published.exists():
            _look(row, list(published), ports, counts)
    return counts


def _look(site: Site, published: list[Job], ports: Ports, counts: Counts) -> None:
    repository = ports.repository(site.spec, lambda: False)
    try:
        for job in published:
            counts.looked_at += 1
            if _is_there(repository, job, site.head):
                counts.left += 1
            elif _warn(job, site, ports):
                counts.changed += 1
    except ImprimaturError:
        # An unreadable clone is told on the site's page; nothing is known of the jobs.
        counts.left += 1
    finally:
        repository.close()


def _is_there(repository: Repository, job: Job, head: str) -> bool:
    return repository.is_ancestor(job.remote_commit, head)


def _warn(job: Job, site: Site, ports: Ports) -> bool:
    if JobEvent.objects.filter(job=job, event="no_longer_found").exists():
        return False
    journal.note(
        job,
        "no_longer_found",
        who=WHO,
        now=ports.clock.now(),
        reason="The branch's history no longer holds the published commit. Nothing was pushed.",
        head=site.head,
        commit=job.remote_commit,
    )
    return True
