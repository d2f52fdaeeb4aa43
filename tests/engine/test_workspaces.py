"""The sweep takes away what finished jobs left in the clones, and nothing of the unfinished ones."""

from publisher.engine.reconcile import workspaces
from tests.support.journey import FRESH, FRESH_TEXT, Journey


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
