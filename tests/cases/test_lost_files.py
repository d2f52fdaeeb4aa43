"""A stored file that is lost: told in words on every page, and the text that is written anew mends it."""

import html
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client

from publisher import artifacts, envelopes, journal, selectors
from publisher.domain.errors import InvalidInput, WrongState
from publisher.domain.states import Actor, Event
from publisher.journal import Who
from publisher.models import Finding, Job
from publisher.services import acts
from publisher.services.revise import revise
from publisher.services.submit import Asset
from tests.support import jobs
from tests.support.fonts import ASCII, FONT, LETTERS, tiny_font
from tests.support.journey import ADA, FRESH, FRESH_TEXT, OMAR, Journey, begin, fresh, told
from tests.support.planted import stored_file

LOOKS = ("", "?tab=diff", "?tab=raw")
ASSET = "public/assets/sea.txt"


def client(name: str) -> Client:
    found = Client()
    found.force_login(get_user_model().objects.get(username=name))
    return found


def stop(journey: Journey, job: Job, lost: str) -> Job:
    """The worker of an approved job dies while it commits, and a stored file is lost meanwhile."""
    now = journey.now()
    died = Who(Actor.WORKER, "dead")
    journal.record(job, Event.COMMIT, who=died, now=now, changes={"committing_at": now})
    stored_file(lost).unlink()
    journey.work()
    job = fresh(job)
    assert (job.state, job.failure_code) == ("REVIEW", "artifact_damaged")
    return job


@pytest.fixture
def stopped(journey: Journey) -> Job:
    """A job whose article was lost."""
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    return stop(journey, job, selectors.draft_files(job)[FRESH])


@pytest.fixture
def with_fonts(db: None, tmp_path: Path) -> Journey:
    """A site that has fonts made for its articles."""
    source = tmp_path / "tiny.ttf"
    source.write_bytes(tiny_font(ASCII + LETTERS))
    return begin(tmp_path, fonts=FONT, font_source=str(source))


def saved(job: Job, text: bytes) -> int:
    form = {"text": text.decode(), "base_revision": job.revision, "why": ""}
    return client("ada").post(f"/jobs/{job.pk}/edit/", form).status_code


def edited(journey: Journey, job: Job, files: dict[str, bytes]) -> None:
    revise(job, files=files, base_revision=job.revision, who=ADA, now=journey.now())


def test_its_page_says_so_and_takes_a_new_text(stopped: Job, journey: Journey) -> None:
    for name in ("ada", "rui", "omar"):
        response = client(name).get(f"/jobs/{stopped.pk}/review/")
        assert response.status_code == 200
        assert "A stored file of this job is missing or damaged" in response.content.decode()
    assert "What you write and save here" in response.content.decode()
    assert saved(stopped, FRESH_TEXT + b"\nWritten anew.\n") == 302
    journey.work()
    journey.approve(stopped)
    journey.work()
    assert fresh(stopped).state == "PUBLISHED"


def test_the_same_text_mends_it(stopped: Job, journey: Journey) -> None:
    assert saved(stopped, FRESH_TEXT) == 302
    journey.work()
    assert (fresh(stopped).state, fresh(stopped).revision) == ("WAITING_APPROVAL", 2)
    journey.approve(stopped)
    journey.work()
    assert fresh(stopped).state == "PUBLISHED"


@pytest.mark.parametrize("lost", ["font", "list"])
def test_the_same_text_mends_what_is_made_from_it(with_fonts: Journey, lost: str) -> None:
    journey = with_fonts
    text = FRESH_TEXT + LETTERS.encode()
    job = journey.approved(text, FRESH, action="create")
    entries = {entry.path: entry.sha256 or "" for entry in envelopes.manifest_of(job).entries}
    job = stop(journey, job, entries[FONT] if lost == "font" else job.manifest_artifact)
    with pytest.raises(WrongState, match="Save its text again"):
        acts.ask_again(job, who=OMAR, now=journey.now())
    assert saved(job, text) == 302
    journey.work()
    assert (fresh(job).state, fresh(job).revision) == ("WAITING_APPROVAL", 2), told(job)
    journey.approve(job)
    journey.work()
    assert fresh(job).state == "PUBLISHED", told(job)
    journey.is_sound(job)


@pytest.mark.parametrize("text", [FRESH_TEXT, FRESH_TEXT + b"\nWritten anew.\n"])
def test_a_file_that_goes_along_and_is_lost_has_to_be_sent_again(
    journey: Journey, text: bytes
) -> None:
    sea = b"The sea.\n"
    job = journey.approved(FRESH_TEXT, FRESH, action="create", assets=(Asset(ASSET, sea),))
    job = stop(journey, job, selectors.draft_files(job)[ASSET])
    with pytest.raises(InvalidInput, match=f"The stored file {ASSET} is missing or damaged"):
        edited(journey, job, {FRESH: text})
    assert (fresh(job).state, fresh(job).revision) == ("REVIEW", 1)
    edited(journey, job, {FRESH: text, ASSET: sea})
    journey.work()
    journey.approve(job)
    journey.work()
    assert fresh(job).state == "PUBLISHED", told(job)


def test_files_are_read_before_a_transaction_begins(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever overrules keeps nobody waiting for the database meanwhile."""
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    article = selectors.draft_files(job)[FRESH]
    job.approvals.update(status="void")
    job = jobs.moved(job, Event.REFUSE, now=journey.now())
    step = job.steps.get(revision=job.revision, name="manifest")
    found = Finding.objects.create(step=step, severity="block", rule="mdx_syntax", message="So.")
    load, outside, read = artifacts.load, len(connection.savepoint_ids), list[tuple[str, bool]]()

    def loading(name: str) -> bytes:
        read.append((name, len(connection.savepoint_ids) > outside))
        return load(name)

    monkeypatch.setattr(artifacts, "load", loading)
    acts.override(job, finding_id=found.pk, who=OMAR, now=journey.now(), reason="It is fine.")
    assert job.state == "WAITING_APPROVAL"
    assert [inside for name, inside in read if name == article] == [False]


def test_nobody_is_asked_about_it_as_it_is(stopped: Job) -> None:
    with pytest.raises(WrongState, match="missing or damaged"):
        acts.ask_again(stopped, who=OMAR, now=stopped.updated_at)
    response = client("omar").post(f"/jobs/{stopped.pk}/act/ask-again/")
    assert response.status_code == 409
    assert "Save its text again" in response.content.decode()


@pytest.mark.parametrize("lost", ["article", "list"])
def test_every_page_of_the_job_is_there(stopped: Job, lost: str) -> None:
    if lost == "list":
        stored_file(stopped.manifest_artifact).unlink()
    omar, asked = client("omar"), jobs.request_of(stopped)
    article = selectors.draft_files(stopped)[FRESH]
    pages = [f"/jobs/{stopped.pk}/", f"/jobs/{stopped.pk}/review/", f"/submit/?from={stopped.pk}"]
    for address in [*pages, *(f"/approvals/{asked.pk}/{look}" for look in LOOKS)]:
        assert omar.get(address).status_code == 200, address
    for name in (f"jobs/{stopped.pk}", f"jobs/{stopped.pk}/approval", f"approvals/{asked.pk}"):
        assert omar.get(f"/api/v1/{name}").status_code == 200, name
    digest = article.removeprefix("sha256:")
    assert omar.get(f"/jobs/{stopped.pk}/files/{digest}/").status_code == 404
    assert omar.get(f"/api/v1/jobs/{stopped.pk}/artifacts/{article}").status_code == 404


def test_a_file_that_is_lost_is_named_on_the_page_that_asks(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    stored_file(selectors.draft_files(fresh(job))[FRESH]).unlink()
    address = f"/approvals/{jobs.request_of(job).pk}/"
    for look in LOOKS:
        page = html.unescape(client("rui").get(address + look).content.decode())
        assert "The stored bytes are missing or damaged" in page
        assert "Shown in full to its end" not in page
