"""user: add people and programs, give and take roles, set a password, close and open an account."""

import getpass
import sys
from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from publisher.domain.errors import InvalidInput
from reviews import selectors
from reviews.console import INVALID, ConsoleCommand, reach, reached_site, subcommands
from reviews.models import Principal
from reviews.permissions import Caller
from reviews.services import people


class Command(ConsoleCommand):
    """People and programs at the console."""

    help = (
        "Add people and programs, give and take roles, set a password, close and open an account."
    )
    refused = INVALID

    def add_arguments(self, parser: CommandParser) -> None:
        """One verb each."""
        super().add_arguments(parser)
        verbs = {
            "add": ("add a person or a program, or give one more roles", _add_arguments),
            "remove": ("take roles or groups away", _remove_arguments),
            "disable": ("close an account", _name),
            "enable": ("open a closed account again, with the roles it had", _name),
            "password": ("set a password", _password_arguments),
            "list": ("list who is there, with their roles", _scope),
        }
        subcommands(parser, verbs)

    def act(self, asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
        """Do what the verb says."""
        if options["verb"] == "add":
            return _add(asking, now, options)
        if options["verb"] == "list":
            return _list(asking, options)
        principal = people.find(options["name"])
        if options["verb"] == "remove":
            return _remove(asking, principal, options)
        if options["verb"] == "enable":
            people.enable(principal, caller=asking)
            return {"name": principal.name, "disabled": False, "text": f"{principal} is enabled."}
        if options["verb"] == "disable":
            people.disable(principal, caller=asking, now=now)
            return {"name": principal.name, "disabled": True, "text": f"{principal} is disabled."}
        people.set_password(principal, _password(options), caller=asking)
        return {"name": principal.name, "text": f"The password of {principal} is set."}


def _name(parser: Any) -> None:
    parser.add_argument("name")


def _scope(parser: Any) -> None:
    parser.add_argument("--scope", default="default")


def _role_arguments(parser: Any, *, needed: bool = True) -> None:
    _name(parser)
    _scope(parser)
    parser.add_argument(
        "--role", action="append", default=[], required=needed, help="may be given several times"
    )
    parser.add_argument("--site", default="", help="the role for this site alone")


def _add_arguments(parser: Any) -> None:
    _role_arguments(parser, needed=False)
    parser.add_argument("--group", action="append", default=[])
    parser.add_argument("--agent", action="store_true")


def _remove_arguments(parser: Any) -> None:
    _role_arguments(parser, needed=False)
    parser.add_argument(
        "--group", action="append", default=[], help="leave this group; the roles stay"
    )


def _password_arguments(parser: Any) -> None:
    _name(parser)
    parser.add_argument("--stdin", action="store_true", help="Read the password from one line.")


def _password(options: dict[str, Any]) -> str:
    if options["stdin"] or not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("New password: ")
    if getpass.getpass("Again: ") != first:
        raise InvalidInput("password", "The two passwords differ.")
    return first


def _add(asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
    site = reached_site(asking, options["site"]) if options["site"] else None
    principal = people.add(
        name=options["name"],
        scope=options["scope"],
        roles=options["role"],
        caller=asking,
        now=now,
        is_agent=options["agent"],
        site=site,
        groups=options["group"],
    )
    return _told(principal, options["scope"])


def _remove(asking: Caller, principal: Principal, options: dict[str, Any]) -> dict[str, Any]:
    scope, groups = options["scope"], options["group"]
    if not options["role"] and not groups:
        raise InvalidInput("role", "Name what is taken away: --role or --group.")
    site = reached_site(asking, options["site"]) if options["site"] else None
    with transaction.atomic():
        if groups:
            people.leave_groups(principal, scope=scope, groups=groups, caller=asking)
        for role in options["role"]:
            people.remove_role(principal, scope=scope, role=role, caller=asking, site=site)
    return _told(principal, options["scope"])


def _told(principal: Principal, scope: str) -> dict[str, Any]:
    memberships = list(principal.memberships.filter(scope=scope))
    held, groups = sorted(one.role for one in memberships), people.groups_of(memberships)
    return {
        "name": principal.name,
        "kind": principal.kind,
        "scope": scope,
        "roles": held,
        "groups": groups,
        "text": f"{principal} ({principal.kind}) in {scope}: {_in_words(held, groups)}",
    }


def _in_words(roles: list[str], groups: list[str]) -> str:
    told = ", ".join(roles) or "no role"
    return f"{told}; groups: {', '.join(groups)}" if groups else told


def _list(asking: Caller, options: dict[str, Any]) -> dict[str, Any]:
    scope = options["scope"]
    rows = selectors.people(scope, within=reach(asking, scope))
    if asking.may_somewhere("admin"):
        rows += [(person, []) for person in selectors.people_without_role()]
    found: list[dict[str, Any]] = [
        {
            "name": person.name,
            "kind": person.kind,
            "roles": sorted(held.role for held in roles),
            "groups": people.groups_of(roles),
            "disabled": not person.is_active,
        }
        for person, roles in rows
    ]
    lines = [
        f"{one['name']} ({one['kind']}{', disabled' if one['disabled'] else ''}): "
        f"{_in_words(one['roles'], one['groups'])}"
        for one in found
    ]
    return {"items": found, "text": "\n".join(lines)}
