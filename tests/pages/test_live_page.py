"""The site's page says what lies in its live checkout, what waits, and when it is tried again."""

from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from django.http import HttpResponse
from django.test import Client

from publisher import clock
from publisher.models import LiveSight, Outbox, Site
from reviews.presenters import live
from tests.pages.conftest import Login
from tests.support import jobs
from tests.support.page_rows import Rows

PATH = "content/posts/edited.md"


def _with_checkout(**columns: object) -> Site:
    site = jobs.site()
    Site.objects.filter(pk=site.pk).update(live_checkout="/srv/live", quiet_seconds=300)
    LiveSight.objects.create(site=site, looked_at=clock.now(), **columns)
    return site


def _message(site: Site, **columns: object) -> None:
    now = clock.now()
    Outbox.objects.create(
        **{
            "id": "external_sync:1",
            "kind": "external_sync",
            "payload": {"site": site.pk, "head": "a" * 40, "files": {PATH: [None, "b" * 40]}},
            "due_at": now + timedelta(seconds=60),
            "created_at": now,
            **columns,
        }
    )


def _page(client: Client, site: Site) -> str:
    return client.get(f"/sites/{site.name}/").content.decode()


def test_a_site_without_a_live_checkout_shows_none(rows: Rows, at: Login) -> None:
    assert "Live checkout" not in _page(at("omar"), jobs.site())


def test_what_is_left_and_why_is_told(rows: Rows, at: Login) -> None:
    site = _with_checkout(notes=[{"code": "operation", "names": ["rebase"]}])
    page = _page(at("omar"), site)
    assert "in the middle of this in git" in page
    assert "<code>rebase</code>" in page
    assert "Needs attention" in page


def test_a_waiting_message_tells_tries_error_and_next_try(rows: Rows, at: Login) -> None:
    site = _with_checkout()
    _message(site, tries=3, last_error="Somebody changed the same files on the remote: x.")
    page = _page(at("omar"), site)
    assert PATH in page
    assert "Tried 3 times." in page
    assert "Somebody changed the same files" in page
    assert "Next try:" in page


def test_sent_edits_are_listed(rows: Rows, at: Login) -> None:
    site = _with_checkout(sent_commit="c" * 40, sent_at=clock.now())
    _message(site, tries=1, done_at=clock.now())
    page = _page(at("omar"), site)
    assert "Sent hand edits" in page
    assert "Imprimatur external sync" in page
    assert "Up to date" in page


def test_a_hostile_file_name_is_only_text(rows: Rows, at: Login) -> None:
    site = _with_checkout(notes=[{"code": "unrelated", "names": ["<img src=x>.md"]}])
    assert "<img src=x>" not in _page(at("omar"), site)


def test_health_lists_messages_that_do_not_get_through(rows: Rows, at: Login) -> None:
    site = _with_checkout()
    _message(site, tries=3, last_error="The remote cannot be reached: no route")
    page = at("omar").get("/health/").content.decode()
    assert "Messages that do not get through" in page
    assert "hand edits of a live checkout" in page


def test_health_lists_a_message_that_kills_its_workers(rows: Rows, at: Login) -> None:
    until = clock.now() + timedelta(seconds=90)
    due = clock.now() - timedelta(hours=1)
    _message(_with_checkout(), tries=50, last_error="", due_at=due, lease_until=until)
    page = at("omar").get("/health/").content.decode()
    assert "hand edits of a live checkout" in page
    assert "Each time its worker ended before it was done." in page
    assert until.isoformat(timespec="seconds")[:19] in page
    assert due.isoformat(timespec="seconds")[:19] not in page


def test_health_lists_what_names_its_site_by_its_job(rows: Rows, at: Login) -> None:
    _message(
        jobs.site(), kind="record_published", payload={"who": "omar", "reason": "r"},
        job=rows.waiting, tries=3, last_error="The remote cannot be reached: no route",
    )  # fmt: skip
    assert "recording a job as published" in at("omar").get("/health/").content.decode()


def test_health_lists_what_is_mine_behind_any_number_of_others(rows: Rows, at: Login) -> None:
    other = jobs.site("diary", scope="private")
    for number in range(25):
        _message(other, id=f"site_fetch:{number}", kind="site_fetch", tries=9, last_error="x",
                 payload={"site": other.pk})  # fmt: skip
    _message(jobs.site(), tries=3, last_error="x")
    page = at("rui").get("/health/").content.decode()
    assert "hand edits of a live checkout" in page
    assert "reading a repository" not in page


@pytest.mark.parametrize("payload", [[], "text", {"site": "1"}, {"site": []}])
def test_health_passes_over_a_message_that_makes_no_sense(
    rows: Rows, at: Login, payload: object
) -> None:
    _message(jobs.site(), id="odd", payload=payload, tries=9, last_error="x")
    _message(jobs.site(), kind="site_fetch", tries=9, last_error="x")
    page = at("omar").get("/health/").content.decode()
    assert "reading a repository" in page
    assert "hand edits of a live checkout" not in page


@pytest.mark.parametrize(("tries", "error"), [(1, "once"), (0, "")])
def test_health_is_silent_about_a_message_that_just_began(
    rows: Rows, at: Login, tries: int, error: str
) -> None:
    _message(_with_checkout(), tries=tries, last_error=error)
    assert "Messages that do not get through" not in at("omar").get("/health/").content.decode()


def test_every_word_of_a_scan_has_a_sentence() -> None:
    known = live.BLOCKED | live.LEFT
    codes = [
        "missing", "no_clone", "unreadable", "empty", "operation", "detached", "branch", "locked",
        "ahead", "diverged",
        "fresh", "unrelated", "unnameable", "staged", "no_file", "too_large", "filtered", "converted",
        "folder_gone", "mass_removal", "moved", "stash",
        *(f"behind_{why}" for why in
          ("dirty", "staged", "locked", "filtered", "sparse", "moved", "ahead")),
    ]  # fmt: skip
    assert set(codes) == set(known)


def _set(client: Client, site: Site, folder: str, seconds: str = "60") -> HttpResponse:
    sent = {"live_checkout": folder, "quiet_seconds": seconds}
    return cast(HttpResponse, client.post(f"/sites/{site.name}/live-checkout/", sent))


def _clone(place: Path) -> str:
    """A folder that looks like a clone, as far as a setting goes."""
    (place / ".git").mkdir(parents=True)
    return str(place)


def test_an_operator_names_changes_and_takes_away_a_live_checkout(
    rows: Rows, at: Login, tmp_path: Path
) -> None:
    one, other = _clone(tmp_path / "one"), _clone(tmp_path / "other")
    for folder, seconds in ((one, 60), (other, 5), ("", 5)):
        assert _set(at("omar"), rows.site, folder, str(seconds)).status_code == 302
        rows.site.refresh_from_db()
        assert (rows.site.live_checkout, rows.site.quiet_seconds) == (folder, seconds)


@pytest.mark.parametrize(
    ("folder", "seconds"),
    [("srv/live", "60"), ("/srv/none", "60"), ("/srv/live", "-1"), ("/srv/live", "soon")],
)
def test_a_setting_that_is_refused_changes_nothing_and_stays_in_the_form(
    rows: Rows, at: Login, folder: str, seconds: str
) -> None:
    response = _set(at("omar"), rows.site, folder, seconds)
    assert response.status_code == 422
    page = response.content.decode()
    assert f'value="{folder}"' in page
    assert 'aria-invalid="true"' in page
    rows.site.refresh_from_db()
    assert (rows.site.live_checkout, rows.site.quiet_seconds) == ("", 300)


@pytest.mark.parametrize("name", ["ada", "rui", "ivy"])
def test_nobody_else_sets_it(rows: Rows, at: Login, name: str) -> None:
    assert "live-checkout/" not in _page(at(name), rows.site)
    assert _set(at(name), rows.site, "/srv/live").status_code == 403
    rows.site.refresh_from_db()
    assert rows.site.live_checkout == ""


def test_it_can_be_named_where_a_repository_is_connected(
    rows: Rows, at: Login, tmp_path: Path
) -> None:
    live = _clone(tmp_path / "live")
    sent = {"name": "second", "remote": "https://git.example.org/second.git"}
    refused = at("omar").post("/connect/", {**sent, "live_checkout": "srv/live"})
    assert refused.status_code == 422
    assert "by its absolute path" in refused.content.decode()
    assert at("omar").post("/connect/", {**sent, "live_checkout": live}).status_code == 302
    assert Site.objects.get(name="second").live_checkout == live
