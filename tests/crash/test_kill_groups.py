"""A worker dies inside a group: every job of it is published once, and each goes on by itself."""

import json
import os

import pytest

from tests.support.crash import Installation, install
from tests.support.racing import new_postgres_database

DATABASE = os.environ.get("DATABASE_URL", "")
EVERY = 1 if os.environ.get("CRASH_ALL") else 5 if DATABASE.startswith("postgres") else 2
"""The suite takes some of the points, ``make crash`` all of them."""
WORDS = ("basalt", "cedar")
POINTS = [
    "after:note.claimed:2",
    "inside:record.commit:2",
    "after:repository.build_commits",
    "after:record.committed:1",
    "inside:record.deliver:2",
    "after:record.deliver:3",
    "after:repository.push",
    "after:record.confirm:1",
    "inside:record.confirm:2",
    "before:repository.remove_workspace:2",
]


def submit(here: Installation, word: str) -> str:
    draft = here.home / f"{word}.md"
    draft.write_text(f"---\ntitle: {word}\n---\n\n" + " ".join(f"{word}{n}" for n in range(60)))
    told = here.command(
        "submit", "--site", "blog", "--content", str(draft), "--target-path",
        f"content/posts/{word}.md", "--as", "ada", "--json",
    )  # fmt: skip
    return str(json.loads(told)["job_id"])


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Installation, list[str]]:
    """Three approved jobs of one site, kept as "group"."""
    database = new_postgres_database(DATABASE) if DATABASE.startswith("postgres") else ""
    here, first = install(tmp_path_factory.mktemp("crash"), database)
    here.restore("received")
    jobs = [first, *(submit(here, word) for word in WORDS)]
    here.work()
    for job in jobs:
        here.approve(job)
    here.keep("group")
    return here, jobs


@pytest.mark.parametrize("point", POINTS[::EVERY])
def test_a_kill_inside_a_group_publishes_each_once(
    installed: tuple[Installation, list[str]], point: str
) -> None:
    here, jobs = installed
    here.restore("group")
    here.work(fault=point, code=75)
    here.work()
    for job in jobs:
        facts = here.facts(job)
        assert facts["state"] == "PUBLISHED"
        assert here.commits_of(job) == [facts["remote_commit"]]
    here.command("verify")
