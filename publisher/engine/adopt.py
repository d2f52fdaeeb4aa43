"""adopt: a commit of ours that no intent here announces, as after an older database was restored."""

from datetime import datetime
from typing import Any

from publisher import envelopes
from publisher.domain.envelope import binding_hash
from publisher.domain.errors import NotAuthorised
from publisher.domain.states import Event
from publisher.domain.trailers import bare_hex, value
from publisher.domain.workflows import action
from publisher.engine import confirm, waiting
from publisher.engine.fence import STEP, operation_key
from publisher.engine.look import Look
from publisher.engine.run import Run
from publisher.models import Effect, Job
from publisher.models.effect import EffectStatus
from publisher.ports import Authority, CommitFacts


def was_announced(job: Job, facts: CommitFacts) -> bool:
    """Whether an intent of this job names the manifest that the commit carries."""
    claimed = value(facts.trailers, f"{job.site.trailer_prefix}-Manifest-Sha256")
    return confirm.was_announced(job, claimed)


def is_of_this_approval(job: Job, facts: CommitFacts) -> bool:
    """Whether the commit names the very envelope that the job has now."""
    named = value(facts.trailers, f"{job.site.trailer_prefix}-Approval")
    return bool(job.binding_hash) and named == bare_hex(job.binding_hash)


def confirm_by_look(run: Run, seen: Look, facts: CommitFacts) -> None:
    """PUBLISHED without a push, if people's yes to exactly this holds here; else it is asked for.

    The commit was already compared with the manifest byte for byte. Nothing is sent, so neither
    a pause nor a time before which nothing leaves holds this up.
    """
    reason = "The remote holds it already; it was not sent from this database."
    try:
        run.record(
            Event.CONFIRM,
            guard=_adopting(run.ports.authority, seen, facts, run),
            reason=reason,
            commit=facts.commit,
            tip=seen.tip,
        )
    except NotAuthorised as refusal:
        waiting.void(run, refusal, tip=seen.tip)
        return
    run.repository.remove_workspace(run.job.pk)


def _adopting(authority: Authority, seen: Look, facts: CommitFacts, run: Run) -> Any:
    def guard(fresh: Job) -> dict[str, Any]:
        now = run.now()
        bound = binding_hash(envelopes.of(fresh))
        if bound != fresh.binding_hash:
            message = "What is there is no longer what was approved."
            raise NotAuthorised("superseded", message, current=bound, approved=fresh.binding_hash)
        grant = authority.authorise(fresh, bound, now)
        write_receipt(
            fresh, facts, tip=seen.tip, manifest=fresh.manifest_hash, approval=grant.approval_id,
            now=now,
        )  # fmt: skip
        authority.done(fresh, now)
        return {
            "remote_commit": facts.commit,
            "failure_class": "",
            "failure_code": "",
            "failure_message": "",
        }

    return guard


def write_receipt(
    fresh: Job,
    facts: CommitFacts,
    *,
    tip: str,
    manifest: str,
    approval: int | None,
    now: datetime,
) -> None:
    """A confirmed write that was not sent from this database."""
    values = {
        "job": fresh,
        "step": STEP,
        "action": fresh.kind,
        "policy": action(fresh.kind).replay_policy.value,
        "status": EffectStatus.CONFIRMED.value,
        "target": {"site": fresh.site.name, "branch": fresh.site.branch, "approval": approval},
        "request_hash": fresh.payload_hash,
        "manifest_hash": manifest,
        "tip": tip,
        "commit": facts.commit,
        "external_id": facts.commit,
        "fresh_write": False,
        "receipt": {"commit": facts.commit, "trailers": [list(row) for row in facts.trailers]},
        "probes": [{"at": now.isoformat(), "result": "EXISTS", "proof": "found by a look"}],
        "updated_at": now,
    }
    Effect.objects.update_or_create(
        operation_key=operation_key(fresh),
        defaults=values,
        create_defaults={**values, "created_at": now},
    )
