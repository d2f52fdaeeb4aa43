"""``manage.py cancel``: stop a job for good."""

from typing import Any

from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.management.acts import ActCommand
from publisher.models import Job
from publisher.services import acts


class Command(ActCommand):
    """Exit 5 when it is refused."""

    help = "Stop a job for good."
    right = "cancel"

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Call the service; whoever asked for the job stops it as its submitter."""
        part = Actor.SUBMITTER if caller.name == job.requester else caller.actor
        by = Who(part, caller.name)
        return acts.cancel(job, who=by, now=self.now(), reason=options["reason"])
