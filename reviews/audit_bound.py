"""What was bound: approvals, their jobs and their decisions still say what was asked and answered.

One quick pass over many jobs; whatever is not surely in order is read again exactly.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import orjson
from django.db.models import QuerySet

from publisher.domain.manifest import PAYLOAD_SCHEMA
from publisher.domain.states import State
from publisher.models import Artifact, Job, JobEvent, Revision
from publisher.spoiled import ERRORS, each, why
from reviews.audit_exact import APPROVALS, BOUND, LEAVING, Breach, check_job
from reviews.audit_policies import Policies
from reviews.audit_told import NOTHING, Answered, Told, Where, given, moment, told
from reviews.models import Approval, ApprovalStatus, Decision
from reviews.models.approval import files_of

TRIES = 5
"""How often a job that moves while it is read is read again."""
_CHUNK = 500
_NOBODY: set[Answered] = set()
_SORTED = orjson.OPT_SORT_KEYS
_CLOSED = frozenset(
    status.value
    for status in (
        ApprovalStatus.DONE, ApprovalStatus.REJECTED, ApprovalStatus.SUPERSEDED,
        ApprovalStatus.EXPIRED, ApprovalStatus.WITHDRAWN, ApprovalStatus.VOID,
    )
)  # fmt: skip
_WAITS = (ApprovalStatus.PENDING.value, State.WAITING_APPROVAL.value)
_UNDER_WAY = sorted(BOUND - {State.PUBLISHED.value})
_STATES = ", ".join(f"'{state}'" for state in _UNDER_WAY)
_JOBS = (
    "SELECT a.job_id FROM (SELECT id AS job_id, state FROM publisher_job) a "  # noqa: S608 (ours)
    f"WHERE a.state IN ({_STATES}) AND {{jobs}}"
)


def breaches_of(first: str, end: str, site: str = "") -> Iterator[Breach]:
    """What does not hold of the approvals of the jobs from one id on and before another.

    "" is no bound, and one id twice is that job alone: then it is told which of its rows cannot be
    read. Of many jobs that raises what reading them did.
    """
    is_one = first != "" and first == end
    try:
        share = _Share(Where(site=site, job=first) if is_one else Where(first, end, site))
    except ERRORS as error:
        if not is_one:
            raise
        yield from _spoiled(first, error)
        return
    policies = Policies()
    for job_id in sorted(share.suspects):
        try:
            yield from _look_again(job_id, policies)
        except ERRORS as error:
            yield from _spoiled(job_id, error)
    yield from share.lost()


def _spoiled(job_id: str, error: BaseException) -> Iterator[Breach]:
    """The rows of a job that hold what no program can read."""
    tables: dict[str, QuerySet[Any]] = {
        "publisher_job": Job.objects.filter(pk=job_id),
        "publisher_revision": Revision.objects.filter(job=job_id),
        "publisher_jobevent": JobEvent.objects.filter(job=job_id),
        "reviews_approval": Approval.objects.filter(job=job_id),
        "reviews_decision": Decision.objects.filter(approval__job=job_id),
    }
    found = [
        told
        for name, rows in tables.items()
        for told in each(rows, lambda _: (), partial(_unreadable_row, name))
    ]
    yield from found or [_unreadable(job_id, why(error))]


def _unreadable_row(table: str, key: str, why: str) -> Breach:
    return "row_unreadable", f"{table} {key}", f"It holds what cannot be: {why}."


def _look_again(job_id: str, policies: Policies) -> Iterator[Breach]:
    """A job that moves while it is looked at is looked at again."""
    for _ in range(TRIES):
        before = _seq(job_id)
        found = list(check_job(job_id, policies))
        if not found or _seq(job_id) == before:
            break
    yield from found


def _seq(job_id: str) -> int | None:
    return Job.objects.filter(pk=job_id).values_list("event_seq", flat=True).first()


def _unreadable(job_id: str, why: str) -> Breach:
    return _unreadable_row("reviews_approval of", job_id, why)


class _Share:
    """Some jobs' approvals at a glance: which jobs are not surely in order, which files they name."""

    def __init__(self, where: Where) -> None:
        self.suspects: set[str] = set()
        self._files: dict[str, str] = {}
        self._asked: set[str] = set()
        known = told(where)
        rows = list(where.rows(APPROVALS))
        answers = given(where, [row[0] for row in rows])
        others: set[str] = set()
        for row in rows:
            said = known.pop((row[1], row[0]), NOTHING)
            if not self._is_sound(row, answers.get(row[0], _NOBODY), said):
                self.suspects.add(row[1])
            if row[8] in BOUND and row[3] != row[9]:
                others.add(row[1])
        under_way = {job_id for (job_id,) in where.rows(_JOBS)}
        self.suspects |= {job_id for job_id, _ in known}
        self.suspects |= (others | under_way) - self._asked

    def _is_sound(self, row: Sequence[Any], answers: set[Answered], said: Told) -> bool:
        try:
            envelope, parts = orjson.loads(row[4]), orjson.loads(row[5])
            for part in parts:
                if part["sha256"] != row[22]:  # the revision's text, which is asked for with that
                    self._files[part["sha256"]] = row[1]
            return _is_answered(row, answers, said) and (
                row[3] == _digest(envelope)
                and envelope["payload_hash"] == _payload(parts)
                and (row[8] not in BOUND or self._is_bound(row, envelope))
            )
        except ERRORS:
            return False

    def _is_bound(self, row: Sequence[Any], envelope: dict[str, Any]) -> bool:
        """Whether the job is what was asked about, or this is an earlier request of it."""
        if row[3] != row[9]:
            return True
        self._asked.add(row[1])
        target, not_before = envelope["target"], row[18]
        bases = {entry["path"]: entry["base_sha256"] for entry in target["paths"]}
        return bool(
            envelope["payload_hash"] == row[10]
            and bases[row[11]] == (row[17] or None)
            and envelope["requester"] == row[12]
            and envelope["scope"] == row[13]
            and envelope["input_hash"] == row[14]
            and envelope["action"] == row[15]
            and target["operation"] == row[16]
            and envelope["not_before"] == (not_before and moment(not_before))
            and envelope["commit"]["subject"].partition(" ")[2] == row[19]
        )

    def lost(self) -> Iterator[Breach]:
        """Files that people are shown, and of which no artifact is known."""
        names = [name for name in self._files if name]
        for begin in range(0, len(names), _CHUNK):
            chunk = names[begin : begin + _CHUNK]
            known = set(Artifact.objects.filter(pk__in=chunk).values_list("pk", flat=True))
            for name in chunk:
                if name not in known:
                    yield "artifact_unknown", self._files[name], f"Its file {name} is not there."


def _is_answered(row: Sequence[Any], answers: set[Answered], said: Told) -> bool:
    """Closed by the answers of its history, or waiting for the first; all else is looked at exactly."""
    if answers != said.answers or not said.fits(row[2]):
        return False
    if row[2] in _CLOSED:
        return row[8] not in LEAVING and (not said.seq or said.limits(moment(row[6]), row[7]))
    return (row[2], row[8]) == _WAITS


def _digest(value: object) -> str:
    return "sha256:" + sha256(orjson.dumps(value, None, _SORTED)).hexdigest()


def _payload(parts: list[dict[str, Any]]) -> str:
    entries = [
        {name: part[name] for name in ("path", "size", "kind")} | {"sha256": part["sha256"] or None}
        for part in sorted(files_of(parts), key=lambda one: one["path"])
        if part["kind"] != "derived"
    ]
    return _digest({"schema": PAYLOAD_SCHEMA, "entries": entries})
