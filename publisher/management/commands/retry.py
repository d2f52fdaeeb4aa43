"""``manage.py retry``: try a failed or waiting job again."""

from typing import Any

from publisher.journal import Who
from publisher.management.acts import ActCommand
from publisher.models import Job
from publisher.services import acts


class Command(ActCommand):
    """Exit 5 when it is refused."""

    help = "Try a failed or waiting job again."

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Call the service."""
        return acts.retry(job, who=caller, now=self.now())
