"""Trials: what a change of rules would do to open requests, in sentences."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reviews.presenters import approval


@dataclass(frozen=True, slots=True)
class TrialItem:
    """One request: where it stands then, and who could give what is lacking."""

    approval_id: int
    title: str
    then: str
    who: str


@dataclass(frozen=True, slots=True)
class TrialGroup:
    """Requests that a change would touch alike."""

    sentence: str
    tone: str
    icon: str
    items: list[TrialItem]


def sentence(trial: Any) -> str:
    """How many requests were looked at, and how many stay."""
    if trial.looked_at == 0:
        return _("No request is open that these rules would judge.")
    text = ngettext(
        "Of %(n)s open request, %(stay)s stays as it is.",
        "Of %(n)s open requests, %(stay)s stay as they are.",
        trial.looked_at,
    )
    return text % {"n": trial.looked_at, "stay": trial.stay}


def groups(trial: Any) -> list[TrialGroup]:
    """What would change, the worst first; nothing that is empty."""
    told = [
        (
            trial.void,
            ngettext(
                "%(n)s is approved and would no longer be: it asks again.",
                "%(n)s are approved and would no longer be: they ask again.",
                len(trial.void),
            ),
            "bad",
            "alert",
        ),
        (
            trial.harder,
            ngettext("%(n)s would need more.", "%(n)s would need more.", len(trial.harder)),
            "warn",
            "people",
        ),
        (
            trial.easier,
            ngettext("%(n)s would need less.", "%(n)s would need less.", len(trial.easier)),
            "calm",
            "check",
        ),
    ]
    return [
        TrialGroup(text % {"n": len(found)}, tone, icon, [_item(one) for one in found])
        for found, text, tone, icon in told
        if found
    ]


def _item(one: Any) -> TrialItem:
    then = one.after
    return TrialItem(
        one.approval_id,
        one.title,
        approval.quorum(then.approvers, then.needed, then.missing_groups),
        _who(one),
    )


def _who(one: Any) -> str:
    if one.after.is_met:
        return ""
    if not one.who:
        return _("Nobody here could give what is lacking.")
    names = {"names": ", ".join(one.who)}
    if one.too_few:
        return _("Could give it: %(names)s, who are too few: it could never be approved.") % names
    return _("Could give it: %(names)s.") % names
