"""A remote that does not answer holds one worker: what would only wait beside it is left for later."""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from publisher import tasks, wiring
from publisher.adapters.git import contact
from publisher.domain.states import State
from publisher.models import Outbox, Site
from publisher.services.sites import request
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
