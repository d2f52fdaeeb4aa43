"""A worker that dies in a job at a chosen state, its lease over, and the places of git that it leaves."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.domain.states import State
from publisher.models import Job
from publisher.prepare.steps import STEPS
from tests.support.journey import Journey, fresh, told
from tests.support.trouble import Killed

LAST_CALLS: dict[State, tuple[str, int]] = {
    State.PREPARING: ("make_workspace", 2),
    State.READY_TO_COMMIT: ("fetch", 1),
    State.LOCAL_COMMITTING: ("build_commits", 1),
    State.PUSHING: ("push", 1),
}
"""The call of the repository that a worker dies before, and which one it is, by the job's state."""


@dataclass
class Grave:
    """A journey whose workers die where they are told to."""

    journey: Journey
    patch: pytest.MonkeyPatch
    drafts: int = 0

    def __post_init__(self) -> None:
        draft = STEPS["draft"]

        def counted(context: Any) -> Any:
            self.drafts += 1
            return draft(context)

        self.patch.setitem(STEPS, "draft", counted)

    def die(self, job: Job, state: State) -> Job:
        """A worker takes the job this far and is gone; its lease still runs."""
        if state is not State.PREPARING:
            self.journey.work()
            self.journey.approve(job)
        with self.patch.context() as dying:
            name, number = LAST_CALLS[state]
            dying.setattr(GitRepository, name, _deadly(getattr(GitRepository, name), number))
            with pytest.raises(Killed):
                replace(self.journey.engine(), only=job.pk).once()
        assert fresh(job).state == state, told(job)
        assert self.place(job).is_dir()
        return fresh(job)

    def go_on(self, *jobs: Job) -> None:
        """The leases run out, and whoever comes next works."""
        self.end_leases(*jobs)
        self.journey.work()

    def end_leases(self, *jobs: Job) -> None:
        """What the dead held is free."""
        names = [job.pk for job in jobs]
        dead = Job.objects.filter(pk__in=names, lease_until__isnull=False)
        dead.update(lease_until=self.journey.now())

    def publish(self, *jobs: Job) -> None:
        """Take over what the dead left, and ask people where they were not asked yet."""
        self.go_on(*jobs)
        for job in jobs:
            if fresh(job).state == State.WAITING_APPROVAL:
                self.journey.approve(job)
        self.journey.work()
        for job in jobs:
            assert fresh(job).state == State.PUBLISHED, told(job)
        self.journey.is_sound(*jobs)

    @property
    def clone(self) -> Path:
        """The site's clone."""
        return self.journey.folder / "git" / str(self.journey.site.pk) / "clone.git"

    def place(self, job: Job) -> Path:
        """The job's workspace."""
        return self.clone.parent / "worktrees" / job.pk

    def kept(self, job: Job) -> Path:
        """What the clone keeps of the workspace."""
        return self.clone / "worktrees" / job.pk


def _deadly(call: Callable[..., Any], number: int) -> Callable[..., Any]:
    left = number

    @wraps(call)
    def dying(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise Killed
        return call(*arguments, **options)

    return dying
