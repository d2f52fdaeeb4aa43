"""The watcher asks for a scan after the quiet time; without it the sweep finds the same."""

import errno
import os
import shutil
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from publisher import clock
from publisher.models import Outbox, Site
from publisher.processes import live_watch
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


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("{content,notes}/**/*.md", "content/one.md"),
        ("{content,notes}/**/*.md", "notes/one.md"),
        ("**/*.md", "notes/deep/one.md"),
        ("*/posts/*.md", "notes/posts/one.md"),
        ("*.md", "one.md"),
    ],
)
def test_an_edit_is_heard_wherever_the_pattern_lets_it_lie(
    watch: LiveWatch, place: Path, pattern: str, path: str
) -> None:
    (place / path).parent.mkdir(parents=True, exist_ok=True)
    Site.objects.update(articles=pattern, assets="", fonts="")
    watch.look()
    (place / path).write_bytes(b"x")
    assert _asked(watch, seconds=20) is not None


def _replace(folder: Path, *, is_moved: bool) -> None:
    """As a checkout of a branch without the folder and back, or ``mv``, does."""
    if is_moved:
        folder.rename(folder.parent / "away")
    else:
        shutil.rmtree(folder)
    folder.mkdir()


def _same_number_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As most file systems on a disk give the number of a removed folder to the next one."""
    real = live_watch._folders

    def folders(site: Site) -> Any:
        return tuple((folder, 1, 1) for folder, *_numbers in real(site))

    monkeypatch.setattr(live_watch, "_folders", folders)


@pytest.mark.parametrize(
    ("is_moved", "is_same_number"), [(False, False), (False, True), (True, False)]
)
def test_an_edit_in_a_folder_that_was_replaced_is_heard(
    watch: LiveWatch,
    place: Path,
    is_moved: bool,
    is_same_number: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if is_same_number:
        _same_number_again(monkeypatch)
    watch.look()
    _replace(place / "content", is_moved=is_moved)
    assert _asked(watch, seconds=20) is not None
    watch.look()
    Outbox.objects.all().delete()
    (place / "content" / "one.md").write_bytes(b"x")
    assert _asked(watch, seconds=20) is not None


def test_what_was_written_while_a_folder_was_replaced_is_looked_at(
    watch: LiveWatch, place: Path
) -> None:
    watch.look()
    place.rename(place.parent / "away")
    (place / "content").mkdir(parents=True)
    (place / "content" / "one.md").write_bytes(b"x")
    assert _asked(watch, seconds=20) is not None


def test_what_was_written_before_a_folder_was_seen_again_is_looked_at(
    watch: LiveWatch, place: Path
) -> None:
    watch.look()
    (place / "content").rename(place / "away")
    watch.look()
    watch.look()
    (place / "content").mkdir()
    (place / "content" / "one.md").write_bytes(b"x")
    watch.look()
    assert Outbox.objects.filter(kind="live_look").exists()


def test_a_folder_that_goes_during_the_look_is_no_trouble(
    watch: LiveWatch, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, seen = Path.stat, []

    def stat(path: Path, **more: bool) -> os.stat_result:
        found = real(path, **more)
        if path == place / "content":
            seen.append(path)
            shutil.rmtree(path)
        return found

    monkeypatch.setattr(Path, "stat", stat)
    with capture_logs() as logs:
        watch.look()
    assert seen
    assert [entry for entry in logs if entry["event"] == "live_watch_failed"] == []


def test_each_site_of_a_shared_folder_is_asked_for(watch: LiveWatch, place: Path) -> None:
    docs = Site.objects.get()
    docs.pk, docs.name = None, "docs"
    docs.save()
    watch.look()
    (place / "content" / "one.md").write_bytes(b"x")
    assert _asked(watch, seconds=20) is not None
    end = time.monotonic() + 20
    while time.monotonic() < end and Outbox.objects.filter(kind="live_look").count() < 2:
        watch.look()
    assert Outbox.objects.filter(kind="live_look").count() == 2


def test_what_git_does_in_its_own_folder_asks_for_nothing(watch: LiveWatch, place: Path) -> None:
    (place / ".git").mkdir()
    Site.objects.update(articles="**/*.md")
    watch.look()
    (place / ".git" / "FETCH_HEAD").write_bytes(b"x")
    assert _asked(watch, seconds=0.5) is None


def test_the_look_does_not_wait_until_git_is_done(watch: LiveWatch, place: Path) -> None:
    (place / ".git").mkdir()
    Site.objects.update(articles="**/*.md")
    watch.look()
    looked = threading.Event()

    def write() -> None:
        end = time.monotonic() + 5
        while time.monotonic() < end and not looked.is_set():
            (place / ".git" / "pack").write_bytes(b"x")

    git = threading.Thread(target=write)
    git.start()
    try:
        for _look in range(3):
            watch.look()
        assert git.is_alive()
    finally:
        looked.set()
        git.join()
    assert not Outbox.objects.filter(kind="live_look").exists()


def test_what_the_kernel_cannot_watch_is_not_walked_at_each_look(
    watch: LiveWatch, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def refuse(_look: object) -> set[object]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def too_many(*folders: str, **_more: object) -> Iterator[set[object]]:
        tried.append(folders)
        return map(refuse, [None])

    monkeypatch.setattr(live_watch, "watch", too_many)
    watch.look()
    watch.look()
    assert len(tried) == 1
    monkeypatch.setattr(live_watch, "AGAIN_SECONDS", 0)
    watch.look()
    assert len(tried) == 2


def test_a_pattern_that_cannot_be_read_hides_no_other(watch: LiveWatch, place: Path) -> None:
    odd = Site.objects.get()
    odd.pk, odd.name, odd.articles = None, "odd", "{content/*.md"
    odd.save()
    watch.look()
    (place / "content" / "one.md").write_bytes(b"x")
    assert _asked(watch, seconds=20) is not None


def test_silence_asks_for_nothing(watch: LiveWatch, place: Path) -> None:
    assert _asked(watch, seconds=0.5) is None


def test_a_checkout_that_is_gone_is_passed_over(watch: LiveWatch, place: Path) -> None:
    watch.look()
    Site.objects.update(live_checkout=str(place / "elsewhere"))
    watch.look()
    assert not Outbox.objects.filter(kind="live_look").exists()


def test_a_checkout_that_cannot_be_read_is_told_once_and_hides_no_other(
    watch: LiveWatch, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = Site.objects.get()
    dead.pk, dead.name, dead.live_checkout = None, "dead", str(place / "mount")
    dead.save()
    real = Path.stat

    def stat(path: Path, **more: bool) -> os.stat_result:
        if path.is_relative_to(place / "mount"):
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        return real(path, **more)

    monkeypatch.setattr(Path, "stat", stat)
    with capture_logs() as logs:
        watch.look()
        (place / "content" / "one.md").write_bytes(b"x")
        assert _asked(watch, seconds=20) is not None
    told = [entry["site"] for entry in logs if entry["event"] == "live_watch_failed"]
    assert told == ["dead"]
