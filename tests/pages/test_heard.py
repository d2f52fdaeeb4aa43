"""What pages tell by icon, colour or place is there in words, too, and in the reader's language."""

import json
import re
from collections.abc import Callable

import pytest
from django.test import Client

from publisher import clock
from publisher.domain.states import Event, State
from reviews.presenters import hidden
from tests.support import jobs
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
CHINESE = {"Accept-Language": "zh-Hans"}


def page(client: Client, address: str, **headers: str) -> str:
    answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_each_step_of_a_journey_says_how_far_it_is(rows: Rows, at: Login) -> None:
    found = page(at("rui"), f"/jobs/{rows.waiting.pk}/")
    told = re.findall(r'<span class="unseen"> \(([^)]+)\)</span>', found)
    assert told == ["done", "done", "waits for a person", *["still ahead"] * 3]


@pytest.mark.parametrize("side", ["?tab=diff", "?tab=diff&side=1", "?tab=raw"])
def test_every_table_of_lines_names_its_columns(rows: Rows, at: Login, side: str) -> None:
    conflict = rows.conflict.conflicts.get().pk
    addresses = (f"/conflicts/{conflict}/", f"/approvals/{jobs.request_of(rows.update).pk}/{side}")
    for address in addresses:
        found = page(at("rui"), address)
        tables = re.findall(r'<table class="diff.*?</table>', found, re.DOTALL)
        assert tables
        for table in tables:
            columns = len(re.findall(r"<col[ >]", table.partition("<tbody>")[0]))
            assert table.count('<th scope="col"') == columns


def test_the_list_of_jobs_tells_what_moved_to_who_does_not_see_it(rows: Rows, at: Login) -> None:
    client = at("rui")
    found = page(client, "/jobs/")
    assert '<p class="unseen" id="jobs-told" role="status"></p>' in found
    jobs.moved(rows.waiting, Event.APPROVE, State.READY_TO_COMMIT, now=clock.now())
    told = page(client, "/jobs/live/?seen=before")
    assert '<span hx-swap-oob="innerHTML:#jobs-told">The list changed: Soup for forty, ' in told


def test_a_hidden_characters_name_is_in_the_readers_language(rows: Rows, at: Login) -> None:
    job = rows.waiting
    type(job).objects.filter(pk=job.pk).update(title="a\u202eb\u2028c\u0001d")
    english, chinese = (page(at("rui"), f"/jobs/{job.pk}/", **more) for more in ({}, CHINESE))
    for name in ("Right-to-left override", "Line separator", "Control character"):
        assert f'title="{name}"' in english
        assert name not in chinese


def test_each_hidden_character_with_a_word_of_its_own_is_called_as_unicode_does() -> None:
    for code, name in hidden.NAMES.items():
        char = json.loads(f'"\\u{code.removeprefix("U+")}"')
        (mark,) = hidden.marks_of(f"a{char}b")
        assert (mark.codepoint, mark.name.capitalize()) == (code, name)


def test_the_audits_filter_is_in_words(rows: Rows, at: Login) -> None:
    found = page(at("ivy"), "/audit/?event=request_changes")
    assert '<option value="request_changes" selected>Somebody asked for changes.</option>' in found
    options = re.search(r'<select class="input" id="event".*?</select>', found, re.DOTALL)
    assert options is not None
    words = re.findall(r'<option value="([a-z_]+)"[^>]*>([^<]+)<', options[0])
    assert {code for code, _told in words} == {event.value for event in Event}
    assert all(code != told for code, told in words)


def test_the_apis_page_holds_no_marks_and_an_icon_of_its_own(client: Client, db: None) -> None:
    found = page(client, "/api/v1/docs")
    assert "`" not in found
    assert '<link rel="icon" href="/static/icon' in found
