"""revise: an edit or new inputs make a new revision of the same job; an edit of nothing makes none."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from publisher import artifacts, authority, envelopes, journal, selectors
from publisher.domain.errors import InvalidInput, StaleDraft, WrongState
from publisher.domain.paths import check_side_by_side, shown
from publisher.domain.secrets import scrub_line, scrub_text
from publisher.domain.states import Event, State, can
from publisher.domain.states import Lane as JobLane
from publisher.journal import Who
from publisher.models import Job, Revision
from publisher.models.revision import given_path, given_title
from publisher.ports import Source
from publisher.services import meanwhile, search
from publisher.services.places import refuse_unfit
from publisher.services.placing import AS_BEFORE, Place, moved, placed
from publisher.services.redaction import content_name, known_at, store_bytes, untouched
from publisher.services.requests import (
    check_asset,
    check_count,
    check_ids,
    check_text,
    checked_path,
)
from publisher.services.submit import input_hash
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


def by_path(files: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Files of an edit by their paths; InvalidInput where one path has two texts."""
    named: dict[str, bytes] = {}
    for path, data in files:
        if path in named:
            raise InvalidInput("files", f"{shown(path)} is named twice. Send it once.")
        named[path] = data
    return named


def revise(
    job: Job,
    *,
    files: Mapping[str, bytes],
    base_revision: int,
    who: Who,
    now: datetime,
    why: str = "edited",
    place: Place = AS_BEFORE,
) -> Job:
    """Replace files of the draft: a new revision, or a note when nothing changes.

    What is made from the text and lost, as fonts and the list of files, is a change as well.
    ``place`` puts the article elsewhere, or makes it a new article or a change; a job without a
    path gets one. Raises StaleDraft when the edit began from an older revision, WrongState when
    the job cannot be edited now, UnsafePath or InvalidInput for the files and the place.
    """
    require_editable(job, who)
    if base_revision != job.revision:
        raise StaleDraft(
            "Somebody saved another version meanwhile. Your text is kept: compare and save again.",
            current_revision=job.revision,
        )
    before = _with_a_text(job)
    target, files = placed(job, files, place)
    present = moved(selectors.draft_files(job), job.target_path, target)
    changed = _changed(job, target, files, present)
    _refuse_lost({path: name for path, name in present.items() if path not in changed})
    where = _where(job, before, target, place)
    if not changed and not where and envelopes.is_whole(job):
        with meanwhile.told():
            journal.note(job, "no_change", who=who, now=now, reason="Saved without a change.")
        return job
    inputs = _edited_inputs(job, before, target, changed, present, now)
    inputs |= {"action": place.action or before["action"], **given(job)}
    if where:
        inputs["path"] = target
    if inputs["set_front_matter"] is not None and inputs["action"] == "create":
        raise InvalidInput("files", f"The draft needs the article {target} itself.")
    return add_revision(job, inputs, who=who, now=now, why=why, **where)


def new_inputs(
    job: Job, *, sources: Sequence[Source], who: Who, now: datetime, why: str = "new inputs"
) -> Job:
    """Draft again from other sources, as a new revision of this job."""
    require_editable(job, who)
    if not sources or any(not source.text.strip() for source in sources):
        raise InvalidInput("source", "Give at least one source that is not empty.")
    for source in sources:
        check_readable(source.id, field="sources")
        check_readable(source.text, field="source")
    check_ids(sources)
    check_text(sum(len(source.text.encode()) for source in sources), field="source")
    stored = []
    for source in sources:
        name, _ = store_bytes(source.text.encode(), path="", kind="source", now=now)
        stored.append({"id": scrub_line(source.id), "artifact": name})
    inputs = {
        "sources": stored,
        "content": None,
        "assets": [],
        "action": None,
        "set_front_matter": None,
        "redacted": [],
        **given(job),
    }
    return add_revision(
        job, inputs, who=who, now=now, why=why, ready_draft=False,
        title=given_title(inputs, job), target_path=given_path(inputs, job), operation="",
    )  # fmt: skip


def given(job: Job) -> dict[str, Any]:
    """Title and path as they were given, for the next revision's inputs; others follow its text."""
    before = job.revisions.get(number=job.revision).inputs
    return {name: before[name] for name in ("title", "path") if name in before}


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
    text = search.text_of(job, inputs, who.name)
    with meanwhile.told(), transaction.atomic():
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
            **{name: changes[name] for name in changes.keys() & {"target_path"}},
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
        search.keep(job, text)
    return job


def _with_a_text(job: Job) -> Mapping[str, Any]:
    """The inputs of the present revision; WrongState for a removal, which an edit would not show."""
    inputs: Mapping[str, Any] = job.revisions.get(number=job.revision).inputs
    if inputs["action"] == "delete":
        raise WrongState(
            "This job removes an article, so there is no text to change. "
            "Submit a new job to publish one.",
            state=job.state,
        )
    return inputs


def _where(job: Job, before: Mapping[str, Any], target: str, place: Place) -> dict[str, Any]:
    """The columns of a job that goes elsewhere, or becomes something else; empty for neither.

    What it is then is found out again by preparing it, as for a new job.
    """
    if target == job.target_path and place.action in ("", before["action"] or job.operation):
        return {}
    return {"target_path": target, "operation": place.action or before["action"] or ""}


def _changed(
    job: Job, target: str, files: Mapping[str, bytes], present: Mapping[str, str]
) -> dict[str, bytes]:
    changed: dict[str, bytes] = {}
    for path, data in files.items():
        is_article = path == target
        roots = (job.site.articles,) if is_article else (job.site.assets,)
        safe = checked_path(path, field="files", roots=roots)
        if is_article:
            check_text(len(data), field="files")
            check_readable(data, field="files")
        else:
            check_asset(safe, data, field="files")
            if safe not in present:
                refuse_unfit(safe, job.site, field="files")
        same = content_name(data, known_at(job, safe)) == present.get(safe)
        if not same or artifacts.load_whole(present[safe]) is None:  # the same text mends it
            changed[safe] = data
    return changed


def _refuse_lost(kept: Mapping[str, str]) -> None:
    """A file that goes along unchanged must be there: no try would prepare it."""
    for path, name in kept.items():
        if artifacts.load_whole(name) is None:
            raise InvalidInput(
                "files",
                f"The stored file {shown(path)} is missing or damaged. Send it again, "
                "or submit a new job with all files.",
            )


def _edited_inputs(
    job: Job,
    before: Mapping[str, Any],
    target: str,
    changed: Mapping[str, bytes],
    present: Mapping[str, str],
    now: datetime,
) -> dict[str, Any]:
    if before["set_front_matter"] is not None and not changed and target not in present:
        # The keys go along to an article at another path.
        return {**before, "redacted": untouched(job, before, target, ())}
    check_side_by_side(present.keys() | changed.keys(), field="files")
    check_count(len((present.keys() | changed.keys()) - {target}), field="files")
    names = dict(present)
    redacted = untouched(job, before, target, changed)
    for path, data in changed.items():
        names[path], taken = store_bytes(
            data, path=path, kind="content", now=now, known=known_at(job, path)
        )
        redacted += taken
    if target not in names:
        raise InvalidInput("files", f"The draft needs the article {target} itself.")
    return {
        "sources": before["sources"],
        "content": names[target],
        "assets": [
            {"path": path, "artifact": name}
            for path, name in sorted(names.items())
            if path != target
        ],
        "action": before["action"],
        "set_front_matter": None,
        "redacted": redacted,
        "edited": True,
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
