"""What was told: the answers in the jobs' chained histories, beside those in the people's tables."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import orjson
from django.db import connection

from publisher.domain.secrets import scrub_text
from publisher.domain.states import Event
from reviews.models import Answer, ApprovalStatus


@dataclass(frozen=True, slots=True)
class _Spelled:
    """How a query asks for a column."""

    template: str

    def __getitem__(self, column: str) -> str:
        return self.template.format(column)


_SPELLED = {
    "sqlite": {"json": _Spelled("{0}"), "time": _Spelled("{0} || ''")},
    "postgresql": {
        "json": _Spelled("{0}::text"),
        "time": _Spelled("({0} AT TIME ZONE 'UTC')::text"),
    },
}
"""JSON stays text, so that it is read by the fastest hand, and once; and times, which cost most of all."""
_DECISIONS = (
    "SELECT d.approval_id, p.name, d.decision, d.reviewed_hash, d.door, d.os_user, h.name, "
    "{time[d.reauthenticated_at]}, {time[d.at]}, d.comment "
    "FROM reviews_decision d JOIN reviews_approval a ON a.id = d.approval_id "
    "JOIN reviews_principal p ON p.id = d.actor_id "
    "LEFT JOIN reviews_principal h ON h.id = d.on_behalf_of_id "
    "WHERE d.approval_id BETWEEN %(low)s AND %(high)s AND {jobs}"
)
_EVENTS = (
    "SELECT a.job_id, a.seq, a.event, a.actor_name, a.reason, {time[a.at]}, {json[a.facts]} "
    "FROM publisher_jobevent a WHERE a.actor = 'reviewer' AND {jobs}"
)
_OF_SITE = (
    "SELECT j.id FROM publisher_job j JOIN publisher_site s ON s.id = j.site_id "
    "WHERE s.name = %(site)s"
)
_SECONDS, _MICROSECONDS = 19, 26
_JOBS = {"jobs": "a.job_id", "its_job": "j.id", "its_revision": "r.job_id"}
_WITHDRAW, _APPROVE = Answer.WITHDRAW.value, Event.APPROVE.value
_ENDED_BY = {
    _WITHDRAW: ApprovalStatus.WITHDRAWN.value,
    Answer.REJECT.value: ApprovalStatus.REJECTED.value,
    Answer.REQUEST_CHANGES.value: ApprovalStatus.VOID.value,
}
GIVEN = frozenset(
    status.value
    for status in (ApprovalStatus.APPROVED, ApprovalStatus.DISPATCHING, ApprovalStatus.DONE)
)
"""What only a yes leads to, or a policy that needs nobody's."""
_AFTER_YES = GIVEN | {
    status.value
    for status in (
        ApprovalStatus.SUPERSEDED, ApprovalStatus.EXPIRED, ApprovalStatus.WITHDRAWN,
        ApprovalStatus.VOID,
    )
}  # fmt: skip

Answered = tuple[str, str, str, str, str, str, str, str, str]
"""Who said what, of which hash, through which door, as which user of the system, in whose place,
proved when by the password, when, and why.
"""


@dataclass(slots=True)
class Told:
    """What a history says of one request for approval."""

    answers: set[Answered] = field(default_factory=set)
    seq: int = 0
    until: str | None = None
    policy: int | None = None

    def fits(self, status: str) -> bool:
        """Whether a request with these answers can be there."""
        said = {answer[1] for answer in self.answers}
        for ending, wanted in _ENDED_BY.items():
            if ending in said:
                return status == wanted
        if status == ApprovalStatus.REJECTED.value:
            return False
        return status in _AFTER_YES if self.seq else status not in GIVEN

    def limits(self, until: str | None, policy: int) -> bool:
        """Whether it holds no longer than was told with the yes, and under the policy of then."""
        if self.policy not in (None, policy):
            return False
        if self.until in (None, until):
            return True
        return until is not None and (
            datetime.fromisoformat(until) < datetime.fromisoformat(str(self.until))
        )


NOTHING = Told()


@dataclass(frozen=True, slots=True)
class Where:
    """Whose rows are read: of the jobs from one id on and before another, or of one job."""

    first: str = ""
    end: str = ""
    site: str = ""
    job: str = ""

    def rows(self, query: str, **values: int) -> Iterator[Sequence[Any]]:
        """The rows of a query that asks for ``{jobs}`` by ``a.job_id``.

        One that joins jobs and revisions asks of them too, by ``{its_job}`` and ``{its_revision}``:
        else PostgreSQL reads those tables from end to end, for every share.
        """
        asked = {
            "{} >= %(first)s": self.first,
            "{} < %(end)s": self.end,
            "{} = %(job)s": self.job,
            f"{{}} IN ({_OF_SITE})": self.site,
        }
        bounds = " AND ".join(["1 = 1", *(text for text, value in asked.items() if value)])
        bounded = {name: bounds.replace("{}", column) for name, column in _JOBS.items()}
        with connection.cursor() as cursor:
            query = query.format(**bounded, **_SPELLED[connection.vendor])
            cursor.execute(query, asdict(self) | values)
            yield from cursor.fetchall()


def told(where: Where) -> dict[tuple[str, int], Told]:
    """By job and request, what the events of reviewers say; facts that tell of no answer say nothing."""
    found: dict[tuple[str, int], Told] = {}
    for job, seq, event, name, reason, at, text in where.rows(_EVENTS):
        try:
            facts = orjson.loads(text)
            key, said = (job, int(facts["approval"])), str(facts["decision"])
            reviewed, door = str(facts["reviewed_hash"]), str(facts.get("door", ""))
        except (ValueError, TypeError, LookupError):
            continue
        one = found.setdefault(key, Told())
        user, why = str(facts.get("os_user", "")), "" if said == _WITHDRAW else reason
        holder, proof = str(facts.get("on_behalf_of", "")), str(facts.get("reauthenticated_at", ""))
        one.answers.add((name, said, reviewed, door, user, holder, proof, at, why))
        if event == _APPROVE:
            one.seq, one.until = seq, facts.get("valid_until")
            one.policy = facts.get("policy_version")
    return found


def given(where: Where, approvals: Sequence[int]) -> dict[int, set[Answered]]:
    """By request, what the decisions about these requests of the jobs say."""
    found: dict[int, set[Answered]] = defaultdict(set)
    if not approvals:
        return found
    # Only by their jobs PostgreSQL would look for them among all decisions, for every share.
    rows = where.rows(_DECISIONS, low=min(approvals), high=max(approvals))
    for approval, name, said, reviewed, door, user, holder, proved, at, comment in rows:
        why, proof = "" if said == _WITHDRAW else comment, moment(proved) or ""
        found[approval].add((name, said, reviewed, door, user, holder or "", proof, at, why))
    return found


def scrubbed(answers: Iterable[Answered]) -> set[Answered]:
    """As the journal would tell of them: it takes secrets out of what was taken out of before."""
    return {(*answer[:-1], scrub_text(answer[-1])) for answer in answers}


def moment(value: str | None) -> str | None:
    """A time as events tell it, of the text of a column; PostgreSQL leaves out zeros at the end."""
    if value is None:
        return None
    whole = str(value).replace(" ", "T")
    return f"{whole if len(whole) == _SECONDS else whole.ljust(_MICROSECONDS, '0')}+00:00"
