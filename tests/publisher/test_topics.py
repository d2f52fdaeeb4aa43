"""Topics: a close is one job however often it is told; opened and closed again it is another."""

import json
from collections.abc import Mapping
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from publisher import selectors
from publisher.domain.errors import InvalidInput, KeyReused, NotFound
from publisher.domain.keys import keyed_digest, trigger_key
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Job, TopicCursor
from publisher.ports import Source
from publisher.services import submit as submitting
from publisher.services import topics
from publisher.services.requests import SubmitRequest
from publisher.services.topics import Closed
from tests.support import jobs, people
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db
ADA = Who(Actor.SUBMITTER, "ada")
TEXT = "The pool opens on 3 June. Tickets cost two coins.\n"
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3iL6"


@pytest.fixture(autouse=True)
def _site() -> None:
    jobs.site()


def close(session: str = "chat-7", text: str = TEXT, **fields: Any) -> Closed:
    sources = (Source("chat", text),) if text else ()
    request = SubmitRequest("blog", sources=sources, **fields)
    return topics.close_topic(request, session, who=ADA, scope="default", now=NOW)


def reopen(session: str = "chat-7") -> TopicCursor:
    return topics.open_topic("blog", session, scope="default", now=NOW)


def test_a_close_makes_one_job_and_raises_the_cursor() -> None:
    done = close()
    assert (done.created, done.cursor.close_revision, done.cursor.is_open) == (True, 1, False)
    assert (done.job.state, done.job.requester, done.job.kind) == (
        "RECEIVED", "ada", "blog.publish/v1",
    )  # fmt: skip


def test_the_first_event_names_the_session_and_the_close() -> None:
    facts = selectors.events(close().job)[0].facts
    assert (facts["topic_session"], facts["topic_close"]) == ("chat-7", 1)


@pytest.mark.parametrize("text", [TEXT, ""], ids=["same text", "no text"])
def test_closing_twice_is_one_job(text: str) -> None:
    first = close()
    again = close(text=text)
    assert (again.job.pk, again.created, again.cursor.close_revision) == (first.job.pk, False, 1)
    assert Job.objects.count() == 1


def test_opened_and_closed_again_it_is_another_job() -> None:
    first = close()
    assert reopen().is_open
    second = close()
    assert second.job.pk != first.job.pk
    assert (second.created, second.cursor.close_revision) == (True, 2)


def test_an_open_topic_stays_open() -> None:
    assert (reopen().is_open, reopen().close_revision) == (True, 0)
    assert TopicCursor.objects.count() == 1
    assert not Job.objects.exists()


def test_a_repeated_close_with_another_text_is_refused_and_names_the_job() -> None:
    first = close()
    with pytest.raises(KeyReused) as refused:
        close(text="Something else was said.\n")
    assert refused.value.facts["job_id"] == first.job.pk


def test_a_first_close_without_a_text_is_refused_and_leaves_nothing() -> None:
    with pytest.raises(InvalidInput) as refused:
        close(text="")
    assert refused.value.field == "source"
    assert not TopicCursor.objects.exists()


def test_what_submit_refuses_leaves_no_cursor() -> None:
    with pytest.raises(InvalidInput):
        close(provider="nobody")
    assert not TopicCursor.objects.exists()


@pytest.mark.parametrize("session", ["", "  ", "x" * 201, "s\udcff", "s\x00"])
def test_a_session_needs_a_readable_name_of_a_bounded_length(session: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        close(session)
    assert refused.value.field == "session"


def test_a_session_of_another_site_is_another_topic() -> None:
    jobs.site("news")
    request = SubmitRequest("news", sources=(Source("chat", TEXT),))
    other = topics.close_topic(request, "chat-7", who=ADA, scope="default", now=NOW)
    assert close().job.pk != other.job.pk


def test_a_site_out_of_scope_is_not_found() -> None:
    jobs.site("far", scope="elsewhere")
    with pytest.raises(NotFound):
        topics.open_topic("far", "chat-7", scope="default", now=NOW)


def test_a_secret_in_a_sessions_name_and_topic_is_kept_nowhere() -> None:
    job = close(f"chat {SECRET}", topic=f"About {SECRET}").job
    rows: list[Mapping[str, Any]] = [
        *TopicCursor.objects.values(), *Job.objects.values(), *job.events.values(),
    ]  # fmt: skip
    assert SECRET not in repr(rows)


def test_sessions_that_look_alike_once_redacted_are_two() -> None:
    one, other = close(f"chat {SECRET}"), close(f"chat {SECRET[:-1]}x")
    assert one.cursor.session == other.cursor.session
    assert one.job.pk != other.job.pk


def key_of_close(cursor: TopicCursor, number: int) -> str:
    trigger = f"topic:{cursor.session_digest}"
    return trigger_key(site="blog", trigger=trigger, occurrence=number)


def test_nobody_stands_in_the_way_with_a_key_that_was_worked_out() -> None:
    """A session's digest is that of a key with its name, which the first event of a job tells."""
    key = key_of_close(reopen(), 1)
    request = SubmitRequest("blog", sources=(Source("chat", TEXT),), key=key)
    squatter = submitting.submit(request, who=ADA, scope="default", now=NOW)
    done = close()
    assert (done.created, done.cursor.close_revision) == (True, 1)
    assert done.job.pk != squatter.job.pk
    assert close(text="").job.pk == done.job.pk


def test_a_close_in_an_earlier_release_is_told_again() -> None:
    """Its key had the digest that a client's key has."""
    done = close()
    plain = keyed_digest(settings.SECRET_KEY.encode(), key_of_close(done.cursor, 1))
    Job.objects.filter(pk=done.job.pk).update(key_digest=plain)
    assert (close().job.pk, close(text="").created) == (done.job.pk, False)


def test_a_failure_while_the_job_is_written_takes_the_cursor_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(submitting, "_first_revision", fail)
        with pytest.raises(RuntimeError):
            close()
    cursor = TopicCursor.objects.get()
    assert (cursor.is_open, cursor.close_revision, Job.objects.count()) == (True, 0, 0)
    assert close().created


def test_whoever_loses_the_race_gets_the_winners_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else closes after the loser has seen the topic open."""
    won: list[Closed] = []
    checked = submitting.check

    def closed_meanwhile(request: SubmitRequest, *, scope: str | None, now: datetime) -> None:
        checked(request, scope=scope, now=now)
        monkeypatch.setattr(topics, "check", checked)
        won.append(close())

    monkeypatch.setattr(topics, "check", closed_meanwhile)
    lost = close()
    assert (lost.created, lost.job.pk) == (False, won[0].job.pk)
    assert TopicCursor.objects.get().close_revision == 1


def test_whoever_saw_the_cursor_before_the_winner_is_told_the_winners_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The cursor was read, then others closed twice: this call asked for the first close."""
    won: list[Closed] = []
    submit = submitting.submit

    def closed_meanwhile(request: SubmitRequest, **options: Any) -> Any:
        monkeypatch.setattr(topics, "submit", submit)
        won.append(close())
        reopen()
        second = close()
        lost = submit(request, **options)
        assert lost.job.pk != second.job.pk
        return lost

    monkeypatch.setattr(topics, "submit", closed_meanwhile)
    assert close().job.pk == won[0].job.pk
    assert TopicCursor.objects.get().close_revision == 2


def console(name: str, *arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command(name, "--site", "blog", "--as", "ada", "--json", *arguments, stdout=out)
    document: dict[str, Any] = json.loads(out.getvalue())
    return document


def test_the_console_opens_and_closes(tmp_path: Path) -> None:
    people.everybody()
    (tmp_path / "chat.txt").write_text(TEXT)
    source = ("--session", "chat-7", "--source", str(tmp_path / "chat.txt"))
    first = console("close-topic", *source)
    assert (first["created"], first["state"], first["close_revision"]) == (True, "RECEIVED", 1)
    assert console("close-topic", "--session", "chat-7")["job_id"] == first["job_id"]
    opened = console("open-topic", "--session", "chat-7")
    assert opened == {"session": "chat-7", "open": True, "close_revision": 1}
    assert console("close-topic", *source)["job_id"] != first["job_id"]


@pytest.mark.parametrize(
    ("text", "code"), [(None, 2), ("Another text.\n", 3)], ids=["no source", "another"]
)
def test_the_console_tells_refusals_by_their_exit_code(
    tmp_path: Path, text: str | None, code: int
) -> None:
    people.everybody()
    session = "chat-7" if text else "chat-8"
    close()
    (tmp_path / "chat.txt").write_text(text or "")
    source = ["--source", str(tmp_path / "chat.txt")] if text else []
    with pytest.raises(SystemExit) as left:
        console("close-topic", "--session", session, *source)
    assert left.value.code == code


def test_a_secret_that_a_line_break_parts_is_in_no_sessions_name() -> None:
    assert "hunter2" not in close("password:\nhunter2hunter2X9k").cursor.session
