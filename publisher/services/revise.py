"""revise: an edit or new inputs make a new revision of the same job; an edit of nothing makes none."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from publisher import authority, journal, selectors
from publisher.domain.errors import InvalidInput, StaleDraft, StaleWorker, WrongState
from publisher.domain.paths import check_side_by_side
from publisher.domain.secrets import scrub_text
from publisher.domain.states import Event, State, can
from publisher.domain.states import Lane as JobLane
from publisher.journal import Who
from publisher.models import Job, Revision
from publisher.ports import Source
from publisher.services.requests import (
    check_asset,
    check_count,
    check_text,
    checked_path,
)
from publisher.services.submit import content_name, input_hash, store_bytes
from publisher.services.texts import check_readable

FRESH_REVISION: dict[str, Any] = {
    "manifest_hash": "",
    "manifest_artifact": "",
    "payload_hash": "",
    "binding_hash": "",
    "local_commit": "",
    "attempt": 0,
    "deadline_at": None,
    "failure_class": "",
    "failure_code": "",
    "failure_message": "",
}
"""What a new revision starts without."""


def revise(
    job: Job,
    *,
    files: Mapping[str, bytes],
    base_revision: int,
    who: Who,
    now: datetime,
    why: str = "edited",
) -> Job:
    """Replace files of the draft: a new revision, or a note when not a byte changes.

    Raises StaleDraft when the edit began from an older revision, WrongState when the job cannot
    be edited now, UnsafePath or InvalidInput for the files.
    """
    require_editable(job, who)
    if base_revision != job.revision:
        raise StaleDraft(
            "Somebody saved another version meanwhile. Your text is kept: compare and save again.",
            current_revision=job.revision,
        )
    present = selectors.draft_files(job)
    changed = _changed(job, files, present)
    if not changed:
        journal.note(job, "no_change", who=who, now=now, reason="Saved without a change.")
        return job
    return add_revision(job, _edited_inputs(job, changed, present, now), who=who, now=now, why=why)


def new_inputs(
    job: Job, *, sources: Sequence[Source], who: Who, now: datetime, why: str = "new inputs"
) -> Job:
    """Draft again from other sources, as a new revision of this job."""
    require_editable(job, who)
    if not sources or any(not source.text.strip() for source in sources):
        raise InvalidInput("source", "Give at least one source that is not empty.")
    check_text(sum(len(source.text.encode()) for source in sources), field="source")
    redacted: set[str] = set()
    stored = []
    for source in sources:
        check_readable(source.id, field="sources")
        check_readable(source.text, field="source")
    for source in sources:
        name, rules = store_bytes(source.text.encode(), kind="source", now=now)
        redacted.update(rules)
        stored.append({"id": scrub_text(source.id), "artifact": name})
    inputs = {
        "sources": stored,
        "content": None,
        "assets": [],
        "action": None,
        "set_front_matter": None,
        "redacted": [],
    }
    return add_revision(job, inputs, who=who, now=now, why=why, ready_draft=False)


def require_editable(job: Job, who: Who) -> None:
    """WrongState unless this actor may make a new revision now."""
    if not can(State(job.state), Event.REVISE, actor=who.actor, lane=JobLane(job.lane)):
        raise WrongState(
            "This job cannot be edited now. An approved one must be withdrawn first.",
            state=job.state,
        )


def add_revision(
    job: Job,
    inputs: dict[str, Any],
    *,
    who: Who,
    now: datetime,
    why: str,
    event: Event = Event.REVISE,
    **changes: Any,
) -> Job:
    """Write the next revision and move the job back to RECEIVED, in one transaction."""
    number = job.revision + 1
    columns = {**FRESH_REVISION, "revision": number, "ready_draft": True, **changes}
    try:
        with transaction.atomic():
            journal.record(
                job,
                event,
                who=who,
                now=now,
                to=State.RECEIVED,
                changes=columns,
                reason=why,
                guard=lambda fresh: authority.current().void(fresh, "superseded", now),
                revision=number,
            )
            Revision.objects.create(
                job=job,
                number=number,
                inputs=inputs,
                input_hash=input_hash(job, inputs),
                content=inputs["content"] or "",
                author=who.name,
                why=scrub_text(why),
                created_at=now,
            )
    except StaleWorker as moved:
        raise WrongState("The job moved on meanwhile. Look again.", **moved.facts) from None
    return job


def _changed(job: Job, files: Mapping[str, bytes], present: Mapping[str, str]) -> dict[str, bytes]:
    changed: dict[str, bytes] = {}
    for path, data in files.items():
        is_article = path == job.target_path
        roots = (job.site.articles,) if is_article else (job.site.assets,)
        safe = checked_path(path, field="files", roots=roots)
        if is_article:
            check_text(len(data), field="files")
            check_readable(data, field="files")
        else:
            check_asset(safe, data, field="files")
        if content_name(data) != present.get(safe):
            changed[safe] = data
    return changed


def _edited_inputs(
    job: Job, changed: Mapping[str, bytes], present: Mapping[str, str], now: datetime
) -> dict[str, Any]:
    before = job.revisions.get(number=job.revision).inputs
    check_side_by_side(present.keys() | changed.keys(), field="files")
    check_count(len((present.keys() | changed.keys()) - {job.target_path}), field="files")
    names = dict(present)
    redacted: set[str] = set()
    for path, data in changed.items():
        names[path], rules = store_bytes(data, kind="content", now=now)
        redacted.update(rules)
    if job.target_path not in names:
        raise InvalidInput("files", f"The draft needs the article {job.target_path} itself.")
    untouched = set(before["redacted"]) if set(changed) < set(present) else set()
    return {
        "sources": before["sources"],
        "content": names[job.target_path],
        "assets": [
            {"path": path, "artifact": name}
            for path, name in sorted(names.items())
            if path != job.target_path
        ],
        "action": before["action"],
        "set_front_matter": None,
        "redacted": sorted(redacted | untouched),
        **removals(before, names),
    }


def removals(
    before: Mapping[str, Any], names: Collection[str], gone: Collection[str] = ()
) -> dict[str, Any]:
    """Paths besides the target that a later revision removes, unless it brings them.

    They are a revert's own, and those for which a person chose so. What a revert expects of the
    site stays with it.
    """
    removed = sorted({*before.get("removed", ()), *gone} - set(names))
    kept = {"published": before["published"]} if "published" in before else {}
    return {"removed": removed, **kept} if removed or kept else {}
