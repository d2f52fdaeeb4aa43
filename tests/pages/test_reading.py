"""Reading: a yes at the page counts for what the page showed to that person, or for what they ticked."""

import html
import re
from collections.abc import Callable

import pytest
from django.db import OperationalError
from django.test import Client

from publisher import clock
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.services import revise
from reviews.models import Approval, Shown
from reviews.services import policies
from tests.support import jobs, page_rows, people
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
ALL_READ = "You decide about exactly this text."
LEFT = "1 part is left to read."
LONG = "# Long\n\n" + "".join(f"Paragraph {number} of it.\n\n" for number in range(2_500))
PATH = "content/posts/long.md"


@pytest.fixture
def long(rows: Rows) -> Approval:
    """A request whose one text is read in two parts."""
    job = page_rows.new_article(at=rows.site, now=clock.now(), text=LONG, title="Long", path=PATH)
    return jobs.request_of(job)


def look(client: Client, request: Approval, query: str = "") -> str:
    return html.unescape(client.get(f"/approvals/{request.pk}/{query}").content.decode())


def says(page: str) -> str:
    found = re.search(r'<p class="bar__says" data-says>([^<]*)', page)
    return found[1].strip() if found else ""


def say_yes(client: Client, request: Approval, *acknowledged: str) -> tuple[int, str]:
    form = {
        "decision": "approve", "reviewed_hash": request.binding_hash, "request_id": "r",
        "comment": "Well said.", "acknowledged": acknowledged,
    }  # fmt: skip
    answer = client.post(f"/approvals/{request.pk}/decide/", form)
    return answer.status_code, html.unescape(answer.content.decode())


def test_who_opened_the_page_has_been_shown_the_text(rows: Rows, at: Login) -> None:
    rules = {"require_shown": True}
    policies.put(
        caller=people.caller("omar"), scope="default", rules=rules, now=clock.now(), why="x"
    )
    request = jobs.request_of(rows.waiting)
    client = at("rui")
    assert says(look(client, request)) == ALL_READ
    assert say_yes(client, request)[0] == 302


def test_a_yes_without_looking_is_refused_and_nothing_typed_is_lost(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    assert look(at("mei"), request)
    status, page = say_yes(at("rui"), request)
    assert status == 409
    assert f"{rows.waiting.target_path} was not shown to you in full." in page
    assert "Well said.</textarea>" in page
    assert set(request.shown.values_list("actor__name", flat=True)) == {"mei"}


def test_a_text_in_parts_is_read_when_its_last_part_was_shown(long: Approval, at: Login) -> None:
    client = at("rui")
    page = look(client, long)
    assert says(page) == LEFT
    assert 'href="?tab=rendered&file=1&part=2#file-1">Show the next one</a>' in page
    assert "part by part, or downloaded it." in page
    status, refused = say_yes(client, long)
    assert (status, f"{PATH} was not shown to you in full." in refused) == (409, True)
    page = look(client, long, "?tab=rendered&file=1&part=2")
    assert says(page) == ALL_READ
    assert 'type="checkbox" name="acknowledged"' not in page
    assert say_yes(client, long)[0] == 302


def test_parts_of_two_ways_of_looking_do_not_make_one(long: Approval, at: Login) -> None:
    client = at("rui")
    look(client, long, "?tab=rendered&part=1")
    assert says(look(client, long, "?tab=raw&part=2")) == "3 parts are left to read."
    assert say_yes(client, long)[0] == 409
    for part in (1, 3, 4):
        page = look(client, long, f"?tab=raw&part={part}")
    assert says(page) == ALL_READ


def test_a_tick_takes_the_place_of_reading(long: Approval, at: Login) -> None:
    client = at("rui")
    look(client, long)
    assert say_yes(client, long, PATH)[0] == 302


def test_a_new_version_is_read_anew(rows: Rows, at: Login) -> None:
    client = at("rui")
    look(client, jobs.request_of(rows.waiting))
    who, now = Who(Actor.SUBMITTER, "ada"), clock.now()
    files = {rows.waiting.target_path: b"---\ntitle: Anew\n---\n\nAnother text.\n"}
    job = revise.revise(rows.waiting, files=files, base_revision=1, who=who, now=now)
    jobs.waiting(job, now=now)
    assert say_yes(client, jobs.request_of(job))[0] == 409


def test_a_diff_that_folds_lines_away_does_not_show_the_text(rows: Rows, at: Login) -> None:
    client, request = at("rui"), jobs.request_of(rows.update)
    page = look(client, request, "?tab=diff")
    assert says(page) == LEFT
    assert 'href="?tab=rendered&file=1&part=1#file-1"' in page
    assert "Shown in full to its end" not in page
    assert says(look(client, request)) == ALL_READ


def test_a_text_with_more_than_is_rendered_is_read_raw(rows: Rows, at: Login) -> None:
    text = "# Short\n\nBody.\n\n[//]: # (buy now)\n"
    job = page_rows.new_article(at=rows.site, now=clock.now(), text=text, title="Short", path=PATH)
    client, request = at("rui"), jobs.request_of(job)
    page = look(client, request)
    assert "This view may leave out" in page
    assert "Shown in full to its end" not in page
    assert 'href="?tab=raw&file=1&part=1#file-1">Show the next one</a>' in page
    assert says(look(client, request, "?tab=raw")) == ALL_READ


def test_a_side_by_side_diff_goes_on_side_by_side(long: Approval, at: Login) -> None:
    page = look(at("rui"), long, "?tab=diff&side=1")
    assert page.count('href="?tab=diff&side=1&file=1&part=2#file-1"') == 2


def test_the_diff_of_a_new_text_shows_all_of_it(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    assert says(look(at("rui"), request, "?tab=diff")) == ALL_READ


@pytest.mark.parametrize("header", ["Sec-Purpose", "Purpose"])
def test_what_a_browser_loads_ahead_was_not_shown(header: str, rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    client = at("rui")
    client.head(f"/approvals/{request.pk}/")
    client.get(f"/approvals/{request.pk}/", headers={header: "prefetch"})
    assert not Shown.objects.exists()


def test_nothing_is_noted_for_who_cannot_decide(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    for name in ("ada", "omar"):
        assert 'name="acknowledged"' not in look(at(name), request)
    assert not Shown.objects.exists()


def test_what_is_shown_twice_is_noted_once(rows: Rows, at: Login) -> None:
    client, request = at("rui"), jobs.request_of(rows.waiting)
    look(client, request)
    look(client, request, "?tab=raw")
    assert [row.part for row in Shown.objects.all()] == [rows.waiting.target_path]


def test_a_database_that_cannot_be_written_to_costs_a_tick_and_not_the_page(
    rows: Rows, at: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_args: object, **_options: object) -> None:
        raise OperationalError("database is locked")

    request = jobs.request_of(rows.waiting)
    client = at("rui")
    with monkeypatch.context() as patched:
        patched.setattr(Shown.objects, "bulk_create", busy)
        page = look(client, request)
    assert says(page) == LEFT
    assert f"I have read {rows.waiting.target_path}" in page
    assert say_yes(client, request, rows.waiting.target_path)[0] == 302


def test_a_removed_file_is_shown_by_its_name(rows: Rows, at: Login) -> None:
    job = jobs.received(at=rows.site, now=clock.now(), operation="delete")
    job.revisions.update(content="")
    client, request = at("rui"), jobs.request_of(jobs.waiting(job, now=clock.now()))
    page = look(client, request)
    assert says(page) == ALL_READ
    assert "the article is removed" in page
    assert "can then read it" not in page
    assert say_yes(client, request)[0] == 302


def test_a_picture_that_is_removed_is_said_to_go_and_not_to_come(rows: Rows, at: Login) -> None:
    extra = (("public/pic.png", None, True),)
    job = page_rows.update(at=rows.site, now=clock.now(), path="content/b.md", extra=extra)
    client, request = at("rui"), jobs.request_of(job)
    for tab in ("rendered", "diff", "raw"):
        page = look(client, request, f"?tab={tab}")
        assert "This file is removed. It is not text" in page
        assert "published as it is" not in page
        assert "published without being shown" not in page
    assert say_yes(client, request)[0] == 302
