"""``manage.py doctor``: everything that a start looks at, said one by one."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from publisher import clock
from publisher.processes.doctor import clock_word
from publisher.processes.doctor.examine import examine, troubles


class Command(BaseCommand):
    """Exit 0 when a start would go well, 1 with the reasons when it would not."""

    help = "Check what the product needs around it: disk, database, clock, git, services, secrets."
    requires_system_checks = []  # what they refuse is what this explains

    def add_arguments(self, parser: ArgumentParser) -> None:
        """For people or for programs."""
        parser.add_argument("--json", action="store_true", help="print one JSON document")
        parser.add_argument(
            "--clock-is-right",
            metavar="TIME",
            help="the present time by another clock, where this one was ahead when it wrote events",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and print."""
        if options["clock_is_right"] is not None:
            self._take_word(options["clock_is_right"])
        found = examine()
        if options["json"]:
            rows = [asdict(each) for each in found]
            document = {"passed": not troubles(found), "checks": rows}
            self.stdout.write(json.dumps(document, ensure_ascii=False))
        else:
            for each in found:
                self.stdout.write(f"{each.level:<8} {each.title}: {each.message}")
        if troubles(found):
            sys.exit(1)

    def _take_word(self, told: str) -> None:
        try:
            clock_word.give(settings.DATA_DIR, told, clock.now())
        except (clock_word.WordRefused, DatabaseError, OSError) as refused:
            raise CommandError(str(refused), returncode=2) from refused
