"""A clone that was cut off: what is not in it may still be on the remote."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import OutcomeUnknown, RemoteUnreachable
from publisher.domain.states import State
from publisher.ports import Ports, Repository, SiteSpec
from tests.support.git import git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, Journey, effect, fresh, ports_in, told


class _Cut(GitRepository):
    """The network goes away as soon as the push was taken."""

    is_cut = False

    def push(self, commit: str, *, lease: str) -> None:
        super().push(commit, lease=lease)
        self.is_cut = True
        raise OutcomeUnknown("The connection broke.")

    def fetch(self) -> str:
        if self.is_cut:
            raise RemoteUnreachable("The connection broke.")
        return super().fetch()


def _cut_ports(folder: Path) -> Ports:
    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
        return _Cut(spec, root=folder / "git", protocols=("file",), cancelled=cancelled)

    return replace(ports_in(folder), repository=repository)


def test_a_commit_beyond_the_cut_is_found_and_not_sent_again(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    journey.ports = _cut_ports(journey.folder)
    journey.work()
    assert fresh(job).state == State.RETRY_WAIT, told(job)
    assert effect(job).status == "intent"
    ours = journey.head()
    for number in range(3):
        second_person(journey.remote, {"README.md": b"%d\n" % number}, f"human {number}")
    clone = journey.folder / "git" / str(journey.site.pk) / "clone.git"
    tracking = "+refs/heads/main:refs/remotes/origin/main"
    git(clone, "fetch", "-q", "--depth=1", f"file://{journey.remote}", tracking)
    assert git(clone, "rev-parse", "--is-shallow-repository").strip() == b"true"
    assert git(clone, "rev-list", "--count", "refs/remotes/origin/main").strip() == b"1"

    journey.ports = ports_in(journey.folder)
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(job).remote_commit == ours
    assert effect(job).status == "confirmed"
    assert git(clone, "rev-parse", "--is-shallow-repository").strip() == b"false"
    journey.is_sound(job)


def test_a_new_job_is_published_from_a_cut_clone(journey: Journey) -> None:
    for number in range(3):
        second_person(journey.remote, {"README.md": b"%d\n" % number}, f"human {number}")
    clone = journey.folder / "git" / str(journey.site.pk) / "clone.git"
    tracking = "+refs/heads/main:refs/remotes/origin/main"
    git(clone, "fetch", "-q", "--depth=1", f"file://{journey.remote}", tracking)
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    assert fresh(job).remote_commit == journey.head()
    journey.is_sound(job)
