"""``manage.py override``: overrule a blocking finding, with a reason."""

from typing import Any

from django.core.management.base import CommandParser

from publisher.journal import Who
from publisher.management.acts import ActCommand
from publisher.models import Job
from publisher.services import acts


class Command(ActCommand):
    """Exit 5 when it is refused."""

    help = "Overrule one blocking finding, with a reason."
    needs_reason = True

    def add_arguments(self, parser: CommandParser) -> None:
        """Which finding."""
        super().add_arguments(parser)
        parser.add_argument("--finding", type=int, required=True)

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Call the service."""
        return acts.override(
            job, finding_id=options["finding"], who=caller, now=self.now(), reason=options["reason"]
        )
