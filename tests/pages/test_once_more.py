"""Once more: a new job from an ended one's text, and the same version asked about again."""

import html
import re
from collections.abc import Callable

import pytest
from django.test import Client

from publisher import artifacts, authority, clock, journal
from publisher.domain.states import Actor, Event
from publisher.journal import Who
from publisher.models import Job
from publisher.services import acts
from reviews.services import approvals
from tests.support import jobs, page_rows
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
RUI = Who(Actor.REVIEWER, "rui")


def begun_anew(client: Client, job: Job) -> str:
    """The submit page behind the link on an ended job's page."""
    page = client.get(f"/jobs/{job.pk}/").content.decode()
    link = re.search(r'href="(/submit/\?[^"]+)"', page)
    assert link is not None
    return html.unescape(client.get(html.unescape(link[1])).content.decode())


def test_a_rejected_jobs_text_stands_in_the_form_of_the_new_one(rows: Rows, at: Login) -> None:
    journal.record(rows.waiting, Event.REJECT, who=RUI, now=clock.now())
    form = begun_anew(at("ada"), rows.waiting)
    assert page_rows.ARTICLE in form
    assert f'value="{rows.waiting.target_path}"' in form
    assert f'value="{rows.waiting.title}"' in form
    assert '<option value="blog" selected>' in form
    assert re.search(r'value="content" data-mode checked', form)


def test_a_source_that_was_never_drafted_stands_in_it_as_a_source(rows: Rows, at: Login) -> None:
    job = jobs.received(title="Notes", path="content/notes.md")
    revision = job.revisions.get()
    name = artifacts.store(b"What was seen.\n", kind="source", now=jobs.NOW)
    inputs = {**revision.inputs, "content": None, "sources": [{"id": "a", "artifact": name}]}
    type(revision).objects.create(
        job=job, number=2, inputs=inputs, content="", author="ada", why="x", created_at=jobs.NOW
    )
    Job.objects.filter(pk=job.pk).update(revision=2)
    acts.cancel(jobs.reloaded(job), who=Who(Actor.SUBMITTER, "ada"), now=clock.now())
    form = begun_anew(at("ada"), job)
    assert "What was seen." in form
    assert re.search(r'value="source" data-mode checked', form)
    assert 'data-only-for="content delete source"' in form  # else the path would not be sent


@pytest.mark.parametrize("name", ["", "no-such-job"])
def test_a_job_out_of_reach_gives_nobody_its_text(rows: Rows, at: Login, name: str) -> None:
    theirs = jobs.received(at=jobs.site("theirs", scope="elsewhere"))
    assert at("ada").get("/submit/", {"from": name or theirs.pk}).status_code == 404


def test_the_same_version_asked_about_again_is_no_newer_one(rows: Rows, at: Login) -> None:
    job, now = rows.waiting, clock.now()
    before = jobs.request_of(job)
    authority.current().void(job, "withdrawn", now)
    approvals.create(job, before.envelope, before.binding_hash, now)
    page = at("rui").get(f"/approvals/{before.pk}/").content.decode()
    assert "The same version was asked about again after this." in page
    assert "A newer version was made" not in page
    assert f'href="/approvals/{jobs.request_of(job).pk}/"' in page


def test_a_newer_version_is_still_told_as_one(rows: Rows, at: Login) -> None:
    job, now = rows.waiting, clock.now()
    before = jobs.request_of(job)
    authority.current().void(job, "superseded", now)
    Job.objects.filter(pk=job.pk).update(revision=2)
    approvals.create(jobs.reloaded(job), before.envelope, "sha256:" + "9" * 64, now)
    page = at("rui").get(f"/approvals/{before.pk}/").content.decode()
    assert "A newer version was made after this one." in page


def test_an_old_page_gives_nothing_up_of_what_somebody_settled(rows: Rows, at: Login) -> None:
    conflict = rows.conflict.conflicts.get()
    fields = {"ours_sha256": conflict.ours_sha256, "theirs_sha256": conflict.theirs_sha256}
    at("rui").post(f"/conflicts/{conflict.pk}/resolve/", {**fields, "choice-0": "ours"})
    jobs.in_review(jobs.reloaded(rows.conflict))
    response = at("omar").post(f"/conflicts/{conflict.pk}/give-up/", {"reason": "An old page."})
    assert response.status_code == 409
    assert "This conflict is settled already." in response.content.decode()
    assert jobs.reloaded(rows.conflict).state == "REVIEW"
