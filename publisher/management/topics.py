"""Topics at the console: one session of one site, opened or closed."""

from typing import Any

from django.core.management.base import CommandParser

from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.management.console import ConsoleCommand, acting, reached_site
from publisher.models import TopicCursor


class TopicCommand(ConsoleCommand):
    """What ``open-topic`` and ``close-topic`` share."""

    def add_arguments(self, parser: CommandParser) -> None:
        """The site and the session."""
        super().add_arguments(parser)
        parser.add_argument("--site", required=True)
        parser.add_argument("--session", required=True, metavar="ID")
        parser.add_argument("--source", action="append", default=[], metavar="FILE|-|ID=FILE")

    def asking(self, options: dict[str, Any]) -> Who:
        """Who opens or closes, which needs the right to submit to the site."""
        site = reached_site(options["site"], options["user"])
        return acting(options, Actor.SUBMITTER, "submit", site.scope, site)


def cursor_facts(cursor: TopicCursor) -> dict[str, Any]:
    """Where a session stands, for programs."""
    return {
        "session": cursor.session,
        "open": cursor.is_open,
        "close_revision": cursor.close_revision,
    }
