"""The promises that hold whatever happened, read from rows, stored files and the remote alone.

Written apart from the engine and from ``verify``: plain SQL and plain git, so that a mistake there
is not repeated here. I12 (people's checkouts), I13 (others' pace) and I14 (a provider's calls, of
which no row tells) need more than one moment and are shown by tests of their own.
"""

import hashlib
import json
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from publisher.domain.states import PEOPLES, TERMINAL, Actor, Event, Lane, State, find

Row = dict[str, Any]
LONGEST_WAIT = timedelta(hours=1, minutes=5)
_TABLES = {
    "jobs": "publisher_job",
    "events": "publisher_jobevent",
    "effects": "publisher_effect",
    "approvals": "reviews_approval",
    "decisions": "reviews_decision",
    "sites": "publisher_site",
    "artifacts": "publisher_artifact",
}
_UNFINISHED = ".part-"


@dataclass
class Facts:
    """All rows that matter, the remote's history, and the stored files by name where they are read."""

    remote: Path
    branch: str
    commits: list[Row]
    needles: tuple[str, ...] = ()
    tables: dict[str, list[Row]] = field(default_factory=dict)
    files: dict[str, bytes] | None = None

    def of(self, table: str, job: str) -> list[Row]:
        """A job's rows."""
        return [row for row in self.tables[table] if row["job_id"] == job]

    def published_by(self, job: str) -> list[Row]:
        """The commits that carry the job's id as a whole trailer."""
        return [one for one in self.commits if one["trailers"].get("Blog-Job-Id") == job]


def read(
    remote: Path,
    *,
    sqlite: Path | None = None,
    url: str = "",
    needles: tuple[str, ...] = (),
    stored: Path | None = None,
) -> Facts:
    """Everything as it is now; ``stored`` is the folder of the artifacts."""
    facts = Facts(remote, "main", list(_history(remote)), needles)
    facts.tables = _from_postgres(url) if url else _from_sqlite(sqlite or Path())
    for row in facts.tables["events"]:
        row["facts"] = _decoded(row["facts"])
    for row in facts.tables["approvals"]:
        row["parts"] = _decoded(row["parts"])
    if stored is not None:
        found = [path for path in stored.rglob("*") if path.is_file()]
        facts.files = {path.name: path.read_bytes() for path in found}
    return facts


def broken(facts: Facts, *, before: tuple[str, ...] = ()) -> list[str]:
    """Every promise that does not hold, with what it is about; ``before`` are others' commits."""
    found = [*_keys(facts), *_human_commits(facts, before), *_secrets(facts), *_stored(facts)]
    for job in facts.tables["jobs"]:
        for check in (_ends, _commits, _history_of, _workers):
            found += [f"{job['id']} is {job['state']}: {what}" for what in check(facts, job)]
    return found


def _keys(facts: Facts) -> Iterator[str]:
    keys = Counter((job["site_id"], job["key_digest"]) for job in facts.tables["jobs"])
    for (_, key), times in keys.items():
        if key is not None and times > 1:
            yield f"I1: {times} jobs under one key"
    known = {job["id"] for job in facts.tables["jobs"]}
    for one in facts.commits:
        if (named := one["trailers"].get("Blog-Job-Id")) and named not in known:
            yield f"I1: commit {one['commit']} names {named}, which is no job"


def _ends(facts: Facts, job: Row) -> Iterator[str]:
    """I2: finished, a person's turn, or a next time that comes soon; nothing open beside an end."""
    state = State(job["state"])
    if state in TERMINAL | PEOPLES:
        if job["owner"]:
            yield f"I2: {job['owner']} still holds it"
        open_writes = [row for row in facts.of("effects", job["id"]) if row["status"] == "intent"]
        if open_writes and state is not State.RECONCILING and state is not State.FAILED:
            yield "I2: an outside write is still open"
    elif _moment(job["available_at"]) > datetime.now(UTC) + LONGEST_WAIT:
        yield f"I2: its next time is {job['available_at']}"
    elif _moment(job["available_at"]) <= datetime.now(UTC):
        yield "I2: it is due and nobody works on it"


def _commits(facts: Facts, job: Row) -> Iterator[str]:
    """I3 to I6 and I8: at most one commit, with the approved bytes, approved, and nothing else."""
    made = facts.published_by(job["id"])
    if len(made) > 1:
        yield f"I3: {len(made)} commits carry its id"
    if job["state"] == State.PUBLISHED and [one["commit"] for one in made] != [
        job["remote_commit"]
    ]:
        yield "I3: the remote does not hold the one commit that it names"
    for one in made:
        yield from _approved(facts, job, one)


def _approved(facts: Facts, job: Row, commit: Row) -> Iterator[str]:
    named = f"sha256:{commit['trailers'].get('Blog-Approval', '')}"
    rows = [
        row
        for row in facts.of("approvals", job["id"])
        if row["binding_hash"] == named and row["status"] in ("dispatching", "done")
    ]
    if len(rows) != 1:
        yield "I5: no approval that was used names what was pushed"
        return
    answers = [one for one in facts.tables["decisions"] if one["approval_id"] == rows[0]["id"]]
    if not any(one["decision"] == "approve" for one in answers):
        yield "I5: nobody approved what was pushed"
    approved = {str(part["path"]): part["sha256"] for part in rows[0]["parts"]}
    changed = set(_git(facts.remote, "diff-tree", "-r", "--name-only", "--no-commit-id",
                       commit["commit"]).decode().split("\n")) - {""}  # fmt: skip
    if extra := changed - set(approved):
        yield f"I6: its commit also changes {sorted(extra)}"
    named = f"sha256:{commit['trailers'].get('Blog-Manifest-Sha256', '')}"
    if job["state"] == State.PUBLISHED and job["manifest_hash"] != named:
        yield f"I4: its commit names the manifest {named}, its row {job['manifest_hash']}"
    derived = {part["path"] for part in rows[0]["parts"] if part["kind"] == "derived"}
    for path, sha256 in approved.items():
        held = _blob(facts.remote, commit["commit"], path)
        # What is derived is made again for its place; people approved from what.
        if held != sha256 and (path not in derived or held is None):
            yield f"I4, I8: {path} holds {held}, approved was {sha256}"


def _human_commits(facts: Facts, before: tuple[str, ...]) -> Iterator[str]:
    there = {one["commit"] for one in facts.commits}
    for commit in before:
        if commit not in there:
            yield f"I7: {commit}, which was on the branch, is gone"


def _history_of(facts: Facts, job: Row) -> Iterator[str]:
    """I9: no gap, legal moves only, and the row is where its events lead."""
    events = sorted(facts.of("events", job["id"]), key=lambda row: int(row["seq"]))
    if [row["seq"] for row in events] != list(range(1, len(events) + 1)):
        yield "I9: its events have a gap"
    state: State | None = None
    previous = ""
    for row in events:
        if row["previous_hash"] != previous:
            yield f"I9: event {row['seq']} does not follow the one before"
        previous = row["hash"]
        if not row["target"]:
            continue
        target = State(row["target"])
        if State(row["source"] or target) != (state or target):
            yield f"I9: event {row['seq']} starts from {row['source']}, it was {state}"
        if find(state, Event(row["event"]), target, actor=Actor(row["actor"]),
                lane=Lane(job["lane"])) is None:  # fmt: skip
            yield f"I9: {row['event']} does not lead from {state} to {target}"
        state = target
    if state != job["state"] or job["event_seq"] != len(events):
        yield f"I9: its events end at {state}"


def _workers(facts: Facts, job: Row) -> Iterator[str]:
    """I10: each claim takes the next generation, and after it only that generation writes."""
    current = 0
    for row in sorted(facts.of("events", job["id"]), key=lambda row: int(row["seq"])):
        if row["event"] == "claimed":
            if row["generation"] != current + 1:
                yield f"I10: claim {row['seq']} took generation {row['generation']} after {current}"
            current = row["generation"]
        elif row["actor"] == "worker" and row["generation"] != current:
            yield f"I10: generation {row['generation']} wrote event {row['seq']}, not {current}"


def _secrets(facts: Facts) -> Iterator[str]:
    words = json.dumps(facts.tables, default=str) + json.dumps(facts.commits)
    for needle in facts.needles:
        if needle in words:
            yield "I11: a secret lies in the database or in a commit"
        for name, data in (facts.files or {}).items():
            if needle.encode() in data:
                yield f"I11: a secret lies in the stored file {name}"


def _stored(facts: Facts) -> Iterator[str]:
    """I4: bytes are known by their hash, so a file of such a name is whole, and a row has its file."""
    if facts.files is None:
        return
    for name, data in facts.files.items():
        if not name.startswith(_UNFINISHED) and hashlib.sha256(data).hexdigest() != name:
            yield f"I4: the stored file {name} does not hold what its name says"
    for row in facts.tables["artifacts"]:
        if len(facts.files.get(row["sha256"].removeprefix("sha256:"), b"")) != row["size"]:
            yield f"I4: the bytes of the row {row['sha256']} are not there as a whole"


def _history(remote: Path) -> Iterator[Row]:
    """The branch's commits, newest first, with the trailers of the last paragraph."""
    shape = "%H%x01%B%x01%(trailers:only,unfold)%x02"
    for text in _git(remote, "log", f"--format={shape}", "refs/heads/main").decode().split("\x02"):
        if text.strip():
            commit, message, trailers = text.strip("\n").split("\x01")
            lines = [line.partition(": ") for line in trailers.splitlines() if line]
            named = {key: value for key, _, value in lines}
            yield {"commit": commit, "message": message, "trailers": named}


def _blob(remote: Path, commit: str, path: str) -> str | None:
    if not _git(remote, "ls-tree", commit, "--", path):
        return None
    return (
        "sha256:" + hashlib.sha256(_git(remote, "cat-file", "blob", f"{commit}:{path}")).hexdigest()
    )


def _git(remote: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(remote), *arguments], check=True, capture_output=True)
    return done.stdout


def _from_sqlite(path: Path) -> dict[str, list[Row]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        return {
            name: [dict(row) for row in database.execute(f"SELECT * FROM {table}")]
            for name, table in _TABLES.items()
        }


def _from_postgres(url: str) -> dict[str, list[Row]]:
    with psycopg.connect(url, row_factory=dict_row) as database:
        return {
            name: database.execute(f"SELECT * FROM {table}".encode()).fetchall()
            for name, table in _TABLES.items()
        }


def _decoded(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
