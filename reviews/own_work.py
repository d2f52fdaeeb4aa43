"""Own work: which open requests the rules keep from their authors, asked of many at once."""

from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef, Q

from publisher.models import Job, Revision
from reviews import selectors
from reviews.models import Policy
from reviews.models.policy import ANY_ACTION
from reviews.permissions import Caller
from reviews.rules import Rules, from_json
from reviews.services import policies, quorum


def may_be_answered(caller: Caller) -> Q:
    """Leaves one's own work out of a question for approvals where no policy could allow a yes.

    Which of several policies wins is not asked here, so that what is left may hold more of it:
    ``Deciding`` looks at each.
    """
    written = Revision.objects.filter(
        job=OuterRef("job"), author=caller.name, number__lte=OuterRef("job__revision")
    )
    requested = Q(job__requester=caller.name)
    ruled = [(row, from_json(row.rules)) for row in selectors.policies_for(caller)]
    alone = _places(row for row, rules in ruled if rules.one_person)
    edited = _places(row for row, rules in ruled if rules.one_person or quorum.editor_may(rules))
    return (~requested | alone) & (~Exists(written) | edited)


def _places(found: Iterable[Policy]) -> Q:
    """Jobs in these places; sites are named together, so that many make no long question."""
    sites: dict[tuple[str, str], list[int]] = {}
    asked = Q(pk__in=[])
    for policy in found:
        if policy.site_id is None:
            asked |= _place(policy.scope, policy.action)
        else:
            sites.setdefault((policy.scope, policy.action), []).append(policy.site_id)
    for (scope, action), named in sites.items():
        asked |= _place(scope, action) & Q(job__site__in=named)
    return asked


def _place(scope: str, action: str) -> Q:
    place = Q(job__scope=scope)
    return place if action == ANY_ACTION else place & Q(job__kind=action)


class Deciding:
    """Tells which jobs' requests this person may answer; the rules of a place are read once."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.rules: dict[tuple[str, int, str], Rules] = {}

    def barred(self, jobs: Sequence[Job]) -> frozenset[str]:
        """Those of the jobs that the rules bar to this person."""
        return quorum.barred_to(self.caller.name, jobs, self._rules_of)

    def _rules_of(self, job: Job) -> Rules:
        key = (job.scope, job.site_id, job.kind)
        if key not in self.rules:
            self.rules[key] = policies.of(job)[0]
        return self.rules[key]
