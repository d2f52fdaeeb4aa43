"""Inbox filters: what an address asks for, checked, as part of the question, and back into an address."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import reduce
from operator import or_

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, Value
from django.db.models.expressions import Combinable
from django.utils.http import urlencode

from publisher.domain.workflows import Risk
from reviews.models import Assignment
from reviews.permissions import Caller

LONGEST = 200
KNOWN = {
    "kind": frozenset({"approval", "review", "conflict"}),
    "risk": frozenset({Risk.RISKY.value}),
    "given": frozenset({"me", "groups"}),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What was asked for; "" where nothing was. ``given``: to "me", or to the "groups" I am in."""

    q: str = ""
    kind: str = ""
    site: str = ""
    who: str = ""
    given: str = ""
    risk: str = ""

    @property
    def used(self) -> dict[str, str]:
        """The filters that filter."""
        return {name: value for name, value in asdict(self).items() if value}

    @property
    def query(self) -> str:
        """They, as an address has them."""
        return urlencode(self.used)

    def address(self, after: str = "") -> str:
        """The address of the page behind that place, or of the first one."""
        return "?" + urlencode({**self.used, **({"after": after} if after else {})})

    def passes(self, kind: str, caller: Caller) -> Combinable:
        """Whether a row of this kind passes, as part of a question. Only approvals have a risk."""
        can = self.kind in ("", kind) and (not self.risk or kind == "approval")
        if not (can and self.used):
            return Value(can, BooleanField())
        return ExpressionWrapper(
            self._asked("" if kind == "review" else "job__", caller), BooleanField()
        )

    def _asked(self, to_job: str, caller: Caller) -> Q:
        """The filters over rows that lead to their job so."""
        wanted = {
            f"{to_job}site__name": self.site,
            f"{to_job}requester__iexact": self.who,
            "risk": self.risk,
        }
        found = Q(pk__isnull=False, **{name: value for name, value in wanted.items() if value})
        if self.q:
            texts = ("title", "topic", "target_path")
            found &= reduce(or_, (Q(**{f"{to_job}{name}__icontains": self.q}) for name in texts))
        if self.given:
            whose = Q(person=caller.principal) if self.given == "me" else to_groups_of(caller)
            job_id = OuterRef("job_id" if to_job else "pk")
            found &= Q(Exists(Assignment.objects.filter(whose, job=job_id)))
        return found


NOTHING = Filters()


def read(query: Mapping[str, str]) -> Filters:
    """The filters of an address; a value that does not exist filters nothing."""
    given = {
        name: query.get(name, "").replace("\x00", "").strip()[:LONGEST]
        for name in Filters.__dataclass_fields__
    }
    return Filters(
        **{
            name: value if name not in KNOWN or value in KNOWN[name] else ""
            for name, value in given.items()
        }
    )


def to_groups_of(caller: Caller) -> Q:
    """Assignments to the groups that this person is in; a group is one of its space."""
    found = Q(pk__in=[])
    for held in caller.memberships:
        if held.groups:
            found |= Q(job__scope=held.scope, group__in=held.groups)
    return found
