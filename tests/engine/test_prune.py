"""Prune: removes what nothing refers to, and nothing else."""

import json
import os
from datetime import timedelta
from io import StringIO
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django_q.models import Task

from publisher import artifacts, clock
from publisher.models import Artifact
from publisher.processes import prune
from tests.support.journey import Journey

LONG_AGO = 2 * 86_400


def path_of(name: str) -> Path:
    return Path(settings.DATA_DIR) / "artifacts" / artifacts.place_of(name)


def age(path: Path, seconds: float = LONG_AGO) -> None:
    then = clock.now().timestamp() - seconds
    os.utime(path, (then, then))


def again(data: bytes) -> None:
    artifacts.write(data)


def pruned(journey: Journey, *, dry_run: bool = False) -> dict[str, int]:
    return {each.what: each.count for each in prune.prune(journey.ports, dry_run=dry_run)}


def test_an_orphan_goes_after_a_day_and_what_a_row_names_stays(journey: Journey) -> None:
    pruned(journey)
    orphan, young = artifacts.write(os.urandom(20)), artifacts.write(os.urandom(20))
    kept = artifacts.store(os.urandom(20), kind="content", now=clock.now())
    for name in (orphan, kept):
        age(path_of(name))
    assert pruned(journey, dry_run=True)["orphan files of artifacts"] == 1
    assert path_of(orphan).exists()
    assert pruned(journey)["orphan files of artifacts"] == 1
    assert [path_of(name).exists() for name in (orphan, young, kept)] == [False, True, True]


def test_an_unfinished_file_of_a_dead_writer_goes(journey: Journey) -> None:
    left = path_of(artifacts.write(os.urandom(20))).with_name(".part-dead")
    left.write_bytes(b"half")
    age(left)
    pruned(journey)
    assert not left.exists()


def test_bytes_that_are_wanted_again_meanwhile_are_kept(db: None) -> None:
    data = os.urandom(20)
    name = artifacts.write(data)
    age(path_of(name))
    before = clock.now().timestamp() - 86_400
    assert not prune._remove(path_of(name), before, look=lambda: again(data))
    assert artifacts.load(name) == data


def test_no_file_of_a_published_job_is_touched(journey: Journey) -> None:
    job = journey.published(b"---\ntitle: Tides\n---\n\nTwice a day.\n", "content/posts/tides.mdx")
    names = list(Artifact.objects.values_list("pk", flat=True))
    for name in names:
        age(path_of(name))
    pruned(journey)
    assert all(path_of(name).exists() for name in names)
    journey.is_sound(job)


def test_old_tasks_and_expired_sessions_go_and_the_others_stay(journey: Journey) -> None:
    now = clock.now()
    for days in (1, 30):
        then = now - timedelta(days=days)
        Task.objects.create(id=str(days), name=str(days), func="f", started=then, stopped=then)
    Session.objects.create(session_key="over", session_data="", expire_date=now - timedelta(1))
    Session.objects.create(session_key="open", session_data="", expire_date=now + timedelta(1))
    found = pruned(journey)
    assert (found["task rows of the queue"], found["expired sessions"]) == (1, 1)
    assert [task.id for task in Task.objects.all()] == ["1"]
    assert [session.pk for session in Session.objects.all()] == ["open"]


def test_the_command_says_what_would_go(db: None) -> None:
    said = StringIO()
    call_command("prune", "--dry-run", "--json", stdout=said)
    answer = json.loads(said.getvalue())
    assert answer["dry_run"] is True
    assert {row["what"] for row in answer["pruned"]} == {
        "orphan files of artifacts", "workspaces of ended jobs", "task rows of the queue",
        "expired sessions",
    }  # fmt: skip
