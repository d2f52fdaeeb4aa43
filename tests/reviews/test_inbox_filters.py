"""Filters of the inbox: what passes, what an address may hold, and that counts agree with rows."""

import pytest

from publisher.models import Job
from reviews import inbox as waiting
from reviews import inbox_filters, inbox_lines, inbox_order
from reviews.inbox_filters import Filters
from reviews.models import Approval, Membership
from tests.support import jobs, people, reviewing_rows
from tests.support.page_rows import clashing

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _people(everybody: people.People) -> None: ...


def passing(name: str = "rui", **chosen: str) -> set[str]:
    """By the part of the first page that passes; by a question of its own it is the same."""
    box = waiting.Inbox(people.caller(name), now=jobs.NOW, chosen=Filters(**chosen))
    found = {line.job_id for line in box.page().items}
    asked = inbox_lines.read(
        inbox_order.passing(inbox_order.sources(box.caller, now=box.now, chosen=box.chosen)),
        after=None, limit=50,
    )  # fmt: skip
    assert {line.job_id for line in asked} == found
    return found


def test_each_kind_alone() -> None:
    asked, stopped = jobs.waiting(), jobs.in_review()
    clash = clashing(at=jobs.site(), now=jobs.NOW)
    assert passing("mei") == {asked.pk, stopped.pk, clash.pk}
    assert passing("mei", kind="approval") == {asked.pk}
    assert passing("mei", kind="review") == {stopped.pk}
    assert passing("mei", kind="conflict") == {clash.pk}


def test_site_requester_title_and_path() -> None:
    one = jobs.waiting(title="Bees on the roof", path="content/bees.md")
    other = jobs.in_review(at=jobs.site("notes"), requester="omar")
    assert passing(site="notes") == {other.pk}
    assert passing(who="OMAR") == {other.pk}
    assert passing(q="BEES ON") == {one.pk}
    assert passing(q="content/bees") == {one.pk}
    assert passing(q="100%") == set()
    assert passing(q="bees", site="notes") == set()


def test_only_approvals_have_a_risk() -> None:
    risky, _routine = jobs.waiting(), jobs.waiting()
    jobs.in_review()
    Approval.objects.filter(job=risky).update(risk="risky")
    assert passing(risk="risky") == {risky.pk}
    assert passing(risk="risky", kind="review") == set()


def given(job: Job, **to: str) -> Job:
    reviewing_rows.assignment(job, by="omar", now=jobs.NOW, **to)
    return job


def test_given_to_me_and_to_my_groups() -> None:
    Membership.objects.filter(principal__name="rui", role="reviewer").update(groups=["legal"])
    mine = given(jobs.waiting(), person="rui")
    ours = given(jobs.in_review(), group="legal")
    theirs = given(jobs.waiting(), person="mei")
    elsewhere = given(jobs.waiting(), group="desk")
    assert passing() == {mine.pk, ours.pk, theirs.pk, elsewhere.pk}
    assert passing(given="me") == {mine.pk}
    assert passing(given="groups") == {ours.pk}
    assert passing("mei", given="groups") == set()


def test_a_group_of_the_same_name_in_another_space_is_another() -> None:
    there = people.add("ines")
    Membership.objects.create(principal=there, scope="other", role="reviewer", groups=["legal"])
    Membership.objects.create(principal=there, scope="default", role="reviewer")
    given(jobs.waiting(), group="legal")
    assert len(passing("ines")) == 1
    assert passing("ines", given="groups") == set()


def test_filters_give_nobody_a_right() -> None:
    given(jobs.waiting(at=jobs.site("theirs", scope="elsewhere")), person="rui")
    assert passing(given="me") == set()
    assert passing(site="theirs") == set()


def test_an_address_comes_back_as_it_was() -> None:
    chosen = Filters(q="a&b=c", kind="review", site="blog", given="me")
    assert chosen.address("3~x") == "?q=a%26b%3Dc&kind=review&site=blog&given=me&after=3~x"
    assert inbox_filters.read(dict(chosen.used)) == chosen


@pytest.mark.parametrize("name", ["kind", "given", "risk"])
def test_a_value_that_does_not_exist_filters_nothing(name: str) -> None:
    assert inbox_filters.read({name: "nonsense", "q": "\x00 "}) == Filters()


def test_the_count_is_the_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "SHOWN", 2)
    for number in range(4):
        jobs.waiting(title="even" if number % 2 == 0 else "odd")

    def counts(q: str) -> tuple[str, str]:
        box = waiting.Inbox(people.caller("rui"), now=jobs.NOW, chosen=Filters(q=q))
        return str(box.waiting), str(box.page().count)

    assert counts("even") == ("2+", "2")
    assert counts("none") == ("2+", "0")
    assert counts("content") == ("2+", "2+")
    monkeypatch.setattr(waiting, "SHOWN", 4)
    assert counts("even") == ("4", "2")
