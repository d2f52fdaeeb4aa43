"""Places: whether REVIEW asks where a job's article goes, and what it proposes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from publisher import selectors as engine
from publisher.services import placing
from publisher.services.acts import PLACE_RULES
from reviews.edit_form import PlacedForm

AS_WHAT_RULES = frozenset({"target_exists", "target_missing"})
"""These are settled by saying what it is as well as by another path."""

REFUSED_PLACE = frozenset({"invalid", "unsafe_path"})
"""Failures whose words may be about the path."""

ABOUT_THE_TEXT = frozenset({"changes_requested", "findings", "gate"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form asks besides the text."""

    path: bool
    as_what: bool
    path_needed: bool
    text_needed: bool
    is_removal: bool


def asked(found: Any, open_blocks: list[Any]) -> Asked:
    """What is in question for this job: its place, what it is, or only its text."""
    inputs = _inputs(found)
    rules = {row.rule for row in open_blocks if row.path in ("", found.target_path)}
    is_removal = inputs.get("action") == "delete"
    refused = found.state == "REVIEW" and found.failure_code in REFUSED_PLACE
    return Asked(
        path=not is_removal and bool(not found.target_path or rules & PLACE_RULES or refused),
        as_what=not is_removal and bool(rules & AS_WHAT_RULES),
        path_needed=not found.target_path,
        text_needed=not inputs.get("set_front_matter"),
        is_removal=is_removal,
    )


def _inputs(found: Any) -> Mapping[str, Any]:
    rows = [row for row in engine.revisions(found) if row.number == found.revision]
    return rows[0].inputs if rows else {}


def initial(found: Any) -> dict[str, str]:
    """The place as it is, or one that fits the site."""
    title = found.title or found.topic
    return {
        "target_path": found.target_path or placing.suggested(found.site, title),
        "action": found.operation,
    }


def of(form: PlacedForm) -> placing.Place:
    """The place that a form names."""
    values = form.cleaned_data
    return placing.Place(values.get("target_path") or "", values.get("action") or "")


def advice(found: Any) -> str:
    """What a person does about a removal that was stopped; "" where the usual words are true."""
    rules_about_it = {"target_missing", *PLACE_RULES, *REFUSED_PLACE, *ABOUT_THE_TEXT}
    if found.failure_code not in rules_about_it:
        return ""
    return _(
        "This job removes an article, so there is no text to change. Give it up or cancel it; to "
        "remove another article, submit a new job with its path."
    )
