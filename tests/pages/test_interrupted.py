"""Interrupted: a form that was sent after its login had ended comes through the login whole."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from publisher.models import Job
from reviews.models import Decision
from tests.support import jobs, people
from tests.support.page_rows import Rows

TYPED = "A text that took\nan hour <b>to</b> write.\n"
SUBMIT = {
    "mode": "content", "site": "blog", "text": TYPED, "key": "k-lost",
    "target_path": "content/posts/hour.md",
}  # fmt: skip


def carried(page: str) -> dict[str, str]:
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)
    return {name: unescape(value) for name, value in found}


def log_in(client: Client, page: str, password: str = people.PASSWORD, who: str = "ada") -> str:
    fields = {**carried(page), "username": who, "password": password}
    return client.post("/login/", fields).content.decode()


def test_a_text_sent_without_a_login_is_submitted_after_it(rows: Rows) -> None:
    client = Client()
    response = client.post("/submit/", SUBMIT)
    assert response.status_code == 403
    page = log_in(client, response.content.decode())
    assert "Your text is still here" in page
    assert "an hour &lt;b&gt;to&lt;/b&gt; write." in page
    assert not Job.objects.filter(target_path=SUBMIT["target_path"]).exists()
    assert client.post("/submit/", carried(page)).status_code == 302
    assert Job.objects.filter(target_path=SUBMIT["target_path"]).exists()


def test_a_wrong_password_keeps_it_for_the_next_try(rows: Rows) -> None:
    client = Client()
    page = client.post("/submit/", SUBMIT).content.decode()
    page = log_in(client, page, password="wrong")
    assert "do not match" in page
    assert "Your text is still here" in log_in(client, page)


def test_a_login_that_closed_hands_the_text_back(rows: Rows, settings: Any) -> None:
    settings.AXES_ENABLED = True
    client = Client()
    page = client.post("/submit/", SUBMIT).content.decode()
    for _try in range(6):
        page = log_in(client, client.post("/submit/", SUBMIT).content.decode(), password="wrong")
    assert "closed for 15 minutes" in page
    assert "an hour &lt;b&gt;to&lt;/b&gt; write." in page


def test_a_decision_with_a_comment_goes_on_with_the_hash_that_was_seen(rows: Rows) -> None:
    client = Client()
    approval = jobs.request_of(rows.waiting)
    sent = {
        "decision": "request_changes", "reviewed_hash": approval.binding_hash,
        "request_id": "r-lost", "comment": "Please say when\nit opens.",
    }  # fmt: skip
    address = f"/approvals/{approval.pk}/decide/"
    page = log_in(client, client.post(address, sent).content.decode(), who="rui")
    assert "Your request for changes goes along." in page
    assert not Decision.objects.filter(request_id="r-lost").exists()
    client.post(address, carried(page))
    assert Decision.objects.get(request_id="r-lost").actor.name == "rui"


def test_nothing_of_it_is_stored_for_who_is_not_logged_in(rows: Rows) -> None:
    client = Client()
    client.post("/submit/", SUBMIT)
    assert "sessionid" not in client.cookies


def test_files_do_not_go_along_and_the_page_says_so(rows: Rows) -> None:
    client = Client()
    with Path(__file__).open("rb") as upload:
        page = client.post("/submit/", {**SUBMIT, "files_0": upload}).content.decode()
    page = log_in(client, page)
    response = client.post("/submit/", carried(page))
    assert response.status_code == 422
    assert "Choose your files again" in response.content.decode()
    assert "an hour &lt;b&gt;to&lt;/b&gt; write." in response.content.decode()
    assert 'name="files_lost"' not in response.content.decode()


@pytest.mark.parametrize("address", ["https://evil.example/x", "//evil.example/x", "submit"])
def test_a_form_is_never_sent_to_another_host(address: str, rows: Rows) -> None:
    client = Client()
    fields = {"kept_for": address, "kept.text": TYPED, "username": "ada"}
    response = client.post("/login/", {**fields, "password": people.PASSWORD})
    assert response.status_code == 302


def test_a_post_without_anything_typed_leads_to_the_login_as_before(rows: Rows) -> None:
    response = Client().post(f"/jobs/{rows.waiting.pk}/act/cancel/")
    assert response.status_code == 302


def test_a_form_of_an_older_login_hands_its_text_back(rows: Rows) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post("/submit/", SUBMIT)
    assert response.status_code == 403
    assert "an hour &lt;b&gt;to&lt;/b&gt; write." in response.content.decode()
