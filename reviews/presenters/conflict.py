"""Conflicts: the story in plain words, the three versions, and the choices that exist."""

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from reviews.presenters import diff, texts

MOST_LINES = 4_000


@dataclass(frozen=True, slots=True)
class Choice:
    """One way out for a file, with what it costs."""

    name: str
    word: str
    note: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """One version of a file."""

    title: str
    note: str
    text: str
    is_absent: bool
    is_binary: bool


@dataclass(frozen=True, slots=True)
class Clash:
    """One file that both sides changed."""

    path: str
    index: int
    sentence: str
    at: datetime | None
    base: Side
    theirs: Side
    ours: Side
    theirs_blocks: list[diff.Block]
    ours_blocks: list[diff.Block]
    choices: list[Choice]
    own_text: str
    moved_to: str
    commit: str
    subject: str


def story(conflict: Any, job: Any) -> list[str]:
    """Three lines that say what happened, without a word of git."""
    entry = conflict.files[0] if conflict.files else {}
    who = entry.get("author") or _("Somebody")
    values = {"who": who, "path": entry.get("path", ""), "moved": entry.get("moved_to") or ""}
    first = {
        "content": _("%(who)s changed %(path)s while our draft was on its way."),
        "add_add": _("%(who)s published something at %(path)s while our draft was on its way."),
        "modify_delete": _("%(who)s removed %(path)s while our draft was on its way."),
        "target_moved": _("%(who)s moved %(path)s to %(moved)s while our draft was on its way."),
        "twin": _("%(who)s published %(moved)s, which other systems take for %(path)s."),
        "in_the_way": _("%(who)s put something else where %(path)s belongs."),
        "directory_moved": _("The folder of %(path)s was moved or removed meanwhile."),
    }.get(
        entry.get("kind", ""), _("%(who)s changed the same files while our draft was on its way.")
    )
    return [
        first % values,
        _("Our draft changes the same place, so a person has to choose."),
        _("Nothing of it is published yet, and nobody's work is lost."),
    ]


def clash(
    entry: Mapping[str, Any],
    index: int,
    *,
    base: bytes | None,
    theirs: bytes | None,
    ours: bytes | None,
    may_give_up: bool,
) -> Clash:
    """One file with its versions and choices."""
    who = entry.get("author") or _("somebody")
    at = datetime.fromisoformat(entry["date"]) if entry.get("date") else None
    sides = {"base": _side(base), "theirs": _side(theirs), "ours": _side(ours)}
    return Clash(
        path=entry["path"],
        index=index,
        sentence=_("Changed by %(who)s") % {"who": who},
        at=at,
        base=_named(sides["base"], _("Before"), _("What both started from")),
        theirs=_named(sides["theirs"], _("Published now"), who),
        ours=_named(sides["ours"], _("Our draft"), ""),
        theirs_blocks=_changes(sides["base"], sides["theirs"]),
        ours_blocks=_changes(sides["base"], sides["ours"]),
        choices=_possible(
            choices(entry, theirs is None, ours is None, may_give_up=may_give_up, who=who), sides
        ),
        own_text=texts.editable(ours if ours is not None else theirs or b""),
        moved_to=entry.get("moved_to") or "",
        commit=entry.get("commit", ""),
        subject=entry.get("subject", ""),
    )


def _possible(found: list[Choice], sides: Mapping[str, Side]) -> list[Choice]:
    """An image is chosen, never edited: an editor would not give its bytes back unharmed."""
    is_binary = sides["ours"].is_binary or sides["theirs"].is_binary
    return [choice for choice in found if choice.name != "content" or not is_binary]


def choices(
    entry: Mapping[str, Any],
    is_removed: bool,
    is_delete: bool,
    *,
    may_give_up: bool,
    who: str,
) -> list[Choice]:
    """Only acts that are possible for this kind, each with what is lost."""
    found = []
    values = {"who": who, "moved": entry.get("moved_to") or ""}
    if may_give_up:
        word = _("Leave it removed") if is_removed else _("Keep what is published")
        note = _("Our draft is dropped. It stays readable in this job's history.")
        found.append(Choice("theirs", word, note))
    if is_delete:
        note = _("%(who)s's change goes away together with the article.") % values
        return [*found, Choice("ours", _("Remove it all the same"), note)]
    if entry.get("kind") == "twin":
        return [*found, *_beside_a_twin(values, is_removed=is_removed)]
    if entry.get("kind") == "in_the_way":
        return [*found, _new_path()]
    word = _("Bring it back with our draft") if is_removed else _("Use our draft")
    note = _("%(who)s's change is replaced. Reviewers are asked again.") % values
    found.append(Choice("ours", word, note))
    if entry.get("moved_to"):
        note = _("Our draft replaces the article at %(moved)s. Reviewers are asked again.") % values
        found.append(Choice("follow_rename", _("Follow the move"), note))
    found.append(_new_path())
    note = _("Join both by hand; nothing else is published.")
    found.append(Choice("content", _("Write my own version"), note, "text"))
    return found


def _beside_a_twin(values: Mapping[str, str], *, is_removed: bool) -> list[Choice]:
    """Under its own name our draft cannot stand beside the other one."""
    note = _("Our draft replaces the article at %(moved)s. Reviewers are asked again.") % values
    if is_removed:
        note = _("Nothing stands there yet. Reviewers are asked again.")
    word = _("Publish our draft as %(moved)s") % values
    return [Choice("follow_rename", word, note), _new_path()]


def _new_path() -> Choice:
    note = _("Both stay: the published article is not touched.")
    return Choice("new_path", _("Publish our draft under a new path"), note, "path")


def _side(data: bytes | None) -> Side:
    if data is None:
        return Side("", "", "", is_absent=True, is_binary=False)
    if not texts.is_text(data):
        shown = f"{len(data):,} bytes · SHA-256 {hashlib.sha256(data).hexdigest()[:12]}"
        return Side("", "", shown, is_absent=False, is_binary=True)
    return Side("", "", texts.editable(data), is_absent=False, is_binary=False)


def _named(side: Side, title: str, note: str) -> Side:
    return Side(title, note, side.text[:200_000], side.is_absent, side.is_binary)


def _changes(old: Side, new: Side) -> list[diff.Block]:
    """A short difference made here; long texts are shown whole instead."""
    olds, news = old.text.splitlines(), new.text.splitlines()
    if old.is_binary or new.is_binary or max(len(olds), len(news)) > MOST_LINES:
        return []
    if max(len(old.text), len(new.text)) > 400_000:
        return []
    unified = difflib.unified_diff(olds, news, n=3, lineterm="")
    text = "\n".join(line for line in unified if not line.startswith(("--- ", "+++ ")))
    return diff.blocks(diff.parse(text))
