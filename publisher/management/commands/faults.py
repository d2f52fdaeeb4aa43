"""``manage.py faults``: the fault points, one a line."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from publisher import checks
from publisher.fault_names import ALIASES
from publisher.fault_points import LANES


class Command(BaseCommand):
    """Lists what ``work --fault`` takes, in order of first use; the aliases are in the help."""

    requires_system_checks = (checks.INSTALLATION,)
    help = (
        "List the fault points of a lane, one a line, in order of first use. work --fault takes "
        f"these and the aliases {', '.join(f'{name} ({point})' for name, point in ALIASES.items())}."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Which lane."""
        parser.add_argument("--lane", choices=list(LANES), default="all")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print them."""
        for point in LANES[options["lane"]]:
            self.stdout.write(point)
