"""Groups: given with a role, taken away alone, and without weight from then on."""

from io import StringIO

import pytest
from django.core.management import call_command

from publisher import clock
from publisher.domain.errors import InvalidInput, NotAllowed, NotAuthorised
from reviews.authority import DatabaseAuthority
from reviews.models import Membership
from reviews.services import decisions, policies
from reviews.services import people as service
from tests.support import jobs, people
from tests.support.people import caller

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _mei_in_two_groups(everybody: people.People) -> None:
    service.add(
        name="mei",
        scope="default",
        roles=["reviewer"],
        groups=["legal", "desk"],
        caller=caller("omar"),
        now=clock.now(),
    )


def leave(*groups: str, by: str = "omar", scope: str = "default") -> None:
    service.leave_groups(service.find("mei"), scope=scope, groups=groups, caller=caller(by))


def held() -> list[Membership]:
    return list(Membership.objects.filter(principal__name="mei", scope="default"))


def test_who_leaves_a_group_keeps_the_role_and_the_other_groups() -> None:
    leave("legal")
    (one,) = held()
    assert (one.role, one.groups) == ("reviewer", ["desk"])


def test_only_an_admin_of_the_space_takes_somebody_out() -> None:
    with pytest.raises(NotAllowed):
        leave("legal", by="rui")
    with pytest.raises(NotAllowed):
        leave("legal", scope="private")
    assert service.groups_of(held()) == ["desk", "legal"]


def test_a_group_that_they_are_not_in_is_named_and_nothing_changes() -> None:
    with pytest.raises(InvalidInput, match="mei is not in the group press there"):
        leave("legal", "press")
    assert service.groups_of(held()) == ["desk", "legal"]


def test_a_yes_that_was_given_for_a_group_no_longer_counts_for_it() -> None:
    job = jobs.waiting(now=clock.now())
    policies.put(
        caller=caller("omar"),
        scope="default",
        rules={"groups": ["legal"]},
        why="Contracts are read by them.",
        now=clock.now(),
    )
    request = jobs.request_of(job)
    decisions.decide(
        request,
        caller=caller("mei"),
        decision="approve",
        reviewed_hash=request.binding_hash,
        request_id="r1",
        now=clock.now(),
    )
    job, authority = jobs.reloaded(job), DatabaseAuthority()
    assert job.state == "READY_TO_COMMIT"
    leave("legal")
    with pytest.raises(NotAuthorised, match="no longer holds"):
        authority.authorise(job, job.binding_hash, clock.now())


def test_the_console_takes_groups_and_roles_away_and_asks_which() -> None:
    said = StringIO()
    call_command("user", "remove", "mei", "--group", "legal", stdout=said)
    assert "reviewer; groups: desk" in said.getvalue()
    with pytest.raises(SystemExit) as left:
        call_command("user", "remove", "mei", stderr=StringIO())
    assert left.value.code == 2
    call_command("user", "remove", "mei", "--group", "desk", "--role", "reviewer", stdout=said)
    assert "no role" in said.getvalue()
    assert held() == []
