"""evaluate: one job read anew from its history, its artifacts and the remote, never from its state."""

import pytest

from publisher import journal
from publisher.domain.states import Actor, Event, State
from publisher.engine.audit.evaluate import evaluate
from publisher.journal import Who
from publisher.models import Job
from publisher.services import sites
from tests.support.git import git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, Journey, fresh, told
from tests.support.planted import stored_file, write


@pytest.fixture
def published(journey: Journey) -> Job:
    """A published job."""
    return journey.published(FRESH_TEXT, FRESH, action="create")


def _failed(journey: Journey, job: Job) -> set[str]:
    checks = evaluate(fresh(job), journey.ports).checks
    return {name for name, result in checks.items() if result.startswith("failed")}


def test_a_published_job_passes_and_nothing_is_said_about_its_meaning(
    journey: Journey, published: Job
) -> None:
    done = evaluate(published, journey.ports)
    assert done.passed
    assert dict(done.checks) == {
        "outcome": "passed",
        "history": "passed",
        "artifacts": "passed",
        "steps": "passed",
        "receipts": "passed",
        "remote": "passed",
        "semantic_support": "not_scored",
        "model_quality": "not_scored",
    }


def test_a_job_that_failed_before_anything_was_published_is_not_accepted(
    journey: Journey,
) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journal.record(job, Event.PREPARE, who=Who(Actor.WORKER), now=journey.now())
    journal.record(job, Event.FAIL, who=Who(Actor.WORKER), now=journey.now())
    done = evaluate(fresh(job), journey.ports)
    assert not done.passed
    assert done.checks["outcome"] == "failed: not published, it is FAILED"


def test_a_job_that_still_waits_is_not_accepted(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    assert _failed(journey, job) == {"outcome"}


def test_a_job_that_had_nothing_to_do_is_accepted(journey: Journey, published: Job) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="update")
    journey.work()
    assert fresh(job).state == State.SKIPPED, told(job)
    assert _failed(journey, job) == set()


def test_a_state_alone_proves_nothing(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    write("UPDATE publisher_job SET state = 'PUBLISHED'")
    assert _failed(journey, job) == {"history", "receipts", "remote"}


def test_bytes_that_changed_since_fail(journey: Journey, published: Job) -> None:
    file = stored_file(published.revisions.get().content)
    kept = file.read_bytes()
    file.write_bytes(kept + b"!")
    failed = _failed(journey, published)
    file.write_bytes(kept)
    assert failed == {"artifacts"}


def test_a_second_commit_fails(journey: Journey, published: Job) -> None:
    message = git(journey.remote, "log", "-1", "--format=%B").decode().strip()
    second_person(journey.remote, {"b.md": b"x"}, message)
    assert _failed(journey, published) == {"remote"}


def test_a_commit_that_is_gone_fails(journey: Journey, published: Job) -> None:
    git(journey.remote, "update-ref", "refs/heads/main", "main^")
    assert _failed(journey, published) == {"remote"}


@pytest.mark.parametrize("is_there", [True, False])
def test_a_job_is_looked_for_where_it_was_published(
    journey: Journey, published: Job, *, is_there: bool
) -> None:
    """The site follows another branch by now, whose history does not hold it."""
    git(journey.remote, "branch", "live", "main^")
    if not is_there:
        git(journey.remote, "update-ref", "refs/heads/main", "main^")
    sites.change(journey.site, now=journey.now(), branch="live")
    assert _failed(journey, published) == (set() if is_there else {"remote"})


def test_a_copy_on_the_present_branch_hides_nothing_of_the_one_before(
    journey: Journey, published: Job
) -> None:
    git(journey.remote, "branch", "live", "main^")
    message = git(journey.remote, "log", "-1", "--format=%B", "main").decode()
    second_person(journey.remote, {FRESH: FRESH_TEXT}, message, branch="live")
    sites.change(journey.site, now=journey.now(), branch="live")
    assert _failed(journey, published) == set()


def test_a_branch_of_another_name_that_holds_it_is_enough(journey: Journey, published: Job) -> None:
    git(journey.remote, "branch", "-m", "main", "live")
    sites.change(journey.site, now=journey.now(), branch="live")
    assert _failed(journey, published) == set()
