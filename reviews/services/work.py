"""Work: the engine's services for people and programs, each behind the right that it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction

from publisher import selectors
from publisher.domain.errors import NotFound
from publisher.domain.secrets import scrub_text
from publisher.domain.states import Actor, Event, Lane, State, can
from publisher.journal import Who
from publisher.models import Conflict, Job, Site, TopicCursor
from publisher.ports import Source
from publisher.services import acts, resolve, restored, revise, sites, topics
from publisher.services import revert as reverting
from publisher.services import submit as submitting
from publisher.services.placing import AS_BEFORE, Place
from publisher.services.resolve import Choice
from publisher.services.revise import by_path
from publisher.services.submit import Asset, SubmitRequest, Submitted
from reviews.models import Role
from reviews.permissions import Caller, require

__all__ = ["Asset", "Choice", "Place", "Source", "SubmitRequest", "Submitted", "by_path"]


def who(caller: Caller, job: Job, event: Event) -> Who:
    """The part in which the caller may raise this event now; the first part held otherwise.

    A job's requester acts as its submitter. Which part may do what is the state table's business.
    """
    held = _parts(caller, job)
    state, lane = State(job.state), Lane(job.lane)
    able = [part for part in held if can(state, event, actor=part, lane=lane)]
    return Who((able or held or [Actor.SUBMITTER])[0], caller.name)


def may(caller: Caller, job: Job, event: Event, right: str) -> bool:
    """Whether this act is both permitted to the caller and possible now: what buttons ask."""
    state, lane = State(job.state), Lane(job.lane)
    return caller.may(right, job.scope, job.site, owner=job.requester) and any(
        can(state, event, actor=part, lane=lane) for part in _parts(caller, job)
    )


def _parts(caller: Caller, job: Job) -> list[Actor]:
    """The parts that the caller may act in, as far as a token allows the work of each."""

    def has(*roles: Role) -> bool:
        return any(caller.has(role, job.scope, job.site) for role in roles)

    held = []
    if job.requester == caller.name and caller.allows("submit"):
        held.append(Actor.SUBMITTER)
    if has(Role.REVIEWER) and caller.allows("decide"):
        held.append(Actor.REVIEWER)
    if has(Role.OPERATOR, Role.ADMIN) and caller.allows("operate"):
        held.append(Actor.OPERATOR)
    return held


def _over(caller: Caller, job: Job, right: str) -> None:
    require(caller, right, job.scope, job.site, owner=job.requester)


def _submittable(request: SubmitRequest, caller: Caller) -> Site:
    return _site_to_submit_to(request.site, caller)


def _site_to_submit_to(name: str, caller: Caller) -> Site:
    """The site; NotFound, as for one that is not there, where nothing of it may be read."""
    site = selectors.site(name, scopes=caller.scopes)
    by_role = replace(caller, allow=None)  # a token that may submit alone still knows its sites
    if not by_role.may("read", site.scope, site):
        raise NotFound(f"There is no site {name} that you may see.")
    require(caller, "submit", site.scope, site)
    return site


def submit(request: SubmitRequest, *, caller: Caller, now: datetime) -> Submitted:
    """Ask for something to be published; see the engine's ``submit`` for what it refuses."""
    site = _submittable(request, caller)
    by = Who(Actor.SUBMITTER, caller.name)
    return submitting.submit(request, who=by, scope=site.scope, now=now)


def open_topic(site: str, session: str, *, caller: Caller, now: datetime) -> TopicCursor:
    """A session's topic goes on; see the engine's ``topics``."""
    found = _site_to_submit_to(site, caller)
    return topics.open_topic(site, session, scope=found.scope, now=now)


def close_topic(
    request: SubmitRequest, session: str, *, caller: Caller, now: datetime
) -> topics.Closed:
    """A session's topic ended: one job for each close."""
    site = _submittable(request, caller)
    by = Who(Actor.SUBMITTER, caller.name)
    return topics.close_topic(request, session, who=by, scope=site.scope, now=now)


def validate(request: SubmitRequest, *, caller: Caller, now: datetime) -> None:
    """Refuse what ``submit`` would refuse, and store nothing."""
    submitting.check(request, scope=_submittable(request, caller).scope, now=now)


def edit(
    job: Job,
    *,
    files: Mapping[str, bytes],
    base_revision: int,
    caller: Caller,
    now: datetime,
    why: str = "edited",
    place: Place = AS_BEFORE,
) -> Job:
    """Save files of the draft: a new revision, or the same one when nothing changes."""
    _over(caller, job, "edit")
    by = who(caller, job, Event.REVISE)
    return revise.revise(
        job, files=files, base_revision=base_revision, who=by, now=now, why=scrub_text(why),
        place=place,
    )  # fmt: skip


def give_inputs(
    job: Job, *, sources: Sequence[Source], caller: Caller, now: datetime, why: str = "new inputs"
) -> Job:
    """Draft again from other sources."""
    _over(caller, job, "edit")
    by = who(caller, job, Event.REVISE)
    return revise.new_inputs(job, sources=sources, who=by, now=now, why=scrub_text(why))


def cancel(job: Job, *, caller: Caller, now: datetime, reason: str = "") -> Job:
    """Stop a job for good, unless its text may be on its way."""
    _over(caller, job, "cancel")
    return acts.cancel(job, who=who(caller, job, Event.CANCEL), now=now, reason=reason)


def retry(job: Job, *, caller: Caller, now: datetime) -> Job:
    """Try again now, with a new budget where the old one is used up."""
    _over(caller, job, "operate")
    event = Event.OVERRIDE if State(job.state) is State.REVIEW else Event.RETRY
    return acts.retry(job, who=who(caller, job, event), now=now)


def skip(job: Job, *, caller: Caller, now: datetime, reason: str) -> Job:
    """Give up a job that waits for people."""
    _over(caller, job, "operate")
    return acts.skip(job, who=who(caller, job, Event.GIVE_UP), now=now, reason=reason)


def override(job: Job, *, finding_id: int, caller: Caller, now: datetime, reason: str) -> Job:
    """Overrule one blocking finding, with a reason that stays."""
    _over(caller, job, "operate")
    by = who(caller, job, Event.OVERRIDE)
    return acts.override(job, finding_id=finding_id, who=by, now=now, reason=scrub_text(reason))


def ask_again(job: Job, *, caller: Caller, now: datetime) -> Job:
    """Ask for approval of the same revision once more."""
    _over(caller, job, "edit")
    return acts.ask_again(job, who=who(caller, job, Event.ASK_AGAIN), now=now)


def publish_anyway(job: Job, *, caller: Caller, now: datetime) -> Submitted:
    """Appeal a judge's SKIP: a new, linked job, which goes through approval as any other."""
    _over(caller, job, "operate")
    return acts.publish_anyway(job, who=Who(Actor.OPERATOR, caller.name), now=now)


def revert(job: Job, *, caller: Caller, now: datetime) -> Submitted:
    """Take a published job's change back: a new, linked job, which needs its own approval."""
    _over(caller, job, "operate")
    return reverting.revert(job, who=Who(Actor.OPERATOR, caller.name), now=now)


def record_published(job: Job, *, caller: Caller, now: datetime, reason: str) -> Job:
    """After a restored backup: have the remote looked at, and what it holds recorded as published."""
    _over(caller, job, "operate")
    return restored.ask(job, who=who(caller, job, Event.RESTORE), now=now, reason=reason)


def settle(
    conflict: Conflict,
    *,
    files: Sequence[Choice],
    ours_sha256: str,
    theirs_sha256: str,
    caller: Caller,
    now: datetime,
) -> Job:
    """Settle a conflict by one choice a file; the result is checked and approved again.

    Who keeps all that is published gives the job up, and needs the right to that.
    """
    job = conflict.job
    is_given_up = resolve.keeps_published(files)
    _over(caller, job, "operate" if is_given_up else "resolve")
    event = Event.GIVE_UP if is_given_up else Event.RESOLVE
    with transaction.atomic():
        return resolve.resolve(
            conflict,
            files=files,
            ours_sha256=ours_sha256,
            theirs_sha256=theirs_sha256,
            who=who(caller, job, event),
            now=now,
        )


def give_up(conflict: Conflict, *, caller: Caller, now: datetime, reason: str) -> Job:
    """Publish nothing of a job in conflict."""
    job = conflict.job
    _over(caller, job, "operate")
    by = who(caller, job, Event.GIVE_UP)
    return resolve.give_up(conflict, who=by, now=now, reason=reason)


def add_site(
    *, name: str, remote: str, scope: str, caller: Caller, now: datetime, **values: Any
) -> Site:
    """Connect a repository to a scope."""
    require(caller, "operate", scope)
    return sites.add(name=name, remote=remote, scope=scope, now=now, **values)


def change_site(site: Site, *, caller: Caller, now: datetime, **values: Any) -> Site:
    """Change a site's rules."""
    require(caller, "operate", site.scope, site)
    return sites.change(site, now=now, **values)


def pause_site(site: Site, *, caller: Caller) -> None:
    """Hold back what would leave for this site."""
    require(caller, "operate", site.scope, site)
    sites.pause(site)


def resume_site(site: Site, *, caller: Caller, now: datetime) -> None:
    """Let what was held back go on."""
    require(caller, "operate", site.scope, site)
    sites.resume(site, who=Who(Actor.OPERATOR, caller.name), now=now)


def look_at_site(site: Site, *, caller: Caller, now: datetime, kind: str = "site_check") -> None:
    """Ask a worker to check or fetch a site (``site_check``, ``site_fetch``); the page shows the result."""
    require(caller, "operate", site.scope, site)
    sites.request(site, kind, now=now)
