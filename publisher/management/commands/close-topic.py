"""``manage.py close-topic``: a session's topic ended, which makes one job."""

from typing import Any

from django.core.management.base import CommandParser

from publisher.management.payload import read_source
from publisher.management.topics import TopicCommand, cursor_facts
from publisher.services import topics
from publisher.services.submit import SubmitRequest


class Command(TopicCommand):
    """Prints {job_id, state, created, session, open, close_revision}."""

    help = "Close a session's topic: one job for each close, however often it is told."

    def add_arguments(self, parser: CommandParser) -> None:
        """What the draft may be given besides its text."""
        super().add_arguments(parser)
        for name in ("topic", "title"):
            parser.add_argument(f"--{name}", default="")
        parser.add_argument("--provider")
        parser.add_argument("--memory-scope")

    def handle(self, *args: Any, **options: Any) -> None:
        """Close, and print the job."""
        with self.refusals():
            done = topics.close_topic(
                _request(options),
                options["session"],
                who=self.asking(options),
                scope=None,
                now=self.now(),
            )
        job = done.job
        document = {"job_id": job.pk, "state": job.state, "created": done.created}
        verb = "Closed" if done.created else "Closed before"
        line = f"{verb}: job {job.pk} is {job.state}."
        self.show(options, document | cursor_facts(done.cursor), line)


def _request(options: dict[str, Any]) -> SubmitRequest:
    return SubmitRequest(
        options["site"],
        sources=tuple(read_source(text) for text in options["source"]),
        topic=options["topic"],
        title=options["title"],
        provider=options["provider"],
        memory_scope=options["memory_scope"],
    )
