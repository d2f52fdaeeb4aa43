"""Shapes: rows as the JSON that programs get. Names here are a contract; add, never rename."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from publisher.domain.states import State
from publisher.domain.words import PART_C_WORDS
from reviews import selectors

Json = dict[str, Any]


def moment(value: datetime | None) -> str | None:
    """A time as ISO 8601 with its zone."""
    return value.isoformat() if value else None


def page(items: Iterable[Json], following: str | None) -> Json:
    """One page of a list."""
    return {"items": list(items), "next": following}


def job(row: Any) -> Json:
    """A job in short."""
    return {
        "id": row.pk,
        "job_id": row.pk,
        "site": row.site.name,
        "kind": row.kind,
        "lane": row.lane,
        "scope": row.scope,
        "requester": row.requester,
        "state": row.state,
        "status_in_part_c_words": PART_C_WORDS[State(row.state)],
        "revision": row.revision,
        "topic": row.topic,
        "title": row.title,
        "summary": row.summary,
        "operation": row.operation,
        "target_path": row.target_path,
        "binding_hash": row.binding_hash or None,
        "failure": _failure(row),
        "not_before": moment(row.not_before),
        "created_at": moment(row.created_at),
        "updated_at": moment(row.updated_at),
        "finished_at": moment(row.finished_at),
    }


def _failure(row: Any) -> Json | None:
    if not row.failure_code:
        return None
    return {
        "class": row.failure_class,
        "code": row.failure_code,
        "message": row.failure_message,
    }


def whole_job(
    row: Any, *, approval_id: int | None, conflict_id: int | None, reverts: Iterable[Any]
) -> Json:
    """A job with where it is, and where to read on."""
    return {
        **job(row),
        "generation": row.generation,
        "attempt": row.attempt,
        "available_at": moment(row.available_at),
        "resume_state": row.resume_state or None,
        "base_commit": row.base_commit or None,
        "local_commit": row.local_commit or None,
        "remote_commit": row.remote_commit or None,
        "manifest_hash": row.manifest_hash or None,
        "payload_hash": row.payload_hash or None,
        "event_seq": row.event_seq,
        "approval_id": approval_id,
        "conflict_id": conflict_id,
        "compensates": row.compensates_id,
        "taken_back_by": [one.pk for one in reverts],
        "appeals": row.appeals_id,
    }


def topic(row: Any) -> Json:
    """Where a session's topic stands."""
    return {
        "session": row.session,
        "site": row.site.name,
        "open": row.is_open,
        "close_revision": row.close_revision,
    }


def event(row: Any) -> Json:
    """One event of a job's history."""
    return {
        "id": row.seq,
        "job_id": row.job_id,
        "seq": row.seq,
        "event": row.event,
        "actor": row.actor,
        "actor_name": row.actor_name,
        "from": row.source or None,
        "to": row.target or None,
        "reason": row.reason,
        "generation": row.generation,
        "facts": row.facts,
        "at": moment(row.at),
        "previous_hash": row.previous_hash or None,
        "hash": row.hash,
    }


def finding(row: Any) -> Json:
    """One thing that a gate found."""
    return {
        "id": row.pk,
        "step": row.step.name,
        "severity": row.severity,
        "path": row.path or None,
        "line": row.line,
        "column": row.column,
        "rule": row.rule,
        "message": row.message,
        "advice": row.advice,
        "overridden_by": row.overridden_by or None,
        "overridden_why": row.overridden_why or None,
    }


def approval(row: Any) -> Json:
    """A request for approval in short."""
    return {
        "id": row.pk,
        "approval_id": row.pk,
        "job_id": row.job_id,
        "revision": row.revision,
        "binding_hash": row.binding_hash,
        "envelope": row.envelope,
        "status": row.status,
        "risk": row.risk,
        "opened_at": moment(row.opened_at),
        "wait_until": moment(row.wait_until),
        "valid_until": moment(row.valid_until),
        "closed_at": moment(row.closed_at),
    }


def decision(row: Any) -> Json:
    """One answer."""
    return {
        "id": row.pk,
        "who": row.actor.name,
        "on_behalf_of": row.on_behalf_of.name if row.on_behalf_of else None,
        "decision": row.decision,
        "reviewed_hash": row.reviewed_hash,
        "door": row.door,
        "comment": row.comment,
        "at": moment(row.at),
        "reauthenticated_at": moment(row.reauthenticated_at),
    }


def whole_approval(
    row: Any, *, decisions: Iterable[Any], findings: Iterable[Any], files: Iterable[Any]
) -> Json:
    """A request with its answers so far, the gates' findings, and links to each file."""
    quorum = selectors.quorum_of(row)
    root = f"/api/v1/jobs/{row.job_id}/artifacts"
    return {
        **approval(row),
        "parts": row.parts,
        "decisions": [decision(one) for one in decisions],
        "quorum": {
            "needed": quorum.needed,
            "approvers": list(quorum.approvers),
            "missing_groups": list(quorum.missing_groups),
        },
        "findings": [finding(one) for one in findings],
        "files": [
            {
                "path": file.path,
                "kind": file.kind,
                "size": file.size,
                "sha256": file.sha256 or None,
                "base_sha256": file.base_sha256 or None,
                "is_binary": file.is_binary,
                "content": f"{root}/{file.sha256}" if file.sha256 else None,
                "base": f"{root}/{file.base_sha256}" if file.base_sha256 else None,
                "diff": f"{root}/{file.diff}" if file.diff else None,
            }
            for file in files
        ],
    }


def effect(row: Any) -> Json:
    """One outside write."""
    return {
        "id": row.pk,
        "job_id": row.job_id,
        "action": row.action,
        "operation_key": row.operation_key,
        "policy": row.policy,
        "status": row.status,
        "target": row.target,
        "request_hash": row.request_hash or None,
        "external_id": row.external_id or None,
        "fresh_write": row.fresh_write,
        "evidence": row.evidence,
        "created_at": moment(row.created_at),
        "updated_at": moment(row.updated_at),
    }


def site(row: Any) -> Json:
    """One site; its credentials are named nowhere."""
    return {
        "id": row.pk,
        "name": row.name,
        "scope": row.scope,
        "remote": selectors.shown_remote(row),
        "branch": row.branch,
        "articles": row.articles,
        "assets": row.assets,
        "fonts": row.fonts,
        "trailer_prefix": row.trailer_prefix,
        "paused_lanes": row.paused_lanes,
        "stop_reason": row.stop_reason or None,
        "clone_state": row.clone_state,
        "clone_progress": row.clone_progress,
        "head": row.head or None,
        "fetched_at": moment(row.fetched_at),
        "last_error": row.last_error or None,
        "check_report": row.check_report,
    }


def policy(row: Any) -> Json:
    """The newest version of one policy."""
    return {
        "id": row.pk,
        "scope": row.scope,
        "site": row.site.name if row.site else None,
        "action": row.action,
        "version": row.version,
        "rules": row.rules,
        "who": row.who,
        "why": row.why,
        "created_at": moment(row.created_at),
    }
