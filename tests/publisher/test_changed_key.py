"""A changed secret key: what was made with a former one is known while that still counts."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from publisher.domain.errors import KeyReused
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import TopicCursor
from publisher.ports import Source
from publisher.services import topics
from publisher.services.submit import SubmitRequest, Submitted, submit
from publisher.services.topics import Closed
from tests.support import jobs, people
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db
ADA = Who(Actor.SUBMITTER, "ada")
TEXT = "The pool opens on 3 June. Tickets cost two coins.\n"


@pytest.fixture(autouse=True)
def _site() -> None:
    jobs.site()


@pytest.fixture
def change_key(settings: Settings) -> Callable[[], None]:
    """Changes the key; the former one still counts."""

    def change() -> None:
        former, settings.SECRET_KEY = settings.SECRET_KEY, "n" * 32
        settings.SECRET_KEY_FALLBACKS = [former]

    return change


def hand_in(key: str, content: bytes = b"# Tides\n") -> Submitted:
    request = SubmitRequest("blog", content=content, target_path="content/posts/tides.md", key=key)
    return submit(request, who=ADA, scope="default", now=NOW)


def close(text: str = TEXT) -> Closed:
    request = SubmitRequest("blog", sources=(Source("chat", text),))
    return topics.close_topic(request, "chat-7", who=ADA, scope="default", now=NOW)


def test_a_repeated_request_is_known(settings: Settings, change_key: Callable[[], None]) -> None:
    first = hand_in("k1")
    change_key()
    assert hand_in("k1") == Submitted(first.job, created=False)
    with pytest.raises(KeyReused):
        hand_in("k1", b"# Other\n")
    assert hand_in("k2").created
    settings.SECRET_KEY_FALLBACKS = []
    assert not hand_in("k2").created


def test_a_topics_session_goes_on(change_key: Callable[[], None]) -> None:
    done = close()
    change_key()
    assert close() == Closed(done.job, False, done.cursor)
    with pytest.raises(KeyReused):
        close("Another text.\n")
    topics.open_topic("blog", "chat-7", scope="default", now=NOW)
    again = close("Another text.\n")
    assert (again.created, again.cursor.close_revision) == (True, 2)
    assert TopicCursor.objects.count() == 1


def test_whoever_is_logged_in_stays_so(client: Client, change_key: Callable[[], None]) -> None:
    user = people.add("rosa", "reviewer").user
    assert user is not None
    client.force_login(user)
    change_key()
    assert client.get(reverse("inbox")).status_code == 200
