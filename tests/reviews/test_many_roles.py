"""Somebody with a role in very many places: the question stays one that a database takes."""

import pytest

from publisher.models import Job, Site
from reviews.models import Membership, Role
from reviews.permissions import CLI, Caller
from tests.support import jobs, people

pytestmark = pytest.mark.django_db
MANY = 1100
"""More than the terms that SQLite takes in one question."""


def test_a_role_for_each_of_many_sites_makes_one_term() -> None:
    made = jobs.received()
    other = jobs.received(at=jobs.site("elsewhere", scope="other"))
    person = people.add("ines")
    columns = {
        field.attname: getattr(made.site, field.attname)
        for field in Site._meta.concrete_fields
        if not field.primary_key
    }
    Site.objects.bulk_create(Site(**{**columns, "name": f"s{n}"}) for n in range(MANY))
    Membership.objects.bulk_create(
        Membership(principal=person, scope="default", site=site, role=role)
        for site in Site.objects.filter(scope="default")
        for role in (Role.REVIEWER, Role.SUBMITTER)
    )
    caller = Caller(person, CLI)
    for right in ("read", "decide", "edit"):
        assert list(Job.objects.filter(caller.within(right))) == [made]
    assert Site.objects.filter(caller.within("read", site="pk")).count() == MANY + 1
    assert not Site.objects.filter(caller.within("read", site="pk"), pk=other.site_id).exists()


def test_a_site_of_one_scope_is_not_within_another() -> None:
    """A job keeps the scope it was taken in, whatever its site is in now."""
    person = people.add("ines")
    here, there = jobs.site("here"), jobs.site("there", scope="other")
    for site in (here, there):
        Membership.objects.create(
            principal=person, scope=site.scope, site=site, role=Role.SUBMITTER
        )
    own = jobs.received(at=here, requester="ines")
    moved = jobs.received(at=here, requester="ines")
    Job.objects.filter(pk=moved.pk).update(scope="other")
    theirs = jobs.received(at=here)
    caller = Caller(person, CLI)
    assert set(Job.objects.filter(caller.within("edit"))) == {own}
    assert set(Job.objects.filter(caller.within("read"))) == {own, theirs}
