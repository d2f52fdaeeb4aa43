"""token: make, list and revoke the tokens by which programs log in."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser

from reviews.console import INVALID, ConsoleCommand, lasting, subcommands
from reviews.permissions import Caller
from reviews.services import people, tokens


class Command(ConsoleCommand):
    """Tokens at the console. A new one is printed once, as the last word."""

    help = "Make, list and revoke the tokens by which programs log in."
    refused = INVALID

    def add_arguments(self, parser: CommandParser) -> None:
        """One verb each."""
        super().add_arguments(parser)
        verbs = {
            "create": ("make a token, which is printed once", _create_arguments),
            "list": ("list tokens, without their secrets", _list_arguments),
            "revoke": ("end a token", _revoke_arguments),
        }
        subcommands(parser, verbs)

    def act(self, asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
        """Do what the verb says."""
        return {"create": _create, "list": _list, "revoke": _revoke}[options["verb"]](
            asking, now, options
        )


def _create_arguments(parser: Any) -> None:
    parser.add_argument("--user", required=True)
    parser.add_argument("--allow", required=True, help="submit,read,decide,operate")
    parser.add_argument("--expires-in", default="")
    parser.add_argument("--label", default="")


def _list_arguments(parser: Any) -> None:
    parser.add_argument("--user", default="", help="of this one alone")


def _revoke_arguments(parser: Any) -> None:
    parser.add_argument("id", type=int)


def _create(asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
    principal = people.find(options["user"])
    ends = now + lasting(options["expires_in"]) if options["expires_in"] else None
    row, secret = tokens.create(
        principal,
        allow=[part.strip() for part in options["allow"].split(",") if part.strip()],
        caller=asking,
        now=now,
        expires_at=ends,
        label=options["label"],
    )
    return {
        "id": row.pk,
        "user": principal.name,
        "allow": row.allow,
        "expires_at": ends.isoformat() if ends else None,
        "token": secret,
        "text": f"Token {row.pk} of {principal}, shown only now: {secret}",
    }


def _list(asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
    name = options["user"]
    rows = tokens.of(people.find(name), caller=asking) if name else tokens.visible(asking)
    found: list[dict[str, Any]] = [
        {
            "id": row.pk,
            "user": row.principal.name,
            "prefix": row.prefix,
            "label": row.label,
            "allow": row.allow,
            "expires_at": row.expires_at,
            "last_used_at": row.last_used_at,
            "is_live": row.revoked_at is None and (row.expires_at is None or row.expires_at > now),
        }
        for row in rows
    ]
    lines = [
        f"{one['id']} {one['user']} {one['prefix']}… {','.join(one['allow'])}"
        f"{'' if one['is_live'] else ' (ended)'}"
        for one in found
    ]
    return {"items": found, "text": "\n".join(lines)}


def _revoke(asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
    row = tokens.revoke(options["id"], caller=asking, now=now)
    return {"id": row.pk, "revoked_at": row.revoked_at, "text": f"Token {row.pk} is revoked."}
