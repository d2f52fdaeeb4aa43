"""A token narrows what roles give, and no more: single checks and questions say the same of it."""

from itertools import chain, combinations

import pytest

from publisher.domain.errors import NotAllowed
from publisher.domain.states import Event
from publisher.models import Conflict, Job
from reviews import inbox
from reviews.models import Role
from reviews.permissions import ROLES, Caller, require
from reviews.services import tokens, work
from tests.support import jobs, people

pytestmark = pytest.mark.django_db

SUBSETS = list(
    chain.from_iterable(combinations(tokens.ALLOWS, size) for size in range(len(tokens.ALLOWS) + 1))
)
PAIRS = [*((role,) for role in Role), *combinations(Role, 2)]

OPENS = {
    ("submit", Role.SUBMITTER): {"submit", "edit own", "cancel own"},
    ("submit", Role.OPERATOR): {"submit", "edit own", "cancel own"},
    ("submit", Role.ADMIN): {"submit"},
    ("decide", Role.REVIEWER): {"decide", "edit", "resolve"},
    ("operate", Role.OPERATOR): {"operate", "edit", "cancel", "resolve"},
    ("operate", Role.ADMIN): {"operate"},
    ("read", Role.AUDITOR): {"read", "audit"},
    ("read", Role.ADMIN): {"read", "audit"},
    **{("read", role): {"read"} for role in (Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR)},
}
"""What each word of a token opens of each role; nothing else is opened."""


def opened(roles: tuple[Role, ...], allow: tuple[str, ...], right: str, *, is_own: bool) -> bool:
    known = set().union(*(OPENS.get((word, role), set()) for word in allow for role in roles))
    return right in known or (is_own and f"{right} own" in known)


@pytest.fixture
def own_and_other() -> list[Job]:
    """A job of Ines, and one of Ada."""
    return [jobs.received(requester="ines"), jobs.received()]


def ines(allow: tuple[str, ...] | None, *roles: Role) -> Caller:
    people.add("ines", *roles)
    return people.caller("ines", allow=None if allow is None else frozenset(allow))


@pytest.mark.parametrize("roles", PAIRS, ids="-".join)
def test_a_token_opens_of_each_role_what_it_names_of_it(
    own_and_other: list[Job], roles: tuple[Role, ...]
) -> None:
    person = ines(None, *roles)
    for allow in SUBSETS:
        caller = Caller(person.principal, "api", frozenset(allow))
        caller.__dict__["memberships"] = person.memberships
        for right in ROLES:
            may = [
                caller.may(right, job.scope, job.site, owner=job.requester) for job in own_and_other
            ]
            asked = (allow, right)
            assert may == [
                opened(roles, allow, right, is_own=is_own) for is_own in (True, False)
            ], asked
            assert caller.may_somewhere(right) == any(may), asked
            assert not any(may) or person.may(right, "default", owner="ines"), asked


@pytest.mark.parametrize("roles", PAIRS, ids="-".join)
def test_a_question_finds_what_a_single_check_lets_through(
    own_and_other: list[Job], roles: tuple[Role, ...]
) -> None:
    person = ines(None, *roles)
    for allow in (None, *((word,) for word in tokens.ALLOWS), ("submit", "decide")):
        caller = Caller(person.principal, "api", None if allow is None else frozenset(allow))
        caller.__dict__["memberships"] = person.memberships
        for right in ("edit", "cancel", "resolve", "decide"):
            found = set(Job.objects.filter(caller.within(right)))
            assert found == {
                job
                for job in own_and_other
                if caller.may(right, job.scope, job.site, owner=job.requester)
            }, (allow, right)


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.OPERATOR])
def test_a_token_for_submitting_touches_no_work_of_others(role: Role) -> None:
    caller = ines(("submit", "read"), Role.SUBMITTER, role)
    job = jobs.waiting()
    before = Job.objects.filter(pk=job.pk).values().get()
    path = job.target_path
    with pytest.raises(NotAllowed):
        work.cancel(job, caller=caller, now=jobs.NOW)
    with pytest.raises(NotAllowed, match="This token does not allow it"):
        work.edit(job, files={path: b"Mine.\n"}, base_revision=1, caller=caller, now=jobs.NOW)
    assert Job.objects.filter(pk=job.pk).values().get() == before


def test_who_acts_on_own_work_by_such_a_token_does_so_as_its_submitter() -> None:
    caller = ines(("submit",), Role.OPERATOR)
    job = jobs.waiting(requester="ines")
    assert work.who(caller, job, Event.CANCEL).actor == "submitter"
    assert work.cancel(job, caller=caller, now=jobs.NOW).state == "CANCELLED"


def test_no_part_is_taken_that_the_token_does_not_allow() -> None:
    caller = ines(("submit", "decide"), Role.REVIEWER, Role.OPERATOR)
    job = jobs.in_review(requester="ines")
    for event in Event:
        assert work.who(caller, job, event).actor != "operator"
    assert not work.may(caller, job, Event.GIVE_UP, "edit")


def test_the_inbox_holds_what_the_token_lets_its_holder_do() -> None:
    mine, _theirs = jobs.in_review(requester="ines"), jobs.in_review()
    caller = ines(("submit", "read"), Role.SUBMITTER, Role.OPERATOR)
    assert [line.job_id for line in inbox.Inbox(caller, now=jobs.NOW).first.items] == [mine.pk]
    assert not Conflict.objects.filter(caller.within("resolve", of="job__")).exists()


def test_the_refusal_names_the_token_where_the_role_is_held() -> None:
    with pytest.raises(NotAllowed, match="This token does not allow it"):
        require(ines(("submit",), Role.OPERATOR), "cancel", "default", owner="ada")
    people.add("rui", Role.REVIEWER)
    with pytest.raises(NotAllowed, match="another role"):
        require(people.caller("rui"), "cancel", "default", owner="ada")
