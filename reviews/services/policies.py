"""Policies: which rules hold for a job, and setting new ones as a new version."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from publisher import statements
from publisher.domain import workflows
from publisher.domain.errors import Clash, InvalidInput
from publisher.domain.secrets import scrub_text
from publisher.domain.workflows import Risk
from publisher.models import Job, Site
from reviews.models import Policy
from reviews.models.policy import ANY_ACTION
from reviews.permissions import Caller, require
from reviews.rules import DEFAULT, Rules, check, from_json

_CHANGED = "Somebody else changed these rules meanwhile. Look at them again."


def effective(scope: str, site: Site | None, action: str) -> tuple[Rules, int]:
    """The rules that hold, and their version; 0 stands for the built-in ones.

    The narrowest policy wins: the site's before the scope's, the action's before that for any.
    """
    best = narrowest(statements.rows(Policy, scope=scope), site.pk if site else None, action)
    return (from_json(best.rules), best.version) if best else (DEFAULT, 0)


def narrowest(rows: Iterable[Policy], site_id: int | None, action: str) -> Policy | None:
    """Which of a scope's policies holds there; None where none does."""
    mine = [
        row for row in rows if row.action in (action, ANY_ACTION) and row.site_id in (None, site_id)
    ]
    return max(
        mine,
        key=lambda row: (row.site_id is not None, row.action == action, row.version),
        default=None,
    )


def of(job: Job) -> tuple[Rules, int]:
    """The rules that hold for a job now."""
    return effective(job.scope, job.site, job.kind)


def risk_of(job: Job, rules: Rules) -> Risk:
    """How risky the job is under these rules."""
    return rules.risk_of(workflows.action(job.kind).risk)


def put(
    *,
    caller: Caller,
    scope: str,
    rules: Mapping[str, Any],
    now: datetime,
    site: Site | None = None,
    action: str = ANY_ACTION,
    why: str = "",
    after: int | None = None,
) -> Policy:
    """Add a version that changes the named rules of the one before.

    Approvals that are already open are judged by it, too: at the next decision and at the fence.
    ``after``: the version that was looked at; Clash when there is a newer one by now.
    """
    require(caller, "admin", scope)
    if not why.strip():
        said = "Say why the rules change, so that others can follow."
        if rules.get("one_person"):
            said = "Say why one person may approve their own work."
        raise InvalidInput("why", said)
    made = drafted(scope=scope, site=site, action=action, rules=rules)
    if after is not None and made.version != after + 1:
        raise Clash(_CHANGED)
    made.who, made.why, made.created_at = caller.name, scrub_text(why), now
    try:
        with transaction.atomic():
            made.save(force_insert=True)
    except IntegrityError:  # another version of that number: the rules it names are not in this one
        raise Clash(_CHANGED) from None
    return made


def drafted(*, scope: str, site: Site | None, action: str, rules: Mapping[str, Any]) -> Policy:
    """The version that would follow, not stored; InvalidInput for rules that cannot be."""
    if site is not None and site.scope != scope:
        raise InvalidInput("site", "That site belongs to another scope.")
    if action not in (ANY_ACTION, *workflows.ACTIONS):
        known = ", ".join([ANY_ACTION, *workflows.ACTIONS])
        raise InvalidInput("action", f"There is no such kind; known: {known}.")
    before = newest(scope, site, action)
    merged = from_json({**(before.rules if before else {}), **rules})
    check(merged)
    number = before.version + 1 if before else 1
    return Policy(scope=scope, site=site, action=action, version=number, rules=merged.as_json())


def newest(scope: str, site: Site | None, action: str) -> Policy | None:
    """The newest version of the policy for exactly this place."""
    rows = Policy.objects.filter(scope=scope, site=site, action=action)
    return rows.order_by("-version").first()
