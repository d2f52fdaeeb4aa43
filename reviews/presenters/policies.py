"""Policies: the rules that hold, as sentences."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from reviews.presenters.approval import shares

HOUR = 3600
MINUTE = 60

ACTIONS: dict[str, Any] = {
    "*": _lazy("everything"),
    "blog.publish/v1": _lazy("publications"),
    "git.revert/v1": _lazy("taking a publication back"),
}
"""What a policy may be for."""


def sentences(rules: Any) -> list[str]:
    """What a policy demands, one rule a sentence; rules that demand nothing are left out."""
    if rules.approvals == 0:
        found = [_("Nobody has to approve.")]
    else:
        text = ngettext(
            "%(n)s reviewer has to approve.", "%(n)s reviewers have to approve.", rules.approvals
        )
        found = [text % {"n": rules.approvals}]
    if rules.groups:
        text = _("At least one of them is from each of: %(groups)s.")
        if len(set(rules.groups)) < len(rules.groups):
            text = _("They are from these groups at least: %(groups)s.")
        found.append(text % {"groups": shares(rules.groups)})
    if rules.one_person:
        found.append(_("The author may approve the own text; the history says so."))
    else:
        found.append(_("Nobody approves what they wrote or submitted."))
    if rules.editor_counts:
        found.append(_("Who edited the text may give one of the approvals."))
    if rules.require_shown:
        found.append(_("Each part has to be shown or acknowledged before."))
    found.append(
        _("A question stays open for %(wait)s, and a yes holds for %(valid)s.")
        % {"wait": _length(rules.wait_seconds), "valid": _length(rules.validity_seconds)}
    )
    found += _risk(rules)
    if rules.hold_seconds:
        text = _("After the yes it waits %(hold)s before it leaves.")
        found.append(text % {"hold": _length(rules.hold_seconds)})
    return found


def _risk(rules: Any) -> list[str]:
    if rules.risk == "routine":
        return [_("It counts as routine.")]
    if rules.risk != "risky":
        return []
    found = [_("It counts as risky: after the yes it waits 30 seconds at least.")]
    if rules.password_seconds:
        text = _("Whoever approves gave the password within the last %(length)s.")
        found.append(text % {"length": _length(rules.password_seconds)})
    return found


def _length(seconds: int) -> str:
    if seconds and seconds % (24 * HOUR) == 0:
        n = seconds // (24 * HOUR)
        return ngettext("%(n)s day", "%(n)s days", n) % {"n": n}
    if seconds and seconds % HOUR == 0:
        n = seconds // HOUR
        return ngettext("%(n)s hour", "%(n)s hours", n) % {"n": n}
    if seconds and seconds % MINUTE == 0:
        n = seconds // MINUTE
        return ngettext("%(n)s minute", "%(n)s minutes", n) % {"n": n}
    return ngettext("%(n)s second", "%(n)s seconds", seconds) % {"n": seconds}
