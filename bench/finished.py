"""Finished jobs by the hundred thousand, written past the product with the rows that it would leave.

Imported only after Django was set up. Each published job has the events, the approval, the write
and the artifacts of a real one; files lie in the storage. Nothing here is a promise of the product.
"""

import json
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.files.storage import storages
from django.db import connection, models, transaction

from bench import history
from publisher import artifacts
from publisher.domain.keys import effect_key
from publisher.domain.manifest import Entry, Manifest
from publisher.domain.trailers import bare_hex
from publisher.engine.audit.stored_events import plain_digest
from publisher.models import Artifact, Effect, Job, JobEvent, Revision, Site, triggers
from publisher.models.site import CloneState
from reviews.models import Approval, Decision, Principal
from reviews.models import triggers as reviews_triggers

CHUNK = 5000
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
MOVES = (
    ("submit", "submitter", "", "RECEIVED", 0, {"revision": 1, "key_digest": ""}),
    ("claimed", "worker", "RECEIVED", "", 1, {"attempt": 1, "taken_over_from": ""}),
    ("prepare", "worker", "RECEIVED", "PREPARING", 1, {}),
    *(
        ("step_committed", "worker", "PREPARING", "", 1, {"step": step, "findings": 0})
        for step in ("collect", "dedup, draft", "quality, secrets, frontmatter, fonts, manifest")
    ),
    ("ask", "worker", "PREPARING", "WAITING_APPROVAL", 1, {"binding_hash": "{hash}"}),
    (
        "approve", "reviewer", "WAITING_APPROVAL", "READY_TO_COMMIT", 1,
        {"approval": "{approval}", "decision": "approve", "reviewed_hash": "{hash}",
         "door": "page", "policy_version": 1, "valid_until": "{until}"},
    ),
    ("claimed", "worker", "READY_TO_COMMIT", "", 2, {"attempt": 1, "taken_over_from": ""}),
    ("commit", "worker", "READY_TO_COMMIT", "LOCAL_COMMITTING", 2, {"tip": "{commit}"}),
    ("committed", "worker", "LOCAL_COMMITTING", "LOCAL_COMMITTED", 2, {"commit": "{commit}"}),
    ("deliver", "worker", "LOCAL_COMMITTED", "PUSHING", 2, {"manifest": "{manifest}"}),
    ("confirm", "worker", "PUSHING", "PUBLISHED", 2, {"commit": "{commit}", "tip": "{commit}"}),
)  # fmt: skip
"""The events of a publication: event, actor, source, target, generation, facts."""
KIND = "blog.publish/v1"
APPROVED = timedelta(seconds=1 + [move[0] for move in MOVES].index("approve"))
"""When each was: its events are a second apart."""


def site(remote: Path | None = None) -> Site:
    """The site of these jobs, with a remote or without one and a clone."""
    state = CloneState.READY if remote else CloneState.FAILED
    found, _ = Site.objects.get_or_create(
        name="bench",
        defaults={
            "scope": "default",
            "remote": str(remote or "/nowhere"),
            "branch": "main",
            "clone_state": state.value,
            "created_at": BEGAN,
        },
    )
    return found


def write(count: int, *, whole: bool = True, first: int = 0, remote: Path | None = None) -> None:
    """This many published jobs, in chunks; not ``whole``: only what a sweep could come across.

    Their commits are added to the bare repository that is named.
    """
    with unguarded():
        _write(count, whole=whole, first=first, remote=remote)


@contextmanager
def unguarded() -> Iterator[None]:
    """Without the database's own guards: each row is sound, and asking of each takes most of the time."""
    triggers.lift()
    yield
    triggers.install()
    reviews_triggers.install()


def _write(count: int, *, whole: bool, first: int, remote: Path | None) -> None:
    place = site(remote)
    reviewer = Principal.objects.earliest("pk")
    start = Approval.objects.count()
    for begin in range(first, first + count, CHUNK):
        numbers = range(begin, min(begin + CHUNK, first + count))
        jobs = [_Job(number, start + number - first + 1, reviewer.name) for number in numbers]
        if remote:
            _publish(jobs, remote)
        if whole:
            _insert(Artifact, (row for job in jobs for row in job.artifact_rows()))
            _write_files(jobs)
        moves = MOVES if whole else MOVES[-1:]
        told = [list(job.event_rows(moves)) for job in jobs]
        heads = [rows[-1]["hash"] for rows in told]
        _insert(
            Job, (job.row(place, head, len(moves)) for job, head in zip(jobs, heads, strict=True))
        )
        _insert(JobEvent, (row for rows in told for row in rows))
        _insert(Approval, (job.approval_row() for job in jobs))
        if whole:
            _insert(Revision, (job.revision_row() for job in jobs))
            _insert(Decision, (job.decision_row(reviewer.pk) for job in jobs))
        _insert(Effect, (job.effect_row() for job in jobs))
    _bring_sequences_up()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


class _Job:
    """One finished job: its id, its texts, and the rows about it."""

    def __init__(self, number: int, approval: int, reviewer: str) -> None:
        self.number = number
        self.approval = approval
        self.reviewer = reviewer
        self.id = str(uuid.UUID(int=(0x019B << 112) | (number << 80) | (7 << 76) | (1 << 63)))
        self.at = BEGAN + timedelta(milliseconds=number)
        self.path = f"content/{number // 100}/{number}.md"
        text = f"text {number}\n".encode()
        self.content = artifacts.sha256_of(text)
        entry = Entry(self.path, self.content, len(text), "content")
        self.texts = [text, Manifest((entry,)).to_json()]
        self.manifest = artifacts.sha256_of(self.texts[1])
        self.commit = sha256(self.id.encode()).hexdigest()[:40]
        self.payload = Manifest((entry,)).payload_hash
        self.parts = [{"id": self.path, **asdict(entry), "is_showable": True, "why": ""}]
        self.envelope = {
            "job_id": self.id, "action": KIND, "scope": "default", "requester": "ada",
            "input_hash": self.content, "payload_hash": self.payload, "not_before": None,
            "commit": {"subject": f"Publish Text {number}", "author": "bench"},
            "target": {"operation": "create", "paths": [{"path": self.path, "base_sha256": None}]},
        }  # fmt: skip
        self.bound = plain_digest(self.envelope)
        self.until = self.at + timedelta(days=1)
        self.filled: dict[str, Any] = {
            "{hash}": self.bound, "{manifest}": self.manifest, "{approval}": approval,
            "{until}": self.until.isoformat(),
        }  # fmt: skip

    def artifact_rows(self) -> Iterator[dict[str, Any]]:
        for kind, name, text in zip(
            ("content", "manifest"), (self.content, self.manifest), self.texts, strict=True
        ):
            yield {"sha256": name, "size": len(text), "kind": kind, "created_at": self.at}

    def event_rows(self, moves: Iterable[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
        previous = ""
        self.filled["{commit}"] = self.commit
        for seq, (event, actor, source, target, generation, facts) in enumerate(moves, 1):
            filled = {
                key: self.filled.get(value, value) if isinstance(value, str) else value
                for key, value in facts.items()
            }
            at = self.at + timedelta(seconds=seq)
            hashed = {
                "job": self.id, "seq": seq, "event": event, "actor": actor,
                "actor_name": {"submitter": "ada", "reviewer": self.reviewer}.get(actor, "bench"),
                "source": source, "target": target, "reason": "", "generation": generation,
                "facts": filled, "at": at.isoformat(), "previous": previous,
            }  # fmt: skip
            found = plain_digest(hashed)
            del hashed["job"], hashed["previous"]
            yield {**hashed, "job_id": self.id, "at": at, "previous_hash": previous, "hash": found}
            previous = found

    def row(self, place: Site, head: str, seq: int) -> dict[str, Any]:
        over = self.at + timedelta(seconds=20)
        return {
            "id": self.id, "site_id": place.pk, "kind": KIND, "lane": "publish",
            "scope": "default", "requester": "ada", "state": "PUBLISHED", "generation": 2,
            "available_at": self.at, "title": f"Text {self.number}", "operation": "create",
            "target_path": self.path, "manifest_hash": self.manifest,
            "manifest_artifact": self.manifest, "payload_hash": self.payload,
            "binding_hash": self.bound, "remote_commit": self.commit, "event_seq": seq,
            "event_hash": head, "created_at": self.at, "updated_at": over, "finished_at": over,
        }  # fmt: skip

    def revision_row(self) -> dict[str, Any]:
        return {
            "job_id": self.id, "number": 1, "inputs": {"content": self.content},
            "input_hash": self.content, "content": self.content, "author": "ada", "created_at": self.at,
        }  # fmt: skip

    def approval_row(self) -> dict[str, Any]:
        return {
            "id": self.approval, "job_id": self.id, "revision": 1, "status": "done",
            "envelope": self.envelope, "binding_hash": self.bound, "parts": self.parts,
            "policy_version": 1, "wait_until": self.at, "valid_until": self.until,
            "opened_at": self.at, "closed_at": self.at,
        }  # fmt: skip

    def decision_row(self, actor: int) -> dict[str, Any]:
        return {
            "approval_id": self.approval, "actor_id": actor, "decision": "approve",
            "reviewed_hash": self.bound, "request_id": "one", "door": "page",
            "at": self.at + APPROVED,
        }  # fmt: skip

    def effect_row(self) -> dict[str, Any]:
        return {
            "job_id": self.id, "step": "deliver", "action": KIND,
            "operation_key": effect_key(
                job_id=self.id, step="deliver", resource="bench#main", intent_version=1
            ),
            "policy": "reconcile-first",
            "status": "confirmed",
            "target": {"site": "bench", "branch": "main", "approval": self.approval},
            "request_hash": self.payload, "manifest_hash": self.manifest, "commit": self.commit,
            "external_id": self.commit, "fresh_write": True, "created_at": self.at,
            "updated_at": self.at,
        }  # fmt: skip


def _publish(jobs: list[_Job], remote: Path) -> None:
    """One commit for each, with the trailers that prove it."""
    made = history.append(
        remote,
        (
            history.Commit(
                job.path,
                job.texts[0],
                f"Text {job.number}\n\nBlog-Job-Id: {job.id}\n"
                f"Blog-Manifest-Sha256: {bare_hex(job.manifest)}\n"
                f"Blog-Approval: {bare_hex(job.bound)}\n",
            )
            for job in jobs
        ),
    )
    for job, commit in zip(jobs, made, strict=True):
        job.commit = commit


def _write_files(jobs: list[_Job]) -> None:
    root = Path(storages["artifacts"].location)  # type: ignore[attr-defined]
    for job in jobs:
        for name, text in zip((job.content, job.manifest), job.texts, strict=True):
            path = root / artifacts.place_of(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)


def _insert(model: type[models.Model], rows: Iterable[dict[str, Any]]) -> None:
    """Rows of one table in bulk: COPY on PostgreSQL, one prepared statement on SQLite."""
    options = model._meta  # noqa: SLF001
    fields = [field for field in options.concrete_fields if not _is_counted(field)]
    source = iter(rows)
    first = list(islice(source, 1))
    if not first:
        return
    if "id" in first[0]:
        fields = list(options.concrete_fields)
    names = ", ".join(f'"{field.column}"' for field in fields)
    table = options.db_table
    values = ([_stored(field, row) for field in fields] for row in [*first, *source])
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for value in values:
                    copy.write_row(value)
        else:
            marks = ", ".join(["%s"] * len(fields))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values))


def _is_counted(field: Any) -> bool:
    return isinstance(field, models.AutoField)


def _stored(field: Any, row: dict[str, Any]) -> Any:
    value = row.get(field.column, None if field.null else field.get_default())
    if isinstance(field, models.JSONField):
        return json.dumps(value)
    if isinstance(value, datetime) and connection.vendor == "sqlite":
        return str(value.replace(tzinfo=None))
    return value


def _bring_sequences_up() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence('reviews_approval', 'id'), "
                "(SELECT max(id) FROM reviews_approval))"
            )
