"""``manage.py effects list``: outside writes whose outcome is open."""

from typing import Any

from django.core.management.base import CommandParser

from publisher import selectors
from publisher.management.console import ConsoleCommand
from publisher.management.facts import effect_facts


class Command(ConsoleCommand):
    """The unknown-outcome desk, as a list."""

    help = "List outside writes whose outcome is open."

    def add_arguments(self, parser: CommandParser) -> None:
        """What to do."""
        super().add_arguments(parser)
        parser.add_argument("act", choices=["list"])

    def handle(self, *args: Any, **options: Any) -> None:
        """Print them, oldest first."""
        rows = [effect_facts(effect) for effect in selectors.open_effects(scopes=None)]
        lines = [
            f"{row['id']}  {row['status']}  {row['job_id']}  {row['updated_at']}" for row in rows
        ]
        self.show(options, {"items": rows, "next": None}, *(lines or ["Nothing is open."]))
