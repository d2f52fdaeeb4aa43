"""Sentences for translation: policies, delegations, the password; a value stands as %(name)s."""

from django.utils.translation import gettext_noop as _

POLICIES: tuple[str, ...] = (
    _("Say why the rules change, so that others can follow."),
    _("Somebody else changed these rules meanwhile. Look at them again."),
    _("There is no scope %(scope)s that you may see."),
    _("What is risky is approved by somebody. Ask for one at least."),
    _("At most %(most)s people are asked of all groups."),
    _("A risk is one of: %(known)s; or left empty."),
    _("An answer in the place of %(name)s is given already; others are still asked."),
    _("%(name)s wrote or requested this text, so nobody decides about it in that place."),
    _("You do not stand in for %(name)s here now."),
    _("Choose somebody else: nobody stands in for themselves."),
    _("It ends after it begins, and within a year."),
    _("There is no such delegation that you may see."),
    _("%(name)s decides nothing there, so there is nothing to lend."),
    _("%(name)s cannot decide there. Choose a reviewer."),
    _("This account has no password. An admin can give it one."),
    _("That is not your password. Nothing was decided."),
    _("This is risky, so give your password once more to approve it."),
    _("%(given)s of %(needed)s approvals; still missing from groups: %(groups)s"),
)
