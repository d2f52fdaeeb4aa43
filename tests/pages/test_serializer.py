"""What a page shows and what is recorded as shown come from one serializer."""

import hashlib
from collections.abc import Callable

import pytest
from django.test import Client

from publisher import artifacts, clock
from reviews.models import Shown
from reviews.presenters import shown_text
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows
from tests.support.reading_rows import article, found_at, look, revised, shown, view

Login = Callable[[str], Client]
WAYS = [
    "?tab=rendered",
    "?tab=diff",
    "?tab=diff&side=1",
    "?tab=diff&words=0",
    "?tab=raw",
    "?tab=since",
    "?tab=since&side=1",
]


@pytest.mark.parametrize("query", WAYS)
def test_the_page_says_what_is_recorded_and_nothing_else(query: str, rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site, text=page_rows.ARTICLE + "\nzero\u200bwidth\n")
    look(client, request)
    second = revised(request, page_rows.ARTICLE.replace("smells of onions", "smells of <soup>"))
    found_at(second, 12)
    page = look(client, second, query)
    assert shown(page) == list(shown_text.pieces(view(client, second, query)))


@pytest.mark.parametrize("query", WAYS[:5])
def test_a_change_of_an_article_says_what_is_recorded(query: str, rows: Rows, at: Login) -> None:
    client, request = at("rui"), jobs.request_of(rows.update)
    page = look(client, request, query)
    assert shown(page) == list(shown_text.pieces(view(client, request, query)))


@pytest.mark.parametrize(("query", "way"), [("", "rendered"), ("?tab=raw", "raw")])
def test_the_record_names_what_was_shown_and_how(
    query: str, way: str, rows: Rows, at: Login
) -> None:
    client, request = at("rui"), article(rows.site)
    look(client, request, query)
    row = Shown.objects.get()
    assert (row.view, row.base_sha256) == (way, "")
    assert row.content_sha256 == shown_text.digest(view(client, request, query))


def test_the_record_names_the_text_beside_which_it_was_shown(rows: Rows, at: Login) -> None:
    old, new = "# Old\n\nOne.\n", "# New\n\nTwo.\n"
    job = page_rows.update(at=rows.site, now=clock.now(), old=old, new=new, path="content/b.md")
    look(at("rui"), jobs.request_of(job), "?tab=diff")
    row = Shown.objects.get()
    assert (row.view, row.base_sha256) == ("diff", artifacts.sha256_of(old.encode()))


def test_what_is_shown_raw_is_what_is_bound(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    text = "".join(f"{piece}\n" for piece in shown(look(client, request, "?tab=raw")))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert request.parts[0]["sha256"] == f"sha256:{digest}"
    manifest = artifacts.load(request.job.manifest_artifact).decode()
    assert digest in manifest


def test_another_text_or_another_way_has_another_digest(rows: Rows, at: Login) -> None:
    client, request = at("rui"), article(rows.site)
    other = article(rows.site, text=page_rows.NEW, path="content/other.md")
    found = {
        shown_text.digest(view(client, one, query))
        for one in (request, other)
        for query in WAYS[:5]
    }
    assert len(found) == 2 * 3  # marks, and of a new text the columns, are no part of what is said
