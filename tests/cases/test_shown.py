"""What the pages send for drafts that attack, are huge or not in ASCII."""

import html
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from publisher import selectors
from publisher.domain.states import State
from publisher.models import Job
from publisher.services.submit import Asset
from reviews.models import Approval
from tests.support.git import second_person
from tests.support.growth import calls_of, no_explosion
from tests.support.journey import FRESH, FRESH_TEXT, TARGET, Journey, fresh, told

MEBIBYTE = 2**20
BAD_TITLE = "<b onmouseover=alert(17)>t</b>"
GATED = b"""---
title: "</title><script>alert('t')</script>"
tags: ["<img src=x onerror=alert('tag')>"]
---

<script>alert(1)</script> <img src=x onerror=alert(2)> <svg onload=alert(3)>

<iframe srcdoc="<script>alert(12)</script>"></iframe> <a href="//xss.invalid" target=_top>t</a>

<details open ontoggle=alert(15)> <form action="javascript:alert(16)"><button>x</button></form>
"""
PASSING = b"""---
title: "</title><script>alert('t')</script>"
tags: ["<img src=x onerror=alert('tag')>"]
---

[a](javascript:alert(5)) [b](JaVaScRiPt&#58;alert(6)) [c](java&#x09;script:alert(7))

![pic" onerror=alert(10) y](z) ![x](x '"onerror=alert(11)') [t](//xss.invalid)

```"><img/src=x/onerror=alert(13)>
code
```
"""


class _Live(HTMLParser):
    """Collects whatever a browser would run or fetch on its own."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "script" and "src" not in values and "json" not in values.get("type", ""):
            self.found.append("inline script")
        if tag in ("base", "math", "object", "embed") or values.get("http-equiv") == "refresh":
            self.found.append(tag)
        for name, value in values.items():
            target = "".join(value.split()).lower()
            runs = target.startswith(("javascript:", "data:text/html", "vbscript:"))
            fetches = name in ("src", "srcset", "action") and "xss.invalid" in target
            if name.startswith("on") or runs or fetches:
                self.found.append(f"{tag} {name}={value}")
            if name == "srcdoc":
                self.found += _live(value)


def _live(page: str) -> list[str]:
    parser = _Live()
    parser.feed(page)
    parser.close()
    return parser.found


@pytest.fixture(autouse=True)
def _forgetful_cache() -> None:
    cache.clear()


def _client(name: str = "rui") -> Client:
    client = Client()
    client.force_login(get_user_model().objects.get(username=name))
    return client


def _pages(job: Job) -> list[str]:
    addresses = [reverse("inbox"), reverse("jobs"), reverse("job", args=[job.pk])]
    addresses += [
        reverse("approval", args=[approval.pk]) for approval in Approval.objects.filter(job=job)
    ]
    conflict = selectors.open_conflict(job)
    return [*addresses, *([reverse("conflict", args=[conflict.pk])] if conflict else [])]


def _get(address: str, name: str = "rui") -> tuple[str, str]:
    """The page's text and its content security policy."""
    client = _client(name)
    with no_explosion():
        answer = client.get(address, follow=True)
    assert answer.status_code == 200, address
    return answer.content.decode(), answer.headers.get("Content-Security-Policy", "")


@pytest.mark.parametrize("text", [GATED, PASSING], ids=["gated", "passing"])
def test_no_page_holds_live_markup_of_a_draft(journey: Journey, text: bytes) -> None:
    job = journey.submit(
        text,
        "content/posts/xss.mdx",
        action="create",
        title=BAD_TITLE,
        key='c63"><script>alert(18)</script>',
    )
    journey.work()
    assert fresh(job).state == (State.REVIEW if text is GATED else State.WAITING_APPROVAL), told(
        job
    )
    for address in _pages(fresh(job)):
        page, policy = _get(address)
        assert _live(page) == [], address
        assert "unsafe-inline" not in policy
        assert "script-src" in policy or "default-src 'none'" in policy
    assert html.escape(BAD_TITLE) in _get(reverse("job", args=[job.pk]))[0]
    journey.is_sound(job)


def test_pages_show_where_a_link_at_the_target_leads_and_nothing_of_what_is_there(
    journey: Journey, tmp_path: Path
) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("a secret of the machine\n")
    path = "content/posts/notes.mdx"
    second_person(journey.remote, {}, "link", links={path: str(canary)})
    job = journey.submit(b'---\ntitle: "n"\n---\n\nn\n', path, action="update")
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    addresses = [*_pages(fresh(job)), reverse("job_review", args=[job.pk])]
    pages = [_get(address)[0] for address in addresses]
    assert all("a secret of the machine" not in page for page in pages)
    assert f"symbolic link to {canary}." in pages[-1]


def _bomb() -> bytes:
    """Nine levels of nine aliases each: a few bytes that stand for 9**9 values."""
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{one}: &a{one} [" + ",".join([f"*a{one - 1}"] * 9) + "]" for one in range(1, 9)]
    return ("---\ntitle: bomb\n" + "\n".join(lines) + "\n---\n\nBody.\n").encode()


def test_every_page_of_a_bombed_job_opens_small_and_expands_nothing(journey: Journey) -> None:
    job = journey.submit(_bomb(), "content/posts/bomb.mdx", action="create")
    with no_explosion():
        journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    api = f"/api/v1/jobs/{job.pk}"
    addresses = [*_pages(fresh(job)), reverse("job", args=[job.pk]) + "?all"]
    addresses += ["/api/v1/jobs", api, f"{api}/events", reverse("job_review", args=[job.pk])]
    for address in addresses:
        page = _get(address)[0]
        assert len(page.encode()) < MEBIBYTE // 4, address
    assert "Aliases (*name) are not allowed." in page
    staff = get_user_model().objects.filter(username="omar")
    staff.update(is_staff=True, is_superuser=True)
    for row in (f"job/{job.pk}/change/", "job/", "jobevent/", "revision/"):
        page = _get(f"/admin/publisher/{row}", "omar")[0]
        assert "logout-form" in page
        assert len(page.encode()) < MEBIBYTE // 4, row


HEADER = b'---\ntitle: "big"\n---\n\n'


@pytest.mark.parametrize(
    "text",
    [
        HEADER + b"x" * 1_000_000 + b"\n",
        HEADER + b"".join(b"LINE %d\n" % number for number in range(200_000)),
        HEADER + (b"word " * 20 + b"\n") * 51_000,
    ],
    ids=["one long line", "many lines", "five MiB"],
)
def test_pages_of_huge_drafts_are_small_and_fast(journey: Journey, text: bytes) -> None:
    many = HEADER + b"".join(b"line %d\n" % number for number in range(200_000))
    second_person(journey.remote, {TARGET: many}, "many lines")
    job = journey.submit(text, TARGET, action="update")
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    for address in _pages(fresh(job)):
        assert len(_get(address)[0].encode()) < 2 * MEBIBYTE, address


@pytest.mark.parametrize("query", ["?tab=diff", "?tab=diff&side=1", "?tab=diff&part=2"])
def test_a_part_of_a_diff_costs_the_same_however_long_the_rest_is(
    query: str, journey: Journey
) -> None:
    def cost(lines: int) -> int:
        path = f"content/posts/many-{lines}.mdx"
        old, new = (
            HEADER + b"".join(b"%s %d\n" % (word, number) for number in range(lines))
            for word in (b"line", b"LINE")
        )
        second_person(journey.remote, {path: old}, f"{lines} lines")
        job = journey.submit(new, path, action="update")
        journey.work()
        assert fresh(job).state == State.WAITING_APPROVAL, told(job)
        address = reverse("approval", args=[Approval.objects.get(job=job).pk]) + query
        client = _client()
        assert client.get(address).status_code == 200
        return calls_of(lambda: client.get(address))

    assert cost(40_000) < 1.1 * cost(4_000)


@pytest.mark.parametrize("data", [b"\x80\x81\xfe\xff" * 300, b"caf\xe9\n"], ids=["bytes", "latin"])
def test_bytes_that_are_not_utf_8_are_named_and_ticked(journey: Journey, data: bytes) -> None:
    path = "public/menu.txt"
    journey.submit(FRESH_TEXT, FRESH, action="create", assets=(Asset(path, data),))
    journey.work()
    approval = Approval.objects.get()
    assert {part["path"]: part["why"] for part in approval.parts} == {FRESH: "", path: "binary"}
    page = _get(reverse("approval", args=[approval.pk]))[0]
    assert "This file is not text." in page
    assert "\ufffd" not in page
    form = {"decision": "approve", "reviewed_hash": approval.binding_hash, "request_id": "r"}
    answer = _client("rui").post(reverse("approval_decide", args=[approval.pk]), form)
    assert answer.status_code == 409
    assert path in answer.content.decode()


def test_a_page_shows_chinese_names_and_never_octal(journey: Journey) -> None:
    path = "content/posts/第二篇 🙂.mdx"
    job = journey.submit('---\ntitle: "第二篇"\n---\n\n正文🙂。\n'.encode(), path, action="create")
    journey.work()
    approval = Approval.objects.get(job=job)
    page, _ = _get(reverse("approval", args=[approval.pk]))
    assert path in unicodedata.normalize("NFC", html.unescape(page))
    assert "正文🙂。" in page
    assert "\\344" not in page
    assert "\\347" not in page
