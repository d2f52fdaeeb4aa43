"""``manage.py worker``: the supervised worker cluster alone."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

from publisher.processes.doctor import start
from publisher.processes.holds import AlreadySupervised
from publisher.processes.supervisor import Supervisor

DUE_WORK = "publisher.tasks.due"


class Command(BaseCommand):
    """Runs until SIGTERM or SIGINT."""

    help = "Run the supervised worker cluster and the look at due work."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """What to do where a cluster is supervised already."""
        parser.add_argument(
            "--stand-by",
            action="store_true",
            help="where another one works with this data folder, wait to take over from it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Supervise in this process."""
        start.begin()
        try:
            Supervisor(
                folder=settings.DATA_DIR / "processes",
                due=import_string(DUE_WORK),
                sweep_seconds=settings.IMPRIMATUR_RECONCILE_SECONDS,
            ).run(when_taken=self._tell_wait if options["stand_by"] else None)
        except AlreadySupervised as error:
            raise CommandError(str(error), returncode=2) from error

    def _tell_wait(self) -> None:
        self.stderr.write(
            f"[imprimatur] {settings.DATA_DIR} has workers already; they do the work, and this one "
            "takes over when they stop"
        )
        self.stderr.flush()
