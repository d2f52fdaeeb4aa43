"""A worker that is long at one job still counts as alive."""

from pathlib import Path

from tests.support import databases
from tests.support.crash import Installation, install
from tests.support.git import add_hook
from tests.support.killed import Killed
from tests.support.waiting import until

HOLD = """cat >/dev/null
echo here > reached
n=0; while [ ! -e go ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done"""


def signs_of_life(here: Installation) -> list[str]:
    """When workers showed themselves last."""
    query = "SELECT heartbeat_at FROM publisher_node WHERE role = 'worker'"
    rows = databases.rows(here.database, here.home / "live" / "var", query)
    return [str(row[0]) for row in rows]


def test_a_worker_shows_its_life_while_its_push_takes_longer_than_its_lease(
    tmp_path: Path, database: str
) -> None:
    here, _ = install(tmp_path, database)
    add_hook(here.remote, "pre-receive", HOLD)
    worker = Killed(here)
    try:
        until((here.remote / "reached").exists, seconds=60, what="the push at the remote")
        first = signs_of_life(here)
        until(lambda: signs_of_life(here) not in ([], first), seconds=20, what="a sign of life")
        second = signs_of_life(here)
        until(lambda: signs_of_life(here) != second, seconds=20, what="the next sign of life")
    finally:
        worker.kill()
        (here.remote / "go").touch()
