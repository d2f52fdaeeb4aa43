"""Work on shares is done by other processes where that helps, and here where it does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from publisher.processes import cores
from tests.support.settings import BASE_DIR

PROGRAM = """
import os
import django
from django.core.management import call_command

def pid(share):
    from publisher.models import Job
    return os.getpid() if Job.objects.count() == 0 else 0

def dying(share):
    if os.getpid() != int(os.environ["PARENT"]):
        os._exit(9)
    return share

if __name__ == "__main__":
    django.setup()
    call_command("migrate", verbosity=0)
    from publisher.processes import cores
    os.sched_getaffinity = lambda _: {0, 1}
    found = list(cores.spread(pid, range(40)))
    assert len(found) == 40 and 0 not in found and os.getpid() not in found, found
    os.environ["PARENT"] = str(os.getpid())
    assert list(cores.spread(dying, range(40))) == list(range(40))
"""


def test_shares_are_worked_on_in_other_processes_and_here_when_those_die(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {
        **os.environ, "PYTHONPATH": str(BASE_DIR), "IMPRIMATUR_NO_BOOTSTRAP": "1", "DATABASE_URL": "",
        "IMPRIMATUR_DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "publisher.settings",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_few_shares_are_worked_on_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert set(cores.spread(lambda _: os.getpid(), [1, 2])) == {os.getpid()}


@pytest.mark.django_db
def test_rows_of_an_open_transaction_are_worked_on_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert set(cores.spread(lambda _: os.getpid(), range(40))) == {os.getpid()}
