"""A program for the process tests: a supervisor, alone or kept by a parent, in a given folder.

``python -m tests.support.supervised alone|kept|held`` with IMPRIMATUR_DATA_DIR set. Tasks leave files
in ``marks`` below that folder. ``held`` is alone, and its first sweep stays until the test lets it go.
"""

import os
import sys
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "publisher.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, connections  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402

from publisher.processes import kernel, parts  # noqa: E402
from publisher.processes.supervisor import Supervisor  # noqa: E402


def supervise(*, sweep: str = "sweep", sweep_seconds: int = 300) -> None:
    """Run a supervisor whose heartbeats and due work need nothing else of the program."""
    Supervisor(
        folder=settings.DATA_DIR / "processes",
        due=note_due_work,
        heartbeat="tests.support.tasks.heartbeat",
        sweep=f"tests.support.tasks.{sweep}",
        sweep_seconds=sweep_seconds,
    ).run()


def note_due_work() -> None:
    """Leave a mark of the look at due work."""
    (Path(settings.DATA_DIR) / "marks" / "due").write_text(str(os.getpid()))


def main() -> None:
    """Make the queue's tables, then supervise."""
    (Path(settings.DATA_DIR) / "marks").mkdir(exist_ok=True)
    executor = MigrationExecutor(connection)
    executor.migrate([node for node in executor.loader.graph.leaf_nodes() if node[0] == "django_q"])
    connections.close_all()
    if sys.argv[1] == "alone":
        supervise()
        return
    if sys.argv[1] == "held":
        supervise(sweep="first_sweep_held", sweep_seconds=1)
        return
    part = parts.Part("worker", lambda: kernel.fork(supervise, own_session=True))
    parts.keep([part], when_up=lambda: True, announce=lambda: None)


if __name__ == "__main__":
    main()
