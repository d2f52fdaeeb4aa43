"""``manage.py verify``: the installation's promises, checked."""

import sys
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from publisher import wiring
from publisher.engine.audit.breach import Breach
from publisher.engine.audit.verify import verify
from publisher.management.console import ConsoleCommand
from publisher.processes import cores


class Command(ConsoleCommand):
    """Exit 0 when every promise holds, 1 with a list when one does not; a warning breaks none."""

    help = "Check the whole installation's promises anew."
    # A database that cannot be read is in this command's own list.
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """How much."""
        super().add_arguments(parser)
        parser.add_argument("--site", default="", help="check this site's jobs and remote alone")
        parser.add_argument(
            "--deep",
            action="store_true",
            help="read all stored and published bytes again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and print."""
        site, deep = options["site"], options["deep"]
        with self.refusals():
            found = verify(wiring.ports(), site=site, deep=deep, spread=cores.spread)
        passed = all(breach.is_warning for breach in found)
        document = {"passed": passed, "breaches": [_facts(breach) for breach in found]}
        lines = [line for breach in found for line in _lines(breach)]
        self.show(options, document, *(lines or ["Every checked promise holds."]))
        if not passed:
            sys.exit(1)


def _facts(breach: Breach) -> dict[str, Any]:
    return {
        "rule": breach.rule,
        "subject": breach.subject,
        "message": breach.message,
        "advice": breach.advice,
        "warning": breach.is_warning,
    }


def _lines(breach: Breach) -> Iterator[str]:
    warning = "(warning) " if breach.is_warning else ""
    yield f"{breach.rule}: {breach.subject}: {warning}{breach.message}"
    yield f"    {breach.advice}"
