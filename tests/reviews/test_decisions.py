"""Decisions, through every door: what is taken, what is refused, and that a repeat is a repeat."""

import uuid
from datetime import timedelta

import pytest

from publisher import clock
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Job
from publisher.services import revise
from reviews.models import Approval, Comment, Decision, Membership
from reviews.services import asking, checks, decisions, policies
from tests.support import doors, jobs, people
from tests.support.doors import Door

pytestmark = pytest.mark.django_db

OTHER_HASH = "sha256:" + "0" * 64


@pytest.fixture(params=doors.ALL, ids=lambda door: door.name)
def door(request: pytest.FixtureRequest) -> Door:
    """Each door in turn."""
    found: Door = request.param
    return found


def set_rules(**rules: object) -> None:
    policies.put(
        caller=people.caller("omar"), scope="default", rules=rules, now=clock.now(), why="a test"
    )


def test_a_reviewer_approves_and_the_job_is_ready(door: Door, job: Job) -> None:
    answer = door.decide("rui", jobs.request_of(job), "approve")
    assert (answer.code, answer.body["job_state"]) == ("", "READY_TO_COMMIT")
    assert jobs.reloaded(job).state == "READY_TO_COMMIT"
    assert jobs.request_of(job).status == "approved"


def test_a_reviewer_rejects_and_that_is_final(door: Door, job: Job) -> None:
    approval = jobs.request_of(job)
    assert door.decide("rui", approval, "reject").body["job_state"] == "REJECTED"
    assert door.decide("mei", approval, "approve", request_id="r2").code == "already_decided"


def test_requested_changes_bring_the_job_to_review(door: Door, job: Job) -> None:
    assert door.decide("rui", jobs.request_of(job), "request_changes").body["job_state"] == "REVIEW"


@pytest.mark.parametrize("decision", ["approve", "reject", "request_changes", "withdraw"])
def test_no_decision_is_taken_without_a_hash(door: Door, job: Job, decision: str) -> None:
    answer = door.decide("rui", jobs.request_of(job), decision, reviewed_hash=None)
    assert answer.code == "hash_required"
    assert answer.status in (0, 400)
    assert not Decision.objects.exists()


def test_another_hash_is_superseded(door: Door, job: Job) -> None:
    answer = door.decide("rui", jobs.request_of(job), "approve", reviewed_hash=OTHER_HASH)
    assert answer.code == "superseded"
    assert answer.status in (0, 409)
    assert jobs.reloaded(job).state == "WAITING_APPROVAL"


def test_a_page_from_before_an_edit_is_told_which_fields_differ(door: Door, job: Job) -> None:
    old = jobs.request_of(job)
    who = Who(Actor.SUBMITTER, "ada")
    edited = revise.revise(
        job, files={job.target_path: b"# Other\n"}, base_revision=1, who=who, now=clock.now()
    )
    jobs.waiting(edited, now=clock.now())
    answer = door.decide("rui", old, "approve", reviewed_hash=old.binding_hash)
    assert answer.code == "superseded"
    assert answer.body["current"] == jobs.request_of(job).binding_hash
    fields = {entry["field"] for entry in answer.body["differences"]}
    assert fields == {"input_hash", "payload_hash"}


def test_the_requester_cannot_decide(door: Door, job: Job) -> None:
    people.add("ada", "reviewer")
    answer = door.decide("ada", jobs.request_of(job), "approve")
    assert answer.code == "own_work"
    assert answer.status in (0, 403)
    assert answer.body["others"] == ["mei", "rui"]


def test_an_editor_cannot_decide_about_the_edit(door: Door, job: Job) -> None:
    who = Who(Actor.REVIEWER, "rui")
    edited = revise.revise(
        job, files={job.target_path: b"# Mine\n"}, base_revision=1, who=who, now=clock.now()
    )
    jobs.waiting(edited, now=clock.now())
    assert door.decide("rui", jobs.request_of(job), "approve").code == "own_work"
    assert door.decide("mei", jobs.request_of(job), "approve", request_id="r2").code == ""


def test_an_editor_stays_an_author_when_somebody_edits_on(door: Door, job: Job) -> None:
    for number, (name, text) in enumerate([("rui", b"# Mine\n"), ("ada", b"# Mine\n\n")], start=1):
        edited = revise.revise(
            jobs.reloaded(job),
            files={job.target_path: text},
            base_revision=number,
            who=Who(Actor.REVIEWER, name),
            now=clock.now(),
        )
        jobs.waiting(edited, now=clock.now())
    assert door.decide("rui", jobs.request_of(job), "approve").code == "own_work"
    assert door.decide("mei", jobs.request_of(job), "approve", request_id="r2").code == ""


@pytest.mark.parametrize("name", ["ada", "omar"])
def test_without_the_reviewers_role_nobody_decides(door: Door, job: Job, name: str) -> None:
    answer = door.decide(name, jobs.request_of(job), "approve")
    assert answer.code == "not_allowed"
    assert answer.status in (0, 403)


def test_a_program_never_decides_even_as_a_reviewer(door: Door, job: Job) -> None:
    people.add("drafter", "reviewer", is_agent=True)
    assert door.decide("drafter", jobs.request_of(job), "approve").code == "not_allowed"
    assert jobs.reloaded(job).state == "WAITING_APPROVAL"


def test_outside_of_the_scope_there_is_nothing(door: Door, job: Job) -> None:
    people.add("eve", "reviewer", scope="elsewhere")
    answer = door.decide("eve", jobs.request_of(job), "approve")
    assert answer.code == "not_found"
    assert answer.status in (0, 404)


def test_after_the_time_to_answer_nothing_is_approved(door: Door, job: Job) -> None:
    approval = jobs.request_of(job)
    late = clock.now() - timedelta(seconds=1)
    Approval.objects.filter(pk=approval.pk).update(wait_until=late)
    answer = door.decide("rui", approval, "approve")
    assert answer.code == "expired"
    assert answer.status in (0, 410)


def test_a_repeat_with_the_same_request_id_gets_the_same_answer(door: Door, job: Job) -> None:
    approval = jobs.request_of(job)
    first = door.decide("rui", approval, "approve")
    again = door.decide("rui", approval, "approve")
    assert first == again
    assert Decision.objects.count() == 1


def test_a_request_id_is_not_reused_for_another_decision(door: Door, job: Job) -> None:
    approval = jobs.request_of(job)
    door.decide("rui", approval, "approve")
    assert door.decide("rui", approval, "reject").code == "already_decided"


def test_the_second_reviewer_learns_who_decided_and_when(door: Door, job: Job) -> None:
    approval = jobs.request_of(job)
    door.decide("rui", approval, "approve")
    answer = door.decide("mei", approval, "approve", request_id="r2")
    assert (answer.code, answer.body["who"]) == ("already_decided", "rui")
    assert answer.body["at"]


def test_nobody_counts_twice_towards_two(door: Door, job: Job) -> None:
    set_rules(approvals=2)
    approval = jobs.request_of(job)
    assert door.decide("rui", approval, "approve").body["approval_status"] == "pending"
    assert door.decide("rui", approval, "approve", request_id="r2").code == "already_decided"
    assert door.decide("mei", approval, "approve", request_id="r3").body["job_state"] == (
        "READY_TO_COMMIT"
    )


def test_parts_must_be_acknowledged_where_the_policy_says_so(door: Door, job: Job) -> None:
    set_rules(require_shown=True)
    approval = jobs.request_of(job)
    answer = door.decide("rui", approval, "approve", unread=True)
    assert (answer.code, answer.body["parts"]) == ("not_acknowledged", [job.target_path])
    assert f"{job.target_path} was not shown to you in full." in answer.body["detail"]
    sent = {"acknowledged": [job.target_path], "unread": True}
    assert door.decide("rui", approval, "approve", **sent).code == ""


def test_a_yes_can_be_taken_back_before_the_fence(door: Door, job: Job) -> None:
    approval = jobs.request_of(job)
    door.decide("rui", approval, "approve")
    answer = door.decide("rui", approval, "withdraw", request_id="r2")
    assert answer.body["job_state"] == "WAITING_APPROVAL"
    fresh = jobs.request_of(job)
    assert (fresh.status, fresh.binding_hash) == ("pending", approval.binding_hash)
    assert fresh.pk != approval.pk


def test_a_withdrawal_after_the_fence_is_too_late(door: Door, job: Job) -> None:
    approval = jobs.request_of(job)
    door.decide("rui", approval, "approve")
    Approval.objects.filter(pk=approval.pk).update(status="dispatching")
    jobs.with_intent(job)
    answer = door.decide("rui", approval, "withdraw", request_id="r2")
    assert answer.code == "too_late"
    assert answer.status in (0, 409)


def test_what_nobody_approved_cannot_be_withdrawn(door: Door, job: Job) -> None:
    assert door.decide("rui", jobs.request_of(job), "withdraw").code == "wrong_state"


def test_the_decision_keeps_its_door(door: Door, job: Job) -> None:
    door.decide("rui", jobs.request_of(job), "approve")
    kept = Decision.objects.get().door
    assert kept == ("api" if door.name == "service" else door.name)


def test_an_unknown_decision_is_named(job: Job) -> None:
    for door in doors.ALL[:2]:
        assert door.decide("rui", jobs.request_of(job), "maybe").code == "invalid"


def test_a_site_that_changed_under_a_request_makes_a_new_one(door: Door, job: Job) -> None:
    old = jobs.request_of(job)
    job.site.branch = "other"
    job.site.save(update_fields=["branch"])
    answer = door.decide("rui", old, "approve")
    assert answer.code == "superseded"
    assert [entry["field"] for entry in answer.body["differences"]] == ["target.branch"]
    fresh = jobs.request_of(job)
    assert fresh.envelope["target"]["branch"] == "other"
    assert door.decide("rui", fresh, "approve", request_id="r2").code == ""


def test_of_those_who_can_decide_a_role_of_another_site_names_nobody(
    everybody: people.People,
) -> None:
    job = jobs.waiting()
    Membership.objects.create(
        principal=everybody.zoe, scope=job.scope, site=jobs.site("diary"), role="reviewer"
    )
    rules, _version = policies.of(job)
    assert "zoe" not in checks.others_who_may(job, rules)
    Membership.objects.create(
        principal=everybody.zoe, scope=job.scope, site=job.site, role="reviewer"
    )
    assert "zoe" in checks.others_who_may(job, rules)


SECRET = "ghp_" + "a1B2" * 9


def test_what_was_acknowledged_or_pointed_at_is_kept_without_secrets(job: Job) -> None:
    sent = {
        "acknowledged": [job.target_path, SECRET],
        "comments": [decisions.Anchored(f"content/{SECRET}.md", 1, "Why?")],
    }
    assert doors.ALL[0].decide("rui", jobs.request_of(job), "approve", **sent).code == ""
    hidden = "[REDACTED:github-token]"
    assert sorted(Decision.objects.get().acknowledged) == sorted([hidden, job.target_path])
    assert Comment.objects.get().path == f"content/{hidden}.md"


def test_a_secret_is_no_request_id(door: Door, job: Job) -> None:
    answer = door.decide("rui", jobs.request_of(job), "approve", request_id=SECRET)
    assert answer.code == "invalid"
    assert "holds a secret" in answer.body.get("detail", "holds a secret")
    assert not Decision.objects.exists()
    for made in (uuid.uuid4().hex, str(uuid.uuid4()), f"cli-{uuid.uuid4()}", "r1"):
        assert asking.request_id(made) == made
