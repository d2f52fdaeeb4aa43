"""The seals: what changed is sealed once, by what was added since, and never lost."""

from pathlib import Path
from typing import Any

import pytest

from publisher import seal_file
from publisher.domain.errors import WrongState
from publisher.engine.audit.verify import verify
from publisher.engine.reconcile import seals, sweep
from publisher.models import Job, Seal
from publisher.processes.doctor import database
from publisher.processes.doctor.answer import Level
from tests.support.journey import FRESH, FRESH_TEXT, Journey
from tests.support.planted import write


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: object) -> None:
    """A data folder of this test's own."""
    (tmp_path / "data").mkdir()
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"  # type: ignore[attr-defined]


def test_only_what_changed_since_is_sealed(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = journey.published(FRESH_TEXT, FRESH, action="create")
    assert seals.run(journey.ports).changed == 1
    assert seals.run(journey.ports).changed == 0
    second = journey.submit(b"Another text.", "content/posts/another.mdx", action="create")
    monkeypatch.setattr(seals, "OVERLAP", 0)
    assert seals.run(journey.ports).changed == 1
    assert [list(seal.heads) for seal in Seal.objects.order_by("number")] == [
        [first.pk],
        [second.pk],
    ]


def test_an_event_that_was_committed_late_is_sealed_by_the_next(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    seals.run(journey.ports)
    last = Seal.objects.get()
    assert last.heads[job.pk][0] == Job.objects.get().event_seq
    Job.objects.update(event_seq=7, event_hash="sha256:late")
    assert seals.run(journey.ports).changed == 1
    assert Seal.objects.latest("number").heads == {job.pk: [7, "sha256:late"]}


def test_nothing_is_sealed_over_a_seal_that_an_older_copy_does_not_hold(
    journey: Journey, settings: Any
) -> None:
    file = settings.IMPRIMATUR_DATA_DIR / seal_file.NAME
    journey.submit(FRESH_TEXT, FRESH, action="create")
    seals.run(journey.ports)
    job = journey.submit(b"More.", "content/posts/more.mdx", action="create")
    seals.run(journey.ports)
    kept = file.read_bytes()
    write("DELETE FROM publisher_seal WHERE number = 2")
    journey.submit(b"Another text.", "content/posts/another.mdx", action="create")
    with pytest.raises(WrongState, match="older than seal 2"):
        seals.run(journey.ports)
    assert "seals" in sweep(journey.ports).failed
    assert file.read_bytes() == kept
    assert database.not_older(file).level is Level.TROUBLE
    assert Job.objects.filter(pk=job.pk).exists()


def test_the_last_line_is_found_whatever_comes_before_and_after_it(
    journey: Journey, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = settings.IMPRIMATUR_DATA_DIR / seal_file.NAME
    for size in (1, 7, 1 << 20):
        monkeypatch.setattr(seal_file, "_TAIL", size)
        file.write_text('{"number": 1, "hash": "a"}\n{"number": 2, "hash": "b"}\n{"number": 3, "h')
        assert seal_file.unknown(file) == 2
        file.write_text("")
        assert seal_file.unknown(file) is None


@pytest.mark.parametrize("kept", [0, 1])
def test_a_file_that_ends_early_is_told_and_brought_up_by_the_next_seal(
    journey: Journey, settings: Any, kept: int
) -> None:
    file = settings.IMPRIMATUR_DATA_DIR / seal_file.NAME
    for name in ("one", "two"):
        journey.submit(b"A text.", f"content/posts/{name}.mdx", action="create")
        seals.run(journey.ports)
    whole = file.read_text()
    lines = whole.splitlines(keepends=True)
    file.write_text("".join(lines[:kept]) + lines[kept][:20])
    (told,) = verify(journey.ports)
    assert (told.rule, told.subject, told.is_warning) == ("seals_cut", "seal 2", True)
    seals.run(journey.ports)
    assert list(seal_file.each(file)) == list(Seal.objects.values_list("number", "hash"))
    assert verify(journey.ports) == []


def test_a_file_that_is_gone_is_told_and_written_again(journey: Journey, settings: Any) -> None:
    file = settings.IMPRIMATUR_DATA_DIR / seal_file.NAME
    journey.submit(FRESH_TEXT, FRESH, action="create")
    seals.run(journey.ports)
    whole = file.read_bytes()
    file.unlink()
    assert [breach.rule for breach in verify(journey.ports)] == ["seals_cut"]
    seals.run(journey.ports)
    assert file.read_bytes() == whole
