"""``manage.py prune``: make room by what nothing refers to."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from publisher import checks, wiring
from publisher.domain.errors import ImprimaturError
from publisher.processes.prune import prune


class Command(BaseCommand):
    """Says what and how much; may run while the product does."""

    requires_system_checks = (checks.INSTALLATION,)
    help = "Remove orphan files, workspaces of ended jobs, old task rows and expired sessions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether to remove or to tell."""
        parser.add_argument("--dry-run", action="store_true", help="say it and remove nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prune and print."""
        dry_run = options["dry_run"]
        try:
            found = prune(wiring.ports(), dry_run=dry_run)
        except (ImprimaturError, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            rows = [asdict(each) for each in found]
            self.stdout.write(json.dumps({"dry_run": dry_run, "pruned": rows}))
            return
        for each in found:
            size = f" ({each.size} bytes)" if each.size else ""
            verb = "would go" if dry_run else "gone"
            self.stdout.write(f"{each.count} {each.what}{size} {verb}")
