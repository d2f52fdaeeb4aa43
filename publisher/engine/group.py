"""A group: jobs that are ready for one site share a fetch and a push; commits and fates stay their own."""

from collections.abc import Callable
from functools import partial

import structlog
from django.db.models import Q

from publisher import leases, spoiled
from publisher.domain.errors import (
    ImprimaturError,
    OutcomeUnknown,
    RemoteMoved,
    RemoteRefused,
    RepositoryError,
)
from publisher.domain.states import Event, State
from publisher.engine import derived, look, recheck, relay, waiting
from publisher.engine.apart import Apart
from publisher.engine.derived import Followed
from publisher.engine.run import Run
from publisher.models import Job
from publisher.ports import CommitPlan

log = structlog.get_logger(__name__)

SIZE = 20
"""Jobs in one push: the fetch and the push cost a job little by then, and a crash concerns few."""
_LOOKED_AT = 3 * SIZE
TOGETHER = 2
"""Tries that a job begins in company. Then it goes alone: what ends its worker ends nobody else's.

One that waits for its next try is no such job: its worker lived to tell why.
"""
_UNSENT = (State.READY_TO_COMMIT.value, State.LOCAL_COMMITTED.value)
"""Where a job stands of which no push is under way; after a wait, where that began."""

Guarded = Callable[[Run, Callable[[Run], bool]], bool]
"""Does one thing for one job; what goes wrong there is that job's alone, and gives False."""


def companions(first: Run) -> list[Job]:
    """Jobs that can go along with this one, longest due first; none is claimed yet.

    Whoever touches a path of another, or says what another says, is left where it is: the next
    round sees the other's commit at the tip, and judges it as somebody else's.
    """
    waits = first.state is State.RETRY_WAIT
    if (first.job.resume_state if waits else first.job.state) not in _UNSENT:
        return []
    if first.is_lost() or waiting.is_used_up(first) or (first.job.attempt > TOGETHER and not waits):
        return []
    ready = [] if first.job.lane in first.job.site.paused_lanes else _ready(first)
    apart = Apart()
    if not ready or not apart.admit(first.job):
        return []
    found: list[Job] = []
    for job in ready:
        if len(found) < SIZE - 1 and apart.admit(job):
            found.append(job)
    return found


def _ready(first: Run) -> list[Job]:
    now = first.now()
    waits = Q(state=State.RETRY_WAIT.value, resume_state__in=_UNSENT)
    tries = first.limits.push_attempts
    rows = leases.due_rows(now).filter(
        Q(deadline_at__isnull=True) | Q(deadline_at__gt=now),
        Q(not_before__isnull=True) | Q(not_before__lte=now),
        Q(state__in=_UNSENT, attempt__lt=TOGETHER) | waits & Q(attempt__lt=tries),
        site_id=first.job.site_id,
    )
    rows = rows.exclude(pk=first.job.pk).order_by("available_at", "pk")
    # Mostly there is none, and asking for names alone costs a third.
    if not rows.select_related(None).values_list("pk", flat=True)[:1]:
        return []
    return spoiled.readable(rows[:_LOOKED_AT])


def deliver(members: list[Run], guarded: Guarded) -> None:
    """Take all of them as far as one push goes; whoever is settled or in trouble leaves the list.

    What concerns the remote and not a single job is raised while ``members`` names those concerned.
    Who left with something still to do goes on alone, from the state that it is in.
    """
    group = _Group(members, guarded)
    group.resume()
    for _ in range(relay.MOVEMENTS):
        tip = group.look()
        commits = group.announce(tip)
        if commits:
            group.push(tip, commits)
        if not members:
            return
    group.look()
    if members:
        raise RepositoryError("The remote kept moving. It is tried again later.")


class _Group:
    """The jobs of one push."""

    def __init__(self, members: list[Run], guarded: Guarded) -> None:
        self.members = members
        self._guarded = guarded
        self._site = members[0].job.site.name
        self._locks = members[0].ports.locks
        self._repository = members[0].repository

    def resume(self) -> None:
        """Whoever waited goes on from where that began."""
        self._each(_resume)

    def look(self) -> str:
        """One fetch; then each is settled by what is there, or stays."""
        self._drop_lost()
        if not self.members:
            return ""
        tip = look.fetch(self.members[0])
        self._each(partial(_is_free, tip=tip))
        return tip

    def announce(self, tip: str) -> list[str]:
        """The chain of commits, every one of them recorded and past the fence; [] without any.

        Nobody's commit may leave without a yes, so whoever leaves here is left out: the chain is
        built again, and the others announce what became of their commits.
        """
        self._each(partial(_follow, tip=tip, ahead=[]))
        self._each(_begin)
        while self.members:
            chosen, plans = list(self.members), dict[str, CommitPlan]()
            self._each(partial(_follow, tip=tip, ahead=[]))
            self._each(partial(_plan, plans=plans))
            if self.members != chosen:
                # The fonts of those behind hold the letters of whoever just left.
                continue
            commits = self._build(tip, [plans[run.job.pk] for run in chosen])
            chain = dict(zip((run.job.pk for run in chosen), commits, strict=False))
            parents = dict(zip(commits, [tip, *commits], strict=False))
            self._each(partial(_announce, tip=tip, chain=chain, parents=parents))
            self._drop_lost()
            if self.members == chosen:
                return commits
        return []

    def push(self, tip: str, commits: list[str]) -> None:
        """One push with the observed tip as its lease. What came of it, only a look can say."""
        try:
            with self._locks.hold("delivery", self._site):
                self._repository.push(commits[-1], lease=tip)
        except relay.NOT_TAKEN as refusal:
            if isinstance(refusal, RemoteRefused) and refusal.permanent:
                self._refused(refusal, tip)
                return
            for run in self.members:
                relay.not_taken(run, tip=tip)
            raise
        except (RemoteMoved, OutcomeUnknown) as doubt:
            self._each(partial(_doubt, doubt=doubt, tip=tip))
        for run in self.members:
            run.fields["sent"] = tip
            # The same commit may be sent again, and a yes or a pause may be another by then.
            run.fields.pop("announced", None)

    def _refused(self, refusal: RemoteRefused, tip: str) -> None:
        """Of several, each is delivered alone, so that only the culprit goes to people."""
        log.info("group_refused", site=self._site, jobs=len(self.members), reason=refusal.text)
        if len(self.members) == 1:
            self._each(partial(_refuse, refusal=refusal))
        else:
            self._each(partial(_alone, refusal=refusal, tip=tip))

    def _build(self, tip: str, plans: list[CommitPlan]) -> list[str]:
        if not plans:
            return []
        try:
            with self._locks.hold("repository", self._site):
                return self._repository.build_commits(tip, plans)
        except (ImprimaturError, OSError) as trouble:
            if len(plans) == 1:
                raise
            # Whose trouble it is shows when each is built alone.
            log.info("group_unbuilt", site=self._site, jobs=len(plans), reason=str(trouble))
            self.members.clear()
            return []

    def _each(self, act: Callable[[Run], bool]) -> None:
        self.members[:] = [run for run in list(self.members) if self._guarded(run, act)]

    def _drop_lost(self) -> None:
        self.members[:] = [run for run in self.members if not run.is_lost()]


def _resume(run: Run) -> bool:
    if run.state is State.RETRY_WAIT:
        relay.resume(run)
    return True


def _is_free(run: Run, tip: str) -> bool:
    """Whether the way is free after settling what is there; new articles are judged on the way."""
    seen = look.at(run, tip)
    if relay.settle(run, seen):
        if not _is_judged_new(run):
            return False
        seen = look.at(run, tip)
        if relay.settle(run, seen):
            return False
    run.fields["look"] = seen
    return True


def _is_judged_new(run: Run) -> bool:
    if run.state is not State.RECHECK_CANDIDATES:
        return False
    recheck.judge(run)
    return run.job.state in (State.READY_TO_COMMIT.value, State.LOCAL_COMMITTED.value)


def _follow(run: Run, tip: str, ahead: list[Job]) -> bool:
    """Derived files for the tip with what goes before in this push; False when it went to people."""
    if derived.follow(run, tip, ahead=ahead) is Followed.STUCK:
        return False
    ahead.append(run.job)
    return True


def _begin(run: Run) -> bool:
    if run.state is State.READY_TO_COMMIT:
        relay.begin(run, run.fields["look"])
    return True


def _plan(run: Run, plans: dict[str, CommitPlan]) -> bool:
    plans[run.job.pk] = relay.plan(run)
    return True


def _announce(run: Run, tip: str, chain: dict[str, str], parents: dict[str, str]) -> bool:
    """COMMITTED, then the fence; again before each push, and where others left, with another commit."""
    commit = chain[run.job.pk]
    if run.state is State.LOCAL_COMMITTING:
        relay.keep(run, commit, parent=parents[commit])
    if run.fields.get("announced") == (tip, commit):
        return True
    run.fields["announced"] = (tip, commit)
    return relay.pass_fence(run, Event.DELIVER, run.fields["look"], commit)


def _doubt(run: Run, doubt: RepositoryError, tip: str) -> bool:
    run.note("push_unclear", reason=doubt.message, code=doubt.code, tip=tip)
    return True


def _alone(run: Run, refusal: RemoteRefused, tip: str) -> bool:
    relay.not_taken(run, tip=tip)
    waiting.alone(run, refusal)
    return False


def _refuse(run: Run, refusal: RemoteRefused) -> bool:
    relay.refuse(run, refusal.text or refusal.message, code=refusal.code)
    return False
