"""The watcher asks for a scan after the quiet time; without it the sweep finds the same."""

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from publisher import clock
from publisher.models import Outbox, Site
from publisher.processes.live_watch import LiveWatch
from tests.support import jobs

pytestmark = pytest.mark.django_db


@pytest.fixture
def watch() -> Iterator[LiveWatch]:
    made = LiveWatch()
    yield made
    made.close()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "content").mkdir()
    Site.objects.filter(pk=jobs.site().pk).update(live_checkout=str(tmp_path), quiet_seconds=60)
    return tmp_path


def _asked(watch: LiveWatch, *, seconds: float) -> Outbox | None:
    """Look again and again until it asked for a scan."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        watch.look()
        found = Outbox.objects.filter(kind="live_look").first()
        if found is not None:
            return found
    return None


def test_an_edit_is_heard_and_looked_at_after_the_quiet_time(watch: LiveWatch, place: Path) -> None:
    watch.look()
    (place / "content" / "one.md").write_bytes(b"x")
    message = _asked(watch, seconds=20)
    assert message is not None
    assert message.due_at > clock.now() + timedelta(seconds=50)


def test_silence_asks_for_nothing(watch: LiveWatch, place: Path) -> None:
    assert _asked(watch, seconds=0.5) is None


def test_a_checkout_that_is_gone_is_passed_over(watch: LiveWatch, place: Path) -> None:
    watch.look()
    Site.objects.update(live_checkout=str(place / "elsewhere"))
    watch.look()
    assert not Outbox.objects.filter(kind="live_look").exists()
