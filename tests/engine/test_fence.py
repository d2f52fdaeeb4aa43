"""The fence asks everything again in the transaction that writes the intent; one no, and nothing leaves."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from publisher.domain.errors import ImprimaturError, NotAuthorised
from publisher.domain.states import State
from publisher.engine import fence, look
from publisher.engine.fence import ObservedMoved
from publisher.engine.look import Look
from publisher.engine.run import Run
from publisher.models import Effect, Job, Site
from publisher.services import sites
from reviews.models import Approval
from tests.support.git import blob, git, head
from tests.support.journey import FRESH, FRESH_TEXT, HELLO, TARGET, Journey, fresh, told

CHANGED = HELLO.replace(b"Second", b"2nd")
Meddle = Callable[[Job], object]


def approved(journey: Journey) -> Job:
    return journey.approved(CHANGED, TARGET, action="update")


def passing(
    journey: Journey, job: Job, monkeypatch: pytest.MonkeyPatch, meddle: Meddle
) -> list[str]:
    """Work, and change rows in the fence's own transaction, once; what it answered, by name.

    A refusal takes the change back with everything else.
    """
    answers: list[str] = []
    real = fence.Fence.__call__

    def meddled(self: fence.Fence, row: Job) -> dict[str, object]:
        if not answers:
            meddle(row)
            row.refresh_from_db()
        try:
            found = real(self, row)
        except ImprimaturError as refusal:
            answers.append(type(refusal).__name__)
            raise
        answers.append("passed")
        return found

    monkeypatch.setattr(fence.Fence, "__call__", meddled)
    journey.work()
    return answers


def test_a_branch_that_was_looked_at_by_mistake_is_not_pushed_to(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(journey.remote, "branch", "trunk", "main")
    job, before = approved(journey), journey.head()
    Site.objects.update(branch="trunk")
    take = look.take

    def taken(run: Run) -> Look:
        seen = take(run)
        Site.objects.update(branch="main")  # back to what was approved, after the look
        return seen

    monkeypatch.setattr(look, "take", taken)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert head(journey.remote, "trunk") == before
    assert head(journey.remote) == fresh(job).remote_commit


def test_what_is_sent_carries_the_prefix_it_is_looked_for_by(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    take = look.take

    def taken(run: Run) -> Look:
        sites.change(Site.objects.get(), now=journey.now(), trailer_prefix="Press")
        return take(run)

    monkeypatch.setattr(look, "take", taken)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert "Press-Job-Id" in dict(journey.history()[0].trailers)
    assert job.effects.count() == 1


def test_a_site_out_of_use_is_published_to_no_more(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, before = approved(journey), journey.head()

    def remove(_row: Job) -> None:
        Site.objects.update(removed_at=journey.now())

    assert passing(journey, job, monkeypatch, remove) == ["SiteRemoved"]
    row = fresh(job)
    assert (row.state, row.failure_code) == (State.RETRY_WAIT, "site_removed"), told(job)
    assert (journey.head(), job.effects.count()) == (before, 0)


def rows(job: Job, **values: object) -> int:
    return Job.objects.filter(pk=job.pk).update(**values)


def test_it_passes_when_nothing_changed(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    job = approved(journey)
    assert passing(journey, job, monkeypatch, lambda _row: None) == ["passed"]
    assert fresh(job).state == State.PUBLISHED, told(job)


@pytest.mark.parametrize(
    "values",
    [
        {"requester": "somebody"},
        {"title": "Another title"},
        {"operation": "create"},
        {"scope": "elsewhere"},
        {"memory_revision": 3},
        {"binding_hash": "sha256:" + "0" * 64},
    ],
    ids=lambda values: next(iter(values)),
)
def test_a_bound_part_that_changes_in_the_last_moment_stops_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, values: dict[str, object]
) -> None:
    job, before = approved(journey), journey.head()
    answers = passing(journey, job, monkeypatch, lambda row: rows(row, **values))
    assert answers[0] == "NotAuthorised"
    assert journey.head() == before
    assert not Effect.objects.filter(job=job).exists()


def test_a_yes_that_runs_out_in_the_last_moment_stops_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, before = approved(journey), journey.head()
    over = journey.now() - timedelta(seconds=1)
    answers = passing(
        journey, job, monkeypatch,
        lambda row: Approval.objects.filter(job=row).update(valid_until=over),
    )  # fmt: skip
    assert answers == ["NotAuthorised"]
    assert (fresh(job).state, journey.head()) == (State.WAITING_APPROVAL, before)


def test_time_that_runs_out_in_the_last_moment_stops_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, before = approved(journey), journey.head()
    over = journey.now() - timedelta(seconds=1)
    answers = passing(journey, job, monkeypatch, lambda row: rows(row, deadline_at=over))
    assert answers == ["OutOfTime"]
    assert (fresh(job).state, fresh(job).failure_code) == (State.RETRY_WAIT, "deadline"), told(job)
    rows(job, deadline_at=over)
    journey.hurry(job)
    assert (fresh(job).state, fresh(job).failure_code) == (State.FAILED, "delivery_exhausted")
    assert journey.head() == before
    journey.is_sound(job)


def test_a_remote_that_holds_something_else_than_the_approved_base_is_looked_at_again(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = approved(journey)
    real, looks = look.take, []

    def seeing(run: object) -> Look:
        seen = real(run)  # type: ignore[arg-type]
        looks.append(seen)
        return replace(seen, held={TARGET: "sha256:" + "0" * 64}) if len(looks) == 1 else seen

    monkeypatch.setattr(look, "take", seeing)
    answers = passing(journey, job, monkeypatch, lambda _row: None)
    assert answers == [ObservedMoved.__name__, "passed"]
    assert len(looks) >= 2
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert blob(journey.remote, TARGET) == CHANGED
    journey.is_sound(job)


def test_a_key_that_was_used_for_other_bytes_is_never_used_again(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = journey.published(FRESH_TEXT, FRESH, action="create")
    job, before = approved(journey), journey.head()
    monkeypatch.setattr(
        fence, "operation_key", lambda _job: Effect.objects.get(job=other).operation_key
    )
    answers = passing(journey, job, monkeypatch, lambda _row: None)
    assert answers == [NotAuthorised.__name__]
    assert journey.head() == before
    assert Effect.objects.get(job=other).status == "confirmed"
