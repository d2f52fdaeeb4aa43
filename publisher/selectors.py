"""Selectors: every read. Outside of the caller's scopes nothing exists."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Count, Model, Q, QuerySet

from publisher import envelopes, spoiled
from publisher.domain.errors import NotFound
from publisher.domain.manifest import Manifest
from publisher.domain.states import TERMINAL, State
from publisher.leases import due_messages as messages_due
from publisher.leases import due_rows, was_held
from publisher.models import (
    Conflict,
    Effect,
    Finding,
    Job,
    JobEvent,
    Node,
    Outbox,
    Revision,
    Site,
    Step,
)
from publisher.models.job import IS_CLAIMABLE
from publisher.nodes import INSTALLATION

_IS_OPEN = Q(status="intent") | Q(status="unknown")
Row = TypeVar("Row", bound=Model)

Scopes = Collection[str] | None
"""The scopes that the caller may see; None means all and is for the engine and the console alone."""


@dataclass(frozen=True, slots=True)
class ProposedFile:
    """One file of a proposal; hashes name artifacts and are empty where there are no bytes."""

    path: str
    kind: str
    size: int
    sha256: str
    base_sha256: str
    diff: str
    is_binary: bool


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the present revision proposes, file by file, and where it comes from."""

    revision: int
    manifest: Manifest
    files: tuple[ProposedFile, ...]
    generated: bool
    provenance: dict[str, Any]


def job(job_id: str, *, scopes: Scopes) -> Job:
    """One job with its site."""
    rows = _within(Job.objects.select_related("site"), "scope", scopes)
    found = spoiled.first(rows.filter(pk=job_id))
    if found is None:
        raise NotFound(f"There is no job {job_id} that you may see.")
    return found


def count_by_state(within: Q) -> dict[str, int]:
    """How many jobs within reach are in each unfinished state."""
    rows = Job.objects.filter(within).exclude(state__in=_terminal())
    return dict(rows.values_list("state").annotate(Count("pk")).order_by("state"))


def events(of: Job, *, after: int = 0, limit: int | None = None) -> list[JobEvent]:
    """A job's history in order: all of it, unless a limit is named."""
    return list(of.events.filter(seq__gt=after).order_by("seq")[:limit])


def steps(of: Job, *, revision: int | None = None) -> list[Step]:
    """The steps of a revision (the present one by default)."""
    return list(of.steps.filter(revision=revision or of.revision).order_by("position"))


def findings(of: Job, *, revision: int | None = None) -> list[Finding]:
    """What the gates found in a revision (the present one by default), blocking ones first."""
    rows = Finding.objects.filter(step__job=of, step__revision=revision or of.revision)
    order = {"block": 0, "warn": 1, "info": 2}
    return sorted(
        rows.select_related("step"),
        key=lambda item: (order.get(item.severity, 3), item.path, item.line or 0, item.pk),
    )


def effects(of: Job) -> list[Effect]:
    """The job's outside writes, newest first."""
    return list(of.effects.order_by("-pk"))


def revisions(of: Job) -> list[Revision]:
    """All content versions, oldest first."""
    return list(of.revisions.order_by("number"))


def open_conflict(of: Job) -> Conflict | None:
    """The conflict that waits for a person, if any."""
    return of.conflicts.filter(settled_at__isnull=True).first()


def conflict(conflict_id: int, *, scopes: Scopes) -> Conflict:
    """One conflict with its job and site."""
    rows = Conflict.objects.select_related("job__site")
    found = spoiled.first(_within(rows, "job__scope", scopes).filter(pk=conflict_id))
    if found is None:
        raise NotFound("There is no such conflict that you may see.")
    return found


def open_effects() -> list[Effect]:
    """All outside writes whose outcome is open, oldest first."""
    rows = Effect.objects.select_related("job__site").filter(_IS_OPEN)
    return spoiled.readable(rows.order_by("updated_at"))


def count_open_effects() -> int:
    """How many outside writes have an open outcome."""
    return Effect.objects.filter(_IS_OPEN).count()


def site(name: str, *, scopes: Scopes) -> Site:
    """One site by name."""
    rows = Site.objects.filter(name=name, removed_at__isnull=True)
    # No site has such a name, and not every database can be asked for it.
    found = spoiled.first(_within(rows, "scope", scopes)) if name.isprintable() else None
    if found is None:
        raise NotFound(f"There is no site {name} that you may see.")
    return found


def held(site: Site, lane: str, now: datetime) -> list[Job]:
    """Jobs that wait at the fence, or were held before it, and whose own time has come."""
    rows = Job.objects.filter(site=site, lane=lane, lease_until=None)
    pushing = State.PUSHING.value
    before_it = Q(state__in=[State.LOCAL_COMMITTED.value, pushing])
    before_it |= Q(state=State.RETRY_WAIT.value, resume_state=pushing)
    at_fence = rows.filter(Q(before_it, available_at__gt=now) | Q(was_held()))
    return spoiled.readable(at_fence.exclude(not_before__gt=now))


def sites(*, scopes: Scopes) -> list[Site]:
    """All sites in use, by name."""
    return spoiled.readable(_within(Site.objects.filter(removed_at__isnull=True), "scope", scopes))


def proposal(of: Job) -> Proposal | None:
    """What the present revision proposes; None while prepare has not finished."""
    outputs = {step.name: step.outputs for step in steps(of) if step.state == "succeeded"}
    if "manifest" not in outputs or not of.manifest_artifact:
        return None
    manifest = envelopes.manifest_of(of)
    bases: dict[str, str | None] = outputs["draft"]["bases"]
    diffs: dict[str, str] = outputs["manifest"].get("diffs", {})
    binary = set(outputs["manifest"].get("binary", []))
    files = tuple(
        ProposedFile(
            path=entry.path,
            kind=entry.kind,
            size=entry.size,
            sha256=entry.sha256 or "",
            base_sha256=bases.get(entry.path) or "",
            diff=diffs.get(entry.path, ""),
            is_binary=entry.path in binary,
        )
        for entry in manifest.entries
    )
    return Proposal(of.revision, manifest, files, not of.ready_draft, _provenance(of, outputs))


def draft_files(of: Job) -> dict[str, str]:
    """The present revision's files as they are proposed: path -> artifact; empty before the draft."""
    step = of.steps.filter(revision=of.revision, name="draft", state="succeeded").first()
    files: dict[str, str] = step.outputs["files"] if step else {}
    return files


def _provenance(of: Job, outputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "provider": "" if of.ready_draft else of.provider,
        "model": outputs.get("draft", {}).get("model", ""),
        "verdict": outputs.get("dedup", {}).get("verdict", {}),
        "sources": outputs.get("collect", {}).get("sources", []),
    }


def same_target(of: Job) -> list[Job]:
    """Other open jobs on the same path: allowed, and said on both pages."""
    if not of.target_path:
        return []
    rows = Job.objects.filter(site=of.site, target_path=of.target_path)
    return spoiled.readable(rows.exclude(pk=of.pk).exclude(state__in=_terminal())[:20])


def nodes() -> list[Node]:
    """The processes that showed themselves, newest sign of life first."""
    return spoiled.readable(Node.objects.exclude(role=INSTALLATION).order_by("-heartbeat_at"))


def due_jobs(now: datetime, within: Q, *, limit: int = 200) -> list[Job]:
    """Those of the jobs within reach that a worker may claim now, longest due first."""
    rows = due_rows(now).filter(IS_CLAIMABLE, within)
    return spoiled.readable(rows.order_by("available_at")[:limit])


def oldest_due(now: datetime) -> datetime | None:
    """Since when the longest waiting claimable job has been due; None when none is."""
    rows = due_rows(now).select_related(None).filter(IS_CLAIMABLE).only("available_at")
    oldest = spoiled.readable(rows.order_by("available_at")[:1])
    return oldest[0].available_at if oldest else None


def due_messages(now: datetime, *, limit: int | None = None) -> list[Outbox]:
    """Outbox messages that wait for delivery, oldest first; all, since many may wait for one remote."""
    rows = Outbox.objects.filter(messages_due(now))
    return spoiled.readable(rows.order_by("due_at", "pk")[:limit])


def _terminal() -> list[str]:
    return [state.value for state in TERMINAL]


def _within(rows: "QuerySet[Row]", column: str, scopes: Scopes) -> "QuerySet[Row]":
    return rows if scopes is None else rows.filter(**{f"{column}__in": list(scopes)})
