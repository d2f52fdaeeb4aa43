"""``manage.py publish-anyway``: appeal against a judge's SKIP."""

from typing import Any

from publisher.journal import Who
from publisher.management.acts import ActCommand
from publisher.models import Job
from publisher.services import acts


class Command(ActCommand):
    """Exit 5 when it is refused."""

    help = "Appeal against a judge's skip."

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Call the service."""
        return acts.publish_anyway(job, who=caller, now=self.now()).job
