"""Random histories: whatever people, remotes and machines do in whatever order, each promise holds.

``HISTORIES`` is how many are tried (a handful in the suite), ``HISTORY_STEPS`` how long each is;
``--hypothesis-seed=N`` gives the same ones again.
"""

import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from publisher import clock as real_clock
from publisher.domain.errors import ImprimaturError
from publisher.domain.states import State
from publisher.engine.foreground import Foreground
from publisher.models import Job
from publisher.services import acts
from publisher.services.revise import revise
from publisher.services.submit import SubmitRequest, submit
from tests.support.clock import ManualClock
from tests.support.databases import ON_POSTGRESQL
from tests.support.git import git, second_person
from tests.support.journey import ADA, OMAR, SEED, begin, calm, fresh, told
from tests.support.model import Model, Told
from tests.support.trouble import Defect, Killed, Trouble

HISTORIES = int(os.environ.get("HISTORIES", "2" if ON_POSTGRESQL else "4"))
STEPS = int(os.environ.get("HISTORY_STEPS", "14"))
LEASE = 90
PATHS = ("content/posts/target.mdx", "content/posts/fresh.mdx", "content/posts/more.mdx")
ANSWERS = ("arrives unseen", "late", "never arrives")
WHICH = st.integers(0, 5)
MOMENTS = st.integers(1, 60)

_numbers = itertools.count(1)


def text_of(number: int) -> bytes:
    """Words that no other article says."""
    words = " ".join(f"w{number}x{place}" for place in range(30))
    return f'---\ntitle: "Text {number}"\n---\n\n{words}\n'.encode()


class History(RuleBasedStateMachine):
    """One site on a real remote; each step is something that really happens."""

    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.outer = transaction.atomic()
        self.outer.__enter__()
        self.journey = begin(self.folder / f"history-{next(_numbers)}", SEED)
        self.clock = ManualClock(real_clock.now())
        self.trouble = Trouble(outside=len(connection.savepoint_ids))
        ports = self.trouble.ports(self.journey.ports)
        self.journey.ports = type(ports)(
            ports.repository, ports.locks, ports.provider, self.clock, ports.authority
        )
        self.undo = self.trouble.watch_journal()
        self.model = Model(self.journey.remote)
        self.model.theirs = self.model.branch()
        self.keys: dict[int, tuple[str, bytes]] = {}
        self.owners = itertools.count(1)
        self.texts = itertools.count(1)
        self.is_broken = False

    def job(self, which: int) -> Job:
        """One of the jobs."""
        names = list(self.model.jobs)
        return fresh(Job(pk=names[which % len(names)]))

    def attempt(self, act: Callable[[], Any]) -> bool:
        """Whether it was allowed; a refusal leaves everything as the model has it."""
        try:
            act()
        except ImprimaturError:
            return False
        return True

    def work(self) -> bool:
        """A new worker looks once at all that is due; whether it lived."""
        engine = Foreground(
            self.journey.ports, f"test:{next(self.owners)}", "test/one", calm, LEASE
        )
        try:
            engine.once()
        except Killed:
            return False
        finally:
            self.trouble.disarm()
        return True

    @initialize(paths=st.permutations(PATHS), approved=st.integers(0, 2))
    def begins(self, paths: list[str], approved: int) -> None:
        """Two jobs, drafted, and perhaps approved: from here on anything may happen."""
        for key, path in enumerate(paths[:2]):
            self.submits(path, key)
        self.work()
        for which in range(approved):
            self.approves(which)

    # --- people ---------------------------------------------------------------------------------

    @rule(path=st.sampled_from(PATHS), key=st.integers(0, 3))
    def submits(self, path: str, key: int) -> None:
        """Ada hands something in; a key that she used before gives the job that it gave."""
        self.clock.advance(1)  # Jobs of one moment come in no certain order.
        known = self.keys.get(key)
        path, text = known or (path, text_of(next(self.texts)))
        request = SubmitRequest("magazine", content=text, target_path=path, key=f"key-{key}")
        found = submit(request, who=ADA, scope="default", now=self.clock.now())
        assert found.created == (known is None)
        if known is None:
            self.model.jobs[found.job.pk] = Told(path, {1: text})
            self.keys[key] = (path, text)

    @precondition(lambda self: self.model.jobs)
    @rule(which=WHICH)
    def edits(self, which: int) -> None:
        """Ada changes the text, where that is allowed."""
        job, text = self.job(which), text_of(next(self.texts))
        files, number = {self.model.jobs[job.pk].path: text}, job.revision
        if self.attempt(
            lambda: revise(job, files=files, base_revision=number, who=ADA, now=self.clock.now())
        ):
            self.model.jobs[job.pk].texts[number + 1] = text

    @precondition(lambda self: self.model.jobs)
    @rule(which=WHICH)
    def approves(self, which: int) -> None:
        """Rui says yes to what is asked."""
        self.clock.advance(1)
        job = self.job(which)
        if job.state != State.WAITING_APPROVAL:
            return
        if self.attempt(lambda: self.journey.approve(job)):
            self.model.jobs[job.pk].approved.add(job.revision)

    @precondition(lambda self: self.model.jobs)
    @rule(which=WHICH)
    def cancels(self, which: int) -> None:
        """Ada takes it back, unless it may be on its way."""
        job = self.job(which)
        if self.attempt(lambda: acts.cancel(job, who=ADA, now=self.clock.now())):
            self.model.jobs[job.pk].ended = State.CANCELLED

    @precondition(lambda self: self.model.jobs)
    @rule(which=WHICH)
    def gives_up(self, which: int) -> None:
        """Omar ends what waits in REVIEW or CONFLICT."""
        job = self.job(which)
        if self.attempt(
            lambda: acts.skip(job, who=OMAR, now=self.clock.now(), reason="Not wanted.")
        ):
            self.model.jobs[job.pk].ended = State.SKIPPED

    @precondition(lambda self: self.model.jobs)
    @rule(which=WHICH)
    def asks_for_another_try(self, which: int) -> None:
        """Omar retries what failed, waits or has no draft, or asks again for what went to REVIEW."""
        job = self.job(which)
        is_complete = job.state == State.REVIEW and job.manifest_artifact
        again = acts.ask_again if is_complete else acts.retry
        self.attempt(lambda: again(job, who=OMAR, now=self.clock.now()))

    # --- machines -------------------------------------------------------------------------------

    @rule()
    def works(self) -> None:
        """All goes well."""
        assert self.work()

    @rule(moment=MOMENTS)
    def dies(self, moment: int) -> None:
        """The worker dies at a moment; its lease runs out."""

        def die() -> None:
            raise Killed

        self.trouble.arm(moment, die)
        if not self.work():
            self.clock.advance(LEASE + 1)

    @rule(moment=MOMENTS)
    def stumbles(self, moment: int) -> None:
        """Something that nobody expects is raised."""

        def stumble() -> None:
            raise Defect("A defect.")

        self.trouble.arm(moment, stumble)
        self.work()

    @rule(moment=MOMENTS)
    def stands_still(self, moment: int) -> None:
        """The worker stands still for longer than its lease, while another does the work."""

        def others_work() -> None:
            self.clock.advance(LEASE + 1)
            self.work()

        self.trouble.arm(moment, others_work, apart=True)
        self.work()

    @rule(answer=st.sampled_from(ANSWERS))
    def loses_an_answer(self, answer: str) -> None:
        """Whether the push arrives or not, nobody hears of it."""
        self.trouble.answer = answer
        self.work()

    @rule(seconds=st.sampled_from((1, 61, LEASE + 1, 3700, 26 * 3600, -600)))
    def clock_jumps(self, seconds: int) -> None:
        """Time passes, or is set back."""
        self.clock.advance(seconds)

    # --- the remote -----------------------------------------------------------------------------

    @rule(path=st.sampled_from((*PATHS, "content/posts/other.mdx", "README.md")))
    def somebody_pushes(self, path: str) -> None:
        """A person changes a file, perhaps a job's very target."""
        text = text_of(next(self.texts))
        self.model.theirs.append(second_person(self.journey.remote, {path: text}, f"edit {path}"))

    @rule(back=st.integers(1, 3), goes_on=st.booleans())
    def history_is_rewritten(self, back: int, *, goes_on: bool) -> None:
        """Somebody forces the branch back, and perhaps writes on from there."""
        before = self.model.branch()
        target = before[min(back, len(before) - 1)]
        self.trouble.sent.clear()
        self.model.forced_away(before[: before.index(target)])
        git(self.journey.remote, "update-ref", "refs/heads/main", target)
        if goes_on:
            self.somebody_pushes("README.md")

    @precondition(lambda self: self.trouble.sent)
    @rule()
    def a_late_push_arrives(self) -> None:
        """What was on its way reaches the remote, which takes it only on the tip that it names."""
        self.trouble.land(self.journey.folder / "git", self.journey.remote)

    # --- what holds -----------------------------------------------------------------------------

    @invariant()
    def every_promise_holds(self) -> None:
        """After each step, whatever it was."""
        self.clock.advance(1)
        self.expect(self.model.wrong())

    def expect(self, wrong: list[str]) -> None:
        """Nothing is wrong; once something is, what follows from it is not looked at."""
        if not self.is_broken:
            self.is_broken = bool(wrong)
            assert wrong == [], self.words()

    def words(self) -> str:
        """All jobs' histories."""
        return "\n\n".join(f"{name} {told(Job(pk=name))}" for name in self.model.jobs)

    def teardown(self) -> None:
        """Peace comes: everything is settled or a person's turn. Then nothing is left of it."""
        try:
            self.trouble.disarm()
            for _ in range(0 if self.is_broken else 6):
                self.clock.advance(2 * 3600)
                while self.trouble.sent:
                    self.a_late_push_arrives()
                self.journey.work()
            self.expect(self.model.wrong())
            self.expect(self.model.unsettled(self.clock.now()))
        finally:
            self.undo()
            transaction.set_rollback(True)
            self.outer.__exit__(None, None, None)


def test_random_histories_keep_every_promise(db: None, tmp_path: Path) -> None:
    History.folder = tmp_path
    run_state_machine_as_test(
        History,
        settings=settings(
            max_examples=HISTORIES,
            stateful_step_count=STEPS,
            deadline=None,
            print_blob=True,
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
