"""The fence's question: is the yes of then still a yes, by the people, roles and rules of now?"""

import pytest

from publisher import envelopes
from publisher.domain.envelope import binding_hash
from publisher.domain.errors import NotAuthorised, OwnWork
from publisher.models import Job
from reviews.authority import DatabaseAuthority
from reviews.models import Membership, Principal
from reviews.services import approvals, decisions, people, policies
from tests.support import jobs
from tests.support import people as persons

pytestmark = pytest.mark.django_db
AUTHORITY = DatabaseAuthority()


@pytest.fixture
def approved(everybody: persons.People) -> Job:
    """A job that Rui approved."""
    return approve(jobs.waiting(), "rui")


def approve(job: Job, name: str, decision: str = "approve") -> Job:
    approval = jobs.request_of(job)
    decisions.decide(
        approval,
        caller=persons.caller(name),
        decision=decision,
        reviewed_hash=approval.binding_hash,
        request_id=f"{decision}-by-{name}",
        now=jobs.NOW,
    )
    return jobs.reloaded(job)


def set_rules(**rules: object) -> None:
    policies.put(
        caller=persons.caller("omar"), scope="default", rules=rules, now=jobs.NOW, why="a test"
    )


def refusal(job: Job, bound: str = "") -> str:
    with pytest.raises(NotAuthorised) as refused:
        AUTHORITY.authorise(job, bound or job.binding_hash, jobs.NOW)
    return refused.value.why


def test_it_grants_and_marks_dispatching(approved: Job) -> None:
    grant = AUTHORITY.authorise(approved, approved.binding_hash, jobs.NOW)
    assert grant.approvers == ("rui",)
    assert jobs.request_of(approved).status == "dispatching"


def test_it_grants_again_to_a_worker_that_takes_over(approved: Job) -> None:
    first = AUTHORITY.authorise(approved, approved.binding_hash, jobs.NOW)
    assert AUTHORITY.authorise(approved, approved.binding_hash, jobs.NOW) == first


def test_a_request_without_a_decision_gives_nothing(everybody: persons.People) -> None:
    assert refusal(jobs.waiting()) == "pending"


def test_another_hash_gives_nothing(approved: Job) -> None:
    assert refusal(approved, "sha256:" + "1" * 64) == "superseded"


def test_a_voided_request_gives_nothing(approved: Job) -> None:
    AUTHORITY.void(approved, "cancelled", jobs.NOW)
    assert refusal(approved) == "no_approval"


def test_an_approver_who_was_disabled_counts_no_more(approved: Job) -> None:
    people.disable(Principal.objects.get(name="rui"), caller=persons.caller("omar"), now=jobs.NOW)
    assert refusal(approved) == "quorum"


def test_an_approver_whose_login_was_switched_off_counts_no_more(approved: Job) -> None:
    user = Principal.objects.get(name="rui").user
    assert user is not None
    user.is_active = False
    user.save()
    assert refusal(approved) == "quorum"


def test_an_approver_who_lost_the_role_counts_no_more(approved: Job) -> None:
    Membership.objects.filter(principal__name="rui", role="reviewer").delete()
    assert refusal(approved) == "quorum"


def test_an_approver_who_became_the_author_counts_no_more(approved: Job) -> None:
    approved.revisions.filter(number=1).update(author="rui")
    assert refusal(approved) == "quorum"


def test_a_stricter_policy_counts_at_once(approved: Job) -> None:
    set_rules(approvals=2)
    assert refusal(approved) == "quorum"


def test_a_missing_group_is_not_outnumbered(everybody: persons.People) -> None:
    set_rules(groups=["Legal"])
    job = approve(jobs.waiting(), "rui")
    assert job.state == "WAITING_APPROVAL"
    Membership.objects.filter(principal__name="mei").update(groups=["Legal"])
    assert approve(job, "mei").state == "READY_TO_COMMIT"


def test_with_one_person_the_author_may_and_the_history_says_so(everybody: persons.People) -> None:
    persons.add("ada", "reviewer")
    set_rules(one_person=True)
    job = approve(jobs.waiting(), "ada")
    assert AUTHORITY.authorise(job, job.binding_hash, jobs.NOW).approvers == ("ada",)
    event = job.events.get(event="approve")
    assert event.facts["one_person"] is True


def test_an_editor_may_be_one_of_two_and_the_requester_never(everybody: persons.People) -> None:
    set_rules(approvals=2, editor_counts=True)
    persons.add("ada", "reviewer")
    job = jobs.received()
    job.revisions.filter(number=1).update(author="rui")
    job = approve(jobs.waiting(job), "rui")
    with pytest.raises(OwnWork):
        approve(job, "ada")
    assert approve(job, "mei").state == "READY_TO_COMMIT"


def test_the_author_of_a_skipped_job_cannot_approve_its_appeal(everybody: persons.People) -> None:
    persons.add("ada", "reviewer")
    first = jobs.received()
    appeal = jobs.waiting(requester="omar", appeals=first)
    with pytest.raises(OwnWork):
        approve(appeal, "ada")


def test_a_policy_that_needs_nobody_opens_as_approved(everybody: persons.People) -> None:
    set_rules(approvals=0)
    job = jobs.preparing(jobs.received())
    bound = "sha256:" + "2" * 64
    assert AUTHORITY.open(job, {"schema": "x"}, bound, jobs.NOW)
    assert AUTHORITY.authorise(job, bound, jobs.NOW).approvers == ()


def test_what_was_withdrawn_waits_for_a_person_though_the_policy_needs_nobody(
    approved: Job,
) -> None:
    set_rules(approvals=0)
    assert approve(approved, "rui", "withdraw").state == "WAITING_APPROVAL"
    assert jobs.request_of(approved).status == "pending"
    assert approve(approved, "mei").state == "READY_TO_COMMIT"


def test_a_job_that_waits_is_asked_about_anew_though_the_policy_needs_nobody(
    everybody: persons.People,
) -> None:
    job = jobs.waiting()
    set_rules(approvals=0)
    job.site.branch = "other"
    job.site.save(update_fields=["branch"])
    renewed = approvals.renew_envelope(job, jobs.NOW)
    assert renewed is not None
    assert renewed.status == "pending"
    assert approve(job, "mei").state == "READY_TO_COMMIT"


def test_another_envelope_supersedes_the_open_request(approved: Job) -> None:
    envelope = {**envelopes.of(approved), "scope": "changed"}
    bound = binding_hash(envelope)
    assert not AUTHORITY.open(approved, envelope, bound, jobs.NOW)
    statuses = list(approved.approvals.order_by("pk").values_list("status", flat=True))
    assert statuses == ["superseded", "pending"]


def test_a_yes_that_lost_its_giver_is_asked_for_anew(approved: Job) -> None:
    Membership.objects.filter(principal__name="rui", role="reviewer").delete()
    assert not AUTHORITY.open(approved, envelopes.of(approved), approved.binding_hash, jobs.NOW)
    statuses = list(approved.approvals.order_by("pk").values_list("status", flat=True))
    assert statuses == ["void", "pending"]


def test_release_gives_the_yes_back_and_done_ends_it(approved: Job) -> None:
    AUTHORITY.authorise(approved, approved.binding_hash, jobs.NOW)
    AUTHORITY.release(approved, "not sent", jobs.NOW)
    assert jobs.request_of(approved).status == "approved"
    AUTHORITY.done(approved, jobs.NOW)
    assert jobs.request_of(approved).status == "done"
