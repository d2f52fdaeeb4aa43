"""``manage.py restore``: a backup put back, whole or not at all."""

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from publisher import clock
from publisher.processes.backup import moves, restore
from publisher.processes.backup.record import BackupRefused
from publisher.processes.holds import InUse


class Command(BaseCommand):
    """Exit 0 when the installation is the backup's, 1 when nothing was changed."""

    help = "Put a backup back into an empty data folder, or with --replace into one in use."
    requires_system_checks = []  # a damaged database is what it is for

    def add_arguments(self, parser: ArgumentParser) -> None:
        """From where, and whether something may be replaced."""
        parser.add_argument("--from", dest="source", type=Path, metavar="DIR")
        parser.add_argument(
            "--replace", action="store_true", help="set aside what is there; stop everything first"
        )
        parser.add_argument(
            "--accept",
            action="store_true",
            help="take an older database that was put back by other means for the right one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore, finish a restore that was cut short, or accept."""
        try:
            if options["accept"]:
                self._tell_aside(restore.accept(clock.now()))
                self.stdout.write("The database is taken as it is.")
            elif options["source"] is not None:
                self._restore(options["source"].expanduser(), replace=options["replace"])
            elif moves.pending(settings.DATA_DIR):
                self._finish()
            else:
                raise CommandError("Name a backup with --from DIR.", returncode=2)
        except (BackupRefused, InUse, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            "Next: python3 manage.py migrate, start, and python3 manage.py verify, which names what "
            "was published after the backup."
        )

    def _restore(self, source: Path, *, replace: bool) -> None:
        done = restore.restore(source, replace=replace, now=datetime.now(UTC))
        found = done.record
        self.stdout.write(f"Restored {done.folder}, taken at {found.taken_at}:")
        self.stdout.write(
            f"{found.jobs} jobs and {found.artifacts} stored files, all of them whole."
        )
        if found.damaged:
            self.stdout.write(
                f"{len(found.damaged)} more were damaged before the backup was taken."
            )
        self._tell_aside(done.aside)
        if done.key_differs:
            self.stdout.write(
                "WARNING: the secret key is not the one of the backup. People have to log in again, "
                "and requests that programs repeat are taken for new ones. Set SECRET_KEY or "
                "SECRET_KEY_FILE to the former key before you start, or name a file with it in "
                "SECRET_KEY_FALLBACK_FILES."
            )

    def _finish(self) -> None:
        again = moves.begun_with(settings.DATA_DIR)
        if again:
            self._restore(Path(again), replace=True)
            return
        self._tell_aside(restore.finish())
        self.stdout.write("The restore that was cut short is finished.")

    def _tell_aside(self, aside: list[Path]) -> None:
        for path in aside:
            self.stdout.write(f"What was there before is now {path}.")
