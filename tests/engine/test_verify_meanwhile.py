"""verify makes no breach of what workers and sweeps write while it reads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from publisher import seal_file
from publisher.engine.audit import published as audit
from publisher.engine.audit import rows
from publisher.engine.audit import seals as audit_seals
from publisher.engine.reconcile import seals
from publisher.models import Job, Outbox, Seal, Site
from tests.support.journey import FRESH, FRESH_TEXT, Journey
from tests.support.planted import found, write


@pytest.fixture
def published(journey: Journey) -> Job:
    """A published job of a healthy installation."""
    return journey.published(FRESH_TEXT, FRESH, action="create")


@contextmanager
def before_question(number: int, act: Callable[[], object]) -> Iterator[None]:
    """Somebody else writes right before the database is asked for the so-many-eth time."""
    asked = 0

    def wrapper(execute: Any, *question: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == number:
            act()
        return execute(*question)

    with connection.execute_wrapper(wrapper):
        yield


@pytest.mark.parametrize("number", range(1, 4))
def test_a_push_that_is_confirmed_between_two_questions(
    journey: Journey, published: Job, number: int
) -> None:
    commit = published.remote_commit
    write("UPDATE publisher_job SET state = 'PUSHING', remote_commit = ''")
    write("UPDATE publisher_effect SET status = 'intent'")

    def confirm() -> None:
        write("UPDATE publisher_effect SET status = 'confirmed'")
        write("UPDATE publisher_job SET state = 'PUBLISHED', remote_commit = %s", commit)

    repository = journey.repository()
    comparison = audit._Comparison(journey.site, repository, deep=False)
    repository.each_commit(repository.fetch(), comparison.see)
    with before_question(number, confirm):
        comparison.compare()
    assert comparison.breaches == []
    assert Job.objects.get().state == "PUBLISHED"


def test_a_job_that_is_published_while_the_remote_is_read(
    journey: Journey, published: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = audit._Comparison.missing

    def late(self: Any, *words: Any) -> Any:
        journey.published(b"Another text.", "content/posts/another.mdx", action="create")
        return missing(self, *words)

    monkeypatch.setattr(audit._Comparison, "missing", late)
    assert found(journey) == set()
    assert Job.objects.filter(state="PUBLISHED").count() == 2


@pytest.fixture
def file(journey: Journey, tmp_path: Path, settings: object) -> Path:
    """The file of seals, with one job's."""
    (tmp_path / "data").mkdir()
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"  # type: ignore[attr-defined]
    journey.submit(FRESH_TEXT, FRESH, action="create")
    seals.run(journey.ports)
    return tmp_path / "data" / seal_file.NAME


def test_a_sweep_that_seals_before_the_file_is_read(
    journey: Journey, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = seal_file.each

    def late(path: Path) -> Any:
        journey.submit(b"More.", "content/posts/more.mdx", action="create")
        seals.run(journey.ports)
        return read(path)

    monkeypatch.setattr(seal_file, "each", late)
    assert list(audit_seals.check()) == []
    assert Seal.objects.count() == 2


def test_a_sweep_that_has_its_row_and_not_yet_its_line(
    journey: Journey, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, whole = seal_file.each, file.read_bytes()
    file.write_bytes(b"")

    def late(path: Path) -> Any:
        found = list(read(path))
        path.write_bytes(whole)
        return iter(found)

    monkeypatch.setattr(seal_file, "each", late)
    assert list(audit_seals.check()) == []


def test_a_fetch_that_is_made_after_the_sites_were_read(journey: Journey, published: Job) -> None:
    message = Outbox.objects.filter(kind="site_fetch", done_at__isnull=False)
    assert message.exists()
    fetched = Site.objects.get().fetched_at
    Site.objects.update(fetched_at=None)

    def fetch() -> None:
        Site.objects.update(fetched_at=fetched)

    with before_question(2, fetch):
        assert list(rows._messages("")) == []
    assert Site.objects.get().fetched_at == fetched
