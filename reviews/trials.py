"""Trials: what a trial of rules found, for programs and for a terminal."""

from collections.abc import Iterator
from typing import Any

from reviews.rules import shares
from reviews.services.policy_trial import Touched, Trial

KINDS = ("void", "harder", "easier")
_HEADS = {
    "void": "approved, and would need more again",
    "harder": "would need more than now",
    "easier": "would need less than now",
}


def as_json(trial: Trial) -> dict[str, Any]:
    """The trial as one document; nothing of it was done."""
    return {
        "before": trial.before.as_json(),
        "after": trial.after.as_json(),
        "looked_at": trial.looked_at,
        "is_more": trial.is_more,
        "stay": trial.stay,
        **{kind: [_touched(one) for one in getattr(trial, kind)] for kind in KINDS},
    }


def lines(trial: Trial) -> Iterator[str]:
    """The same for a person at a console."""
    yield f"{trial.looked_at} open requests looked at; nothing was changed."
    yield f"{trial.stay} stay as they are"
    for kind in KINDS:
        found = getattr(trial, kind)
        yield f"{len(found)} {_HEADS[kind]}"
        for one in found:
            yield f"  {one.job_id} {one.after.sentence}{_by(one)}"
    if trial.is_more:
        yield "There are more, which were not looked at."


def _by(one: Touched) -> str:
    if one.after.is_met:
        return ""
    names = ", ".join(one.who) or "nobody here"
    return f" (could give it: {names}{', which is not enough' if one.too_few else ''})"


def _touched(one: Touched) -> dict[str, Any]:
    return {
        "id": one.approval_id,
        "approval_id": one.approval_id,
        "job_id": one.job_id,
        "title": one.title,
        "approvers": list(one.after.approvers),
        "needed": one.after.needed,
        "more": one.more,
        "missing_groups": list(one.after.missing_groups),
        "missing": shares(one.after.missing_groups),
        "who": list(one.who),
        "too_few": one.too_few,
    }
