"""Case 59: text that reads differently than it is, at the page: in the text, its names and paths."""

import html
import re

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client

from publisher.domain.states import State
from publisher.models import Finding, Job
from reviews.models import Approval
from tests.support.journey import TARGET, Journey, fresh, told

PAYLOAD = (
    '---\ntitle: "Hello"\ndate: 2026-01-01\n---\n\n'
    "Pay to account \u202e654321\u202c today.\n\n"
    "[bank](https://ex\u0430mple.invalid/) \u2066safe\u2069\n\n"
    "مرحبا بالعالم\n"
).encode()
HIDDEN = {"U+202E", "U+202C", "U+2066", "U+2069"}
TABS = ("rendered", "diff", "raw")


@pytest.fixture(autouse=True)
def _forgetful_cache() -> None:
    cache.clear()


def client() -> Client:
    found = Client()
    found.force_login(get_user_model().objects.get(username="rui"))
    return found


def waiting(journey: Journey, data: bytes = PAYLOAD, path: str = TARGET, **options: str) -> Job:
    action = "update" if path == TARGET else "create"
    job = journey.submit(data, path, action=action, **options)
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    return fresh(job)


def page_of(job: Job, query: str = "") -> str:
    request = Approval.objects.get(job=job)
    answer = client().get(f"/approvals/{request.pk}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def yes(job: Job, *ticks: str) -> tuple[int, str]:
    request = Approval.objects.get(job=job)
    form = {
        "decision": "approve", "reviewed_hash": request.binding_hash, "request_id": "r",
        "acknowledged": ticks,
    }  # fmt: skip
    answer = client().post(f"/approvals/{request.pk}/decide/", form)
    return answer.status_code, html.unescape(answer.content.decode())


def test_no_page_holds_a_control_and_each_names_all_of_them(journey: Journey) -> None:
    job = waiting(journey)
    for tab in TABS:
        page = page_of(job, f"?tab={tab}")
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", html.unescape(page)), tab
        assert {name for name in HIDDEN if name in page} == HIDDEN, tab
    assert "U+0430" in page_of(job, "?tab=diff")


def test_the_warning_stands_at_the_line_and_in_the_list(journey: Journey) -> None:
    job = waiting(journey)
    found = Finding.objects.filter(step__job=job).exclude(line=None)
    assert {(row.rule, row.line) for row in found} == {
        ("hidden_character", 6), ("misleading_link", 8), ("hidden_character", 8),
    }  # fmt: skip
    page = page_of(job, "?tab=raw")
    assert {f'id="at-finding-{row.pk}"' in page for row in found} == {True}
    assert page.count('href="#at-finding-') == found.count()


def test_arabic_without_controls_is_not_warned_about(journey: Journey) -> None:
    job = waiting(journey, "---\ntitle: مرحبا\n---\n\nمرحبا بالعالم\n".encode())
    assert not Finding.objects.filter(step__job=job).exclude(line=None).exists()
    page = page_of(job, "?tab=raw")
    assert "مرحبا بالعالم" in page
    assert 'class="pill"' not in page
    assert len(Approval.objects.get(job=job).parts) == 1


def test_hidden_text_takes_a_tick_of_its_own(journey: Journey) -> None:
    job = waiting(journey)
    page = page_of(job, "?tab=raw")
    assert f"I have seen the hidden or misleading characters in {TARGET}." in page
    status, refused = yes(job)
    assert (status, fresh(job).state) == (409, State.WAITING_APPROVAL)
    assert f"{TARGET} (hidden)" in refused
    assert yes(job, TARGET)[0] == 409
    assert yes(job, f"{TARGET} (hidden)")[0] == 302


@pytest.mark.parametrize("letter", ["\u0430", "\u03bf", "\u0455"], ids=["cyrillic", "greek", "s"])
def test_a_title_with_a_letter_that_only_looks_latin_names_it(
    letter: str, journey: Journey
) -> None:
    data = b'---\ntitle: "Pay"\n---\n\nText.\n'
    job = waiting(journey, data, "content/posts/pay.mdx", title=f"P{letter}ypal news")
    assert f"U+{ord(letter):04X}" in page_of(job).split("</h1>")[0].split("<h1>")[1]


def test_a_title_in_one_script_is_left_as_it_is(journey: Journey) -> None:
    data = b'---\ntitle: "Soup"\n---\n\nText.\n'
    job = waiting(journey, data, "content/posts/soup.mdx", title="Соус и сор")
    assert "<h1>Соус и сор</h1>" in page_of(job)


def test_controls_in_a_title_are_pills_and_spelled_where_no_markup_can_stand(
    journey: Journey,
) -> None:
    data = b'---\ntitle: "Soup"\n---\n\nText.\n'
    job = waiting(journey, data, "content/posts/soup.mdx", title="cod\u202efdp")
    page = page_of(job)
    assert "cod[U+202E]fdp" in page.split("</title>")[0], page[:900]
    assert "\u202e" not in html.unescape(page)
    assert 'class="pill"' in page.split("</h1>")[0].split("<h1>")[1]
