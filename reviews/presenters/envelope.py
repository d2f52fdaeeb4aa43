"""Envelopes in plain words: what a yes would do, where, and for whom."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reviews.presenters.hidden import escaped
from reviews.presenters.times import in_full
from reviews.presenters.words import OPERATIONS

SHORT = 12


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that the hash binds; ``code`` values are shown in a fixed-width face."""

    name: str
    value: str
    is_code: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EnvelopePage:
    """An envelope for people: named facts, the whole JSON folded, the hash short and in full."""

    facts: list[Fact]
    pretty: str
    hash: str
    short_hash: str


def short(digest: str) -> str:
    """The first digits of a hash, for people; the whole one is always at hand."""
    return digest.removeprefix("sha256:")[:SHORT]


def present(envelope: Mapping[str, Any], binding_hash: str) -> EnvelopePage:
    """The page object of one envelope."""
    pretty = escaped(json.dumps(envelope, ensure_ascii=False, indent=2, sort_keys=True))
    return EnvelopePage(_facts(envelope), pretty, binding_hash, short(binding_hash))


def _facts(envelope: Mapping[str, Any]) -> list[Fact]:
    target = envelope.get("target", {})
    operation = str(target.get("operation", ""))
    verbs = {
        "create": _("Add a new article"),
        "update": _("Change an existing article"),
        "delete": _("Delete an article"),
    }
    facts = [
        Fact(_("What"), verbs.get(operation, operation)),
        Fact(_("Site"), f"{target.get('site', '')} · {target.get('branch', '')}"),
        Fact(_("Where it goes"), str(target.get("remote", "")), is_code=True),
    ]
    facts += [Fact(_("File"), _path(entry), is_code=True) for entry in target.get("paths", [])]
    facts += [_derived(entry) for entry in envelope.get("derived", [])]
    if envelope.get("reverts"):
        facts.append(
            Fact(_("Takes back the job"), str(envelope["reverts"]["job_id"]), is_code=True)
        )
    facts.append(Fact(_("Asked for by"), str(envelope.get("requester", ""))))
    commit = envelope.get("commit", {})
    facts.append(Fact(_("Title of the change"), str(commit.get("subject", ""))))
    memory = envelope.get("memory")
    if memory:
        text = _("%(scope)s, revision %(number)s")
        values = {"scope": memory.get("scope", ""), "number": memory.get("revision", "")}
        facts.append(Fact(_("Written from memory"), text % values))
    if envelope.get("not_before"):
        at = datetime.fromisoformat(str(envelope["not_before"]))
        facts.append(Fact(_("Not before"), "", at=at))
    return facts


def _path(entry: Mapping[str, Any]) -> str:
    return str(entry.get("path", ""))


def _derived(entry: Mapping[str, Any]) -> Fact:
    count = len(entry.get("paths", []))
    text = ngettext("%(n)s file made by %(maker)s", "%(n)s files made by %(maker)s", count)
    return Fact(_("Built along"), text % {"n": count, "maker": entry.get("generator", "")})


FIELDS = {
    "schema": gettext_lazy("The form of the request"),
    "job_id": gettext_lazy("The job"),
    "action": gettext_lazy("What is done"),
    "scope": gettext_lazy("The space"),
    "requester": gettext_lazy("Who asked for it"),
    "input_hash": gettext_lazy("What it is made from"),
    "payload_hash": gettext_lazy("The text"),
    "target": gettext_lazy("Where it goes"),
    "target.site": gettext_lazy("The site"),
    "target.branch": gettext_lazy("The branch"),
    "target.remote": gettext_lazy("Where it goes"),
    "target.operation": gettext_lazy("What is done"),
    "target.paths": gettext_lazy("The files"),
    "derived": gettext_lazy("What is built along"),
    "commit": gettext_lazy("The change as it is saved"),
    "commit.subject": gettext_lazy("The title of the change"),
    "commit.author": gettext_lazy("The author of the change"),
    "memory": gettext_lazy("The background it is written from"),
    "not_before": gettext_lazy("When it may leave"),
    "reverts": gettext_lazy("What is taken back"),
}
"""Names of bound fields; what lies deeper is called like the nearest one above it."""
TIMES = frozenset({"not_before", "memory.expires_at"})


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs between what was read and what is now."""

    field: str
    name: str
    old: str
    new: str


def changes(differences: Sequence[Mapping[str, Any]]) -> list[Change]:
    """Differences by name, values cut to what a page can hold."""
    return [
        Change(
            row["field"],
            _name(row["field"]),
            _value(row["field"], row["old"]),
            _value(row["field"], row["new"]),
        )
        for row in differences
    ]


def _name(field: str) -> str:
    """The name of a field such as ``target.paths[a.md].base_sha256``, with the path it is about."""
    path = f": {field[field.index('[') + 1 : field.rindex(']')]}" if "]" in field else ""
    above = field.partition("[")[0]
    while above and above not in FIELDS:
        above = above.rpartition(".")[0]
    return f"{FIELDS[above]}{path}" if above else field


def _value(field: str, value: Any) -> str:
    if value is None:
        return "—"
    if field == "target.operation":
        return str(OPERATIONS.get(value, value))
    if field in TIMES:
        return in_full(datetime.fromisoformat(str(value)))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return short(text) if text.startswith("sha256:") else text[:200]
