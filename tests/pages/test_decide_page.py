"""The review page's form: what was typed survives a refusal, and a second click decides once."""

import re
from collections.abc import Callable

from django.test import Client

from publisher import clock, envelopes
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.services import revise
from reviews.models import Decision
from reviews.presenters.times import in_full
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
COMMENT = "The second paragraph repeats the first; see line 9."


def form_of(page: str) -> dict[str, str]:
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    return {name: value for name, value in fields if name != "csrfmiddlewaretoken"}


def test_the_page_shows_text_envelope_and_hash(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    page = at("rui").get(f"/approvals/{request.pk}/").content.decode()
    assert "Six people" in page
    assert "If you approve, 1 file is added to blog (main) within a minute." in page
    assert request.binding_hash in page
    assert f"Approve exactly this ({request.binding_hash[7:11]}…)" in page
    assert "content/posts/soup-for-forty.mdx" in page


def test_approving_leads_back_to_the_page_which_says_so(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    client = at("rui")
    page = client.get(f"/approvals/{request.pk}/").content.decode()
    form = {**form_of(page), "decision": "approve", "comment": COMMENT}
    first = client.post(f"/approvals/{request.pk}/decide/", form, follow=True)
    assert "Approved. It leaves by itself within a minute." in first.content.decode()
    second = client.post(f"/approvals/{request.pk}/decide/", form)
    assert second.status_code == 302
    assert Decision.objects.filter(approval=request).count() == 1
    assert jobs.reloaded(rows.waiting).state == "READY_TO_COMMIT"


def test_a_stale_page_keeps_the_comment_and_leads_to_the_new_version(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    client = at("rui")
    form = form_of(client.get(f"/approvals/{request.pk}/").content.decode())
    who = Who(Actor.SUBMITTER, "ada")
    job = revise.revise(
        rows.waiting, files={rows.waiting.target_path: b"# Other\n"}, base_revision=1, who=who,
        now=clock.now(),
    )  # fmt: skip
    jobs.waiting(job, now=clock.now())
    form |= {"decision": "approve", "comment": COMMENT}
    response = client.post(f"/approvals/{request.pk}/decide/", form)
    page = response.content.decode()
    assert response.status_code == 409
    assert COMMENT in page
    assert f'href="/approvals/{jobs.request_of(job).pk}/"' in page
    assert not Decision.objects.filter(approval__job=job).exists()


def test_the_author_is_told_who_can_decide(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    page = at("ada").get(f"/approvals/{request.pk}/").content.decode()
    assert "You wrote or requested this; mei or rui can decide." in page
    assert 'value="approve"' not in page


def test_an_operator_can_read_but_gets_no_buttons(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    page = at("omar").get(f"/approvals/{request.pk}/").content.decode()
    assert 'value="approve"' not in page
    assert "You can read this." in page


def test_an_approval_can_be_taken_back_on_the_page(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    client = at("rui")
    address = f"/approvals/{request.pk}/"
    form = form_of(client.get(address).content.decode())
    client.post(f"{address}decide/", {**form, "decision": "approve"})
    form = form_of(client.get(address).content.decode())
    client.post(f"{address}decide/", {**form, "decision": "withdraw"})
    assert jobs.reloaded(rows.waiting).state == "WAITING_APPROVAL"


def test_the_live_banner_appears_only_when_something_changed(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    client = at("mei")
    live = f"/approvals/{request.pk}/live/?seen=pending-WAITING_APPROVAL"
    assert client.get(live).status_code == 204
    rui = at("rui")
    form = form_of(rui.get(f"/approvals/{request.pk}/").content.decode())
    rui.post(f"/approvals/{request.pk}/decide/", {**form, "decision": "approve"})
    said = client.get(live).content.decode()
    assert re.search(
        r"Something changed here on \d+ \w+ \d+, \d\d:\d\d \w+, while you read\.", said
    )
    assert 'data-outdated="No longer open"' in said


def test_the_live_banner_says_when_a_newer_version_came_and_what_differs(
    rows: Rows, at: Login
) -> None:
    old = jobs.request_of(rows.waiting)
    who, now = Who(Actor.SUBMITTER, "ada"), clock.now()
    files = {rows.waiting.target_path: b"---\ntitle: Anew\n---\n\nAnother text.\n"}
    jobs.waiting(
        revise.revise(rows.waiting, files=files, base_revision=1, who=who, now=now), now=now
    )
    new = jobs.request_of(rows.waiting)
    live = f"/approvals/{old.pk}/live/?seen=pending-WAITING_APPROVAL"
    said = at("mei").get(live).content.decode()
    assert f"A newer version arrived on {in_full(new.opened_at)}. Your comment is kept." in said
    assert f'href="/approvals/{new.pk}/"' in said
    fields = re.findall(r'data-field="([\w.]+)"', said)
    assert "payload_hash" in fields
    assert f"See the {len(fields)} differences" in said
    assert 'data-outdated="Replaced by a newer version"' in said


def test_the_live_banner_tells_the_same_version_from_a_newer_one(rows: Rows, at: Login) -> None:
    old = jobs.request_of(rows.waiting)
    rui, address = at("rui"), f"/approvals/{old.pk}/"
    for decision in ("approve", "withdraw"):
        form = form_of(rui.get(address).content.decode())
        rui.post(f"{address}decide/", {**form, "decision": decision})
    assert jobs.request_of(rows.waiting).pk != old.pk
    said = at("mei").get(f"{address}live/?seen=pending-WAITING_APPROVAL").content.decode()
    assert "The same version was asked about again on " in said
    assert 'data-outdated="No longer open"' in said
    assert "newer version" not in said


def test_files_of_a_job_are_downloads_that_no_browser_interprets(rows: Rows, at: Login) -> None:
    digest = rows.waiting.revisions.get().content.removeprefix("sha256:")
    response = at("rui").get(f"/jobs/{rows.waiting.pk}/files/{digest}/?show=1")
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")
    assert response["X-Content-Type-Options"] == "nosniff"
    other = at("rui").get(f"/jobs/{rows.update.pk}/files/{digest}/")
    assert other.status_code == 404


def test_a_binary_part_needs_a_tick_of_its_own(rows: Rows, at: Login) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40
    extra = (("public/images/a.png", picture, True), ("public/a.bin", b"\x00\x01", True))
    job = page_rows.update(at=rows.site, now=clock.now(), path="content/b.md", extra=extra)
    address = f"/approvals/{jobs.request_of(job).pk}/"
    client = at("rui")
    page = client.get(address).content.decode()
    assert "I have looked at the picture public/images/a.png" in page
    assert "I know that public/a.bin (2\xa0bytes) is published without being shown here." in page
    form = {**form_of(page), "decision": "approve", "comment": COMMENT}
    response = client.post(f"{address}decide/", form)
    assert response.status_code == 409
    assert COMMENT in response.content.decode()
    ticked = {**form, "acknowledged": ["public/a.bin", "public/images/a.png"]}
    assert client.post(f"{address}decide/", ticked).status_code == 302
    assert jobs.reloaded(job).state == "READY_TO_COMMIT"


def test_a_picture_is_shown_as_a_picture_and_nothing_else_is(rows: Rows, at: Login) -> None:
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    picture = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40
    extra = (("public/a.png", picture, True), ("public/b.png", svg, True))
    job = page_rows.update(at=rows.site, now=clock.now(), path="content/b.md", extra=extra)
    client = at("rui")
    types = {}
    for entry in envelopes.manifest_of(job).entries:
        digest = (entry.sha256 or "").removeprefix("sha256:")
        answer = client.get(f"/jobs/{job.pk}/files/{digest}/?show=1")
        types[entry.path] = answer["Content-Type"]
    assert types["public/a.png"] == "image/png"
    assert types["public/b.png"] == "application/octet-stream"


def test_a_page_whose_decision_is_taken_shows_what_becomes_of_it(rows: Rows, at: Login) -> None:
    request = jobs.request_of(rows.waiting)
    answer = at("rui").get(f"/approvals/{request.pk}/live/?seen=approved-READY_TO_COMMIT")
    assert (answer.status_code, answer.headers["HX-Refresh"]) == (204, "true")
