"""``manage.py cancel``: stop a job for good."""

from typing import Any

from publisher.journal import Who
from publisher.management.acts import ActCommand
from publisher.models import Job
from publisher.services import acts


class Command(ActCommand):
    """Exit 5 when it is refused."""

    help = "Stop a job for good."

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Call the service."""
        return acts.cancel(job, who=caller, now=self.now(), reason=options["reason"])
