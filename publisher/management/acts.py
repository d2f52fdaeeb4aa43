"""One command an act: look the job up, call the service, print its state."""

from typing import Any

from django.core.management.base import CommandParser

from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.management.console import ConsoleCommand, acting
from publisher.models import Job


class ActCommand(ConsoleCommand):
    """Subclasses name the right that the caller needs and say what is done."""

    actor = Actor.OPERATOR
    right = "operate"
    needs_reason = False

    def add_arguments(self, parser: CommandParser) -> None:
        """The job, and why."""
        super().add_arguments(parser)
        parser.add_argument("job")
        parser.add_argument("--reason", default="", required=self.needs_reason)

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Do it; returns the job to print."""
        raise AssertionError(f"{type(self).__name__} says nothing to do.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Act and print."""
        job = self.job(options)
        with self.refusals():
            place = (job.scope, job.site, job.requester)
            job = self.act(job, acting(options, self.actor, self.right, *place), options)
        self.show(options, {"job_id": job.pk, "state": job.state}, f"Job {job.pk} is {job.state}.")
