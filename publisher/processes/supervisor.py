"""The supervisor: keeps one cluster and the look at due work alive, and ends both.

It has one thread, holds no connection when it forks, and adopts what its family leaves behind,
so after any sudden death the work goes on within seconds and no process stays.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import structlog
from django.db import connections

from publisher.processes import cluster as clusters
from publisher.processes import due_work, holds, kernel
from publisher.processes.board import Board
from publisher.processes.cluster import Cluster
from publisher.processes.hints import Hints, HintsUnavailable
from publisher.processes.pulse import STALL_SECONDS, Pulse, Seen, Verdict
from publisher.processes.restarts import Restarts

LOOK_SECONDS = 0.25
STOP_SECONDS = 20.0
TAKE_OVER_SECONDS = 0.5
log = structlog.get_logger(__name__)


class Supervisor:
    """``Supervisor(...).run()`` returns when it was told to stop and everything has ended."""

    def __init__(
        self,
        *,
        folder: Path,
        due: Callable[[], object],
        heartbeat: str = "publisher.tasks.heartbeat",
        sweep: str = "publisher.tasks.sweep",
        sweep_seconds: int = 300,
    ) -> None:
        self._folder = folder
        self._due = due
        self._sweep = sweep
        self._sweep_seconds = sweep_seconds
        self._board = Board()
        self._hints = Hints(heartbeat)
        self._cluster: Cluster | None = None
        self._clock = 0
        self._pulse = Pulse(time.monotonic(), quiet_seconds=self._hints.quiet_seconds)
        self._cluster_restarts = Restarts()
        self._clock_restarts = Restarts()

    def run(self, *, when_taken: Callable[[], None] | None = None) -> None:
        """Supervise until SIGTERM or SIGINT.

        Where somebody else supervises, that is AlreadySupervised; with ``when_taken``, that is called
        instead, and this one waits until it can take over.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        kernel.hold_signals()
        supervision = self._supervision(when_taken)
        if supervision is None:
            return
        kernel.adopt_orphans()
        held = holds.hold_cluster(self._folder / "cluster.lock")
        log.info("supervisor_started", pid=os.getpid())
        try:
            while kernel.next_signal(LOOK_SECONDS) not in kernel.STOPPING:
                self._look()
        finally:
            self._stop()
            os.close(held)
            os.close(supervision)
            log.info("supervisor_stopped", pid=os.getpid())

    def _supervision(self, when_taken: Callable[[], None] | None) -> int | None:
        """The lock that makes this the supervisor; None when it was told to stop in the wait."""
        path = self._folder / "supervisor.lock"
        try:
            return holds.hold_supervision(path)
        except holds.AlreadySupervised:
            if when_taken is None:
                raise
            when_taken()
        while kernel.next_signal(TAKE_OVER_SECONDS) not in kernel.STOPPING:
            with suppress(holds.AlreadySupervised):
                return holds.hold_supervision(path)
        return None

    def _look(self) -> None:
        now = time.monotonic()
        self._bury(kernel.reap())
        if self._cluster is None:
            self._start_cluster(now)
        elif self._cluster.missing_for(now) >= STALL_SECONDS:
            self._replace_cluster(self._cluster, "a process is gone and was not replaced")
        else:
            self._feel_pulse(self._cluster, now)
        if not self._clock and self._clock_restarts.are_due(now):
            self._start_clock(now)
        kernel.kill_orphans(self._known())

    def _known(self) -> set[int]:
        main = {self._cluster.main} if self._cluster else set()
        return main | ({self._clock} if self._clock else set())

    def _bury(self, ended: dict[int, int]) -> None:
        if self._clock in ended:
            # A signal to the whole group ends it too, perhaps before it is read here.
            told = log.info if kernel.is_told_to_stop() else log.error
            told("due_work_ended", pid=self._clock, status=ended[self._clock])
            self._clock = 0
            self._clock_restarts.ended(time.monotonic())
        if self._cluster and self._cluster.main in ended:
            status = ended[self._cluster.main]
            self._replace_cluster(self._cluster, f"its main process ended ({status})")

    def _start_cluster(self, now: float) -> None:
        if not self._cluster_restarts.are_due(now):
            return
        try:
            self._hints.free()
        except HintsUnavailable:
            log.warning("hints_unavailable")
        self._cluster = clusters.start(self._board, self._folder)
        self._cluster_restarts.began(self._cluster.started_at)
        self._pulse = Pulse(time.monotonic(), quiet_seconds=self._hints.quiet_seconds)
        log.info("cluster_started", pid=self._cluster.main)

    def _start_clock(self, now: float) -> None:
        connections.close_all()
        self._clock_restarts.began(now)
        self._clock = kernel.fork(
            lambda: due_work.look_for_ever(
                self._due, sweep=self._sweep, sweep_seconds=self._sweep_seconds
            ),
            own_session=False,
        )

    def _feel_pulse(self, cluster: Cluster, now: float) -> None:
        try:
            seen = Seen(
                at=now,
                acknowledged=self._board.acknowledged,
                has_idle_worker=cluster.has_idle_worker(self._board),
                hints_wait=self._hints.wait(),
            )
            verdict = self._pulse.look(seen)
            if verdict is Verdict.BEAT:
                self._hints.beat()
        except HintsUnavailable:
            log.warning("hints_unavailable")
            return
        if verdict is Verdict.STALLED:
            self._replace_cluster(cluster, "hints wait, workers are free, and nothing comes out")

    def _replace_cluster(self, cluster: Cluster, reason: str) -> None:
        """End all of the cluster and start another; the later, the oftener it died young.

        The look at due work starts anew too, so that lost hints come back at once.
        """
        log.error("cluster_replaced", pid=cluster.main, reason=reason)
        self._cluster_restarts.ended(time.monotonic())
        self._end_clock()
        self._end_cluster(cluster)
        self._start_cluster(time.monotonic())

    def _end_cluster(self, cluster: Cluster) -> None:
        """Kill the group and every orphan that it leaves, and wait until all are buried."""
        cluster.kill()
        self._cluster = None
        while kernel.kill_orphans(self._known()):
            self._bury(kernel.reap())
            kernel.next_signal(0.01)

    def _end_clock(self) -> None:
        """Kill the look at due work, which is no death of its own; it is buried with the orphans."""
        if self._clock:
            kernel.kill(self._clock)
        self._clock = 0
        self._clock_restarts = Restarts()

    def _stop(self) -> None:
        self._end_clock()
        if self._cluster is not None:
            self._cluster.ask_to_stop()
            self._wait_for(self._cluster, seconds=STOP_SECONDS)
            self._end_cluster(self._cluster)
        clusters.remove_traces(self._folder)
        kernel.reap()

    def _wait_for(self, cluster: Cluster, *, seconds: float) -> None:
        """Wait for the end of the running tasks; a second signal ends the patience."""
        end = time.monotonic() + seconds
        while kernel.is_alive(cluster.main) and time.monotonic() < end:
            if kernel.next_signal(0.1) in kernel.STOPPING:
                return
