"""Default deny: a view that names no right is served to nobody."""

import pytest
from django.test import Client

from publisher.domain.errors import NotAllowed
from reviews.models import Principal
from tests.support import people

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.support.middleware_urls")]


def client(principal: Principal) -> Client:
    user = principal.user
    assert user is not None
    found = Client()
    found.force_login(user)
    return found


@pytest.mark.parametrize("path", ["/silent", "/reading", "/seated"])
def test_without_a_login_everything_but_the_open_leads_to_the_login(path: str) -> None:
    response = Client().get(path)
    assert (response.status_code, response["Location"]) == (302, f"/login/?next={path}")


def test_what_is_public_is_open() -> None:
    assert Client().get("/open").content == b"open"


def test_a_view_that_names_no_right_is_closed_even_with_a_login(everybody: people.People) -> None:
    assert client(everybody.omar).get("/silent").status_code == 403


def test_a_right_opens_its_view(everybody: people.People) -> None:
    assert client(everybody.rui).get("/reading").content == b"reading"


def test_an_account_without_roles_is_refused_by_name(everybody: people.People) -> None:
    zoe = client(everybody.zoe)
    assert zoe.get("/seated").content == b"seated"
    with pytest.raises(NotAllowed):
        zoe.get("/reading")
