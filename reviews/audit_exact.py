"""What was bound, exactly: one job's approvals beside its row, its history and its decisions."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from publisher import envelopes
from publisher.domain.envelope import binding_hash
from publisher.domain.errors import ImprimaturError
from publisher.domain.manifest import Entry, Manifest
from publisher.domain.states import Event, State
from publisher.domain.trailers import one_line
from publisher.models import Job, JobEvent
from publisher.selectors_restored import was_recorded
from reviews.audit_policies import Policies
from reviews.audit_told import GIVEN, NOTHING, Answered, Told, Where, given, moment, scrubbed, told
from reviews.models import Approval, ApprovalStatus
from reviews.models.approval import OPEN, files_of
from reviews.services import approvals

Breach = tuple[str, str, str]
"""The rule, the job or row, and what is wrong."""

APPROVALS = (
    "SELECT a.id, a.job_id, a.status, a.binding_hash, {json[a.envelope]}, {json[a.parts]}, "
    "{time[a.valid_until]}, a.policy_version, j.state, j.binding_hash, j.payload_hash, "
    "j.target_path, j.requester, j.scope, r.input_hash, j.kind, j.operation, j.target_sha256, "
    "{time[j.not_before]}, j.title, j.compensates_id, j.site_id, r.content "
    "FROM reviews_approval a JOIN publisher_job j ON j.id = a.job_id AND {its_job} "
    "LEFT JOIN publisher_revision r "
    "ON r.job_id = a.job_id AND r.number = a.revision AND {its_revision} "
    "WHERE {jobs} ORDER BY a.job_id, a.id"
)
LEAVING = frozenset(
    state.value
    for state in (
        State.READY_TO_COMMIT, State.LOCAL_COMMITTING, State.LOCAL_COMMITTED, State.RECOVERING,
        State.RECHECK_CANDIDATES, State.PUSHING,
    )
)  # fmt: skip
"""States on the way out, which a yes leads to."""
BOUND = LEAVING | {State.WAITING_APPROVAL.value, State.PUBLISHED.value}
"""States whose job has exactly what was bound."""
_SHUT = frozenset(
    state.value
    for state in (
        State.REJECTED, State.CANCELLED, State.CONFLICT, State.PUBLISHED, State.EFFECT_CONFIRMED,
    )
)  # fmt: skip
"""States in which no request is open any more."""
_GOES_ON = GIVEN - {ApprovalStatus.DONE.value} | {ApprovalStatus.WITHDRAWN.value}
"""A yes, or one that was taken back in the middle of a step: the next gate sees it."""
_ENDING = [
    event.value
    for event in (
        Event.VOID, Event.REVISE, Event.RESOLVE, Event.CLASH, Event.CANCEL, Event.GIVE_UP,
    )
]  # fmt: skip
"""Whatever was approved before these is not any more."""


class Row(NamedTuple):
    """A request, and what its job and its revision are now."""

    approval: int
    job: str
    status: str
    bound: str
    envelope: str
    parts: str
    until: str | None
    policy: int
    state: str
    job_bound: str
    payload: str
    target: str
    requester: str
    scope: str
    inputs: str | None
    kind: str
    operation: str
    base: str
    not_before: str | None
    title: str
    compensates: str | None
    site: int
    content: str | None


def check_job(job_id: str, policies: Policies) -> Iterator[Breach]:
    """All that does not hold of one job's approvals, read anew."""
    where = Where(job=job_id)
    known = told(where)
    rows = [Row(*values) for values in where.rows(APPROVALS)]
    answers = given(where, [row.approval for row in rows])
    for row in rows:
        said = known.pop((job_id, row.approval), NOTHING)
        yield from _envelope(row)
        yield from _answers(row, answers.get(row.approval, set()), said)
        yield from _status(row, said, policies)
    if known:
        yield "approval_changed", job_id, "An approval that its history tells of is gone."
    state = next(iter(Job.objects.filter(pk=job_id).values_list("state", flat=True)), "")
    yield from _together(job_id, state, rows)


def _envelope(row: Row) -> Iterator[Breach]:
    envelope = orjson.loads(row.envelope)
    if binding_hash(envelope) != row.bound:
        yield "envelope_changed", row.job, "What was asked about is not what its hash binds."
    if not _is_payload(orjson.loads(row.parts), envelope["payload_hash"]):
        message = "The files that people are shown of it are not those that its hash binds."
        yield "approval_changed", row.job, message
    if row.job_bound == row.bound and row.state in BOUND and (wrong := _differing(row, envelope)):
        message = f"It is not what people were asked about: {', '.join(wrong)} differ."
        yield "job_changed", row.job, message


def _is_payload(parts: Iterable[Mapping[str, Any]], payload: str) -> bool:
    entries = (
        Entry(part["path"], part["sha256"] or None, part["size"], part["kind"])
        for part in files_of(parts)
    )
    try:
        return Manifest(tuple(entries)).payload_hash == payload
    except (ImprimaturError, TypeError, LookupError):
        return False


def _answers(row: Row, answers: set[Answered], said: Told) -> Iterator[Breach]:
    answers = scrubbed(answers)
    for name, decision, *_, at, _why in sorted(answers - said.answers, key=str):
        datetime.fromisoformat(str(moment(at)))  # what is no time is told as that
        message = (
            f"{name} is said to have answered {decision}, and its history tells of no such answer."
        )
        yield "decision_changed", row.job, message
    kept = {answer[:2] for answer in answers}
    for name, decision, *_ in sorted(said.answers - answers, key=str):
        if (name, decision) not in kept:
            message = f"Its history tells that {name} answered {decision}, and the answer is gone."
            yield "decision_changed", row.job, message


def _status(row: Row, said: Told, policies: Policies) -> Iterator[Breach]:
    until = moment(row.until)
    if not said.fits(row.status) and not _needed_nobody(row, until, said, policies):
        message = f"An approval is {row.status}, and its history tells of another answer."
        yield "approval_changed", row.job, message
    elif said.seq and not said.limits(until, row.policy):
        message = "Its approval holds for another time, or under other rules, than was told."
        yield "approval_changed", row.job, message
    elif row.status in GIVEN & set(OPEN) and said.seq and _ended(row.job, said.seq):
        yield "approval_changed", row.job, "An approval is open that ended, as its history tells."
    if row.status in OPEN and row.state in _SHUT:
        message = f"An approval is {row.status}, and its job is {row.state}."
        yield "approval_changed", row.job, message


def _needed_nobody(row: Row, until: str | None, said: Told, policies: Policies) -> bool:
    """Whether the rules of the time asked for nobody's yes, and it holds for as long as they say."""
    if said.answers or row.status not in GIVEN:
        return False
    approval = Approval.objects.select_related("job").get(pk=row.approval)
    rules = policies.at(approval.job, approval.opened_at)
    holds = approvals.valid_until(approval.job, rules, approval.opened_at)
    return rules.needs_nobody and until == holds.isoformat()


def _ended(job_id: str, seq: int) -> bool:
    return JobEvent.objects.filter(job=job_id, seq__gt=seq, event__in=_ENDING).exists()


def _together(job_id: str, state: str, rows: list[Row]) -> Iterator[Breach]:
    """What a job's requests are together, and beside its state."""
    if sum(row.status in OPEN for row in rows) > 1:
        yield "approval_changed", job_id, "It has two open approvals."
    its_own = [row for row in rows if row.bound == row.job_bound]
    if state in BOUND and not its_own and not _was_recorded(job_id):
        yield "job_changed", job_id, "Nobody was ever asked about what it is now."
    elif not its_own:
        return
    elif state in LEAVING and its_own[-1].status not in _GOES_ON:
        message = f"It is {state}, and its approval is {its_own[-1].status}."
        yield "approval_changed", job_id, message
    elif state == State.WAITING_APPROVAL.value and its_own[-1].status in GIVEN:
        message = f"It waits for an approval that is {its_own[-1].status}."
        yield "approval_changed", job_id, message


def _was_recorded(job_id: str) -> bool:
    """Whether an operator's act stands in for an approval that was lost with the database."""
    commits = Job.objects.filter(pk=job_id).values_list("remote_commit", flat=True)
    return any(was_recorded(job_id, commit) for commit in commits)


def _differing(row: Row, envelope: dict[str, Any]) -> list[str]:
    bases = {entry["path"]: entry.get("base_sha256") for entry in envelope["target"]["paths"]}
    job = Job(
        title=row.title, target_path=row.target, operation=row.operation,
        compensates_id=row.compensates,
    )  # fmt: skip
    same = {
        "payload_hash": envelope["payload_hash"] == row.payload,
        "target_path": row.target in bases,
        "target_sha256": (bases.get(row.target) or "") == row.base,
        "requester": envelope["requester"] == row.requester,
        "scope": envelope["scope"] == row.scope,
        "input_hash": envelope["input_hash"] == row.inputs,
        "kind": envelope["action"] == row.kind,
        "operation": envelope["target"]["operation"] == row.operation,
        "title": envelope["commit"]["subject"] == one_line(envelopes.subject(job)),
        "not_before": _same_time(envelope["not_before"], moment(row.not_before)),
    }
    return [name for name, is_same in same.items() if not is_same]


def _same_time(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one is other
    return datetime.fromisoformat(one) == datetime.fromisoformat(other)
