"""workspaces: remove those of jobs that ended; a crash after the end may have left them."""

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
            present = repository.workspaces()
            over = set(
                Job.objects.filter(pk__in=present, state__in=OVER).values_list("pk", flat=True)
            )
            for job_id in present:
                counts.looked_at += 1
                if job_id not in over:
                    counts.left += 1
                    continue
                repository.remove_workspace(job_id)
                repository.drop_job_refs(job_id)
                counts.changed += 1
        except RepositoryError:
            counts.left += 1
        finally:
            repository.close()
    return counts
