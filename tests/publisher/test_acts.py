"""What people do to a job besides deciding: stop it, try again, overrule, appeal."""

from datetime import timedelta
from pathlib import Path

import pytest

from publisher import authority, journal, prepare, selectors
from publisher.domain.errors import IllegalMove, InvalidInput, NotFound, TooLate, WrongState
from publisher.domain.findings import OF_THE_SITE
from publisher.domain.states import TERMINAL, Actor, Event, State
from publisher.journal import Who
from publisher.models import Effect, Finding, Job, Revision
from publisher.services import acts
from reviews.services import policies
from tests.support import jobs, people
from tests.support.jobs import NOW, moved, waiting

pytestmark = pytest.mark.django_db
ADA = Who(Actor.SUBMITTER, "ada")
OMAR = Who(Actor.OPERATOR, "omar")
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3iL6"


def ready() -> Job:
    return moved(waiting(), Event.APPROVE, State.READY_TO_COMMIT)


def pushing() -> Job:
    job = moved(moved(ready(), Event.COMMIT), Event.COMMITTED)
    job = moved(job, Event.DELIVER)
    jobs.with_intent(job)
    return job


def failed() -> Job:
    return moved(ready(), Event.FAIL)


def finding(job: Job) -> Finding:
    return Finding.objects.get(step__job=job)


@pytest.mark.parametrize("make", [jobs.received, waiting, jobs.in_review, ready])
def test_a_job_is_cancelled_and_its_worker_stopped(make: object) -> None:
    job: Job = make()  # type: ignore[operator]
    generation = job.generation
    acts.cancel(job, who=ADA, now=NOW, reason="not now")
    assert (job.state, job.generation, job.finished_at) == ("CANCELLED", generation + 1, NOW)
    assert selectors.events(job)[-1].reason == "not now"


def test_cancelling_closes_the_open_request() -> None:
    job = waiting()
    acts.cancel(job, who=ADA, now=NOW)
    assert jobs.request_of(job).status == "void"


@pytest.mark.parametrize("status", ["intent", "unknown"])
def test_it_is_too_late_to_cancel_what_may_be_on_its_way(status: str) -> None:
    job = pushing()
    Effect.objects.filter(job=job).update(status=status)
    with pytest.raises(TooLate):
        acts.cancel(job, who=ADA, now=NOW)
    assert (jobs.reloaded(job).state, jobs.reloaded(job).generation) == ("PUSHING", job.generation)


@pytest.mark.parametrize("status", ["absent", "closed"])
def test_what_surely_did_not_happen_can_be_cancelled(status: str) -> None:
    job = pushing()
    Effect.objects.filter(job=job).update(status=status)
    assert acts.cancel(job, who=ADA, now=NOW).state == "CANCELLED"


def test_what_is_over_cannot_be_cancelled() -> None:
    job = jobs.skipped()
    assert State(job.state) in TERMINAL
    with pytest.raises(WrongState):
        acts.cancel(job, who=ADA, now=NOW)


def test_what_failed_can_be_given_up_for_good() -> None:
    job = failed()
    assert acts.cancel(job, who=ADA, now=NOW).state == "CANCELLED"
    with pytest.raises(WrongState):
        acts.retry(job, who=OMAR, now=NOW)


def test_what_failed_is_not_cancelled_while_it_is_looked_for() -> None:
    job = failed()
    jobs.with_intent(job)
    with pytest.raises(TooLate):
        acts.cancel(job, who=ADA, now=NOW)
    assert jobs.reloaded(job).state == "FAILED"


def test_a_row_that_moved_on_is_not_cancelled() -> None:
    job = jobs.received()
    seen = jobs.reloaded(job)
    jobs.preparing(job)
    with pytest.raises(WrongState):
        acts.cancel(seen, who=ADA, now=NOW)
    assert jobs.reloaded(job).state == "PREPARING"


def test_what_moved_on_is_not_hurried() -> None:
    job = moved(ready(), Event.WAIT)
    Job.objects.filter(pk=job.pk).update(generation=job.generation + 1)
    with pytest.raises(WrongState, match="moved on"):
        acts.retry(job, who=OMAR, now=NOW)
    assert selectors.events(job)[-1].event != "retry_now"


def test_a_finding_of_a_job_that_moved_on_is_not_overruled() -> None:
    job = jobs.in_review()
    Job.objects.filter(pk=job.pk).update(state_version=job.state_version + 1)
    with pytest.raises(WrongState, match="moved on"):
        acts.override(job, finding_id=finding(job).pk, who=OMAR, now=NOW, reason="fine")
    assert finding(job).overridden_at is None


def test_giving_up_needs_a_reason() -> None:
    job = jobs.in_review()
    with pytest.raises(InvalidInput):
        acts.skip(job, who=OMAR, now=NOW, reason=" ")
    assert acts.skip(job, who=OMAR, now=NOW, reason="old").state == "SKIPPED"


def test_only_what_waits_for_people_is_given_up() -> None:
    with pytest.raises(WrongState):
        acts.skip(waiting(), who=OMAR, now=NOW, reason="old")


def test_a_failed_job_is_tried_again_with_a_new_budget() -> None:
    job = failed()
    Job.objects.filter(pk=job.pk).update(attempt=9, deadline_at=NOW, failure_code="x")
    job = acts.retry(jobs.reloaded(job), who=OMAR, now=NOW)
    assert (job.state, job.attempt, job.deadline_at) == ("RECEIVED", 0, None)
    assert (job.failure_code, job.finished_at) == ("", None)


def test_a_failed_job_with_an_open_intent_is_not_tried_again() -> None:
    job = moved(pushing(), Event.FAIL)
    with pytest.raises(TooLate):
        acts.retry(job, who=OMAR, now=NOW)
    assert jobs.reloaded(job).state == "FAILED"


def test_a_waiting_retry_is_hurried_without_a_move() -> None:
    job = moved(ready(), Event.WAIT)
    Job.objects.filter(pk=job.pk).update(attempt=5, available_at=NOW.replace(year=2030))
    job = acts.retry(jobs.reloaded(job), who=OMAR, now=NOW)
    assert (job.state, job.attempt, job.available_at) == ("RETRY_WAIT", 0, NOW)


def test_overruling_the_last_finding_lets_the_job_go_on() -> None:
    job = jobs.in_review()
    found = finding(job)
    acts.override(job, finding_id=found.pk, who=OMAR, now=NOW, reason=f"fine {SECRET}")
    found.refresh_from_db()
    assert (job.state, found.overridden_by, found.overridden_at) == ("RECEIVED", "omar", NOW)
    assert SECRET not in found.overridden_why


def test_while_another_finding_blocks_the_job_stays() -> None:
    job = jobs.in_review()
    found = finding(job)
    Finding.objects.create(step=found.step, severity="block", rule="mdx_syntax", message="Too.")
    acts.override(job, finding_id=found.pk, who=OMAR, now=NOW, reason="fine")
    assert job.state == "REVIEW"
    with pytest.raises(WrongState):
        acts.ask_again(job, who=OMAR, now=NOW)


@pytest.mark.parametrize("rule", sorted(acts.NEVER_OVERRIDDEN))
def test_some_findings_nobody_overrules(rule: str) -> None:
    job = jobs.in_review()
    Finding.objects.filter(step__job=job).update(rule=rule)
    with pytest.raises(InvalidInput):
        acts.override(job, finding_id=finding(job).pk, who=OMAR, now=NOW, reason="fine")
    assert finding(job).overridden_at is None


@pytest.mark.parametrize("rule", sorted(acts.NEVER_OVERRIDDEN | acts.PLACE_RULES))
def test_what_is_never_overruled_is_the_rule_of_a_gate(rule: str) -> None:
    gates = Path(prepare.__file__).parent.rglob("*.py")
    assert any(f'"{rule}"' in gate.read_text() for gate in gates)


@pytest.mark.parametrize("rule", sorted(OF_THE_SITE))
def test_what_only_the_site_keeps_is_tried_again(rule: str) -> None:
    job = jobs.in_review()
    Finding.objects.filter(step__job=job).update(rule=rule)
    Finding.objects.create(step=finding(job).step, severity="block", rule="utf8", message="Too.")
    with pytest.raises(WrongState, match="Retry is not possible"):
        acts.retry(job, who=OMAR, now=NOW)
    Finding.objects.filter(step__job=job, rule="utf8").delete()
    assert acts.retry(job, who=OMAR, now=NOW).state == "RECEIVED"


def test_overruling_needs_a_reason_and_a_finding_of_this_job() -> None:
    job, other = jobs.in_review(), jobs.in_review()
    with pytest.raises(InvalidInput):
        acts.override(job, finding_id=finding(job).pk, who=OMAR, now=NOW, reason="")
    with pytest.raises(NotFound):
        acts.override(job, finding_id=finding(other).pk, who=OMAR, now=NOW, reason="fine")


def asked_back() -> Job:
    """A complete draft that came back from its reviewer."""
    job = waiting()
    journal.record(job, Event.REQUEST_CHANGES, who=Who(Actor.REVIEWER, "rui"), now=NOW)
    return job


def test_a_complete_draft_is_asked_for_again() -> None:
    job = acts.ask_again(asked_back(), who=ADA, now=NOW)
    assert job.state == "WAITING_APPROVAL"
    assert jobs.request_of(job).binding_hash == job.binding_hash


def test_where_nobody_needs_to_say_yes_asking_again_is_enough() -> None:
    people.everybody()
    job = asked_back()
    authority.current().void(job, "changes requested", NOW)
    policies.put(
        caller=people.caller("omar"), scope="default", rules={"approvals": 0}, now=NOW, why="a test"
    )
    acts.ask_again(job, who=ADA, now=NOW)
    assert job.state == "READY_TO_COMMIT"
    assert [event.event for event in selectors.events(job)][-2:] == ["ask_again", "approve"]
    assert jobs.request_of(job).status == "approved"


def test_an_appeal_is_a_new_job_with_the_same_inputs() -> None:
    job = jobs.skipped()
    appeal = acts.publish_anyway(job, who=OMAR, now=NOW).job
    assert (appeal.state, appeal.appeals_id, appeal.requester) == ("RECEIVED", job.pk, "omar")
    assert appeal.pk != job.pk
    assert appeal.revisions.get().inputs == job.revisions.get().inputs
    assert jobs.reloaded(job).state == "SKIPPED"


@pytest.mark.parametrize("given", ["", "content/posts/given.md"])
def test_an_appeal_of_sources_keeps_the_path_that_was_given_and_no_other(given: str) -> None:
    job = jobs.skipped()
    first = job.revisions.get()
    Revision.objects.create(
        job=job, number=2, inputs={**first.inputs, "path": given}, input_hash=first.input_hash,
        author="ada", created_at=NOW,
    )  # fmt: skip
    Job.objects.filter(pk=job.pk).update(revision=2, ready_draft=False)
    assert acts.publish_anyway(jobs.reloaded(job), who=OMAR, now=NOW).job.target_path == given


def test_an_appeal_leaves_no_earlier_than_the_job_would_have() -> None:
    job, later = jobs.skipped(), NOW + timedelta(days=1)
    Job.objects.filter(pk=job.pk).update(not_before=later)
    appeal = acts.publish_anyway(jobs.reloaded(job), who=OMAR, now=NOW).job
    assert jobs.reloaded(appeal).not_before == later


def test_while_an_appeal_is_open_asking_again_gives_the_same_one() -> None:
    job = jobs.skipped()
    first = acts.publish_anyway(job, who=OMAR, now=NOW)
    again = acts.publish_anyway(jobs.reloaded(job), who=OMAR, now=NOW)
    assert (first.created, again.created, again.job.pk) == (True, False, first.job.pk)
    note = selectors.events(job)[-1]
    assert (note.event, note.facts["by"]) == ("appeal_asked", first.job.pk)
    moved(jobs.preparing(again.job), Event.FAIL)
    assert not acts.publish_anyway(jobs.reloaded(job), who=OMAR, now=NOW).created
    acts.cancel(jobs.reloaded(again.job), who=OMAR, now=NOW)
    assert acts.publish_anyway(jobs.reloaded(job), who=OMAR, now=NOW).created


def test_only_what_the_judge_skipped_is_published_anyway() -> None:
    by_a_person = jobs.skipped()
    Job.objects.filter(pk=by_a_person.pk).update(failure_code="skipped")
    for job in (waiting(), jobs.reloaded(by_a_person)):
        with pytest.raises(WrongState, match="skipped as a duplicate"):
            acts.publish_anyway(job, who=OMAR, now=NOW)


def test_a_reviewer_cannot_cancel() -> None:
    job = waiting()
    with pytest.raises((WrongState, IllegalMove)):
        acts.cancel(job, who=Who(Actor.REVIEWER, "rui"), now=NOW)
    assert job.state == "WAITING_APPROVAL"
