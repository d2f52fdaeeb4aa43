"""The console: what the commands share: who acts, how results and refusals are printed."""

import json
import sys
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser
from django.utils.dateparse import parse_datetime
from django.utils.timezone import get_default_timezone, is_naive, make_aware

from publisher import authority, checks, selectors
from publisher.clock import now
from publisher.domain.errors import (
    Clash,
    Expired,
    ImprimaturError,
    InvalidInput,
    KeyReused,
    NotAllowed,
    NotFound,
)
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Job, Site

LOCAL_OPERATOR = "local-operator"
INVALID, KEY_REUSED, UNKNOWN, REFUSED = 2, 3, 4, 5


class ConsoleCommand(BaseCommand):
    """A command that prints for people, or one JSON document for programs."""

    # All checks would load every page's code, which no act in a terminal runs.
    requires_system_checks: tuple[str, ...] = (checks.INSTALLATION,)

    def add_arguments(self, parser: CommandParser) -> None:
        """What every act takes."""
        common(parser, acting=LOCAL_OPERATOR, json=False)

    def show(self, options: dict[str, Any], document: dict[str, Any], *lines: str) -> None:
        """Print the document as JSON when asked for, else the lines."""
        if options["json"]:
            self.stdout.write(json.dumps(document, ensure_ascii=False, default=str))
        else:
            for line in lines:
                self.stdout.write(line)

    def leave(self, code: int, message: str) -> NoReturn:
        """End with this exit code; the message goes to stderr."""
        self.stderr.write(message)
        sys.exit(code)

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Turn refusals into exit codes: 2 invalid, 3 key reused, 4 unknown, 5 refused."""
        try:
            yield
        except KeyReused as error:
            self.leave(KEY_REUSED, f"{error.code}: {error.message}")
        except InvalidInput as error:
            self.leave(INVALID, f"{error.code}: {error.field}: {error.message}")
        except NotFound as error:
            self.leave(UNKNOWN, f"{error.code}: {error.message}")
        except (NotAllowed, Clash, Expired) as error:
            self.leave(REFUSED, f"{error.code}: {error.message}")
        except ImprimaturError as error:
            self.leave(1, f"{error.code}: {error.message}")
        except OSError as error:
            # A full disk above all: nothing that a traceback would explain.
            self.leave(1, f"system: {error.strerror or error}")

    def job(self, options: dict[str, Any]) -> Job:
        """The job that was named; out of the reach of whoever acts it is as unknown as any other."""
        with self.refusals():
            return _reached(options["job"], options["user"])

    def now(self) -> datetime:
        """The database's time."""
        return now()


def common(parser: ArgumentParser, *, acting: str = SUPPRESS, json: bool | str = SUPPRESS) -> None:
    """What every act takes; a sub-command, which has it anew, keeps what stood before its name."""
    parser.add_argument("--json", action="store_true", default=json, help="print one JSON document")
    parser.add_argument("--as", dest="user", default=acting, metavar="USER", help="who acts")


def who(options: dict[str, Any], actor: Actor) -> Who:
    """The acting principal in this part; NotAllowed for a name that nobody has."""
    return Who(actor, _known(options["user"]))


def _known(name: str) -> str:
    if name == LOCAL_OPERATOR:
        return name
    if not name.isprintable() or not authority.current().knows(name):
        raise NotAllowed(f"There is nobody named {name} here. Add them with: user add {name}")
    return name


def may_see(name: str, scope: str, site: Site) -> bool:
    """Whether what is of this site is within reach; who keeps this installation sees all of it."""
    if name == LOCAL_OPERATOR:
        return True
    try:
        authority.current().require(name, "read", scope, site)
    except NotAllowed:
        return False
    return True


def reached_site(name: str, user: str) -> Site:
    """The site that was named; out of the reach of whoever acts it is as unknown as any other."""
    _known(user)  # first, so that nobody learns by a made-up name which sites there are
    found = selectors.site(name, scopes=None)
    return found if may_see(user, found.scope, found) else selectors.site(name, scopes=())


def _reached(job_id: str, user: str) -> Job:
    _known(user)  # first, as above
    found = selectors.job(job_id, scopes=None)
    return found if may_see(user, found.scope, found.site) else selectors.job(job_id, scopes=())


def acting(
    options: dict[str, Any],
    actor: Actor,
    right: str,
    scope: str,
    site: Site | None,
    owner: str = "",
) -> Who:
    """The acting principal, who must hold this right there, as at a page and over HTTP.

    Without --as it is whoever keeps this installation, in all of its scopes.
    """
    by = who(options, actor)
    if by.name != LOCAL_OPERATOR:
        authority.current().require(by.name, right, scope, site, owner=owner)
    return by


def moment(text: str) -> datetime:
    """A time given on the command line; without a zone it is in the server's."""
    try:
        found = parse_datetime(text)
    except ValueError:  # well written, and no date: a 13th month
        found = None
    if found is None:
        raise InvalidInput("not_before", "Give the time as 2026-05-03T18:00+02:00.")
    return make_aware(found, get_default_timezone()) if is_naive(found) else found
