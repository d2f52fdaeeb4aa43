"""A draft that a gate refuses leaves the live checkout, other jobs' workspaces and the remote alone."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path

from publisher.domain.states import State
from publisher.models import Site, Step
from publisher.ports import Source
from tests.support.git import git, head
from tests.support.journey import FRESH, FRESH_TEXT, Journey, fresh, told

BROKEN = b'---\ntitle: "Broken"\n---\n\nText <Unclosed and {never closed\n'


def contents(folder: Path) -> dict[str, str]:
    """Every file below a folder, git's own with them, by what it holds."""
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def workspaces(journey: Journey) -> set[str]:
    """The jobs that have one."""
    with closing(journey.repository()) as repository:
        return set(repository.workspaces())


def test_a_gate_that_refuses_touches_no_byte_of_the_live_checkout(journey: Journey) -> None:
    live = journey.folder / "live"
    git(journey.folder, "clone", "-q", str(journey.remote), str(live))
    (live / "notes.txt").write_text("somebody's work\n")
    Site.objects.update(live_checkout=str(live))
    sound = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    before, tip = contents(live), head(journey.remote)
    kept = workspaces(journey)
    job = journey.submit(BROKEN, "content/posts/broken.mdx", action="create")
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert contents(live) == before
    assert head(journey.remote) == tip
    assert sound.pk in kept
    assert kept <= workspaces(journey)
    assert fresh(sound).state == State.WAITING_APPROVAL


def test_each_checkpoint_says_what_was_made_sure_of(journey: Journey) -> None:
    text = "The tide turns twice a day. The moon pulls at the sea, and the sea follows the moon."
    job = journey.submit(sources=(Source("s", text),), topic="Tides")
    journey.work()
    said = dict(Step.objects.filter(job=job).values_list("name", "assertions"))
    assert said["collect"] == ["inputs verified by hash", "workspace made from the base"]
    assert said["draft"] == ["paths checked at the base"]
    assert said["manifest"] == ["workspace files verified by hash"]
