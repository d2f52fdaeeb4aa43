"""Sites: how a site is, in plain words."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from publisher.domain.states import Lane, State
from reviews.presenters.words import Label, Text

LABELS: dict[str, Label] = {
    "pending": Label(gettext_lazy("Not read yet"), "", "clock", "calm"),
    "cloning": Label(gettext_lazy("Being read"), "", "retry", "busy"),
    "ready": Label(gettext_lazy("Ready"), "", "check", "good"),
    "failed": Label(gettext_lazy("Cannot be read"), "", "alert", "bad"),
}
TROUBLE = Label(gettext_lazy("Needs attention"), "", "alert", "warn")
PAUSED = Label(gettext_lazy("Paused"), "", "pause", "warn")


LANES: dict[str, Text] = {
    Lane.PUBLISH.value: gettext_lazy("Publications"),
    Lane.REPORT.value: gettext_lazy("Reports"),
}
HELD = frozenset({State.READY_TO_COMMIT, State.LOCAL_COMMITTED, State.READY_TO_DISPATCH})
"""States in which a job has its yes, and waits for nothing else while its lane is paused."""


@dataclass(frozen=True, slots=True)
class Stop:
    """What is held back at a site, why, and who lets it go on and how."""

    site: Any
    lanes: tuple[Text, ...]
    sentence: str
    why: str
    way_on: str
    command: str
    is_serious: bool
    lead: str = ""


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
    if site.clone_state != "failed" and (site.last_error or site.stop_reason):
        label = TROUBLE
    elif site.clone_state == "ready" and is_paused:
        label = PAUSED
    return SiteView(site, remote, label, is_paused, _sentence(site, is_paused))


def _sentence(site: Any, is_paused: bool) -> str:
    if site.clone_state in ("pending", "cloning") and site.last_error:
        return _(
            "The repository could not be read yet. It is tried again by itself; once the cause is "
            "mended, an operator can have it checked at once."
        )
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


def stop(site: Any) -> Stop | None:
    """None where everything may leave."""
    if not (site.stop_reason or site.paused_lanes):
        return None
    return Stop(
        site=site,
        lanes=tuple(LANES.get(lane, lane) for lane in site.paused_lanes),
        sentence=_("Nothing leaves for this site until it is resumed. Drafts and approvals go on."),
        why=site.stop_reason or _("Somebody paused it."),
        way_on=_("If the present repository is the right one, an operator resumes the site.")
        if site.stop_reason
        else _("An operator can resume the site."),
        command=f"manage.py site resume {site.name}",
        is_serious=bool(site.stop_reason),
        lead=_("It waits because its site is stopped:"),
    )


def _unread(site: Any) -> Stop:
    """A site whose repository was never read, and cannot be."""
    return Stop(
        site=site,
        lanes=(),
        sentence=_sentence(site, is_paused=False),
        why=site.last_error,
        way_on=_(
            "Once the cause is mended, the job goes on by itself. An operator can check the site."
        ),
        command=f"manage.py site check {site.name}",
        is_serious=True,
        lead=_("It waits because its site's repository cannot be read:"),
    )


def holding(job: Any) -> Stop | None:
    """What holds this very job back, at its begin or where it could leave; None where nothing does."""
    site = job.site
    if job.state == State.RECEIVED.value and site.clone_state != "ready" and site.last_error:
        return _unread(site)
    if job.lane not in job.site.paused_lanes or State(job.state) not in HELD:
        return None
    return stop(job.site)
