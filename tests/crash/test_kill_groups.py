"""A worker dies inside a group: every job of it is published once, and each goes on by itself.

The jobs bring fonts: the font of each commit is the one of the articles that are there.
"""

import json
import os
from collections.abc import Callable, Iterator

import pytest

from tests.support.crash import Installation, install, warmed
from tests.support.databases import ON_POSTGRESQL
from tests.support.fonts import ASCII, FONT, letters_beside, tiny_font
from tests.support.invariants import broken

EVERY = 3 if ON_POSTGRESQL and not os.environ.get("CRASH_ALL") else 1
"""On PostgreSQL the suite takes some of the points, ``make crash`` all of them."""
LETTERS = {"basalt": "中文", "cedar": "甲"}
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
    "after:note.fonts_rebuilt:1",
]


def submit(here: Installation, word: str) -> str:
    draft = here.home / f"{word}.md"
    words = " ".join(f"{word}{number}" for number in range(60))
    draft.write_text(f"---\ntitle: {word}\n---\n\n{words} {LETTERS[word]}\n")
    told = here.command(
        "submit", "--site", "blog", "--content", str(draft), "--target-path",
        f"content/posts/{word}.md", "--as", "ada", "--json",
    )  # fmt: skip
    return str(json.loads(told)["job_id"])


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[tuple[Installation, list[str]]]:
    """Three approved jobs of one site with fonts, kept as "group"."""
    database = new_database()
    home = tmp_path_factory.mktemp("crash")
    with warmed(home, database) as here:
        _, first = install(home, database, here)
        here.restore("received")
        source = home / "tiny.ttf"
        source.write_bytes(tiny_font(ASCII + "".join(LETTERS.values())))
        here.command("site", "set", "blog", "--fonts", FONT, "--font-source", str(source))
        jobs = [first, *(submit(here, word) for word in LETTERS)]
        here.work()
        for job in jobs:
            here.approve(job)
        here.keep("group")
        yield here, jobs


@pytest.mark.parametrize("point", POINTS[::EVERY])
def test_a_kill_inside_a_group_publishes_each_once(
    installed: tuple[Installation, list[str]], point: str
) -> None:
    here, jobs = installed
    here.restore("group")
    here.work(fault=point, code=75)
    here.work_later()
    facts = here.rows()
    assert {row["id"]: row["state"] for row in facts.tables["jobs"]} == dict.fromkeys(
        jobs, "PUBLISHED"
    )
    for row in facts.tables["jobs"]:
        made = [one["commit"] for one in facts.published_by(row["id"])]
        assert made == [row["remote_commit"]]
        assert letters_beside(here.remote, row["remote_commit"]) == set()
    assert broken(facts) == []
    here.command("verify", "--deep")
