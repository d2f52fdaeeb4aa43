"""Ways that begin elsewhere: a draft that is made here, and a publication that somebody died in."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from publisher.faults import EXIT
from tests.support import crash
from tests.support.git import blob, second_person
from tests.support.matrix import VICTIM_LEASE, Stage, Way
from tests.support.waiting import until

SOURCE = (
    "The tide turns twice a day. The moon pulls the sea towards itself. "
    "At new moon and at full moon the pull of the sun is added, and the tide is high.\n"
)
ARRIVED = {"content/posts/bread.md": b"# Bread\n\nFlour, water and salt make a loaf.\n"}


def asked_again(passed: Iterable[Sequence[str]], *, is_kept: bool = False) -> bool:
    """Whether a provider was asked for a draft that was kept before.

    One that died, or was paused, between its question and the record may have asked in vain.
    """
    for points in passed:
        is_drafted = False
        for point in points:
            if point == "before:provider.draft" and is_kept:
                return True
            is_drafted |= point == "after:provider.draft"
            is_kept |= is_drafted and point == "after:note.step_committed"
    return False


@dataclass
class DraftedWay(Way):
    """An article that a provider drafts; another arrives between the yes and the commit."""

    heard: list[Path] = field(default_factory=list)
    """What each process of a run passed, in the order in which they began."""
    is_kept: bool = False
    """Whether the run began with a draft that was kept before."""

    def check(self, stage: Stage) -> None:
        """I14 besides: nobody asked a provider for what was kept already."""
        super().check(stage)
        passed = [path.read_text().splitlines() for path in self.heard if path.exists()]
        assert not asked_again(passed, is_kept=self.is_kept), passed

    def _trouble(self, stage: Stage, point: str, mode: str) -> None:
        self.is_kept = stage is not self.stages[0]
        super()._trouble(stage, point, mode)

    def _start(
        self, name: str, *arguments: str, points: Path | None = None, is_later: bool = False
    ) -> int:
        if name == "victim":
            self.heard = []  # a new run
        if points is None:
            points = self.here.home / f"heard-{len(self.heard)}.txt"
            points.unlink(missing_ok=True)
            self.heard.append(points)
        return super()._start(name, *arguments, points=points, is_later=is_later)

    def do(self, act: str) -> None:
        """What people do between two stages."""
        super().do(act)
        if act == "approve":
            second_person(self.here.remote, ARRIVED, "another article")


@contextmanager
def drafted_way(home: Path, database: str = "") -> Iterator[DraftedWay]:
    """A source to draft from, judged once more before it is published."""
    with crash.warmed(home, database) as here:
        crash.connect(here)
        (home / "notes.txt").write_text(SOURCE)
        job = crash.submit(here, "--source", str(home / "notes.txt"), "--topic", "Tides")
        way = DraftedWay(here, job, [Stage("sourced", "WAITING_APPROVAL", "approve"), Stage("met")])
        way.trace()
        path = str(here.facts(job)["target_path"])
        way.result = (path, blob(here.remote, path))
        yield way


@dataclass
class RescuedWay(Way):
    """Two places where a worker died, each of its own: before the commit was told, and after the push."""

    def do(self, act: str) -> None:
        """Somebody else died."""
        if act == "another":
            self.here.restore("sent")


@contextmanager
def rescued_way(home: Path, database: str = "") -> Iterator[Way]:
    """What is left of a dead worker is found, and the publication completed once."""
    with crash.warmed(home, database) as here:
        _, job = crash.install(home, database, here)
        for name, point in (
            ("sent", "after:repository.push"),
            ("built", "before:record.committed"),
        ):
            here.restore("approved")
            here.command(
                "work", "--once", "--lease-seconds", str(VICTIM_LEASE), "--fault", point, code=EXIT
            )
            here.keep(name)
        over = time.monotonic() + VICTIM_LEASE
        until(lambda: time.monotonic() > over, seconds=60, what="the leases of the dead are over")
        way = RescuedWay(here, job, [Stage("built", then="another"), Stage("sent")])
        way.trace()
        yield way
