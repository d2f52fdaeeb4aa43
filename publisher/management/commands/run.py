"""``manage.py run``: everything in the foreground, from an empty folder to an address to open."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from publisher.processes import first_start, kernel, parts, stoppable, web
from publisher.processes.doctor import start
from publisher.processes.doctor.examine import sqlite_path


class Command(BaseCommand):
    """Web server, workers and sweep, until Ctrl-C."""

    help = "Set up what is missing, then run web server, workers and sweep in the foreground."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to listen, and with what to begin."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument(
            "--empty", action="store_true", help="begin without demo data (first start only)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Prepare, then keep the parts alive."""
        host, port = options["host"], options["port"]
        self._ask_for(host, port)
        address = settings.PUBLIC_URL or f"http://{web.authority(host, port)}"
        self._prepare(empty=options["empty"], address=address)
        self._ask_for(host, port)  # another start may have prepared first, and listen there by now
        parts.keep(
            [parts.Part("web", lambda: self._start_web(host, port)), parts.Part("worker", _worker)],
            when_up=lambda: web.answers(host, port),
            announce=lambda: self._announce(address),
        )

    def _ask_for(self, host: str, port: int) -> None:
        if trouble := web.trouble(host, port):
            raise CommandError(trouble, returncode=2)

    def _prepare(self, *, empty: bool, address: str) -> None:
        """Do what a start needs, while other starts on this data folder wait."""
        try:
            with first_start.turn(settings.DATA_DIR, when_taken=self._tell_wait):
                first_start.announce(settings.DATA_DIR, sqlite_path(), empty=empty)
                start.begin(will_migrate=True)
                status = stoppable.finish(lambda: _set_up(empty=empty, address=address))
        except OSError as error:
            message = f"{settings.DATA_DIR} cannot be used: {error.strerror}."
            raise CommandError(message, returncode=2) from error
        except stoppable.Stopped as stopped:
            self.stderr.write(f"[imprimatur] {stopped}")
            sys.exit(128 + stopped.number)
        if status:
            sys.exit(status if status > 0 else 128 - status)

    def _tell_wait(self) -> None:
        self.stderr.write("[imprimatur] another start prepares this data folder; waiting for it")
        self.stderr.flush()

    def _start_web(self, host: str, port: int) -> int:
        return kernel.fork(
            lambda: web.become_server(host=host, port=port, graceful_seconds=5), own_session=True
        )

    def _announce(self, address: str) -> None:
        self.stdout.write(f"\nImprimatur runs at {address}/")
        hint = first_start.login_hint(settings.DATA_DIR)
        if hint:
            self.stdout.write(hint)
        self.stdout.write("Stop it with Ctrl-C.\n")
        self.stdout.flush()


def _set_up(*, empty: bool, address: str) -> None:
    try:
        first_start.prepare(settings.DATA_DIR, empty=empty, address=address)
        web.collect_static()
    except CommandError as error:
        sys.stderr.write(f"CommandError: {error}\n")
        sys.exit(error.returncode)
    finally:
        connections.close_all()


def _worker() -> int:
    def work() -> None:
        call_command("worker", stand_by=True)

    return kernel.fork(work, own_session=True)
