"""Envelopes in plain words: what a yes would do, where, and for whom."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

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
    pretty = json.dumps(envelope, ensure_ascii=False, indent=2, sort_keys=True)
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
    "payload_hash": gettext_lazy("The text"),
    "target.branch": gettext_lazy("The branch"),
    "target.remote": gettext_lazy("Where it goes"),
    "target.operation": gettext_lazy("What is done"),
    "commit.subject": gettext_lazy("The title of the change"),
    "requester": gettext_lazy("Who asked for it"),
    "not_before": gettext_lazy("When it may leave"),
}


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
            str(FIELDS.get(row["field"], row["field"])),
            _value(row["old"]),
            _value(row["new"]),
        )
        for row in differences
    ]


def _value(value: Any) -> str:
    if value is None:
        return "—"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return short(text) if text.startswith("sha256:") else text[:200]
