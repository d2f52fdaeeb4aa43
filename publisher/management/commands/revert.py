"""``manage.py revert``: take a published job's change back."""

from typing import Any

from publisher.journal import Who
from publisher.management.acts import ActCommand
from publisher.models import Job
from publisher.services.revert import revert


class Command(ActCommand):
    """Prints the job that takes it back; exit 5 when it is refused."""

    help = "Ask for a published job to be taken back, as a new job with its own approval."

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Call the service."""
        return revert(job, who=caller, now=self.now()).job
