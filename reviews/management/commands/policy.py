"""policy: show, try out and set the rules of approval."""

import json
from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser

from publisher.domain.errors import InvalidInput
from reviews import trials
from reviews.console import INVALID, ConsoleCommand, reach, reached_site, subcommands
from reviews.permissions import Caller
from reviews.services import policies, policy_trial


class Command(ConsoleCommand):
    """Policies at the console: ``policy set approvals=2 --why "two pairs of eyes"``."""

    help = "Show, try out and set the rules of approval."
    refused = INVALID

    def add_arguments(self, parser: CommandParser) -> None:
        """One verb each."""
        super().add_arguments(parser)
        verbs = {
            "show": ("print the rules that hold", _where),
            "dry-run": ("tell what a change would do to open requests", _change_arguments),
            "set": ("set rules, as a new version", _set_arguments),
        }
        subcommands(parser, verbs)

    def act(self, asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
        """Do what the verb says."""
        name = options["site"]
        site = reached_site(asking, name) if name else None
        scope = site.scope if site else options["scope"]
        place = {"scope": scope, "site": site, "action": options["action"]}
        reach(asking, scope)
        if options["verb"] == "dry-run":
            trial = policy_trial.run(caller=asking, rules=_rules(options), **place)
            return {**trials.as_json(trial), "text": "\n".join(trials.lines(trial))}
        if options["verb"] == "set":
            policies.put(caller=asking, rules=_rules(options), why=options["why"], now=now, **place)
        rules, version = policies.effective(scope, site, options["action"])
        shown = {
            "scope": scope,
            "site": name or None,
            "action": options["action"],
            "version": version,
            "rules": rules.as_json(),
        }
        return {**shown, "text": _lines(shown)}


def _where(parser: Any) -> None:
    parser.add_argument("--scope", default="default")
    parser.add_argument("--site", default="")
    parser.add_argument("--action", default="*")


def _change_arguments(parser: Any) -> None:
    _where(parser)
    parser.add_argument("rules", nargs="+", metavar="RULE=VALUE")


def _set_arguments(parser: Any) -> None:
    _change_arguments(parser)
    parser.add_argument("--why", default="", help="what the history keeps; it is asked for")


def _rules(options: dict[str, Any]) -> dict[str, Any]:
    return dict(_rule(text) for text in options["rules"])


def _rule(text: str) -> tuple[str, Any]:
    """``approvals=2``, ``require_shown=true``, ``groups=Legal,Legal,Desk``, ``risk=risky``."""
    name, sign, value = text.partition("=")
    if not sign:
        raise InvalidInput("rules", f"Write {text} as RULE=VALUE.")
    if name == "risk":
        return name, value.strip()
    if name == "groups":
        return name, [one.strip() for one in value.split(",") if one.strip()]
    try:
        return name, json.loads(value)
    except ValueError:
        raise InvalidInput(name, f"{value} is neither a number nor true or false.") from None


def _lines(shown: dict[str, Any]) -> str:
    where = f"{shown['scope']}{'/' + shown['site'] if shown['site'] else ''} {shown['action']}"
    rules = [f"  {name}: {json.dumps(value)}" for name, value in shown["rules"].items()]
    return "\n".join([f"{where}, version {shown['version']}", *rules])
