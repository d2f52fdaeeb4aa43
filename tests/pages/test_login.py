"""Login: what a session is called changes when somebody logs in."""

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.test import Client

from reviews import session_ends
from tests.support import people
from tests.support.page_rows import Rows


def test_a_session_from_before_the_login_is_worth_nothing_after_it(rows: Rows) -> None:
    client, planted = Client(), Client()
    client.get("/jobs/")
    session = client.session
    session["from"] = "before"
    session.save()
    planted_key = session.session_key or ""
    client.cookies[settings.SESSION_COOKIE_NAME] = planted_key
    client.post("/login/", {"username": "rui", "password": people.PASSWORD})
    assert client.get("/jobs/").status_code == 200
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != planted_key
    planted.cookies[settings.SESSION_COOKIE_NAME] = planted_key
    assert planted.get("/jobs/").status_code == 302


def since_login(client: Client, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let it be so many seconds after the login."""
    began = client.session[session_ends.BEGAN]
    monkeypatch.setattr(session_ends, "_now", lambda: int(began + seconds))


def test_a_login_that_nobody_uses_is_over(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    client.login(username="rui", password=people.PASSWORD)
    half = session_ends.IDLE_SECONDS / 2
    for number in range(1, 5):
        since_login(client, monkeypatch, number * half)
        assert client.get("/jobs/").status_code == 200
    since_login(client, monkeypatch, 6 * half + 2)
    assert client.get("/jobs/").headers["Location"].startswith("/login/")
    assert client.get("/api/v1/jobs").status_code == 401


def test_what_an_open_page_asks_by_itself_is_no_use_of_it(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    client.login(username="rui", password=people.PASSWORD)
    for minutes in range(1, 30, 4):
        since_login(client, monkeypatch, minutes * 60)
        assert client.get("/inbox/live/", headers={"HX-Request": "true"}).status_code in (200, 204)
    since_login(client, monkeypatch, session_ends.IDLE_SECONDS + 1)
    assert client.get("/inbox/live/", headers={"HX-Request": "true"}).status_code == 401


def test_a_login_is_over_after_its_longest_time_however_much_it_is_used(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    client.login(username="rui", password=people.PASSWORD)
    for seconds in range(0, settings.SESSION_COOKIE_AGE, session_ends.IDLE_SECONDS):
        since_login(client, monkeypatch, seconds)
        assert client.get("/jobs/").status_code == 200
    since_login(client, monkeypatch, settings.SESSION_COOKIE_AGE + 1)
    assert client.get("/jobs/").status_code == 302
    assert settings.SESSION_COOKIE_AGE == 12 * 3600


def test_the_name_of_a_login_that_was_over_is_worth_nothing_after_the_next(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, thief = Client(), Client()
    client.post("/login/", {"username": "rui", "password": people.PASSWORD})
    name = settings.SESSION_COOKIE_NAME
    thief.cookies[name] = client.cookies[name].value
    since_login(client, monkeypatch, session_ends.IDLE_SECONDS + 1)
    assert client.get("/login/").status_code == 200
    client.post("/login/", {"username": "rui", "password": people.PASSWORD})
    assert client.get("/jobs/").status_code == 200
    assert thief.get("/jobs/").status_code == 302


def test_a_look_at_a_page_writes_no_session_and_probes_ask_for_none(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    client.login(username="rui", password=people.PASSWORD)

    def refused(*_: object, **__: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(SessionStore, "save", refused)
    monkeypatch.setattr(SessionStore, "delete", refused)
    since_login(client, monkeypatch, session_ends.IDLE_SECONDS / 2)
    assert client.get("/jobs/").status_code == 200
    since_login(client, monkeypatch, settings.SESSION_COOKIE_AGE + 1)
    assert client.get("/jobs/").status_code == 302
    monkeypatch.setattr(SessionStore, "load", refused)
    assert client.get("/healthz").status_code == 200


def test_whoever_changes_the_password_late_stays_logged_in(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    get_user_model().objects.filter(username="omar").update(is_staff=True)
    client = Client()
    client.login(username="omar", password=people.PASSWORD)
    late = session_ends.IDLE_SECONDS
    for seconds in (late - 300, late + 300):
        since_login(client, monkeypatch, seconds)
        assert client.get("/admin/password_change/").status_code == 200
    new = {"new_password1": "another good password", "new_password2": "another good password"}
    done = client.post("/admin/password_change/", {"old_password": people.PASSWORD, **new})
    assert done.status_code == 302
    assert client.get("/jobs/").status_code == 200
