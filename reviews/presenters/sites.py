"""Sites: how a site is, in plain words."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reviews.presenters.words import Label

LABELS: dict[str, Label] = {
    "pending": Label(gettext_lazy("Not read yet"), "", "clock", "calm"),
    "cloning": Label(gettext_lazy("Being read"), "", "retry", "busy"),
    "ready": Label(gettext_lazy("Ready"), "", "check", "good"),
    "failed": Label(gettext_lazy("Cannot be read"), "", "alert", "bad"),
}
TROUBLE = Label(gettext_lazy("Needs attention"), "", "alert", "warn")
PAUSED = Label(gettext_lazy("Paused"), "", "pause", "warn")


@dataclass(frozen=True, slots=True)
class SiteView:
    """One site for people."""

    site: Any
    remote: str
    label: Label
    is_paused: bool
    sentence: str


def present(site: Any, remote: str) -> SiteView:
    """How the site is and what happens or is to be done next."""
    is_paused = bool(site.paused_lanes)
    label = LABELS.get(site.clone_state, LABELS["pending"])
    if site.clone_state == "ready" and (site.last_error or site.stop_reason):
        label = TROUBLE
    elif site.clone_state == "ready" and is_paused:
        label = PAUSED
    return SiteView(site, remote, label, is_paused, _sentence(site, is_paused))


def _sentence(site: Any, is_paused: bool) -> str:
    if site.clone_state in ("pending", "cloning"):
        return _("The repository is being read for the first time. Jobs are accepted meanwhile.")
    if site.clone_state == "failed":
        return _("The repository could not be read. Mend the cause below, then check again.")
    if site.stop_reason:
        return _("The repository was replaced by another one. Resume only if that is right.")
    if site.last_error:
        return _("The last look at the repository failed. Jobs wait and go on by themselves.")
    if is_paused:
        return _("Nothing leaves for this site until it is resumed. Drafts and approvals go on.")
    return _("All is well. Approved jobs leave by themselves.")
