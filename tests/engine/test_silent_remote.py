"""A remote that does not answer holds one worker: what would only wait beside it is left for later."""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from publisher import selectors, tasks, wakeup, wiring
from publisher.adapters.git import contact
from publisher.domain.states import State
from publisher.engine.reconcile import due
from publisher.models import Job, Outbox, Site
from publisher.services.sites import request
from tests.support import jobs
from tests.support.git import make_remote
from tests.support.journey import FRESH, FRESH_TEXT, Journey, calm, fresh


@pytest.fixture
def journey(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> Journey:
    """The queue's tasks work on the same site."""
    monkeypatch.setattr(wiring, "ports", lambda: journey.ports)
    monkeypatch.setattr(wiring, "heartbeat", lambda _seconds: calm)
    return journey


@contextmanager
def somebody_waits(journey: Journey, command: str) -> Iterator[None]:
    """For longer than an answer takes."""
    folder = journey.folder / "git" / str(journey.site.pk)
    with contact.waiting(folder, command):
        os.utime(folder / f"contact.{command}", (1, 1))
        yield


@pytest.mark.parametrize("command", ["fetch", "push"])
def test_a_delivery_is_not_begun_beside_a_wait_in_vain(command: str, journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    with somebody_waits(journey, command):
        tasks.advance(job.pk)
        assert (fresh(job).state, fresh(job).attempt) == (State.READY_TO_COMMIT, 0)
    tasks.advance(job.pk)
    assert fresh(job).state == State.PUBLISHED


@pytest.mark.parametrize(
    ("command", "then"), [("fetch", State.RECEIVED), ("push", State.WAITING_APPROVAL)]
)
def test_a_draft_is_prepared_while_only_a_push_hangs(
    command: str, then: State, journey: Journey
) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    with somebody_waits(journey, command):
        tasks.advance(job.pk)
        assert fresh(job).state == then


def test_what_cannot_be_known_of_a_remote_delays_nothing(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_folder: Path, _commands: Iterable[str]) -> bool:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(contact, "is_silent", full)
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    tasks.deliver()
    tasks.advance(job.pk)
    assert fresh(job).state == State.WAITING_APPROVAL


def test_messages_of_other_sites_are_delivered_meanwhile(journey: Journey) -> None:
    other = make_remote(journey.folder / "other.git", {"content/posts/a.md": b"# A\n"})
    beside = Site.objects.create(
        name="beside", scope="default", remote=str(other), branch="main",
        created_at=journey.now(),
    )  # fmt: skip
    for site in (journey.site, beside):
        request(site, "site_fetch", now=journey.now())
    with somebody_waits(journey, "fetch"):
        tasks.deliver()
        waits = Outbox.objects.filter(done_at__isnull=True).values_list("pk", "tries")
        assert list(waits) == [(f"site_fetch:{journey.site.pk}", 0)]
    tasks.deliver()
    assert not Outbox.objects.filter(done_at__isnull=True).exists()


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The jobs that a look asks workers to advance, of which there is room for one each time."""
    found: list[str] = []
    monkeypatch.setattr(wakeup, "hint", lambda job_id, **_: found.append(job_id))
    monkeypatch.setattr(selectors, "due_jobs", partial(selectors.due_jobs, limit=1))
    return found


def older(job: Job) -> str:
    Job.objects.filter(pk=job.pk).update(available_at=jobs.NOW)
    return job.pk


def test_however_many_jobs_wait_for_a_silent_remote_others_are_seen(
    journey: Journey, hints: list[str]
) -> None:
    waits = older(journey.submit(FRESH_TEXT, FRESH, action="create"))
    other = jobs.received(at=jobs.site("beside"), now=journey.now()).pk
    hints.clear()
    with somebody_waits(journey, "fetch"):
        tasks.due()
    assert hints == [other]
    tasks.due()
    assert hints == [other, waits]


def test_however_many_jobs_wait_for_a_push_drafts_are_seen(
    journey: Journey, hints: list[str]
) -> None:
    waits = older(journey.approved(FRESH_TEXT, FRESH, action="create"))
    draft = jobs.received(at=journey.site, now=journey.now()).pk
    hints.clear()
    with somebody_waits(journey, "push"):
        tasks.due()
    assert hints == [draft]
    tasks.due()
    assert hints == [draft, waits]


def test_however_many_jobs_are_due_one_site_or_job_alone_is_found(
    journey: Journey, hints: list[str]
) -> None:
    older(journey.submit(FRESH_TEXT, FRESH, action="create"))
    other = jobs.received(at=jobs.site("beside"), now=journey.now()).pk
    hints.clear()
    due.run(journey.ports, site="beside")
    assert hints == [other]
    replace(journey.engine(), only=other).once()
    assert jobs.reloaded(Job(pk=other)).generation == 1


def test_however_many_messages_wait_for_a_silent_remote_others_are_delivered(
    journey: Journey,
) -> None:
    common: dict[str, Any] = {"kind": "site_check", "created_at": jobs.NOW}
    Outbox.objects.bulk_create(
        Outbox(id=f"m{n}", payload={"site": journey.site.pk}, due_at=jobs.NOW, **common)
        for n in range(200)
    )
    beside = {"site": jobs.site("beside").pk}
    Outbox.objects.create(id="other", payload=beside, due_at=journey.now(), **common)
    with somebody_waits(journey, "fetch"):
        tasks.deliver()
    assert Outbox.objects.get(pk="other").tries == 1
