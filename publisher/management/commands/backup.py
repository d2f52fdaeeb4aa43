"""``manage.py backup``: everything that cannot be made again, copied while the product runs."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from publisher import checks, clock
from publisher.processes.backup import take
from publisher.processes.backup.record import BackupRefused


class Command(BaseCommand):
    """Exit 0 when the backup is whole, 1 when something could not be saved."""

    requires_system_checks = (checks.INSTALLATION,)
    help = "Back up database, artifacts, seals and key into a folder of their own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the backups are kept."""
        parser.add_argument(
            "--to", type=Path, metavar="DIR", help="folder of backups (default: in the data folder)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Back up, and say what is in it and what is not."""
        place = options["to"] or settings.DATA_DIR / "backups"
        try:
            done = take.take(place.expanduser().absolute(), clock.now())
        except (BackupRefused, OSError) as error:
            raise CommandError(f"No backup was made. {error}") from error
        kept = done.record
        self.stdout.write(f"Backup: {done.folder}")
        self.stdout.write(
            f"{kept.jobs} jobs and {kept.artifacts} stored files, {done.copied} of them copied and "
            "the others linked to the backup before."
        )
        self.stdout.write(
            "The secret key is in it, so keep it as safe as a password."
            if done.keeps_key
            else "The secret key is NOT in it, because you gave it: keep a copy of it yourself."
        )
        self.stdout.write(
            "Not in it: token files and keys outside the data folder, the environment's variables, "
            "your git remotes."
        )
        if kept.damaged:
            self.stderr.write(f"{len(kept.damaged)} stored files are missing or damaged:")
            for name in kept.damaged:
                self.stderr.write(f"  {name}")
            sys.exit(1)
