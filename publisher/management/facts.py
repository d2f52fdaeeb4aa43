"""Facts: one flat document about a job, for ``inspect`` and for programs."""

from typing import Any

from django.forms.models import model_to_dict

from publisher import artifacts, authority, envelopes, selectors
from publisher.domain.errors import ImprimaturError
from publisher.domain.states import State
from publisher.domain.words import PART_C_WORDS
from publisher.models import Conflict, Effect, Finding, Job, JobEvent, Step
from publisher.selectors_reverts import reverts_of


def job_facts(job: Job) -> dict[str, Any]:
    """Everything that is known of a job, newest revision first where it matters."""
    conflict = selectors.open_conflict(job)
    return {
        "job_id": job.pk,
        "state": job.state,
        "status_in_part_c_words": PART_C_WORDS[State(job.state)],
        "site": job.site.name,
        "kind": job.kind,
        "scope": job.scope,
        "requester": job.requester,
        "title": job.title,
        "topic": job.topic,
        "operation": job.operation,
        "target_path": job.target_path,
        "target_sha256": job.target_sha256,
        "revision": job.revision,
        "generation": job.generation,
        "attempt": job.attempt,
        "available_at": job.available_at,
        "not_before": job.not_before,
        "deadline_at": job.deadline_at,
        "base_commit": job.base_commit,
        "manifest_hash": job.manifest_hash,
        "payload_hash": job.payload_hash,
        "binding_hash": job.binding_hash,
        "local_commit": job.local_commit,
        "remote_commit": job.remote_commit,
        "failure_class": job.failure_class,
        "failure_code": job.failure_code,
        "failure_message": job.failure_message,
        "envelope": _envelope(job),
        "approval": authority.current().describe(job),
        "steps": [_step(step) for step in selectors.steps(job)],
        "events": [_event(event) for event in selectors.events(job)],
        "findings": [_finding(finding) for finding in selectors.findings(job)],
        "effects": [effect_facts(effect) for effect in selectors.effects(job)],
        "conflict": _conflict(conflict) if conflict else None,
        "artifacts": _artifacts(job),
    } | _links(job)


def _links(job: Job) -> dict[str, Any]:
    return {
        "compensates": job.compensates_id,
        "taken_back_by": [row.pk for row in reverts_of(job)],
        "appeals": job.appeals_id,
    }


def _envelope(job: Job) -> dict[str, Any] | None:
    if not job.manifest_artifact:
        return None
    try:
        return envelopes.of(job)
    except ImprimaturError:
        return None


def _artifacts(job: Job) -> list[dict[str, Any]]:
    if not job.manifest_artifact:
        return []
    try:
        entries = envelopes.manifest_of(job).entries
    except ImprimaturError:
        return []
    return [
        {"path": entry.path, "sha256": entry.sha256, "size": entry.size, "kind": entry.kind}
        for entry in entries
    ]


def _step(step: Step) -> dict[str, Any]:
    return model_to_dict(
        step, ["revision", "name", "state", "attempt", "input_hash", "outputs", "assertions"]
    ) | {"finished_at": step.finished_at}


def _event(event: JobEvent) -> dict[str, Any]:
    return {
        "seq": event.seq,
        "event": event.event,
        "actor": event.actor,
        "actor_name": event.actor_name,
        "from": event.source,
        "to": event.target,
        "reason": event.reason,
        "generation": event.generation,
        "facts": event.facts,
        "at": event.at,
        "hash": event.hash,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return model_to_dict(
        finding,
        ["severity", "path", "line", "column", "rule", "message", "advice", "overridden_by"],
    ) | {"id": finding.pk, "step": finding.step.name}


def effect_facts(effect: Effect) -> dict[str, Any]:
    """One outside write, flat."""
    return {
        "id": effect.pk,
        "job_id": effect.job_id,
        "action": effect.action,
        "operation_key": effect.operation_key,
        "policy": effect.policy,
        "status": effect.status,
        "target": effect.target,
        "request_hash": effect.request_hash,
        "manifest_hash": effect.manifest_hash,
        "external_id": effect.external_id,
        "fresh_write_performed": effect.fresh_write,
        "probes": effect.probes,
        "created_at": effect.created_at,
        "updated_at": effect.updated_at,
    }


def _conflict(conflict: Conflict) -> dict[str, Any]:
    return {
        "id": conflict.pk,
        "kind": conflict.kind,
        "ours_sha256": conflict.ours_sha256,
        "theirs_sha256": conflict.theirs_sha256,
        "tip": conflict.tip,
        "files": [_conflict_file(item) for item in conflict.files],
    }


def _conflict_file(item: dict[str, Any]) -> dict[str, Any]:
    texts: dict[str, Any] = {}
    for side in ("base", "ours", "theirs"):
        data = artifacts.load_whole(item.get(side))  # one that is damaged has neither text nor size
        is_text = data is not None and b"\x00" not in data
        texts[f"{side}_text"] = data.decode("utf-8", "replace") if data and is_text else None
        texts[f"{side}_size"] = len(data) if data is not None else None
    return {**item, **texts}
