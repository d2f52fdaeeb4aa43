"""Parts of pages that move by themselves: the same is 204, a change is the part and nothing around it."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from publisher import clock, journal
from publisher.domain.states import Event
from publisher.models import LiveSight
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows

Login = Callable[[str], Client]


def polled(client: Client, path: str) -> str:
    """What the page asks again and again."""
    asked = re.search(r'hx-get="([^"]+)" hx-trigger="every 3s"', client.get(path).content.decode())
    assert asked is not None
    return asked[1].replace("&amp;", "&")


def test_the_inbox_is_told_anew_once_something_waits(rows: Rows, at: Login) -> None:
    client = at("rui")
    address = polled(client, "/")
    assert client.get(address).status_code == 204
    before = client.get("/").content.decode().count("list__item")
    page_rows.new_article(at=rows.site, now=clock.now(), path="content/new.md", title="Brand new")
    part = client.get(address).content.decode()
    assert "Brand new" in part
    assert f"{before + 1} things wait for you." in part
    assert f'<span class="nav__count">{before + 1}<' in part
    assert f"<title>({before + 1}) Inbox" in part
    assert "<html" not in part
    again = re.search(r'hx-get="([^"]+)"', part)
    assert again is not None
    assert client.get(again[1]).status_code == 204


def test_what_was_settled_leaves_the_inbox(rows: Rows, at: Login) -> None:
    client = at("rui")
    address = polled(client, "/")
    at("ada").post(f"/jobs/{rows.waiting.pk}/act/cancel/")
    part = client.get(address).content.decode()
    assert "list__item" in part
    assert str(jobs.request_of(rows.waiting).pk) not in re.findall(r"/approvals/(\d+)/", part)


def test_an_empty_inbox_is_asked_again_too(rows: Rows, at: Login) -> None:
    client = at("zoe")
    assert client.get(polled(client, "/")).status_code == 204


def test_a_link_that_is_told_anew_can_be_found_by_the_focus(rows: Rows, at: Login) -> None:
    page = at("rui").get("/").content.decode()
    links = re.findall(r'<h2 class="list__title"><a ([^>]*)>', page)
    named = [re.match(r'id="([\w-]+)"', link) for link in links]
    assert links
    assert len({found[1] for found in named if found}) == len(links)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"clone_state": "cloning", "clone_progress": "Receiving 41 of 90"}, "Receiving 41 of 90"),
        ({"head": "fee1dead" + "0" * 32}, "fee1dead"),
        ({"last_error": "The server does not let us in."}, "The server does not let us in."),
        ({"fetched_at": jobs.NOW}, "<time"),
    ],
)
def test_a_sites_page_follows_what_a_worker_finds(
    rows: Rows, at: Login, changes: dict[str, object], told: str
) -> None:
    client = at("omar")
    address = polled(client, "/sites/blog/")
    assert client.get(address).status_code == 204
    for name, value in changes.items():
        setattr(rows.site, name, value)
    rows.site.save()
    part = client.get(address).content.decode()
    assert told in part
    assert "<html" not in part
    assert "<form" not in part


def test_a_sites_page_follows_its_live_checkout_and_its_jobs(rows: Rows, at: Login) -> None:
    rows.site.live_checkout = "/srv/live"
    rows.site.save()
    client = at("omar")
    address = polled(client, "/sites/blog/")
    assert client.get(address).status_code == 204
    LiveSight.objects.create(
        site=rows.site, looked_at=clock.now(), notes=[{"code": "operation", "names": ["rebase"]}]
    )
    assert "in the middle of this in git" in client.get(address).content.decode()
    address = polled(client, "/sites/blog/")
    page_rows.new_article(at=rows.site, now=clock.now(), path="content/new.md", title="Brand new")
    assert "Brand new" in client.get(address).content.decode()


def test_the_list_of_jobs_moves_within_its_filters(rows: Rows, at: Login) -> None:
    client = at("rui")
    address = polled(client, "/jobs/?site=blog&state=WAITING_APPROVAL")
    assert client.get(address).status_code == 204
    at("ada").post(f"/jobs/{rows.waiting.pk}/act/cancel/")
    page_rows.new_article(at=rows.site, now=clock.now(), path="content/new.md", title="Brand new")
    part = client.get(address).content.decode()
    assert "Brand new" in part
    assert f"/jobs/{rows.waiting.pk}/" not in part
    assert "<form" not in part
    again = re.search(r'hx-get="([^"]+)"', part)
    assert again is not None
    assert client.get(again[1].replace("&amp;", "&")).status_code == 204


@pytest.mark.parametrize("query", ["q=library", "after=01a2284b-de96-71f1-896e-64b866766e09"])
def test_a_search_and_older_jobs_stay_as_they_are(rows: Rows, at: Login, query: str) -> None:
    assert "hx-get" not in at("rui").get(f"/jobs/?{query}").content.decode()


def test_who_pauses_a_site_changes_what_others_can_do_there(rows: Rows, at: Login) -> None:
    client = at("omar")
    address = polled(client, "/sites/blog/")
    at("omar").post("/sites/blog/pause/")
    part = client.get(address).content.decode()
    assert "Nothing leaves for this site until it is resumed." in part
    assert "The state changed: show what you can do now" in part
    assert "The state changed" not in client.get("/sites/blog/").content.decode()


def test_a_site_of_another_space_tells_nothing(rows: Rows, at: Login) -> None:
    jobs.site("diary", scope="private")
    assert at("omar").get("/sites/diary/live/").status_code == 404


@pytest.mark.parametrize("path", ["/", "/jobs/", "/sites/blog/"])
def test_after_the_login_ended_a_part_is_not_replaced_by_the_login(
    rows: Rows, at: Login, path: str
) -> None:
    client = at("omar")
    address = polled(client, path)
    client.logout()
    assert client.get(address, headers={"HX-Request": "true"}).status_code == 401
    assert client.get(address).status_code == 302


def test_the_head_of_a_job_follows_what_became_of_it(rows: Rows, at: Login) -> None:
    client = at("rui")
    made = jobs.received(at=rows.site, title="", operation="", path="content/later.md")
    page = client.get(f"/jobs/{made.pk}/").content.decode()
    assert "<h1>content/later.md</h1>" in page
    assert "<span>to be judged</span>" in page
    address = polled(client, f"/jobs/{made.pk}/")
    journal.record(
        made, Event.PREPARE, who=jobs.WORKER, now=jobs.NOW,
        changes={"title": "What came later", "operation": "create"},
    )  # fmt: skip
    part = client.get(address).content.decode()
    head = part[part.index('id="job-head" hx-swap-oob="true"') :]
    assert "<h1>What came later</h1>" in head
    assert "to be judged" not in part
    assert re.search(r"<title>\(\d+\) What came later · Imprimatur</title>", part)
