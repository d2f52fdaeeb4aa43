"""Acts: cancel, retry, skip, override, ask again, publish anyway."""

import os
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from publisher import authority, envelopes, journal, leases
from publisher.domain.envelope import binding_hash
from publisher.domain.errors import InvalidInput, NotFound, TooLate, WrongState
from publisher.domain.findings import Severity, can_prepare_again
from publisher.domain.ids import job_id
from publisher.domain.secrets import scrub_text
from publisher.domain.states import TERMINAL, Actor, Event, Lane, State, can
from publisher.journal import Who
from publisher.models import Finding, Job, Revision, Step
from publisher.models.effect import EffectStatus
from publisher.models.revision import given_path
from publisher.services import meanwhile
from publisher.services.revert import Asked
from publisher.services.revise import FRESH_REVISION
from publisher.services.submit import Submitted

NEVER_OVERRIDDEN = frozenset(
    {
        "secret",
        "utf8",
        "path_symlink",
        "path_twin",
        "path_unnamed",
        "font_path",
        "lfs_path",
        "target_exists",
        "target_missing",
    }
)
"""Rules that nobody may overrule: what they found would be published under people's names."""

OPEN = (EffectStatus.INTENT.value, EffectStatus.UNKNOWN.value)


PLACE_RULES = frozenset(
    {"target_exists", "target_missing", "path_twin", "path_symlink", "path_unnamed"}
)
"""Rules about where the article goes: another path settles them."""


def _move(
    job: Job, event: Event, *, who: Who, now: datetime, act: str = "", **options: object
) -> None:
    """``act`` is what was asked for, where that is not the event's own name."""
    if not can(State(job.state), event, actor=who.actor, lane=Lane(job.lane)):
        name = act or event.value.replace("_", " ")
        raise WrongState(f"{name.capitalize()} is not possible now.", state=job.state)
    with meanwhile.told():
        journal.record(job, event, who=who, now=now, **options)  # type: ignore[arg-type]


def cancel(job: Job, *, who: Who, now: datetime, reason: str = "") -> Job:
    """Stop a job for good; TooLate once an outside write may have happened.

    The generation rises, so a running worker loses its right to write. Whoever commits first wins
    against the fence, because both change the same row.
    """

    def guard(fresh: Job) -> dict[str, int]:
        if fresh.effects.filter(status__in=OPEN).exists():
            raise TooLate(
                "It is too late to cancel: the text may already be on its way. "
                "Its outcome is being looked for.",
                state=fresh.state,
            )
        authority.current().void(fresh, "cancelled", now)
        return {"generation": fresh.generation + 1}

    _move(job, Event.CANCEL, who=who, now=now, guard=guard, reason=reason)
    return job


def skip(job: Job, *, who: Who, now: datetime, reason: str) -> Job:
    """Give up a job that waits in REVIEW or CONFLICT."""
    if not reason.strip():
        raise InvalidInput("reason", "Say why, so that others can follow.")

    def guard(fresh: Job) -> None:
        authority.current().void(fresh, "given_up", now)
        fresh.conflicts.filter(settled_at__isnull=True).update(
            settled_at=now, settled_by=who.name, settled_how="given_up"
        )

    _move(job, Event.GIVE_UP, who=who, now=now, guard=guard, reason=reason)
    return job


def retry(job: Job, *, who: Who, now: datetime) -> Job:
    """Try again: at once for a job that waits, with a new budget for one that failed.

    One in REVIEW is prepared again when that stopped before it held a draft, or when only what the
    site held blocks it: then from the site's tip, unless others changed its files meanwhile.
    """
    if job.state == State.RETRY_WAIT.value:
        due = {"available_at": now, "attempt": 0}
        anew = partial(leases.without_idle_time, now=now)
        with meanwhile.told():
            journal.note(job, "retry_now", who=who, now=now, guard=anew, changes=due)
        return job
    if job.state == State.REVIEW.value:
        return _prepare_again(job, who=who, now=now)
    if job.effects.filter(status__in=OPEN).exists():
        raise TooLate(
            "Whether it was published is not known yet. It is looked for every hour, and may be "
            "retried once the branch went on without it."
        )
    fresh_budget = {
        "attempt": 0,
        "deadline_at": None,
        "failure_class": "",
        "failure_code": "",
        "failure_message": "",
    }
    had_intent = job.effects.filter(manifest_hash=job.manifest_hash).exists()
    to = State.LOCAL_COMMITTED if had_intent and job.local_commit else State.RECEIVED

    def guard(fresh: Job) -> None:
        journal.require_site(fresh.site_id)

    _move(job, Event.RETRY, who=who, now=now, to=to, guard=guard, changes=fresh_budget)
    return job


def _prepare_again(job: Job, *, who: Who, now: datetime) -> Job:
    rules = {found.rule for found in open_blocks(job)}
    if not can_prepare_again(rules, is_complete=bool(job.manifest_artifact)):
        raise WrongState("Retry is not possible now.", state=job.state)

    def guard(fresh: Job) -> None:
        if rules:  # the site is looked at again, whatever was found there
            steps = Step.objects.filter(job=fresh, revision=fresh.revision, name="collect")
            steps.update(input_hash="")

    changes = {**FRESH_REVISION} if rules else {"attempt": 0, "deadline_at": None}
    if rules and not job.ready_draft:
        # A place that was found for a draft made here may be another article's by now.
        inputs = job.revisions.get(number=job.revision).inputs
        changes |= {"target_path": given_path(inputs, job), "operation": ""}
    _move(job, Event.OVERRIDE, who=who, now=now, act="retry", guard=guard, changes=changes)
    return job


def override(job: Job, *, finding_id: int, who: Who, now: datetime, reason: str) -> Job:
    """Overrule one blocking finding; the job goes on when none is left."""
    if not reason.strip():
        raise InvalidInput("reason", "Say why, so that others can follow.")
    if job.state != State.REVIEW.value:
        raise WrongState("Only a job in review has findings to overrule.", state=job.state)
    finding = Finding.objects.filter(
        pk=finding_id, step__job=job, step__revision=job.revision
    ).first()
    if finding is None:
        raise NotFound("There is no such finding in this revision.")
    if finding.rule in NEVER_OVERRIDDEN:
        raise InvalidInput("finding", "This finding cannot be overruled. Do what it advises.")
    _require_whole(job)
    with meanwhile.told(), transaction.atomic():
        Finding.objects.filter(pk=finding.pk).update(
            overridden_by=who.name, overridden_why=scrub_text(reason), overridden_at=now
        )
        journal.note(
            job, "override_finding", who=who, now=now, reason=reason,
            finding=finding.pk, rule=finding.rule,
        )  # fmt: skip
        if not open_blocks(job):
            _go_on(job, who=who, now=now)
    return job


def open_blocks(job: Job) -> list[Finding]:
    """Blocking findings of the present revision that nobody overruled."""
    rows = Finding.objects.filter(
        step__job=job, step__revision=job.revision, severity=Severity.BLOCK.value
    )
    return list(rows.filter(overridden_at__isnull=True))


def ask_again(job: Job, *, who: Who, now: datetime) -> Job:
    """Ask for approval once more, of the same revision, which needs its complete draft."""
    if job.state != State.REVIEW.value:
        raise WrongState("Ask again is not possible now.", state=job.state)
    if open_blocks(job):
        raise WrongState("Findings still block this draft.", state=job.state)
    if not job.manifest_artifact:
        raise WrongState("There is no draft yet that could be approved.", state=job.state)
    _require_whole(job)
    _go_on(job, who=who, now=now)
    return job


def _require_whole(job: Job) -> None:
    """Nobody is asked about a draft that can be neither read nor published.

    All of it is read, so it is asked before a transaction begins.
    """
    if not envelopes.is_whole(job):
        raise WrongState(
            "A stored file of this draft is missing or damaged. Save its text again.",
            state=job.state,
        )


def _go_on(job: Job, *, who: Who, now: datetime) -> None:
    if not job.manifest_artifact:
        _move(job, Event.OVERRIDE, who=who, now=now, changes={"attempt": 0, "deadline_at": None})
        return
    holds = False

    def guard(fresh: Job) -> dict[str, Any]:
        nonlocal holds
        envelope = envelopes.of(fresh)
        bound = binding_hash(envelope)
        holds = authority.current().open(fresh, envelope, bound, now)
        return {
            "binding_hash": bound,
            "attempt": 0,
            "deadline_at": None,
            "failure_code": "",
            "failure_message": "",
        }

    with transaction.atomic():
        _move(job, Event.ASK_AGAIN, who=who, now=now, guard=guard)
        if holds:
            journal.record(job, Event.APPROVE, who=Who(Actor.WORKER, "policy"), now=now)


def publish_anyway(job: Job, *, who: Who, now: datetime) -> Submitted:
    """Appeal against a judge's SKIP: a new, linked job with the same inputs, drafted regardless.

    Until that is given up for good, asking again gives the same job: one that failed can still be
    retried, or found published.
    """
    if job.state != State.SKIPPED.value or job.failure_code != "duplicate":
        raise WrongState(
            "Only what was skipped as a duplicate can be published anyway.", state=job.state
        )
    revision = job.revisions.get(number=job.revision)
    appeal = _appeal(job, revision, who, now)

    def nobody_asked(fresh: Job) -> None:
        """Under the lock of the skipped job's row, so of several callers one goes on."""
        given_up = [state.value for state in TERMINAL - {State.PUBLISHED, State.FAILED}]
        known = fresh.appeals_of.exclude(state__in=given_up).select_related("site").first()
        if known is not None:
            raise Asked(known)

    try:
        with transaction.atomic():
            journal.note(job, "appeal_asked", who=who, now=now, guard=nobody_asked, by=appeal.pk)
            journal.begin(appeal, who=who, now=now, reason="published anyway", appeals=job.pk)
            Revision.objects.create(
                job=appeal, number=1, inputs=revision.inputs, input_hash=revision.input_hash,
                content=revision.content, author=who.name, why="published anyway", created_at=now,
            )  # fmt: skip
    except Asked as asked:
        return Submitted(asked.job, created=False)
    return Submitted(appeal, created=True)


def _appeal(job: Job, revision: Revision, who: Who, now: datetime) -> Job:
    return Job(
        id=job_id(unix_milliseconds=int(now.timestamp() * 1000), randomness=os.urandom(10)),
        site=job.site,
        kind=job.kind,
        lane=job.lane,
        scope=job.scope,
        requester=who.name,
        request_hash=job.request_hash,
        ready_draft=job.ready_draft,
        provider=job.provider,
        topic=job.topic,
        title=job.title,
        summary=job.summary,
        operation=revision.inputs["action"] or "",
        target_path=job.target_path if job.ready_draft else revision.inputs.get("path", ""),
        source_sha256=job.source_sha256,
        memory_scope=job.memory_scope,
        not_before=job.not_before,
        appeals=job,
        available_at=now,
        created_at=now,
        updated_at=now,
    )
