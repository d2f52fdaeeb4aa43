"""workspaces: remove what ended jobs left in the clones: branches, replays, folders after a crash."""

from publisher import spoiled
from publisher.domain.states import State
from publisher.engine.reconcile.alone import alone
from publisher.engine.reconcile.counts import Counts
from publisher.models import Job, Site
from publisher.models.site import CloneState
from publisher.ports import Ports, Repository

OVER = tuple(
    state.value for state in (State.PUBLISHED, State.SKIPPED, State.REJECTED, State.CANCELLED)
)


def run(ports: Ports, *, site: str = "") -> Counts:
    """A FAILED job keeps its workspace: it may be retried."""
    counts = Counts()
    for row in spoiled.readable(Site.objects.filter(clone_state=CloneState.READY.value)):
        if site and row.name != site:
            continue
        with alone(counts, "workspaces", site=row.name):
            repository = ports.repository(row.spec, lambda: False)
            try:
                _clear(repository, counts)
            finally:
                repository.close()
    return counts


def _clear(repository: Repository, counts: Counts) -> None:
    folders, refs = set(repository.workspaces()), set(repository.jobs_with_refs())
    present = folders | refs
    over = set(Job.objects.filter(pk__in=present, state__in=OVER).values_list("pk", flat=True))
    counts.looked_at += len(present)
    counts.left += len(present - over)
    for job_id in sorted(over & folders):
        with alone(counts, "workspaces", job_id=job_id):
            repository.remove_workspace(job_id)
    if over & refs:
        repository.drop_job_refs(over & refs)
    counts.changed += len(over)
