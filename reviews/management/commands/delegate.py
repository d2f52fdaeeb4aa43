"""delegate: who decides in whose place, for a time."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser

from reviews.console import INVALID, ConsoleCommand, lasting, reach, subcommands
from reviews.models import Delegation
from reviews.permissions import Caller
from reviews.services import delegations, people


class Command(ConsoleCommand):
    """``delegate add --from mei --to rui --for 14d --why "on leave"``."""

    help = "Say who decides in whose place, for a time."
    refused = INVALID

    def add_arguments(self, parser: CommandParser) -> None:
        """One verb each."""
        super().add_arguments(parser)
        verbs = {
            "add": ("let somebody stand in from now on", _add_arguments),
            "list": ("list those that run or will", _scope),
            "end": ("end one now", _end_arguments),
        }
        subcommands(parser, verbs)

    def act(self, asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
        """Do what the verb says."""
        if options["verb"] == "end":
            return _told(delegations.end(options["id"], caller=asking, now=now))
        scope = options["scope"]
        reach(asking, scope)
        if options["verb"] == "add":
            made = delegations.give(
                people.find(options["giver"]),
                delegate=people.find(options["delegate"]),
                scope=scope,
                starts_at=now,
                ends_at=now + lasting(options["length"]),
                why=options["why"],
                caller=asking,
                now=now,
            )
            return _told(made)
        rows = [_told(row) for row in delegations.present([scope], now=now)]
        lines = [row.pop("text") for row in rows]
        return {"items": rows, "text": "\n".join(lines) or "Everybody decides for themselves."}


def _scope(parser: Any) -> None:
    parser.add_argument("--scope", default="default")


def _add_arguments(parser: Any) -> None:
    _scope(parser)
    parser.add_argument("--from", dest="giver", required=True, metavar="USER")
    parser.add_argument("--to", dest="delegate", required=True, metavar="USER")
    parser.add_argument("--for", dest="length", required=True, metavar="TIME", help="as 12h or 14d")
    parser.add_argument("--why", default="")


def _end_arguments(parser: Any) -> None:
    parser.add_argument("id", type=int)


def _told(row: Delegation) -> dict[str, Any]:
    until = row.ended_at or row.ends_at
    return {
        "id": row.pk,
        "scope": row.scope,
        "from": row.giver.name,
        "to": row.delegate.name,
        "starts_at": row.starts_at.isoformat(),
        "ends_at": until.isoformat(),
        "why": row.why,
        "text": f"{row.pk}: {row.delegate.name} in the place of {row.giver.name}, until "
        f"{until.isoformat(timespec='minutes')}",
    }
