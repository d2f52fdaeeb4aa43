"""What stands first in the inbox, and why a row says it does."""

from datetime import timedelta

import pytest

from publisher.domain.states import State
from publisher.models import Article, Job, Site
from reviews import inbox as waiting
from reviews import inbox_order
from reviews.inbox_lines import Line
from reviews.models import Approval
from reviews.presenters import inbox as presenter
from tests.support import jobs, people

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _people(everybody: people.People) -> None: ...


def lines(name: str = "rui") -> list[Line]:
    return waiting.Inbox(people.caller(name), now=jobs.NOW).first.items


def told(line: Line) -> str:
    return " ".join(presenter.reasons(line, now=jobs.NOW))


def line_of(job: Job) -> Line:
    (found,) = [line for line in lines() if line.job_id == job.pk]
    return found


def test_risk_comes_before_the_end_before_what_would_be_void_before_age() -> None:
    oldest = jobs.waiting()
    first = jobs.waiting(now=jobs.NOW + MINUTE, path="content/same.md")
    second = jobs.waiting(now=jobs.NOW + 2 * MINUTE, path="content/same.md")
    soon = jobs.waiting(now=jobs.NOW + 3 * MINUTE)
    risky = jobs.waiting(now=jobs.NOW + 4 * MINUTE)
    Approval.objects.filter(job=soon).update(wait_until=jobs.NOW + timedelta(hours=2))
    Approval.objects.filter(job=risky).update(risk="risky")
    wanted = [risky, soon, first, second, oldest]
    assert [line.job_id for line in lines()] == [job.pk for job in wanted]


def test_of_two_risky_ones_the_older_is_first_and_says_that_it_is_risky() -> None:
    newer = jobs.waiting(now=jobs.NOW + MINUTE)
    older = jobs.waiting()
    Approval.objects.filter(job__in=[newer.pk, older.pk]).update(risk="risky")
    assert [line.job_id for line in lines()] == [older.pk, newer.pk]
    assert "The action is risky." in told(line_of(newer))


def test_only_the_oldest_are_looked_at_and_every_row_tells_what_would_void_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inbox_order, "LOOKED_AT", 2)
    made = [jobs.waiting(now=jobs.NOW + number * MINUTE) for number in range(2)]
    late = jobs.waiting(now=jobs.NOW + 2 * MINUTE, path=made[1].target_path)
    assert [line.job_id for line in lines()] == [made[1].pk, made[0].pk, late.pk]
    assert "changes the same file" in told(line_of(late))


def test_another_job_for_the_same_file_is_named_by_who_asked_for_it() -> None:
    ours = jobs.waiting(path="content/same.md")
    assert "changes the same file" not in told(line_of(ours))
    jobs.received(path="content/same.md", requester="omar")
    assert "Another open job, from omar, changes the same file." in told(line_of(ours))


def test_a_settled_job_for_the_same_file_is_no_rival() -> None:
    jobs.published(jobs.waiting(path="content/same.md"))
    assert line_of(jobs.waiting(path="content/same.md")).rival == ""


@pytest.mark.parametrize(
    "stop", [{"stop_reason": "The branch was rewritten."}, {"paused_lanes": ["publish"]}]
)
def test_what_is_for_a_stopped_site_comes_up(stop: dict[str, object]) -> None:
    jobs.waiting()
    held = jobs.waiting(at=jobs.site("notes"), now=jobs.NOW + MINUTE)
    Site.objects.filter(name="notes").update(**stop)
    assert lines()[0].job_id == held.pk
    assert "The site is stopped" in told(lines()[0])


@pytest.mark.parametrize("is_new", [True, False])
def test_what_the_site_no_longer_has_a_place_for_comes_up(is_new: bool) -> None:
    jobs.waiting()
    operation = "create" if is_new else "update"
    moved = jobs.waiting(
        at=jobs.site("notes"), now=jobs.NOW + MINUTE, path="content/a.md", operation=operation
    )
    other = jobs.waiting(
        at=jobs.site("notes"), now=jobs.NOW + 2 * MINUTE, path="content/b.md", operation=operation
    )
    Site.objects.filter(name="notes").update(indexed_commit="b" * 40)
    Article.objects.create(
        site=moved.site, path=moved.target_path if is_new else other.target_path, blob="c" * 40
    )
    assert lines()[0].job_id == moved.pk
    assert "no longer what the text was made for" in told(lines()[0])
    assert not line_of(other).is_moved


def test_the_end_is_told_within_a_day() -> None:
    job = jobs.waiting()
    assert "runs out" not in told(line_of(job))
    Approval.objects.filter(job=job).update(wait_until=jobs.NOW + timedelta(hours=23))
    assert "Its time runs out within a day." in told(line_of(job))


def test_what_is_over_is_asked_of_nobody() -> None:
    job = jobs.waiting()
    Approval.objects.filter(job=job).update(wait_until=jobs.NOW - MINUTE, risk="risky")
    assert lines() == []
    assert jobs.reloaded(job).state == State.WAITING_APPROVAL
