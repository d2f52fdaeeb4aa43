"""The ways on: review, conflict, submit, sites and tokens; what was typed survives every error."""

import re
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from publisher import artifacts
from publisher.models import Job, Outbox
from reviews.models import Token
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
TYPED = "---\r\ntitle: Typed\r\n---\r\n\r\nA text that took an hour to write.\r\n"


def test_an_edit_makes_a_new_version_with_the_files_own_line_ends(rows: Rows, at: Login) -> None:
    form = {"text": TYPED, "base_revision": 1, "why": "shorter"}
    response = at("rui").post(f"/jobs/{rows.review.pk}/edit/", form)
    assert response.status_code == 302
    job = jobs.reloaded(rows.review)
    assert (job.revision, job.state) == (2, "RECEIVED")
    stored = artifacts.load(job.revisions.get(number=2).content)
    assert stored == TYPED.replace("\r\n", "\n").encode()


def test_a_stale_edit_keeps_the_text_and_can_be_saved_again(rows: Rows, at: Login) -> None:
    ada, rui = at("ada"), at("rui")
    ada.post(f"/jobs/{rows.review.pk}/edit/", {"text": "Ada's.", "base_revision": 1})
    response = rui.post(f"/jobs/{rows.review.pk}/edit/", {"text": TYPED, "base_revision": 1})
    assert response.status_code == 409
    page = response.content.decode()
    assert "A text that took an hour to write." in page
    assert 'name="base_revision" value="2"' in page


def test_an_empty_edit_is_refused_on_the_page(rows: Rows, at: Login) -> None:
    response = at("rui").post(f"/jobs/{rows.review.pk}/edit/", {"text": "", "base_revision": 1})
    assert response.status_code == 422
    assert "What you typed is still here." in response.content.decode()


def test_an_operator_overrules_a_finding_with_a_reason(rows: Rows, at: Login) -> None:
    page = at("omar").get(f"/jobs/{rows.review.pk}/review/").content.decode()
    finding = re.search(r'name="finding" value="(\d+)"', page)
    assert finding is not None
    address = f"/jobs/{rows.review.pk}/override/"
    at("omar").post(address, {"finding": finding[1], "reason": ""})
    assert jobs.reloaded(rows.review).state == "REVIEW"
    at("omar").post(address, {"finding": finding[1], "reason": "It is meant so."})
    assert jobs.reloaded(rows.review).state == "RECEIVED"


def test_a_reviewer_is_offered_no_overruling(rows: Rows, at: Login) -> None:
    page = at("rui").get(f"/jobs/{rows.review.pk}/review/").content.decode()
    assert 'name="finding"' not in page
    assert "Change the text, or ask an operator." in page


def test_acts_are_named_with_the_reason_why_not(rows: Rows, at: Login) -> None:
    page = at("rui").get(f"/jobs/{rows.failed.pk}/").content.decode()
    assert "Try again now" in page
    assert "An operator can do this." in page
    page = at("omar").get(f"/jobs/{rows.failed.pk}/").content.decode()
    assert "Its outcome is being looked for first." in page


def test_a_submitter_cancels_the_own_job(rows: Rows, at: Login) -> None:
    response = at("ada").post(f"/jobs/{rows.waiting.pk}/act/cancel/", follow=True)
    assert "Cancelled. Nothing more happens" in response.content.decode()
    assert jobs.reloaded(rows.waiting).state == "CANCELLED"


def test_a_submitter_cancels_what_failed_once_nothing_is_looked_for(rows: Rows, at: Login) -> None:
    client, act = at("ada"), f"/jobs/{rows.failed.pk}/act/cancel/"
    client.post(act)
    assert jobs.reloaded(rows.failed).state == "FAILED"
    rows.failed.effects.update(status="absent")
    assert act in client.get(f"/jobs/{rows.failed.pk}/").content.decode()
    client.post(act)
    assert jobs.reloaded(rows.failed).state == "CANCELLED"
    assert act not in client.get(f"/jobs/{rows.failed.pk}/").content.decode()


def test_after_the_end_a_new_job_for_the_same_article_is_one_link_away(
    rows: Rows, at: Login
) -> None:
    client = at("ada")
    client.post(f"/jobs/{rows.waiting.pk}/act/cancel/")
    page = client.get(f"/jobs/{rows.waiting.pk}/").content.decode()
    link = re.search(r'href="(/submit/\?[^"]+)"', page)
    assert link is not None
    form = client.get(link[1].replace("&amp;", "&")).content.decode()
    assert f'value="{rows.waiting.target_path}"' in form
    assert "/submit/?" not in at("mei").get(f"/jobs/{rows.waiting.pk}/").content.decode()


def test_somebody_else_cannot_cancel_it(rows: Rows, at: Login) -> None:
    assert at("mei").post(f"/jobs/{rows.waiting.pk}/act/cancel/").status_code == 403
    assert jobs.reloaded(rows.waiting).state == "WAITING_APPROVAL"


def test_a_skipped_job_is_published_anyway_as_a_new_one(rows: Rows, at: Login) -> None:
    response = at("omar").post(f"/jobs/{rows.skipped.pk}/act/publish-anyway/", follow=True)
    assert "This is the job that publishes it anyway." in response.content.decode()
    assert Job.objects.get(appeals=rows.skipped).state == "RECEIVED"


def test_an_act_that_is_too_late_says_so_on_a_page(rows: Rows, at: Login) -> None:
    response = at("omar").post(f"/jobs/{rows.failed.pk}/act/retry/")
    assert response.status_code == 409
    assert "Something changed meanwhile" in response.content.decode()


def conflict_form(rows: Rows, **fields: str) -> tuple[str, dict[str, str]]:
    conflict = rows.conflict.conflicts.get()
    form = {"ours_sha256": conflict.ours_sha256, "theirs_sha256": conflict.theirs_sha256}
    return f"/conflicts/{conflict.pk}/", {**form, **fields}


def test_a_conflict_is_told_without_a_word_of_git(rows: Rows, at: Login) -> None:
    address, _form = conflict_form(rows)
    page = at("rui").get(address).content.decode()
    text = re.sub(r"<[^>]+>", " ", page)
    assert "Grace changed content/posts/library.md while our draft was on its way." in text
    for word in ("rebase", "merge", "HEAD", "upstream", "ours", "theirs"):
        assert not re.search(rf"\b{word}\b", text), word


def test_writing_an_own_version_settles_a_conflict(rows: Rows, at: Login) -> None:
    address, form = conflict_form(rows, **{"choice-0": "content", "text-0": TYPED})
    at("rui").post(f"{address}resolve/", form)
    job = jobs.reloaded(rows.conflict)
    assert job.state == "RECEIVED"
    stored = artifacts.load(job.revisions.get(number=2).content)
    assert stored == TYPED.replace("\r\n", "\n").encode()


def test_left_markers_keep_the_text_on_the_page(rows: Rows, at: Login) -> None:
    text = "<<<<<<< a\nmine, an hour of work\n=======\nyours\n>>>>>>> b\n"
    address, form = conflict_form(rows, **{"choice-0": "content", "text-0": text})
    response = at("rui").post(f"{address}resolve/", form)
    page = response.content.decode()
    assert response.status_code == 422
    assert "mine, an hour of work" in page
    assert "Conflict markers are left" in page


def test_heads_that_moved_keep_the_choice(rows: Rows, at: Login) -> None:
    address, form = conflict_form(rows, **{"choice-0": "content", "text-0": TYPED})
    response = at("rui").post(f"{address}resolve/", {**form, "theirs_sha256": "sha256:old"})
    assert response.status_code == 409
    page = response.content.decode()
    assert "A text that took an hour to write." in page
    assert re.search(r'value="content"[^>]*checked', page)


def test_keeping_what_is_published_is_offered_to_who_may_give_up(rows: Rows, at: Login) -> None:
    address, form = conflict_form(rows, **{"choice-0": "theirs"})
    assert 'value="theirs"' not in at("rui").get(address).content.decode()
    assert 'value="theirs"' in at("omar").get(address).content.decode()
    at("omar").post(f"{address}resolve/", form)
    assert jobs.reloaded(rows.conflict).state == "SKIPPED"


def test_a_new_path_outside_of_the_site_is_refused_by_name(rows: Rows, at: Login) -> None:
    fields = {"choice-0": "new_path", "path-0": "../outside.md"}
    address, form = conflict_form(rows, **fields)
    response = at("rui").post(f"{address}resolve/", form)
    assert response.status_code == 422
    assert 'value="../outside.md"' in response.content.decode()


@pytest.mark.parametrize(
    ("path", "data", "status", "said"),
    [
        (f"content/ghp_{'0' * 36}.md", TYPED, 422, "holds what looks like a secret"),
        ("content/big.md", "x" * (5 * 1024 * 1024 + 1), 413, "The text is over 5 MiB."),
    ],
)
def test_what_no_submit_may_hold_no_settlement_may_either(
    rows: Rows, at: Login, path: str, data: str, status: int, said: str
) -> None:
    way = "content" if status == 413 else "new_path"
    address, form = conflict_form(rows, **{"choice-0": way, "path-0": path, "text-0": data})
    response = at("rui").post(f"{address}resolve/", form)
    page = response.content.decode()
    assert response.status_code == status
    assert said in page
    assert f'value="{path}"' in page
    assert data.replace("\r\n", "\n").strip() in page.replace("\r\n", "\n")
    assert jobs.reloaded(rows.conflict).state == "CONFLICT"


def test_giving_up_needs_a_reason(rows: Rows, at: Login) -> None:
    address, _form = conflict_form(rows)
    assert at("omar").post(f"{address}give-up/", {"reason": " "}).status_code == 422
    at("omar").post(f"{address}give-up/", {"reason": "Grace's version is better."})
    assert jobs.reloaded(rows.conflict).state == "SKIPPED"


def submit_form(**fields: object) -> dict[str, object]:
    return {"mode": "source", "site": "blog", "text": TYPED, "key": "k1", **fields}


def test_a_pasted_source_becomes_one_job_however_often_it_is_sent(rows: Rows, at: Login) -> None:
    before = Job.objects.count()
    client = at("ada")
    for _again in range(2):
        response = client.post("/submit/", submit_form())
        assert response.status_code == 302
    assert Job.objects.count() == before + 1


def test_an_uploaded_article_keeps_its_bytes(rows: Rows, at: Login) -> None:
    data = "\ufeff---\r\ntitle: 文\r\n---\r\n\r\n🙂\r\n".encode()
    upload = SimpleUploadedFile("a.md", data)
    form = submit_form(mode="content", text="", upload=upload, target_path="content/a.md")
    assert at("ada").post("/submit/", form).status_code == 302
    job = Job.objects.get(target_path="content/a.md")
    assert artifacts.load(job.revisions.get().content) == data


def test_a_refused_path_is_named_at_its_field_and_the_text_stays(rows: Rows, at: Login) -> None:
    form = submit_form(mode="content", target_path="../../etc/passwd.md")
    response = at("ada").post("/submit/", form)
    page = response.content.decode()
    assert response.status_code == 422
    assert 'id="id_target_path_error"' in page
    assert "A text that took an hour to write." in page


def test_a_refused_upload_comes_back_as_text(rows: Rows, at: Login) -> None:
    upload = SimpleUploadedFile("a.md", b"# An uploaded text\n")
    form = submit_form(mode="content", text="", upload=upload, target_path="")
    response = at("ada").post("/submit/", form)
    assert response.status_code == 422
    assert "# An uploaded text" in response.content.decode()


def test_a_key_of_another_request_is_409_with_the_text(rows: Rows, at: Login) -> None:
    at("ada").post("/submit/", submit_form())
    response = at("ada").post("/submit/", submit_form(text="Quite another text, also long."))
    assert response.status_code == 409
    assert "Quite another text, also long." in response.content.decode()


def test_an_operator_pauses_resumes_and_checks_a_site(rows: Rows, at: Login) -> None:
    client = at("omar")
    client.post("/sites/blog/pause/")
    rows.site.refresh_from_db()
    assert rows.site.paused_lanes == ["publish"]
    assert (
        "Nothing leaves for this site until it is resumed."
        in client.get("/sites/blog/").content.decode()
    )
    client.post("/sites/blog/resume/")
    rows.site.refresh_from_db()
    assert rows.site.paused_lanes == []
    client.post("/sites/blog/check/")
    assert Outbox.objects.filter(kind="site_check").exists()
    assert at("rui").post("/sites/blog/pause/").status_code == 403


def test_a_sites_trouble_is_told_in_words_and_without_credentials(rows: Rows, at: Login) -> None:
    rows.site.remote = "https://user:sesame@git.example.org/blog.git"
    rows.site.last_error = "The server does not let us in."
    rows.site.save()
    page = at("rui").get("/sites/blog/").content.decode()
    assert "The server does not let us in." in page
    assert "Needs attention" in page
    assert "sesame" not in page


def test_a_token_is_shown_once(rows: Rows, at: Login) -> None:
    client = at("ada")
    form = {"label": "cron", "allow": ["read", "submit"], "days": "30"}
    page = client.post("/me/tokens/", form).content.decode()
    secret = re.search(r"imp_[\w-]{40,}", page)
    assert secret is not None
    assert secret[0] not in client.get("/me/").content.decode()
    token = Token.objects.get(label="cron")
    client.post(f"/me/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_nobody_ends_somebody_elses_token(rows: Rows, at: Login) -> None:
    at("ada").post("/me/tokens/", {"label": "cron", "allow": ["read"], "days": "7"})
    token = Token.objects.get(label="cron")
    assert at("rui").post(f"/me/tokens/{token.pk}/revoke/").status_code == 404


def test_times_are_shown_in_the_readers_zone(rows: Rows, at: Login) -> None:
    client = at("rui")
    client.post("/me/zone/", {"zone": "Asia/Shanghai"})
    page = client.get(f"/jobs/{rows.published.pk}/").content.decode()
    assert "CST</time>" in page


def test_a_job_shows_what_is_next_and_the_way_there(rows: Rows, at: Login) -> None:
    client = at("rui")
    request = jobs.request_of(rows.waiting)
    page = client.get(f"/jobs/{rows.waiting.pk}/").content.decode()
    assert f'href="/approvals/{request.pk}/"' in page
    assert 'aria-current="step"' in page
    page = client.get(f"/jobs/{rows.failed.pk}/").content.decode()
    assert "It could not be sent after several tries." in page


def test_the_live_part_of_a_job_answers_204_until_something_happens(rows: Rows, at: Login) -> None:
    client = at("rui")
    page = client.get(f"/jobs/{rows.waiting.pk}/").content.decode()
    live = re.search(r'hx-get="([^"]+)"', page)
    assert live is not None
    address = live[1].replace("&amp;", "&")
    assert client.get(address).status_code == 204
    at("ada").post(f"/jobs/{rows.waiting.pk}/act/cancel/")
    fragment = client.get(address).content.decode()
    assert "Cancelled" in fragment
    assert "hx-get" not in fragment
    assert "<html" not in fragment


def test_two_open_jobs_on_one_path_warn_on_both_pages(rows: Rows, at: Login) -> None:
    path = rows.waiting.target_path
    other = page_rows.new_article(at=rows.site, now=jobs.NOW, path=path, title="Soup again")
    for job in (rows.waiting, other):
        page = at("rui").get(f"/approvals/{jobs.request_of(job).pk}/").content.decode()
        assert "Another open job changes the same file:" in page


def test_jobs_are_filtered_by_the_address_and_paged(rows: Rows, at: Login) -> None:
    client = at("rui")
    page = client.get("/jobs/?state=CONFLICT").content.decode()
    assert "Tools in the library" in page
    assert "Soup for forty" not in page
    assert "No job fits" in client.get("/jobs/?q=zebra").content.decode()


def test_the_audit_page_filters_events_by_person(rows: Rows, at: Login) -> None:
    page = at("ivy").get("/audit/?actor=rui").content.decode()
    assert "rui approved it." in page
    assert "ada submitted it." not in page
