"""``manage.py reconcile``: one sweep."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from publisher import tasks, wiring
from publisher.engine.reconcile import sweep
from publisher.management.console import ConsoleCommand, reached_site
from publisher.processes.doctor.glance import glance


class Command(ConsoleCommand):
    """Finds unfinished work from durable facts alone."""

    help = "Run one sweep over everything unfinished."

    def add_arguments(self, parser: CommandParser) -> None:
        """One site, or all."""
        super().add_arguments(parser)
        parser.add_argument("--site", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        """Sweep, and print what each reconciler did."""
        glance()
        if options["site"]:
            with self.refusals():
                reached_site(options["site"], options["user"])
        done = sweep(wiring.ports(), site=options["site"])
        tasks.deliver()
        lines = [
            f"{name}: looked at {count['looked_at']}, changed {count['changed']}, "
            f"left {count['left']}"
            for name, count in done.counts.items()
        ]
        lines += [f"{name}: could not finish, see the log" for name in done.failed]
        self.show(options, asdict(done), *lines)
