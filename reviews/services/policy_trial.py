"""Policy trial: what a change of rules would do to the open requests, told and not done."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from publisher import spoiled
from publisher.domain.errors import NotFound
from publisher.models import Job, Site
from reviews.models import Approval, ApprovalStatus, Policy
from reviews.permissions import Caller, require
from reviews.rules import Rules, from_json
from reviews.services import delegations, policies, quorum
from reviews.services.quorum import Quorum

LOOKED_AT = 500
"""How many requests a trial looks at, the oldest first: it answers while somebody waits."""
_OPEN = (ApprovalStatus.PENDING.value, ApprovalStatus.APPROVED.value)


@dataclass(frozen=True, slots=True)
class Touched:
    """One request that the change would touch: ``who`` could give what it then lacks.

    ``too_few``: these are not enough for it, so nobody could ever say yes to it under the rules.
    """

    approval_id: int
    job_id: str
    title: str
    before: Quorum
    after: Quorum
    who: tuple[str, ...]
    too_few: bool

    @property
    def more(self) -> int:
        """How many further answers it would lack at least."""
        return _lacking(self.after)


@dataclass(frozen=True, slots=True)
class Trial:
    """The rules of now and then, and the requests that they judge differently.

    ``void``: approved by now, and no longer enough. ``harder``: needs more than now. ``easier``:
    needs less. ``is_more``: there are further requests that were not looked at.
    """

    before: Rules
    after: Rules
    looked_at: int
    stay: int
    void: tuple[Touched, ...]
    harder: tuple[Touched, ...]
    easier: tuple[Touched, ...]
    is_more: bool


def run(
    *, caller: Caller, scope: str, rules: Mapping[str, Any], site: Site | None, action: str
) -> Trial:
    """Judge the open requests within the caller's sight by a version that is not stored.

    Raises what ``policies.put`` would, but for a missing reason.
    """
    if scope not in caller.scopes:
        raise NotFound(f"There is no scope {scope} that you may see.")
    require(caller, "read", scope, site)
    made = policies.drafted(scope=scope, site=site, action=action, rules=rules)
    after = from_json(made.rules)
    asked = _ruled_by(made, caller).order_by("pk")
    found = spoiled.readable(asked[: LOOKED_AT + 1])
    kinds: dict[str, list[Touched]] = {"void": [], "harder": [], "easier": [], "": []}
    reviewers = _Reviewers()
    for request in found[:LOOKED_AT]:
        touched = _touched(request, after, reviewers)
        kinds[_kind(request, touched)].append(touched)
    return Trial(
        before=policies.effective(scope, site, action)[0],
        after=after,
        looked_at=min(len(found), LOOKED_AT),
        stay=len(kinds[""]),
        void=tuple(kinds["void"]),
        harder=tuple(kinds["harder"]),
        easier=tuple(kinds["easier"]),
        is_more=len(found) > LOOKED_AT,
    )


def _ruled_by(made: Policy, caller: Caller) -> QuerySet[Approval]:
    """Open requests that the new version would rule: those of a narrower policy are not."""
    rows = [*Policy.objects.filter(scope=made.scope), made]
    asked = Approval.objects.select_related("job__site").filter(
        caller.within("read", of="job__"), status__in=_OPEN, job__scope=made.scope
    )
    ruled = Q(pk__in=[])
    for site_id, kind in set(asked.values_list("job__site", "job__kind").distinct()):
        if policies.narrowest(rows, site_id, kind) is made:
            ruled |= Q(job__site=site_id, job__kind=kind)
    return asked.filter(ruled)


def _touched(request: Approval, after: Rules, reviewers: "_Reviewers") -> Touched:
    job = request.job
    now, then = (quorum.of(request, job, rules) for rules in (policies.of(job)[0], after))
    who, too_few = reviewers.who(job, then, quorum.barred(job, after))
    return Touched(request.pk, job.pk, job.title, now, then, who, too_few)


def _kind(request: Approval, touched: Touched) -> str:
    """Which of the kinds it is; "" for one that stays as it is."""
    now, then = touched.before, touched.after
    if request.status == ApprovalStatus.APPROVED.value:
        return "void" if now.is_met and not then.is_met else ""
    if _lacking(then) != _lacking(now):
        return "harder" if _lacking(then) > _lacking(now) else "easier"
    return "harder" if set(then.missing_groups) - set(now.missing_groups) else ""


def _lacking(found: Quorum) -> int:
    """How many answers are lacking at least: one may fill the places of several groups."""
    most = max(map(found.missing_groups.count, found.missing_groups), default=0)
    return max(found.needed - len(found.approvers), most)


class _Reviewers:
    """Who could give what is lacking; who reviews at a site is read once."""

    def __init__(self) -> None:
        self._at: dict[int, list[tuple[str, set[str]]]] = {}

    def who(
        self, job: Job, lacking: Quorum, barred: Collection[str]
    ) -> tuple[tuple[str, ...], bool]:
        """Of the groups that are missing, where any is, else anybody; and whether they are too few."""
        if lacking.is_met:
            return (), False
        wanted, taken = set(lacking.missing_groups), {*barred, *lacking.approvers}
        free = [(name, groups) for name, groups in self._reviewing(job) if name not in taken]
        there = [group for _name, groups in free for group in groups]
        too_few = len(free) < lacking.needed - len(lacking.approvers) or any(
            there.count(group) < lacking.missing_groups.count(group) for group in wanted
        )
        return tuple(name for name, groups in free if not wanted or groups & wanted), too_few

    def _reviewing(self, job: Job) -> list[tuple[str, set[str]]]:
        if job.site_id not in self._at:
            self._at[job.site_id] = [
                (person.name, {group for role in held for group in role.groups})
                for person in delegations.reviewers(job.scope)
                if (held := quorum.reviewing(person, job))
            ]
        return self._at[job.site_id]
