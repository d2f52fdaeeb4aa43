"""Conflicts: keep base, ours and theirs with who changed them, and hand the job to people."""

from typing import Any

from publisher import artifacts, envelopes
from publisher.domain.envelope import digest
from publisher.domain.secrets import scrub_line
from publisher.domain.states import Event
from publisher.engine.look import Clash, Look
from publisher.engine.run import Run
from publisher.journal import Guard
from publisher.models import Conflict, Job
from publisher.ports import Repository
from publisher.prepare.steps.places import FOLDER, LINK


def raise_conflict(run: Run, seen: Look, gone: Guard) -> None:
    """CONFLICT, with the three versions of every clashing file stored as artifacts."""
    job = run.job
    files = [_file(run, seen, clash) for clash in seen.clashes]
    kinds = sorted({clash.kind for clash in seen.clashes})

    def guard(fresh: Job) -> None:
        gone(fresh)
        now = run.now()
        run.ports.authority.void(fresh, "conflict", now)
        Conflict.objects.create(
            job=fresh,
            revision=fresh.revision,
            kind=kinds[0] if len(kinds) == 1 else "several",
            files=files,
            base_commit=job.base_commit,
            tip=seen.tip,
            ours_sha256=digest([[item["path"], item["ours"]] for item in files]),
            theirs_sha256=digest([seen.tip, [[item["path"], item["theirs"]] for item in files]]),
            created_at=now,
        )

    run.record(
        Event.CLASH,
        guard=guard,
        reason=f"{files[0]['author'] or 'Somebody'} changed {files[0]['path']} meanwhile.",
        changes={"failure_class": "NEEDS_HUMAN", "failure_code": f"conflict_{kinds[0]}"},
        kinds=kinds,
        paths=[item["path"] for item in files],
        tip=seen.tip,
    )


def _file(run: Run, seen: Look, clash: Clash) -> dict[str, Any]:
    job, repository = run.job, run.repository
    entry = envelopes.manifest_of(job).get(clash.path)
    change = repository.last_change(seen.base, seen.tip, clash.cause or clash.path)
    place = clash.moved_to or clash.path
    theirs = repository.read_path(seen.tip, place)
    return {
        "path": clash.path,
        "kind": clash.kind,
        "moved_to": clash.moved_to,
        "base": envelopes.bases_of(job).get(clash.path),
        "ours": entry.sha256 if entry else None,
        "theirs": None if theirs is None else _store(run, theirs),
        **_instead(repository, seen.tip, place, is_file=theirs is not None),
        "commit": change.commit if change else "",
        "author": change.author if change else "",
        "date": change.date.isoformat() if change else "",
        "subject": change.subject if change else "",
    }


def _instead(repository: Repository, tip: str, path: str, *, is_file: bool) -> dict[str, str]:
    """What stands there and is no file: its kind, and a link's own text, which is never followed."""
    entry = None if is_file else repository.entries(tip, [path])[path]
    if entry is None:
        return {"instead": "", "link_to": ""}
    if entry.mode != LINK:
        return {"instead": "folder" if entry.mode == FOLDER else "submodule", "link_to": ""}
    link_to = scrub_line(repository.read(entry.blob).decode(errors="replace"))
    return {"instead": "link", "link_to": link_to}


def _store(run: Run, data: bytes) -> str:
    return artifacts.store(data, kind="theirs", now=run.now())
