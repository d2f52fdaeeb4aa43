"""Login: what a session is called changes when somebody logs in."""

from django.conf import settings
from django.test import Client

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
