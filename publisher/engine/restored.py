"""restored: a job in review is recorded as published once the remote itself was seen to hold it."""

from typing import Any

from publisher import journal
from publisher.domain.errors import NotAllowed, NotFound, StaleWorker, WrongState
from publisher.domain.states import Actor, Event, State
from publisher.engine import adopt, confirm, effects, roots
from publisher.engine.confirm import Seen, Sighting
from publisher.journal import Guard, Who
from publisher.models import Job, Outbox, Site
from publisher.models.effect import EffectStatus
from publisher.ports import CommitFacts, Ports, Repository
from publisher.services import restored

WORKER = Who(Actor.WORKER, "look")


def consume(message: Outbox, ports: Ports) -> None:
    """What was asked for on a page or by a program; a refusal is told in the job's history."""
    job = Job.objects.select_related("site").get(pk=message.job_id)
    if job.state != State.REVIEW.value:
        return
    by = Who(Actor.OPERATOR, message.payload["who"])
    try:
        ports.authority.require(by.name, "operate", job.scope, job.site)
    except (NotAllowed, NotFound):
        _refuse(job, ports, "Whoever asked for this may act here no more.")
        return
    try:
        record(job, ports=ports, who=by, reason=message.payload["reason"])
    except WrongState as refused:
        _refuse(job, ports, refused.message)


def _refuse(job: Job, ports: Ports, why: str) -> None:
    journal.note(job, "record_refused", who=WORKER, now=ports.clock.now(), reason=why)


def record(job: Job, *, ports: Ports, who: Who, reason: str) -> CommitFacts:
    """PUBLISHED, if the remote holds the commit with both trailers and the very bytes.

    Nothing is sent. Raises InvalidInput, WrongState in words that say what was looked at, and
    RepositoryError while nothing can be seen.
    """
    restored.check(job, who=who, reason=reason)
    repository = ports.repository(job.site.spec, lambda: False)
    try:
        tip = _fetch(job.site, repository, ports)
        facts = _ours(job, confirm.search(repository, job, tip), tip)
        try:
            journal.record(
                job, Event.RESTORE, who=who, now=ports.clock.now(), reason=reason,
                guard=_proved(ports, facts, tip), commit=facts.commit, tip=tip,
            )  # fmt: skip
        except StaleWorker as moved:
            raise WrongState("The job moved on meanwhile. Look again.", **moved.facts) from None
        repository.remove_workspace(job.pk)
    finally:
        repository.close()
    return facts


def _fetch(site: Site, repository: Repository, ports: Ports) -> str:
    with ports.locks.hold("delivery", site.name):
        tip = repository.fetch()
    roots.watch(site, repository, tip)
    if site.stop_reason:
        raise WrongState(site.stop_reason)
    return tip


def _ours(job: Job, seen: Seen, tip: str) -> CommitFacts:
    if seen.commit is None:
        raise WrongState(
            f"The remote was looked at: up to {tip[:12]} no commit of {job.site.branch} carries "
            "this job's id. Nothing was recorded.",
            tip=tip,
        )
    if seen.sighting is not Sighting.OURS:
        raise WrongState(
            f"The remote was looked at: commit {seen.commit.commit[:12]} by {seen.commit.author} "
            f"carries this job's id, but {seen.why}. Nothing was recorded.",
            tip=tip,
            commit=seen.commit.commit,
        )
    return seen.commit


def _proved(ports: Ports, facts: CommitFacts, tip: str) -> Guard:
    """The receipt, onto an intent of these bytes that is known here, else as a write of its own."""

    def guard(fresh: Job) -> dict[str, Any]:
        now = ports.clock.now()
        columns: dict[str, Any] = dict(effects.confirmed(ports.authority, facts, now)(fresh) or {})
        if not fresh.effects.filter(status=EffectStatus.CONFIRMED.value).exists():
            manifest = columns.get("manifest_hash", fresh.manifest_hash)
            adopt.write_receipt(fresh, facts, tip=tip, manifest=manifest, approval=None, now=now)
        return columns

    return guard
