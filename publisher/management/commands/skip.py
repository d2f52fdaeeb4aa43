"""``manage.py skip``: give up a job in REVIEW or CONFLICT."""

from typing import Any

from publisher.journal import Who
from publisher.management.acts import ActCommand
from publisher.models import Job
from publisher.services import acts


class Command(ActCommand):
    """Exit 5 when it is refused."""

    help = "Give up a job in review or conflict."
    needs_reason = True

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Call the service."""
        return acts.skip(job, who=caller, now=self.now(), reason=options["reason"])
