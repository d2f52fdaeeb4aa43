"""A job is given to a person or a group to look at: told in its history, and a right for nobody."""

import pytest
from django.test import Client

from publisher.domain.errors import InvalidInput, NotAllowed, NotFound, WrongState
from publisher.models import Job, JobEvent
from reviews.models import Assignment, Membership
from reviews.permissions import require
from reviews.services import assignments
from tests.support import jobs, people

pytestmark = pytest.mark.django_db


def give(job: Job, by: str = "omar", **to: str) -> None:
    assignments.give(job, caller=people.caller(by), now=jobs.NOW, **to)


def given(job: Job) -> list[str]:
    return [row.person.name if row.person else row.group for row in assignments.of(job)]


def events(job: Job) -> list[str]:
    rows = JobEvent.objects.filter(job=job, event__endswith="assigned").order_by("seq")
    return [f"{row.actor_name} {row.event} {row.facts['to']}" for row in rows]


def test_it_is_given_once_and_the_history_tells_it(job: Job) -> None:
    give(job, person="rui")
    give(job, person="rui")
    assert given(job) == ["rui"]
    assert events(job) == ["omar assigned rui"]


def test_a_group_is_one_that_somebody_able_is_in(job: Job) -> None:
    Membership.objects.filter(principal__name="mei", role="reviewer").update(groups=["legal"])
    give(job, group="legal")
    assert given(job) == ["legal"]
    with pytest.raises(InvalidInput):
        give(job, group="nobody")


@pytest.mark.parametrize("name", ["zoe", "drafter", "nobody", "stranger"])
def test_who_could_do_nothing_about_it_is_given_nothing(job: Job, name: str) -> None:
    people.add("stranger", "reviewer", scope="elsewhere")
    with pytest.raises(InvalidInput):
        give(job, person=name)
    assert given(job) == []


def test_a_program_is_given_nothing_whatever_its_role(job: Job) -> None:
    people.add("drafter", "reviewer", is_agent=True)
    assert "drafter" not in assignments.takers(job).people


@pytest.mark.parametrize("to", [{}, {"person": "rui", "group": "legal"}])
def test_one_person_or_one_group(job: Job, to: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        give(job, **to)


def test_it_gives_nobody_a_right(job: Job) -> None:
    give(job, person="omar")
    with pytest.raises(NotAllowed):
        require(people.caller("omar"), "decide", job.scope, job.site)


def test_who_may_not_change_it_gives_it_to_nobody(job: Job) -> None:
    people.add("max", "submitter")
    with pytest.raises(NotAllowed):
        give(job, by="max", person="rui")


def test_what_waits_for_nobody_is_given_to_nobody(job: Job) -> None:
    done = jobs.published(job)
    with pytest.raises(WrongState):
        give(done, person="rui")


def test_where_it_moved_on_meanwhile_nothing_is_left(job: Job) -> None:
    stale = jobs.reloaded(job)
    jobs.published(job)
    with pytest.raises(WrongState):
        give(stale, person="rui")
    assert not Assignment.objects.exists()


def test_it_is_taken_back_and_told(job: Job) -> None:
    give(job, person="rui")
    row = Assignment.objects.get()
    other = jobs.waiting()
    with pytest.raises(NotFound):
        assignments.take_back(other, row.pk, caller=people.caller("omar"), now=jobs.NOW)
    assignments.take_back(job, row.pk, caller=people.caller("mei"), now=jobs.NOW)
    assert given(job) == []
    assert events(job) == ["omar assigned rui", "mei unassigned rui"]


def client_of(name: str) -> Client:
    client = Client()
    user = people.caller(name).principal.user
    assert user is not None
    client.force_login(user)
    return client


def test_by_the_page_it_is_given_and_stands_in_the_inbox(job: Job) -> None:
    omar, rui = client_of("omar"), client_of("rui")
    assert "person:rui" in omar.get(f"/jobs/{job.pk}/").content.decode()
    omar.get(f"/jobs/{job.pk}/assign/")
    assert not Assignment.objects.exists()
    omar.post(f"/jobs/{job.pk}/assign/", {"to": "person:rui"})
    assert "omar gave it to you." in rui.get("/?given=me").content.decode()
    assert "Nothing fits these filters" in client_of("mei").get("/?given=me").content.decode()
    page = omar.get(f"/jobs/{job.pk}/").content.decode()
    assert "asked by omar" in page
    assert "omar gave it to rui to look at." in page
    omar.post(f"/jobs/{job.pk}/unassign/{Assignment.objects.get().pk}/")
    assert not Assignment.objects.exists()


def test_the_page_of_another_space_gives_nothing(job: Job) -> None:
    other = jobs.waiting(at=jobs.site("theirs", scope="elsewhere"))
    response = client_of("omar").post(f"/jobs/{other.pk}/assign/", {"to": "person:rui"})
    assert response.status_code == 404
