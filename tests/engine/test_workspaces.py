"""The sweep takes away what finished jobs left in the clones, and nothing of the unfinished ones."""

import shutil
from typing import Any

import pytest

from publisher.domain.states import State
from publisher.engine.reconcile import workspaces
from tests.support.journey import FRESH, FRESH_TEXT, Journey, fresh


def left_behind(journey: Journey) -> tuple[list[str], list[str]]:
    repository = journey.repository()
    try:
        return repository.workspaces(), repository.jobs_with_refs()
    finally:
        repository.close()


def test_the_sweep_drops_the_refs_of_published_jobs_and_keeps_the_others(journey: Journey) -> None:
    published = journey.published(FRESH_TEXT, FRESH, action="create")
    waiting = journey.approved(b"---\ntitle: Second\n---\n\nSecond.\n", "content/posts/second.mdx")
    assert left_behind(journey) == ([waiting.pk], sorted([published.pk, waiting.pk]))

    counts = workspaces.run(journey.ports)

    assert left_behind(journey) == ([waiting.pk], [waiting.pk])
    assert (counts.looked_at, counts.changed, counts.left) == (2, 1, 1)


def test_a_folder_that_cannot_be_removed_keeps_no_refs(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else's file lies in it, say: what can go goes, and the next sweep tries again."""
    published = journey.approved(FRESH_TEXT, FRESH, action="create")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", _refused)
        journey.work()
        assert fresh(published).state == State.PUBLISHED
        assert left_behind(journey) == ([published.pk], [published.pk])
        workspaces.run(journey.ports)
        assert left_behind(journey) == ([published.pk], [])
    workspaces.run(journey.ports)
    assert left_behind(journey) == ([], [])


def _refused(*_arguments: Any, **_options: Any) -> None:
    raise PermissionError
