"""Policies: the rules that hold, as sentences."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

HOUR = 3600


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
        found.append(text % {"groups": ", ".join(rules.groups)})
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
    if rules.hold_seconds:
        text = _("After the yes it waits %(hold)s before it leaves.")
        found.append(text % {"hold": _length(rules.hold_seconds)})
    return found


def _length(seconds: int) -> str:
    if seconds and seconds % (24 * HOUR) == 0:
        n = seconds // (24 * HOUR)
        return ngettext("%(n)s day", "%(n)s days", n) % {"n": n}
    if seconds and seconds % HOUR == 0:
        n = seconds // HOUR
        return ngettext("%(n)s hour", "%(n)s hours", n) % {"n": n}
    return ngettext("%(n)s second", "%(n)s seconds", seconds) % {"n": seconds}
