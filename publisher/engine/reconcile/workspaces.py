"""workspaces: remove what ended jobs left in the clones: branches, replays, folders after a crash."""

from publisher.domain.errors import RepositoryError
from publisher.domain.states import State
from publisher.engine.reconcile.counts import Counts
from publisher.models import Job, Site
from publisher.models.site import CloneState
from publisher.ports import Ports

OVER = tuple(
    state.value for state in (State.PUBLISHED, State.SKIPPED, State.REJECTED, State.CANCELLED)
)


def run(ports: Ports, *, site: str = "") -> Counts:
    """A FAILED job keeps its workspace: it may be retried."""
    counts = Counts()
    for row in Site.objects.filter(clone_state=CloneState.READY.value):
        if site and row.name != site:
            continue
        repository = ports.repository(row.spec, lambda: False)
        try:
            folders, refs = set(repository.workspaces()), set(repository.jobs_with_refs())
            present = folders | refs
            over = set(
                Job.objects.filter(pk__in=present, state__in=OVER).values_list("pk", flat=True)
            )
            if over & refs:
                repository.drop_job_refs(over & refs)
            for job_id in over & folders:
                repository.remove_workspace(job_id)
            counts.looked_at += len(present)
            counts.changed += len(over)
            counts.left += len(present - over)
        except (RepositoryError, OSError):
            counts.left += 1
        finally:
            repository.close()
    return counts
