"""The inbox: what waits for whom, soonest to expire first."""

from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from publisher.domain.states import Event
from publisher.models import Conflict, Job, Site
from reviews import inbox as waiting
from reviews.models import Approval, Membership
from reviews.services import decisions, policies
from reviews.services.quorum import barred
from tests.support import jobs, people
from tests.support.page_rows import clashing

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _people(everybody: people.People) -> None: ...


def inbox(name: str) -> list[waiting.InboxItem]:
    return list(waiting.items(people.caller(name), now=jobs.NOW))


def test_a_reviewer_is_asked_and_the_author_is_not() -> None:
    job = jobs.waiting()
    people.add("ada", "reviewer")
    assert [(item.kind, item.job.pk) for item in inbox("rui")] == [("approval", job.pk)]
    assert inbox("ada") == []
    assert inbox("zoe") == []


def test_who_answered_is_asked_no_more() -> None:
    policies.put(
        caller=people.caller("omar"), scope="default", rules={"approvals": 2}, now=jobs.NOW, why="x"
    )
    approval = jobs.request_of(jobs.waiting())
    decisions.decide(
        approval,
        caller=people.caller("rui"),
        decision="approve",
        reviewed_hash=approval.binding_hash,
        request_id="r",
        now=jobs.NOW,
    )
    assert inbox("rui") == []
    assert len(inbox("mei")) == 1


def test_a_job_in_review_waits_for_those_who_can_mend_it() -> None:
    jobs.in_review()
    assert [item.kind for item in inbox("ada")] == ["review"]
    assert [item.kind for item in inbox("omar")] == ["review"]
    people.add("max", "submitter")
    assert inbox("max") == []


def test_what_expires_soon_comes_before_what_is_older() -> None:
    older = jobs.waiting()
    soon = jobs.waiting(now=jobs.NOW + timedelta(minutes=1))
    end = jobs.NOW + timedelta(hours=2)
    Approval.objects.filter(job=soon).update(wait_until=end)
    assert [item.job.pk for item in inbox("rui")] == [soon.pk, older.pk]


def test_a_conflict_waits_for_reviewers() -> None:
    job = jobs.waiting()
    approval = jobs.request_of(job)
    decisions.decide(
        approval,
        caller=people.caller("rui"),
        decision="approve",
        reviewed_hash=approval.binding_hash,
        request_id="r",
        now=jobs.NOW,
    )
    clash = jobs.moved(jobs.reloaded(job), Event.CLASH)
    Conflict.objects.create(job=clash, revision=1, kind="content", created_at=jobs.NOW)
    assert [item.kind for item in inbox("mei")] == ["conflict"]


def test_another_scopes_work_is_nobodys_here() -> None:
    jobs.waiting(at=jobs.site("theirs", scope="elsewhere"))
    assert inbox("rui") == []


def test_a_long_inbox_costs_no_query_a_row(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(12):
        jobs.waiting()
    with django_assert_max_num_queries(9):
        assert len(inbox("rui")) == 12


@pytest.mark.parametrize("number", [2, 40])
def test_ones_own_requests_cost_no_query_each(
    shown: int, number: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    people.add("rui", "submitter")
    theirs = jobs.waiting()
    for _ in range(number):
        revised_by(jobs.waiting(), "rui")
        jobs.waiting(requester="rui")
    with django_assert_max_num_queries(12):
        assert [item.job.pk for item in inbox("rui")] == [theirs.pk]


def revised_by(job: Job, name: str) -> Job:
    """The job as if this person had written its revision as well."""
    first = job.revisions.get(number=1)
    first.pk, first.number, first.author = None, 2, name
    first.save(force_insert=True)
    Job.objects.filter(pk=job.pk).update(revision=2)
    return job


RULES = [
    {},
    {"one_person": True},
    {"approvals": 2},
    {"approvals": 2, "editor_counts": True},
    {"editor_counts": True},
]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("narrower", [None, {"one_person": False}, {"one_person": True}], ids=str)
def test_who_is_asked_is_whom_the_rules_do_not_bar(
    rules: dict[str, object], narrower: dict[str, object] | None
) -> None:
    people.add("rui", "submitter")
    blog = jobs.site()
    omar = people.caller("omar")
    for site, given in ((None, rules), (blog, narrower)):
        if given is not None:
            policies.put(
                caller=omar, scope="default", site=site, rules=given, now=jobs.NOW, why="a test"
            )
    appealed = [jobs.waiting(at=jobs.site("notes"), requester="rui")]
    appealed.append(jobs.waiting(at=blog, appeals=appealed[0]))
    made = [revised_by(jobs.waiting(at=blog, requester=name), "rui") for name in ("ada", "rui")]
    made += [*appealed, jobs.waiting(at=blog), jobs.waiting(at=blog, requester="rui")]
    made.append(jobs.waiting(at=blog, appeals=appealed[1]))
    made.append(revised_by(jobs.waiting(at=blog, appeals=appealed[1]), "rui"))
    free = {
        job.pk for job in map(jobs.reloaded, made) if "rui" not in barred(job, policies.of(job)[0])
    }
    assert {item.job.pk for item in inbox("rui")} == free


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> int:
    """A page of three."""
    monkeypatch.setattr(waiting, "SHOWN", 3)
    return 3


def crowd(at: Site, number: int = 4) -> list[str]:
    """Older work of each kind in one place, as much as would fill any page."""
    made = []
    for _ in range(number):
        made += [jobs.waiting(at=at).pk, jobs.in_review(at=at).pk]
        made.append(clashing(at=at, now=jobs.NOW).pk)
    return made


def read_in_pages(name: str) -> list[waiting.InboxItem]:
    found: list[waiting.InboxItem] = []
    after = ""
    while True:
        place = waiting.place_of(after)
        part = waiting.page(people.caller(name), now=jobs.NOW, after=place)
        assert len(part.items) <= waiting.SHOWN
        found += part.items
        after = part.next
        if not after:
            return found


def test_what_is_out_of_reach_hides_nothing(shown: int) -> None:
    crowd(jobs.site("theirs"))
    ours = jobs.site("ours")
    later = jobs.NOW + timedelta(minutes=1)
    person = people.add("ines")
    for role in ("reviewer", "operator"):
        Membership.objects.create(principal=person, scope="default", site=ours, role=role)
    made = [jobs.waiting(at=ours, now=later).pk, jobs.in_review(at=ours, now=later).pk]
    made.append(clashing(at=ours, now=later).pk)
    assert {item.job.pk for item in inbox("ines")} == set(made)
    assert waiting.waiting(people.caller("ines"), now=later).number == 3


def test_ones_own_work_hides_nothing(shown: int) -> None:
    people.add("rui", "submitter")
    for _ in range(5):
        jobs.waiting(requester="rui")
    theirs = jobs.waiting(now=jobs.NOW + timedelta(minutes=1))
    assert [item.job.pk for item in inbox("rui")] == [theirs.pk]


def test_a_long_inbox_is_read_in_pages_without_a_gap(shown: int) -> None:
    made = crowd(jobs.site())
    soon = [jobs.waiting().pk for _ in range(4)]
    Approval.objects.filter(job__in=soon).update(wait_until=jobs.NOW + timedelta(hours=2))
    found = [item.job.pk for item in read_in_pages("mei")]
    assert found == [item.job.pk for item in inbox("mei")]
    assert sorted(found) == sorted(made + soon)
    assert set(found[:4]) == set(soon)


def test_the_badge_counts_what_can_be_reached_and_says_where_it_stops(shown: int) -> None:
    first = jobs.waiting()
    assert str(waiting.waiting(people.caller("rui"), now=jobs.NOW)) == "1"
    for _ in range(3):
        jobs.waiting(at=first.site)
    assert str(waiting.waiting(people.caller("rui"), now=jobs.NOW)) == "3+"
    assert not waiting.waiting(people.caller("zoe"), now=jobs.NOW)


@pytest.mark.parametrize("text", ["", "x", "1~never~review~a", "1~2026-05-03T12:00:00+00:00~b~1"])
def test_a_place_that_is_none_begins_at_the_first(text: str) -> None:
    assert waiting.place_of(text) is None
