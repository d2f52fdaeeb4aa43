"""``manage.py inspect``: everything about one job."""

from typing import Any

from django.core.management.base import CommandParser

from publisher.management.console import ConsoleCommand
from publisher.management.facts import job_facts


class Command(ConsoleCommand):
    """Exit 4 for an unknown job."""

    help = "Show everything about one job."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which job."""
        super().add_arguments(parser)
        parser.add_argument("job")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        facts = job_facts(self.job(options))
        simple = [
            f"{name}: {value}"
            for name, value in facts.items()
            if isinstance(value, str | int) and value != ""
        ]
        events = [
            f"  {event['seq']:>3} {event['at']:%Y-%m-%d %H:%M:%S} {event['event']} "
            f"{event['from']} -> {event['to'] or '-'} {event['reason']}"
            for event in facts["events"]
        ]
        self.show(options, facts, *simple, "events:", *events)
