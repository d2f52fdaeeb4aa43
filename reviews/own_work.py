"""Own work: which open requests the rules keep from their authors, asked of many at once."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Coalesce

from publisher.models import Job, Revision
from reviews.models import Policy
from reviews.models.policy import ANY_ACTION
from reviews.permissions import Caller
from reviews.rules import Rules
from reviews.services import policies, quorum


def may_be_answered(caller: Caller) -> Q:
    """Leaves one's own work out of a question for approvals where no policy could allow a yes.

    Which of several policies wins is not asked here, so that what is left may hold more of it:
    ``Deciding`` looks at each.
    """
    alone = Q(_ruled(Q(rules__one_person=True)))
    edited = Q(_ruled(Q(rules__one_person=True) | Q(rules__editor_counts=True)))
    return (~Q(job__requester=caller.name) | alone) & (~Q(_written(caller)) | edited)


def perhaps_own(caller: Caller) -> Q:
    """Which of the approvals ``Deciding`` has to look at; a job may appeal one's own."""
    own = Q(job__requester=caller.name) | Q(_written(caller))
    return own | Q(job__appeals__isnull=False)


def _written(caller: Caller) -> Exists:
    return Exists(
        Revision.objects.filter(
            job=OuterRef("job"), author=caller.name, number__lte=OuterRef("job__revision")
        )
    )


def _ruled(rules: Q) -> Exists:
    """Whether the newest version of some policy for the job's place has such rules."""
    placed = Policy.objects.alias(place=Coalesce("site_id", 0))
    newer = placed.filter(
        scope=OuterRef("scope"), action=OuterRef("action"), place=OuterRef("place"),
        version__gt=OuterRef("version"),
    )  # fmt: skip
    here = Q(site__isnull=True) | Q(site=OuterRef("job__site"))
    this = Q(action=ANY_ACTION) | Q(action=OuterRef("job__kind"))
    return Exists(
        placed.filter(here, this, rules, scope=OuterRef("job__scope")).exclude(Exists(newer))
    )


class Deciding:
    """Tells which jobs' requests this person may answer; the rules of a place are read once."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.rules: dict[tuple[str, int, str], Rules] = {}

    def barred(self, job_ids: Collection[str]) -> frozenset[str]:
        """Those of the jobs that the rules bar to this person."""
        if not job_ids:
            return frozenset()
        jobs = list(Job.objects.select_related("site").filter(pk__in=job_ids))
        return quorum.barred_to(self.caller.name, jobs, self._rules_of)

    def _rules_of(self, job: Job) -> Rules:
        key = (job.scope, job.site_id, job.kind)
        if key not in self.rules:
            self.rules[key] = policies.of(job)[0]
        return self.rules[key]
