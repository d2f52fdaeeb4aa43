"""``manage.py effects list``: outside writes whose outcome is open."""

from typing import Any

from django.core.management.base import CommandParser

from publisher import selectors
from publisher.domain.states import Actor
from publisher.management.console import ConsoleCommand, may_see, who
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
        with self.refusals():
            name = who(options, Actor.OPERATOR).name
        found = selectors.open_effects()
        rows = [effect_facts(row) for row in found if may_see(name, row.job.scope, row.job.site)]
        lines = [
            f"{row['id']}  {row['status']}  {row['job_id']}  {row['updated_at']}" for row in rows
        ]
        self.show(options, {"items": rows, "next": None}, *(lines or ["Nothing is open."]))
