"""Policies: which rules hold for a job, and setting new ones as a new version."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from publisher import statements
from publisher.domain.errors import InvalidInput
from publisher.domain.secrets import scrub_text
from publisher.models import Job, Site
from reviews.models import Policy
from reviews.models.policy import ANY_ACTION
from reviews.permissions import Caller, require
from reviews.rules import DEFAULT, Rules, check, from_json


def effective(scope: str, site: Site | None, action: str) -> tuple[Rules, int]:
    """The rules that hold, and their version; 0 stands for the built-in ones.

    The narrowest policy wins: the site's before the scope's, the action's before that for any.
    """
    rows = statements.rows(Policy, scope=scope)
    mine = [
        row
        for row in rows
        if row.action in (action, ANY_ACTION)
        and (row.site_id is None or (site and row.site_id == site.pk))
    ]
    if not mine:
        return DEFAULT, 0
    best = max(mine, key=lambda row: (row.site_id is not None, row.action == action, row.version))
    return from_json(best.rules), best.version


def of(job: Job) -> tuple[Rules, int]:
    """The rules that hold for a job now."""
    return effective(job.scope, job.site, job.kind)


def put(
    *,
    caller: Caller,
    scope: str,
    rules: Mapping[str, Any],
    now: datetime,
    site: Site | None = None,
    action: str = ANY_ACTION,
    why: str = "",
) -> Policy:
    """Add a version that changes the named rules of the one before.

    Approvals that are already open are judged by it, too: at the next decision and at the fence.
    """
    require(caller, "admin", scope)
    if site is not None and site.scope != scope:
        raise InvalidInput("site", "That site belongs to another scope.")
    if rules.get("one_person") and not why.strip():
        raise InvalidInput("why", "Say why one person may approve their own work.")
    with transaction.atomic():
        versions = Policy.objects.select_for_update().filter(scope=scope, site=site, action=action)
        newest = versions.order_by("-version").first()
        merged = from_json({**(newest.rules if newest else {}), **rules})
        check(merged)
        number = versions.aggregate(number=Max("version"))["number"] or 0
        return Policy.objects.create(
            scope=scope,
            site=site,
            action=action,
            version=number + 1,
            rules=merged.as_json(),
            who=caller.name,
            why=scrub_text(why),
            created_at=now,
        )
