"""Many jobs of one site are prepared at once, by several processes, while others use the clone."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.support import databases
from tests.support.git import make_remote
from tests.support.journey import SEED

ROOT = Path(__file__).resolve().parents[2]
JOBS, WORKERS = 16, 4
SET_UP = """
import sys, django
django.setup()
from django.core.management import call_command
from publisher import clock, wiring
from publisher.domain.states import Actor
from publisher.engine import sites as engine_sites
from publisher.journal import Who
from publisher.services import sites
from publisher.services.submit import SubmitRequest, submit
call_command("migrate", verbosity=0)
now = clock.now()
site = sites.add(name="magazine", remote=sys.argv[1], scope="default", now=now, branch="main")
engine_sites.refresh(site, wiring.ports())
for number in range(int(sys.argv[2])):
    text = f"---\\ntitle: Piece {number}\\n---\\n\\nBody {number}.\\n".encode()
    request = SubmitRequest("magazine", content=text, action="create",
                            target_path=f"content/posts/piece-{number}.mdx")
    submit(request, who=Who(Actor.SUBMITTER, "ada"), scope="default", now=now)
"""
DISTURB = """
cd "$1" || exit 1
while :; do git fetch -q "$2" main 2>/dev/null; git worktree prune 2>/dev/null; done
"""


def _states(database: str, data: Path) -> dict[str, int]:
    query = "SELECT state, COUNT(*) FROM publisher_job GROUP BY state"
    return dict(databases.rows(database, data, query))


def test_no_job_is_lost_when_many_are_prepared_at_once(tmp_path: Path, database: str) -> None:
    remote = make_remote(tmp_path / "remote.git", SEED)
    environment = {
        **os.environ,
        "DATABASE_URL": database,
        "IMPRIMATUR_DATA_DIR": str(tmp_path / "data"),
        "IMPRIMATUR_NO_BOOTSTRAP": "1",
        "DJANGO_SETTINGS_MODULE": "publisher.settings",
    }

    def start(*command: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    def finish(process: "subprocess.Popen[bytes]") -> None:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode("utf-8", "replace")[-3000:]

    finish(start(sys.executable, "-c", SET_UP, str(remote), str(JOBS)))
    (clone,) = (tmp_path / "data" / "git").glob("*/clone.git")
    (clone / "config.lock").touch()
    loop = start("sh", "-c", DISTURB, "sh", str(clone), str(remote))
    try:
        workers = [
            start(sys.executable, "manage.py", "work", "--until-idle") for _ in range(WORKERS)
        ]
        for worker in workers:
            finish(worker)
    finally:
        os.killpg(loop.pid, signal.SIGKILL)
        loop.communicate(timeout=10)
    assert _states(database, tmp_path / "data") == {"WAITING_APPROVAL": JOBS}
