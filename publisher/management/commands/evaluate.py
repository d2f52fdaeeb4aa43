"""``manage.py evaluate``: mechanical acceptance of one job."""

import sys
from typing import Any

from django.core.management.base import CommandParser

from publisher import wiring
from publisher.engine.audit.evaluate import evaluate
from publisher.management.console import ConsoleCommand


class Command(ConsoleCommand):
    """Exit 0 when the job is done and every check passed, 1 when not."""

    help = "Check one job anew, from the remote, the artifacts and its history."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which job."""
        super().add_arguments(parser)
        parser.add_argument("job")

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and print."""
        done = evaluate(self.job(options), wiring.ports())
        document = {
            "job_id": done.job_id, "state": done.state, "passed": done.passed, **done.checks,
        }  # fmt: skip
        lines = [f"{name}: {result}" for name, result in done.checks.items()]
        self.show(options, document, *lines, "passed" if done.passed else "NOT passed")
        if not done.passed:
            sys.exit(1)
