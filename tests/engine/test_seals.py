"""The seals: what changed is sealed once, by what was added since, and never lost."""

from pathlib import Path

import pytest

from publisher.engine.reconcile import seals
from publisher.models import Job, Seal
from tests.support.journey import FRESH, FRESH_TEXT, Journey


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
