"""``manage.py worker``: the supervised worker cluster alone."""

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

    def handle(self, *args: Any, **options: Any) -> None:
        """Supervise in this process."""
        start.begin()
        try:
            Supervisor(
                folder=settings.DATA_DIR / "processes",
                due=import_string(DUE_WORK),
                sweep_seconds=settings.IMPRIMATUR_RECONCILE_SECONDS,
            ).run()
        except AlreadySupervised as error:
            raise CommandError(str(error), returncode=2) from error
