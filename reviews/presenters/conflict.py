"""Conflicts: the story in plain words, the three versions, and the choices that exist."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from reviews.presenters import conflict_diff, marks, texts
from reviews.presenters.conflict_diff import Difference

SHOWN_CHARACTERS = 60_000


@dataclass(frozen=True, slots=True)
class Choice:
    """One way out for a file, with what it costs."""

    name: str
    word: str
    note: str
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a file as it is stored: its bytes where there are any, and where they are whole."""

    data: bytes | None = None
    link: str = ""
    is_damaged: bool = False
    instead: str = ""
    """What stands there and is no file, in words."""

    @property
    def is_absent(self) -> bool:
        """Whether nothing is there in this version."""
        return self.data is None and not self.is_damaged and not self.instead

    @property
    def is_text(self) -> bool:
        """Whether it can be compared: nothing is no line at all."""
        return self.is_absent or (self.data is not None and texts.is_text(self.data))


@dataclass(frozen=True, slots=True)
class Side:
    """One version of a file as it is shown; ``cut`` characters at its end are behind the link."""

    title: str
    note: str
    text: str
    cut: int
    link: str
    is_absent: bool
    is_binary: bool
    is_damaged: bool
    instead: str


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
    theirs_difference: Difference | None
    ours_difference: Difference | None
    choices: list[Choice]
    own_text: str
    is_too_large: bool
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
    base: Version,
    theirs: Version,
    ours: Version,
    may_give_up: bool,
    is_alone: bool = True,
    was_edited: bool = False,
    budget: marks.Budget | None = None,
) -> Clash:
    """One file with its versions and choices; what somebody edited keeps its place, however large."""
    who = entry.get("author") or _("somebody")
    at = datetime.fromisoformat(entry["date"]) if entry.get("date") else None
    theirs = replace(theirs, instead=_instead(entry))
    own = ours.data if ours.data is not None else theirs.data or b""
    every = choices(entry, theirs.is_absent, ours.is_absent, may_give_up=may_give_up, who=who)
    found = _possible(every, theirs, ours, is_alone=is_alone)
    can_be_written = any(choice.name == "content" for choice in found)
    is_too_large = can_be_written and len(own) > texts.LARGEST_EDIT and not was_edited
    return Clash(
        path=entry["path"],
        index=index,
        sentence=_("Changed by %(who)s") % {"who": who},
        at=at,
        base=_side(base, _("Before"), _("What both started from")),
        theirs=_side(theirs, _("Published now"), who),
        ours=_side(ours, _("Our draft"), ""),
        theirs_difference=_difference(base, theirs, budget),
        ours_difference=_difference(base, ours, budget),
        choices=[one for one in found if not is_too_large or one.name != "content"],
        own_text=texts.editable(own) if can_be_written and not is_too_large else "",
        is_too_large=is_too_large,
        moved_to=entry.get("moved_to") or "",
        commit=entry.get("commit", ""),
        subject=entry.get("subject", ""),
    )


def _possible(
    found: list[Choice], theirs: Version, ours: Version, *, is_alone: bool
) -> list[Choice]:
    """An image is chosen, never edited: an editor would not give its bytes back unharmed.

    What is damaged or no file cannot be published; the other version or a new text can. To keep what is
    published takes its bytes only beside another file: alone, that gives the draft up.
    """
    never = set()
    if any(one.data is not None and not one.is_text for one in (theirs, ours)):
        never.add("content")
    if ours.is_damaged:
        never |= {"ours", "follow_rename", "new_path"}
    if (theirs.is_damaged or theirs.instead) and not is_alone:
        never.add("theirs")
    return [choice for choice in found if choice.name not in never]


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
    if entry.get("instead"):
        # Nothing is written over what is no file, nor through it.
        return found if is_delete else [*found, _new_path()]
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


def _side(version: Version, title: str, note: str) -> Side:
    data = version.data or b""
    text = texts.editable(data)
    if not texts.is_text(data):
        text = f"{len(data):,} bytes · SHA-256 {hashlib.sha256(data).hexdigest()[:12]}"
    shown = text[:SHOWN_CHARACTERS]
    return Side(
        title=title,
        note=note,
        text=shown,
        cut=len(text) - len(shown),
        link=version.link,
        is_absent=version.is_absent,
        is_binary=not texts.is_text(data),
        is_damaged=version.is_damaged,
        instead=version.instead,
    )


def _instead(entry: Mapping[str, Any]) -> str:
    kind = entry.get("instead", "")
    words = {
        "link": _("a symbolic link to %(target)s"),
        "folder": _("a folder"),
        "submodule": _("another repository (a submodule)"),
    }
    return words[kind] % {"target": entry["link_to"]} if kind else ""


def _difference(old: Version, new: Version, budget: marks.Budget | None) -> Difference | None:
    """What was changed since; None where that is no question of lines."""
    if not old.is_text or not new.is_text:
        return None
    before, after = (old.data or b"").decode(), (new.data or b"").decode()
    return conflict_diff.of(before, after, budget=budget)
