"""``manage.py serve``: the web server alone."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from publisher.processes import web
from publisher.processes.doctor import start


class Command(BaseCommand):
    """Becomes gunicorn."""

    help = "Run the web server alone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to listen."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, **options: Any) -> None:
        """Put the static files in place and hand over."""
        host, port = options["host"], options["port"]
        if trouble := web.trouble(host, port):
            raise CommandError(trouble, returncode=2)
        start.begin()
        web.collect_static()
        web.become_server(host=host, port=port)
