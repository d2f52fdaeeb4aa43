"""A job's workspace is gone or spoiled: it is made again from the artifacts, and the job goes on."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from publisher.domain.states import State
from publisher.models import Job, JobEvent
from tests.support.died import Grave
from tests.support.git import blob, git
from tests.support.journey import FRESH, FRESH_TEXT, HELLO, TARGET, Journey, fresh, told

EDITED = HELLO.replace(b"Second", b"2nd")


@pytest.fixture
def grave(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> Grave:
    return Grave(journey, monkeypatch)


def _cleaned(grave: Grave, job: Job) -> None:
    shutil.rmtree(grave.place(job))


def _forgotten(grave: Grave, job: Job) -> None:
    shutil.rmtree(grave.kept(job))


def _garbled(grave: Grave, job: Job) -> None:
    (grave.place(job) / ".git").write_bytes(b"\x00\xff garbage")


def _a_file(grave: Grave, job: Job) -> None:
    _cleaned(grave, job)
    grave.place(job).write_text("not a folder")


def _a_link(grave: Grave, job: Job) -> None:
    _cleaned(grave, job)
    grave.place(job).symlink_to(_precious(grave))


def _a_dead_link(grave: Grave, job: Job) -> None:
    _cleaned(grave, job)
    grave.place(job).symlink_to(grave.journey.folder / "nowhere")


def _a_file_for_a_registration(grave: Grave, job: Job) -> None:
    _forgotten(grave, job)
    grave.kept(job).write_text("not a folder")


def _precious(grave: Grave) -> Path:
    folder = grave.journey.folder / "precious"
    folder.mkdir(exist_ok=True)
    (folder / "kept.txt").write_text("kept")
    return folder


DAMAGES: list[Callable[[Grave, Job], None]] = [
    _cleaned, _forgotten, _garbled, _a_file, _a_link, _a_dead_link, _a_file_for_a_registration,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_workspace_that_is_gone_is_made_again_and_nothing_is_drafted_twice(
    grave: Grave, damage: Callable[[Grave, Job], None]
) -> None:
    ready = grave.die(grave.journey.submit(EDITED, TARGET), State.READY_TO_COMMIT)
    begun = grave.die(grave.journey.submit(FRESH_TEXT, FRESH, action="create"), State.PREPARING)
    kept = _precious(grave)
    for job in (ready, begun):
        damage(grave, job)
    grave.go_on(begun)
    assert fresh(begun).state == State.WAITING_APPROVAL, told(begun)
    assert git(grave.place(begun), "symbolic-ref", "HEAD").decode().strip().endswith(begun.pk)
    assert (grave.place(begun) / FRESH).read_bytes() == FRESH_TEXT
    grave.publish(ready, begun)
    assert grave.drafts == 2
    assert blob(grave.journey.remote, TARGET) == EDITED
    assert not JobEvent.objects.filter(target=State.FAILED.value).exists()
    assert Job.objects.count() == 2
    assert [path.name for path in kept.iterdir()] == ["kept.txt"]
    assert not any(
        path.exists() for job in (ready, begun) for path in (grave.place(job), grave.kept(job))
    )
