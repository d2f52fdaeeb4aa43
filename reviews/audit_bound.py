"""What was bound: approvals, their jobs and their decisions still say what was asked and answered."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import orjson
from django.db import connection

from publisher.domain.envelope import binding_hash
from publisher.domain.states import State
from publisher.spoiled import whole
from reviews.models import ApprovalStatus

Breach = tuple[str, str, str]
"""The rule, the job or row, and what is wrong."""

_TEXT = {"sqlite": "{0}", "postgresql": "{0}::text"}
"""JSON stays text, so that it is read by the fastest hand, and once."""
_APPROVALS = (
    "SELECT a.id, a.job_id, a.status, a.binding_hash, {envelope}, j.state, j.binding_hash, "
    "j.payload_hash, j.target_path, j.requester, j.scope, r.input_hash "
    "FROM reviews_approval a JOIN publisher_job j ON j.id = a.job_id "
    "LEFT JOIN publisher_revision r ON r.job_id = a.job_id AND r.number = a.revision "
    "WHERE {jobs}"
)
_DECISIONS = (
    "SELECT d.approval_id, p.name, d.decision, d.reviewed_hash "
    "FROM reviews_decision d JOIN reviews_approval a ON a.id = d.approval_id "
    "JOIN reviews_principal p ON p.id = d.actor_id WHERE {jobs}"
)
_EVENTS = (
    "SELECT a.job_id, a.actor_name, {facts} FROM publisher_jobevent a "
    "WHERE a.actor = 'reviewer' AND {jobs}"
)
_BOUND = frozenset(
    state.value
    for state in (
        State.WAITING_APPROVAL, State.READY_TO_COMMIT, State.LOCAL_COMMITTING,
        State.LOCAL_COMMITTED, State.PUSHING, State.PUBLISHED,
    )
)  # fmt: skip
"""States whose job has exactly what was bound."""


class _Row(NamedTuple):
    approval: int
    job: str
    status: str
    bound: str
    envelope: str
    state: str
    job_bound: str
    payload: str
    target: str
    requester: str
    scope: str
    inputs: str | None


Answers = set[tuple[str, str, str]]
"""Who said what, of which hash."""
_NOTHING: Answers = set()
_SORTED = orjson.OPT_SORT_KEYS
_REJECTED = ApprovalStatus.REJECTED.value


def breaches_of(first: str, end: str) -> Iterator[Breach]:
    """What does not hold of the approvals of the jobs from one id on and before another; "" is no bound."""
    told: dict[str, Answers] = defaultdict(set)
    for job, name, facts in _rows(_EVENTS, first, end, facts="a.facts"):
        if answer := _answer(name, facts):
            told[job].add(answer)
    given: dict[int, Answers] = defaultdict(set)
    for approval, name, decision, reviewed in _rows(_DECISIONS, first, end):
        given[approval].add((name, decision, reviewed))
    for values in _rows(_APPROVALS, first, end, envelope="a.envelope"):
        said, known = given.get(values[0], _NOTHING), told.get(values[1], _NOTHING)
        if not _is_sound(values, said, known):
            row = _Row(*values)
            check = partial(_check, row, said, known)
            yield from whole(f"reviews_approval {row.approval}", check, _unreadable)


def _is_sound(values: Sequence[Any], given: Answers, told: Answers) -> bool:
    """All in order at a glance, as nearly always; whatever is not, is looked at exactly."""
    _, _, status, bound, text, _, job_bound, payload, target, requester, scope, inputs = values
    try:
        envelope = orjson.loads(text)
        if bound != "sha256:" + sha256(orjson.dumps(envelope, None, _SORTED)).hexdigest():
            return False
        return (
            given <= told
            and status != _REJECTED
            and bound == job_bound
            and envelope["payload_hash"] == payload
            and envelope["requester"] == requester
            and envelope["input_hash"] == inputs
            and envelope["scope"] == scope
            and target in [entry["path"] for entry in envelope["target"]["paths"]]
        )
    except (ValueError, TypeError, LookupError):
        return False


def _unreadable(row: str, why: str) -> Breach:
    return "row_unreadable", row, f"It holds what cannot be: {why}."


def _rows(query: str, first: str, end: str, **json: str) -> Iterator[Sequence[Any]]:
    bounds = [("a.job_id >= %s", first), ("a.job_id < %s", end)]
    jobs = " AND ".join(["1 = 1", *(text for text, value in bounds if value)])
    spelled = {name: _TEXT[connection.vendor].format(column) for name, column in json.items()}
    with connection.cursor() as cursor:
        cursor.execute(query.format(jobs=jobs, **spelled), [each for each in (first, end) if each])
        yield from cursor.fetchall()


def _answer(name: str, facts: str) -> tuple[str, str, str] | None:
    """The answer that an event of a reviewer records; facts that are none say nothing here."""
    try:
        found = orjson.loads(facts)
        return name, str(found["decision"]), str(found["reviewed_hash"])
    except (ValueError, TypeError, LookupError):
        return None


def _check(row: _Row, given: Answers, told: Answers) -> Iterator[Breach]:
    envelope = orjson.loads(row.envelope)
    if not _is_bound(envelope, row.bound):
        yield "envelope_changed", row.job, "What was asked about is not what its hash binds."
    if row.status == _REJECTED and "reject" not in _said(given):
        yield "approval_changed", row.job, "An approval counts as rejected, and nobody rejected it."
    for name, decision, _ in sorted(given - told):
        message = (
            f"{name} is said to have answered {decision}, and its history knows nothing of it."
        )
        yield "decision_changed", row.job, message
    if row.job_bound == row.bound and row.state in _BOUND and (wrong := _differing(row, envelope)):
        message = f"It is not what people were asked about: {', '.join(wrong)} differ."
        yield "job_changed", row.job, message


def _said(answers: Answers) -> set[str]:
    return {decision for _, decision, _ in answers}


def _is_bound(envelope: Any, bound: str) -> bool:
    """By the quick spelling, which nearly always is the canonical one; else by that."""
    quick = sha256(orjson.dumps(envelope, None, _SORTED)).hexdigest()
    return bound in (f"sha256:{quick}", binding_hash(envelope))


def _differing(row: _Row, envelope: dict[str, Any]) -> list[str]:
    paths: Iterable[dict[str, Any]] = envelope["target"]["paths"]
    same = {
        "payload_hash": envelope["payload_hash"] == row.payload,
        "target_path": any(entry["path"] == row.target for entry in paths),
        "requester": envelope["requester"] == row.requester,
        "scope": envelope["scope"] == row.scope,
        "input_hash": envelope["input_hash"] == row.inputs,
    }
    return [name for name, is_same in same.items() if not is_same]
