"""Policies of then: the rules that held at a moment, as the audit asks for them."""

from datetime import datetime

from publisher.models import Job
from reviews.models import Policy
from reviews.models.policy import ANY_ACTION
from reviews.rules import DEFAULT, Rules, from_json


class Policies:
    """The rules that held at a moment; each scope's policies are read once."""

    def __init__(self) -> None:
        self._read: dict[str, list[tuple[Policy, Rules]]] = {}

    def at(self, job: Job, moment: datetime) -> Rules:
        """The narrowest policy's newest version of then; the built-in rules without one."""
        if job.scope not in self._read:
            rows = Policy.objects.filter(scope=job.scope)
            self._read[job.scope] = [(row, from_json(row.rules)) for row in rows]
        held = [
            ((row.site_id is not None, row.action == job.kind, row.version), rules)
            for row, rules in self._read[job.scope]
            if row.created_at <= moment
            and row.site_id in (None, job.site_id)
            and row.action in (job.kind, ANY_ACTION)
        ]
        return max(held, key=lambda one: one[0])[1] if held else DEFAULT
