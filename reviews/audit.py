"""Audit: promises about approvals and decisions, read anew from the people's tables."""

from collections.abc import Callable, Iterator
from functools import partial

from django.db import connection
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from publisher.domain.states import State
from publisher.models import Effect, Job, Revision
from publisher.selectors_restored import was_recorded
from publisher.spoiled import each, whole
from reviews import audit_lent
from reviews.audit_policies import Policies
from reviews.models import Answer, Approval, ApprovalStatus, Decision
from reviews.models import triggers as guards
from reviews.services.quorum import barred

Breach = tuple[str, str, str]
"""The rule, the job or guard, and what is wrong."""

BATCH = 2000

_NOT_SURELY_COVERED = """
SELECT e.id FROM publisher_effect e WHERE NOT EXISTS (
    SELECT 1 FROM reviews_approval a
    WHERE a.job_id = e.job_id AND a.status <> 'pending' AND {is_its} AND {payload} = e.request_hash
    AND EXISTS (
        SELECT 1 FROM reviews_decision d WHERE d.approval_id = a.id
        AND d.decision = 'approve' AND d.reviewed_hash = a.binding_hash
    )
) ORDER BY e.id
"""
_SPELLING = {
    "sqlite": {
        "is_its": (
            "a.id = json_extract(e.target, '$.approval') "
            "AND json_type(e.target, '$.approval') = 'integer'"
        ),
        "payload": "json_extract(a.envelope, '$.payload_hash')",
    },
    "postgresql": {
        "is_its": (
            "a.id::text = e.target->>'approval' AND jsonb_typeof(e.target->'approval') = 'number'"
        ),
        "payload": "a.envelope->>'payload_hash'",
    },
}
"""Writes whose approval and yes are at hand need no second look; it is they that are many."""


def breaches(site: str = "") -> Iterator[Breach]:
    """Everything about approvals that does not hold, of all jobs or of one site's."""
    policies = Policies()
    checks: dict[str, Callable[[], Iterator[Breach]]] = {
        "guards of decisions": _guards,
        "covered writes": partial(_uncovered, policies, site),
        "own approvals": partial(_own_approvals, policies, site),
        "lent weights": partial(_lent, site),
        "asked people": partial(_waits_for_nothing, site),
    }
    for name, check in checks.items():
        yield from whole(name, check, _unchecked)


def _unchecked(name: str, why: str) -> Breach:
    return "check_failed", name, f"This check could not be finished: {why}."


def _unreadable(table: str) -> Callable[[str, str], Breach]:
    return lambda key, why: (
        "row_unreadable",
        f"{table} {key}",
        f"It holds what cannot be: {why}.",
    )


def _guards() -> Iterator[Breach]:
    for name in sorted(guards.missing()):
        yield "guard_missing", name, "A guard of the database is missing."
    for name in sorted(guards.changed()):
        yield "guard_changed", name, "A guard of this name is there, and is another one."


def _uncovered(policies: Policies, site: str) -> Iterator[Breach]:
    """Outside writes without a given approval of exactly their bytes."""
    with connection.cursor() as cursor:
        cursor.execute(_NOT_SURELY_COVERED.format_map(_SPELLING[connection.vendor]))
        unsure = [number for (number,) in cursor.fetchall()]
    rows = Effect.objects.select_related("job").order_by("pk")
    rows = rows.filter(job__site__name=site) if site else rows
    for begin in range(0, len(unsure), BATCH):
        batch = rows.filter(pk__in=unsure[begin : begin + BATCH])
        check = partial(_check_write, policies, _asked(batch))
        yield from each(batch, check, _unreadable("publisher_effect"))


def _asked(batch: QuerySet[Effect]) -> dict[int, tuple[str, str, str, bool]]:
    """The approvals of the jobs of these writes: job, bytes, status, and whether somebody said yes."""
    said_yes = Decision.objects.filter(
        approval=OuterRef("pk"),
        decision=Answer.APPROVE.value,
        reviewed_hash=OuterRef("binding_hash"),
    )
    rows = Approval.objects.filter(job__in=list(batch.values_list("job_id", flat=True)))
    columns = ("pk", "job_id", "envelope__payload_hash", "status", "is_given")
    found = rows.annotate(is_given=Exists(said_yes)).values_list(*columns)
    return {row[0]: row[1:] for row in found}


def _check_write(
    policies: Policies, asked: dict[int, tuple[str, str, str, bool]], effect: Effect
) -> Iterator[Breach]:
    job, payload, status, is_given = asked.get(_approval_of(effect), ("", "", "", False))
    why = ""
    if (job, payload) != (effect.job_id, effect.request_hash):
        why = "A write left, or was to leave, that no approval of its bytes covers."
    elif status == ApprovalStatus.PENDING.value or not (
        is_given or policies.at(effect.job, effect.created_at).approvals == 0
    ):
        why = "Nobody said yes to the bytes of its write."
    # An approval that was lost with the database is stood in for by an operator's own act.
    if why and not was_recorded(effect.job_id, effect.external_id):
        yield "unapproved_write", effect.job_id, why


def _approval_of(effect: Effect) -> int:
    number = effect.target.get("approval") if isinstance(effect.target, dict) else None
    return number if isinstance(number, int) else 0


def _own_approvals(policies: Policies, site: str) -> Iterator[Breach]:
    """Authors who said yes to their own work where the rules of that moment forbid it."""
    theirs = Revision.objects.filter(
        job=OuterRef("approval__job"),
        number__lte=OuterRef("approval__revision"),
        author__in=[OuterRef("actor__name"), OuterRef("on_behalf_of__name")],
    )
    requester = F("approval__job__requester")
    rows = Decision.objects.select_related("actor", "on_behalf_of", "approval__job").filter(
        Q(actor__name=requester)
        | Q(on_behalf_of__name=requester)
        | Exists(theirs)
        | Q(approval__job__appeals__isnull=False),
        decision=Answer.APPROVE.value,
    )
    rows = rows.filter(approval__job__site__name=site) if site else rows

    def check(row: Decision) -> Iterator[Breach]:
        job = row.approval.job
        job.revision = row.approval.revision
        names = {row.actor.name, row.on_behalf_of.name if row.on_behalf_of else row.actor.name}
        for name in sorted(names & barred(job, policies.at(job, row.at))):
            message = f"{name} said yes to their own work, which the rules forbid."
            yield "own_approval", job.pk, message

    yield from each(rows.order_by("pk"), check, _unreadable("reviews_decision"))


def _lent(site: str) -> Iterator[Breach]:
    """Answers in the place of somebody who had lent nothing."""
    yield from each(audit_lent.rows(site), audit_lent.check, _unreadable("reviews_decision"))


def _waits_for_nothing(site: str) -> Iterator[Breach]:
    """Jobs that wait for an answer that nobody is asked for."""
    asked = Approval.objects.filter(job=OuterRef("pk"), status=ApprovalStatus.PENDING.value)
    waiting = Job.objects.filter(~Exists(asked), state=State.WAITING_APPROVAL.value)
    waiting = waiting.filter(site__name=site) if site else waiting
    for job_id in waiting.values_list("pk", flat=True):
        yield "stuck", job_id, "It waits for an approval that nobody is asked for."
