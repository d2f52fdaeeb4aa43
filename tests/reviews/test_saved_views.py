"""Views that a person keeps: their own, by name, and no more than a page has room for."""

import pytest
from django.test import Client

from publisher import clock
from publisher.domain.errors import InvalidInput, NotFound
from reviews.models import View
from reviews.services import views
from tests.support import jobs, people

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _people(everybody: people.People) -> None: ...


def keep(name: str, query: str = "given=me", who: str = "rui") -> View:
    return views.keep(people.caller(who), page="inbox", name=name, query=query)


def names(who: str) -> list[str]:
    return [view.name for view in views.of(people.caller(who), page="inbox")]


def test_views_are_ones_own_and_by_name() -> None:
    keep("Mornings")
    keep("Blog", "site=blog")
    keep("Hers", who="mei")
    assert names("rui") == ["Blog", "Mornings"]
    assert names("mei") == ["Hers"]


def test_a_name_given_again_stands_for_the_new_filter() -> None:
    keep("Mornings", "given=me")
    keep(" Mornings ", "risk=risky")
    (kept,) = views.of(people.caller("rui"), page="inbox")
    assert kept.query == "risk=risky"


@pytest.mark.parametrize("name", ["", "  ", "x" * 61])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(InvalidInput):
        keep(name)


def test_everything_is_no_view() -> None:
    with pytest.raises(InvalidInput):
        keep("All", "")


def test_there_is_room_for_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MOST", 2)
    keep("a")
    keep("b")
    with pytest.raises(InvalidInput):
        keep("c")
    keep("b", "site=blog")
    assert names("rui") == ["a", "b"]


def test_nobody_forgets_anothers() -> None:
    view = keep("Mine")
    with pytest.raises(NotFound):
        views.remove(people.caller("mei"), view.pk)
    assert names("rui") == ["Mine"]
    views.remove(people.caller("rui"), view.pk)
    assert names("rui") == []


def client_of(name: str) -> Client:
    client = Client()
    user = people.caller(name).principal.user
    assert user is not None
    client.force_login(user)
    return client


def test_by_the_page_it_is_kept_shown_and_forgotten() -> None:
    jobs.waiting(title="Bees", now=clock.now())
    jobs.waiting(title="Boats", now=clock.now())
    rui = client_of("rui")
    page = rui.get("/?q=bees").content.decode()
    assert "Bees" in page
    assert "Boats" not in page
    assert "Within these filters: 1." in page
    response = rui.post("/views/keep/", {"name": "Insects", "q": "bees", "kind": "nonsense"})
    assert response["Location"] == "/?q=bees"
    page = rui.get("/").content.decode()
    assert '<a class="tabs__tab" href="?q=bees">Insects</a>' in page
    page = rui.get("/?q=bees").content.decode()
    assert '<a class="tabs__tab" href="?q=bees" aria-current="page">Insects</a>' in page
    view = View.objects.get()
    assert client_of("mei").post(f"/views/{view.pk}/forget/").status_code == 404
    rui.get(f"/views/{view.pk}/forget/")
    assert View.objects.exists()
    rui.post(f"/views/{view.pk}/forget/")
    assert not View.objects.exists()


def test_a_name_that_is_none_is_said_at_the_page() -> None:
    response = client_of("rui").post("/views/keep/", {"name": " ", "q": "bees"})
    assert response.status_code == 400
    assert "Give the view a name" in response.content.decode()
