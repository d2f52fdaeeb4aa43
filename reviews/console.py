"""The console: who acts there, and how a command prints an answer or a refusal."""

import getpass
import json
import sys
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from publisher import checks, clock, selectors
from publisher.domain.errors import ImprimaturError, InvalidInput, NotAllowed, NotFound
from publisher.models import Site
from reviews.permissions import CLI, Caller
from reviews.services import people
from reviews.setup_link import OPERATOR

REFUSED = 5
INVALID = 2


def caller(name: str) -> Caller:
    """The principal in whose name a command acts; the system's user is remembered beside it."""
    principal = people.find(name)
    if not principal.is_active:
        raise NotAllowed(f"{name} is disabled.")
    return Caller(principal, CLI, os_user=os_user())


def reach(asking: Caller, scope: str) -> Caller | None:
    """Whose sight limits what is told of a scope; nobody's for whoever keeps the installation.

    NotFound for a scope in which the one who asks has no role.
    """
    if asking.name == OPERATOR:
        return None
    if scope not in asking.scopes:
        raise NotFound(f"There is no scope {scope} that you may see.")
    return asking


def reached_site(asking: Caller, name: str) -> Site:
    """A site that the one who asks may see; one out of reach is told as one that is not there."""
    if asking.name == OPERATOR:
        return selectors.site(name, scopes=None)
    found = selectors.site(name, scopes=asking.scopes)
    may_see = asking.may("read", found.scope, found)
    return found if may_see else selectors.site(name, scopes=())


def os_user() -> str:
    """Who is logged in at this machine, as far as it tells."""
    try:
        return getpass.getuser()[:100]
    except (KeyError, OSError):
        return ""


def require_decisions() -> None:
    """Decisions at the console are off unless the installation allows them."""
    if not settings.IMPRIMATUR_CLI_DECISIONS:
        raise NotAllowed(
            "Deciding at the console is switched off. Decide in the browser, or set "
            "IMPRIMATUR_CLI_DECISIONS=1."
        )


def lasting(text: str) -> timedelta:
    """A length of time: seconds, or a number with s, m, h or d."""
    units = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
    number, unit = (text[:-1], text[-1]) if text[-1:] in units else (text, "s")
    if not number.isdecimal() or not 0 < int(number) * units[unit] < 10**9:
        raise InvalidInput("expires_in", "Give a time such as 3600, 90m, 12h or 30d.")
    return timedelta(seconds=int(number) * units[unit])


class ConsoleCommand(BaseCommand):
    """A command that acts in somebody's name. Prints one JSON document with ``--json``, else lines."""

    requires_migrations_checks = False
    requires_system_checks = (checks.INSTALLATION,)
    refused = REFUSED

    def add_arguments(self, parser: CommandParser) -> None:
        """What all of them take."""
        _common(parser, acting=OPERATOR, as_json=False)

    def handle(self, *args: Any, **options: Any) -> None:
        """Act, print, and end with the exit code of the refusal."""
        try:
            answer = self.act(caller(options["acting"]), clock.now(), options)
        except ImprimaturError as refused:
            self._leave(refused, options)
        self._print(answer, options)

    def act(self, asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
        """What the command does; its answer is printed. ``text`` is for people alone."""
        raise NotImplementedError

    def _print(self, answer: dict[str, Any], options: dict[str, Any]) -> None:
        text = answer.pop("text", "")
        if options["as_json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False, default=str))
        elif text:
            self.stdout.write(text)
        else:
            self.stdout.write("\n".join(f"{name}: {value}" for name, value in answer.items()))

    def _leave(self, refused: ImprimaturError, options: dict[str, Any]) -> NoReturn:
        """The refusal on stderr, led by its code; with ``--json`` also as the one document."""
        if options["as_json"]:
            body = {**refused.facts, "code": refused.code, "detail": refused.message}
            self.stdout.write(json.dumps(body, ensure_ascii=False, default=str))
        field = f"{refused.field}: " if isinstance(refused, InvalidInput) else ""
        self.stderr.write(f"{refused.code}: {field}{refused.message}")
        is_form = isinstance(refused, InvalidInput | NotFound) and self.refused == INVALID
        sys.exit(INVALID if is_form else self.refused)


def subcommands(
    parser: CommandParser, table: Mapping[str, tuple[str, Callable[[Any], None]]]
) -> None:
    """One parser a verb, with its help; the common arguments may stand before or after the verb."""
    verbs = parser.add_subparsers(dest="verb", required=True)
    for name, (told, fill) in table.items():
        one = verbs.add_parser(name, help=told)
        _common(one)
        fill(one)


def _common(
    parser: ArgumentParser, *, acting: str = SUPPRESS, as_json: bool | str = SUPPRESS
) -> None:
    """A verb's own have no default, so that what stood before the verb is kept."""
    parser.add_argument("--as", dest="acting", default=acting, metavar="USER")
    parser.add_argument("--json", dest="as_json", action="store_true", default=as_json)
