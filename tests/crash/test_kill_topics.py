"""A process that is killed while it closes a topic: cursor and job agree, and the repeat makes one job."""

import json
from typing import Any

import pytest

from publisher.faults import EXIT
from tests.support import postgres
from tests.support.crash import Installation
from tests.support.git import make_remote

TEXT = "The pool opens on 3 June. Tickets cost two coins.\n"


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def here(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation with one site, on each database in turn; each test has its own session."""
    tmp_path, url = tmp_path_factory.mktemp("topics"), ""
    if request.param == "postgresql":
        url = postgres.new_database(request.getfixturevalue("postgres_dsn"))
    made = Installation(tmp_path, url)
    made.remote.parent.mkdir(parents=True)
    make_remote(made.remote, {"content/posts/a.md": b"# A\n"})
    (tmp_path / "chat.txt").write_text(TEXT)
    made.migrate()
    made.command("site", "add", "blog", "--remote", str(made.remote))
    return made


def topic(here: Installation, act: str, session: str, *, code: int = 0) -> dict[str, Any]:
    """Run it in a process of its own; nothing is said by one that dies."""
    arguments = [act, "--site", "blog", "--session", session, "--json"]
    if act == "close-topic":
        arguments += ["--source", str(here.home / "chat.txt")]
    said = here.command(*arguments, code=code)
    answer: dict[str, Any] = json.loads(said) if said else {}
    return answer


@pytest.mark.parametrize(
    ("point", "is_written"),
    [("inside:begin.submit", False), ("after:begin.submit", True)],
)
def test_cursor_and_job_agree_wherever_the_closer_dies(
    here: Installation, point: str, is_written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as armed:
        armed.setenv("IMPRIMATUR_FAULT", point)
        assert topic(here, "close-topic", point, code=EXIT) == {}
    again = topic(here, "close-topic", point)
    assert (again["created"], again["close_revision"]) == (not is_written, 1)
    assert topic(here, "close-topic", point)["job_id"] == again["job_id"]


def test_opened_and_closed_in_other_processes_it_is_another_job(here: Installation) -> None:
    first = topic(here, "close-topic", "chat-7")
    assert topic(here, "open-topic", "chat-7")["open"]
    second = topic(here, "close-topic", "chat-7")
    assert (first["close_revision"], second["close_revision"]) == (1, 2)
    assert first["job_id"] != second["job_id"]
