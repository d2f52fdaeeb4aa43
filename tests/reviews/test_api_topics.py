"""The API's topics: opened and closed by whoever may submit, one job for each close."""

from typing import Any
from urllib.parse import quote

import pytest

from publisher.models import Job
from publisher.services import topics
from tests.support import jobs, people
from tests.support.requests import As

pytestmark = pytest.mark.django_db
TEXT = "The pool opens on 3 June. Tickets cost two coins."


@pytest.fixture(autouse=True)
def _people_and_site(everybody: people.People) -> None:
    jobs.site()


def ended(**changes: Any) -> dict[str, Any]:
    return {"site": "blog", "source": TEXT, **changes}


def test_a_close_is_a_job_and_a_repeat_is_the_same() -> None:
    first = As("ada").post("/topics/chat-7/close", ended())
    again = As("ada").post("/topics/chat-7/close", ended())
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["job_id"] == again.json()["job_id"]
    assert again.json() == {**first.json(), "created": False}
    assert first.json()["close_revision"] == 1


def test_after_an_open_the_next_close_is_another_job() -> None:
    first = As("ada").post("/topics/chat-7/close", ended())
    opened = As("ada").post("/topics/chat-7/open", {"site": "blog"})
    assert opened.status_code == 200
    assert opened.json() == {
        "session": "chat-7", "site": "blog", "open": True, "close_revision": 1,
    }  # fmt: skip
    second = As("ada").post("/topics/chat-7/close", ended())
    assert (second.status_code, second.json()["close_revision"]) == (201, 2)
    assert first.json()["job_id"] != second.json()["job_id"]


@pytest.mark.parametrize(
    "session", ["chat/7", "/srv/chat/", "chat/open", "close", "a\nb", "ä ?#%2F"]
)
def test_a_session_of_any_name_is_closed_and_opened(session: str) -> None:
    place = f"/topics/{quote(session, safe='')}"
    closed = As("ada").post(f"{place}/close", ended())
    opened = As("ada").post(f"{place}/open", {"site": "blog"})
    assert (closed.status_code, opened.status_code) == (201, 200)
    assert opened.json()["session"] == closed.json()["session"]
    known = topics.open_topic("blog", session, scope=None, now=jobs.NOW)
    assert known.close_revision == 1


def test_a_program_may_close_a_topic() -> None:
    assert As(people.AGENT, "submit").post("/topics/chat-7/close", ended()).status_code == 201


def test_a_repeat_with_another_text_is_refused() -> None:
    As("ada").post("/topics/chat-7/close", ended())
    other = As("ada").post("/topics/chat-7/close", ended(source="Something else."))
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")


@pytest.mark.parametrize("body", [{"site": "blog"}, ended(source=" ")])
def test_a_first_close_needs_a_text(body: dict[str, Any]) -> None:
    refused = As("ada").post("/topics/chat-7/close", body)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")
    assert not Job.objects.exists()


BODIES = {"open": {"site": "blog"}, "close": ended()}


@pytest.mark.parametrize("act", BODIES)
@pytest.mark.parametrize(("name", "status"), [("rui", 403), ("zoe", 404)])
def test_who_may_not_submit_may_do_neither(act: str, name: str, status: int) -> None:
    answer = As(name).post(f"/topics/chat-7/{act}", BODIES[act])
    assert (answer.status_code, Job.objects.exists()) == (status, False)


@pytest.mark.parametrize("act", BODIES)
def test_a_token_that_may_only_read_is_refused(act: str) -> None:
    assert As("ada", "read").post(f"/topics/chat-7/{act}", BODIES[act]).status_code == 403


def test_a_topic_that_is_too_long_is_refused_by_its_limit() -> None:
    body = {"site": "blog", "source": "Said.", "topic": "x" * 3000}
    response = As("ada").post("/topics/s/close", body)
    assert (response.status_code, response.json()["field"]) == (422, "topic")
    assert "300 characters" in response.json()["detail"]
