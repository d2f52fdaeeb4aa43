"""What a dead worker left of a preparation is taken up only where its bytes are still what they were."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import storages

from publisher import artifacts
from publisher.domain.states import State
from publisher.models import Job, Site, Step
from publisher.ports import Source
from publisher.prepare import pipeline
from tests.support.counting import Counting, watched
from tests.support.fonts import ASCII, FONT, tiny_font
from tests.support.journey import TARGET, Journey, begin, fresh, told

TEXT = "The tide turns twice a day. The moon pulls at the sea, and the sea follows the moon."


class Died(BaseException):
    """The process is gone."""


def left_by_a_dead_worker(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> tuple[Job, Counting, Path]:
    """A job with all its checkpoints and no end, who counts its drafts, and its draft's file."""
    journey.ports, counting = watched(journey.ports)
    job = journey.submit(sources=(Source("s", TEXT),), topic="Tides")
    dies_before_the_end(journey, job, monkeypatch)
    (name,) = Step.objects.get(job=job, name="draft").outputs["files"].values()
    return job, counting, file_of(name)


def dies_before_the_end(journey: Journey, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """All steps are kept, and then the worker is gone and its lease over."""

    def death(*_: object) -> None:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "_conclude", death)
        with pytest.raises(Died):
            journey.work()
    Job.objects.filter(pk=job.pk).update(lease_until=journey.now() - timedelta(seconds=1))


def file_of(name: str) -> Path:
    return Path(storages["artifacts"].path(artifacts.place_of(name)))


def went_on(journey: Journey, job: Job) -> None:
    journey.hurry(job)
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_whole_artifacts_are_taken_up(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    job, counting, _file = left_by_a_dead_worker(journey, monkeypatch)
    went_on(journey, job)
    assert counting.asked == 1


@pytest.mark.parametrize("damage", ["lost", "cut", "other bytes"])
def test_a_step_whose_artifact_is_damaged_is_done_again(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    job, counting, file = left_by_a_dead_worker(journey, monkeypatch)
    data = file.read_bytes()
    file.chmod(0o600)
    if damage == "lost":
        file.unlink()
    else:
        file.write_bytes(data[:-1] if damage == "cut" else os.urandom(len(data)))
    went_on(journey, job)
    assert counting.asked == 2


def test_what_the_site_asks_now_is_an_input_of_each_step(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, counting, _file = left_by_a_dead_worker(journey, monkeypatch)
    Site.objects.filter(pk=journey.site.pk).update(assets="media/**")
    went_on(journey, job)
    assert counting.asked == 2


@pytest.mark.parametrize(
    ("step", "key"),
    [
        ("draft", "bases"), ("fonts", "derived"), ("fonts", "bases"),
        ("manifest", "diffs"), ("manifest", "manifest"),
    ],
)  # fmt: skip
def test_whatever_a_step_has_stored_is_made_anew_when_it_is_damaged(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, key: str
) -> None:
    (tmp_path / "tiny.ttf").write_bytes(tiny_font(ASCII))
    journey = begin(tmp_path, fonts=FONT, font_source=str(tmp_path / "tiny.ttf"))
    job = journey.submit(b"---\ntitle: Hello\n---\n\nAll of it is new.\n", TARGET)
    dies_before_the_end(journey, job, monkeypatch)
    stored = Step.objects.get(job=job, name=step).outputs[key]
    names = [stored] if isinstance(stored, str) else [name for name in stored.values() if name]
    assert names
    for name in names:
        file_of(name).chmod(0o600)
        file_of(name).write_bytes(b"damaged")
    went_on(journey, job)
