"""The cluster: one django-q2 cluster in a session of its own, as seen and ended from outside."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from django.db import connections
from django_q.cluster import Cluster as QueueCluster
from django_q.conf import Conf

from publisher.processes import holds, kernel, queue_locks
from publisher.processes.board import IDLE, Board

HELPERS = 2  # the pusher and the monitor, beside the workers
START_SECONDS = 10.0


@dataclass(slots=True)
class Cluster:
    """A started cluster: its main process is also its process group."""

    main: int
    started_at: float
    missing_since: float | None = None

    def workers_and_helpers(self) -> list[int]:
        """The living children of the sentinel."""
        sentinels = kernel.children(self.main)
        found = [pid for sentinel in sentinels for pid in kernel.children(sentinel)]
        return [pid for pid in found if kernel.is_alive(pid)]

    def has_idle_worker(self, board: Board) -> bool:
        """Tell whether a living worker says that it waits for work."""
        return any(board.doing(pid) == IDLE for pid in self.workers_and_helpers())

    def missing_for(self, now: float) -> float:
        """For how long a process has been missing that the sentinel should have replaced."""
        complete = len(self.workers_and_helpers()) >= Conf.WORKERS + HELPERS
        starting = self.missing_since is None and now - self.started_at < START_SECONDS
        if complete or (starting and not kernel.children(self.main)):
            self.missing_since = None
            return 0.0
        if self.missing_since is None:
            self.missing_since = now
        return now - self.missing_since

    def ask_to_stop(self) -> None:
        """Let running tasks end. Only the main process is told: the group would hang."""
        kernel.kill(self.main, signal.SIGTERM)

    def kill(self) -> None:
        """End all of it at once."""
        kernel.kill_group(self.main)


def start(board: Board, folder: Path) -> Cluster:
    """Fork a cluster from this process, which must hold no connection that the child could share."""
    connections.close_all()
    board.wipe()

    def work() -> None:
        holds.write_group(folder / "cluster.lock")
        queue_locks.install(folder / "queue")
        board.attach()
        cluster = QueueCluster()
        cluster.start()
        cluster.sentinel.join()

    main = kernel.fork(work, own_session=True)
    return Cluster(main=main, started_at=time.monotonic())


def remove_traces(folder: Path) -> None:
    """Say that no cluster runs any more."""
    os.truncate(folder / "cluster.lock", 0)
