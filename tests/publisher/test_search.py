"""Search: a job is found by what it says, who had a part in it, and its hashes, within reach alone."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Q

from publisher import journal, selectors_jobs
from publisher.domain.states import Actor, Event, State
from publisher.engine import search_fill
from publisher.engine.outbox import CONSUMERS
from publisher.journal import Who
from publisher.models import Job, Outbox, SearchText
from publisher.models.search import place_of
from publisher.ports import Source
from publisher.services import submit as service
from publisher.services.revise import new_inputs, revise
from publisher.services.submit import Asset, SubmitRequest, submit
from tests.support import jobs
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db
ADA, MEI = Who(Actor.SUBMITTER, "ada"), Who(Actor.REVIEWER, "Mei")
PATH = "content/harbour/cranes.md"
DRAFT = "---\ntitle: Old cranes\n---\n\nThey lifted barrels. 周末修理咖啡馆\n".encode()


def found(q: str, within: Q | None = None, **filters: Any) -> list[str]:
    reach = Q(scope="default") if within is None else within
    return [job.pk for job in selectors_jobs.jobs(reach, q=q, **filters).items]


def hand_in(**fields: Any) -> Job:
    jobs.site()
    asked = {"content": DRAFT, "target_path": PATH, "topic": "port", **fields}
    return submit(SubmitRequest("blog", **asked), who=ADA, scope="default", now=NOW).job


def approved(**options: Any) -> Job:
    job = jobs.waiting(**options)
    rui, ready = Who(Actor.REVIEWER, "Rui"), State.READY_TO_COMMIT
    journal.record(job, Event.APPROVE, to=ready, who=rui, now=NOW)
    return job


@pytest.mark.parametrize(
    "question",
    [
        "old cranes",
        "barrel",
        "harbour/cranes",
        "port",
        "ADA",
        "修理",
        "咖啡馆",
        "末",
        "barrels ada",
        "notes.txt",
    ],
)
def test_what_a_text_says_where_it_goes_and_who_wrote_it(question: str) -> None:
    job = hand_in(assets=(Asset("public/notes.txt", b"x"),))
    jobs.received(requester="noor")
    assert found(question) == [job.pk]


@pytest.mark.parametrize(
    "question", ["barrels whale", "理修", "%", "' OR 1=1", '" * NOT', "\\", "a:*"]
)
def test_what_no_text_says_is_not_found_and_no_sign_is_an_order(question: str) -> None:
    hand_in()
    assert found(question) == []


def test_sources_are_found_before_they_are_a_draft() -> None:
    job = hand_in(content=None, target_path=None, sources=(Source("s", "Of whales."),))
    assert found("whales") == [job.pk]


def test_an_edit_is_found_by_the_new_text_and_by_its_editor_alone() -> None:
    job = jobs.in_review(text="One barrel.\n")
    assert found("barrel") == [job.pk]
    revise(job, files={job.target_path: b"One whale.\n"}, base_revision=1, who=MEI, now=NOW)
    assert (found("whale"), found("barrel"), found("mei")) == ([job.pk], [], [job.pk])


def test_new_sources_are_found() -> None:
    job = jobs.in_review(text="One barrel.\n")
    new_inputs(job, sources=[Source("s", "Of whales.")], who=ADA, now=NOW)
    assert (found("whales"), found("barrel")) == ([job.pk], [])


def test_who_approved_a_text_finds_it() -> None:
    job = approved()
    assert found("rui") == [job.pk]
    assert found("RUI") == [job.pk]


@pytest.mark.parametrize(
    "column",
    [
        "local_commit",
        "remote_commit",
        "manifest_hash",
        "target_sha256",
        "binding_hash",
        "source_sha256",
    ],
)
def test_the_begin_of_a_commit_or_a_hash_finds_the_job(column: str) -> None:
    job = jobs.received()
    jobs.received()
    digits = "beef9" + "f" * 35
    value = digits if "commit" in column else f"sha256:{digits}{'0' * 24}"
    Job.objects.filter(pk=job.pk).update(**{column: value})
    assert found("BEEF") == [job.pk]
    assert found("beef9") == [job.pk]
    assert found(value) == [job.pk]
    assert found("beef8") == []


def test_an_id_and_its_begin_find_the_job() -> None:
    job = jobs.received()
    assert found(job.pk) == [job.pk]
    assert found(job.pk[:8]) == [job.pk]


def test_other_scopes_are_not_found_by_anything() -> None:
    job = approved(at=jobs.site("other", scope="elsewhere"))
    Job.objects.filter(pk=job.pk).update(local_commit="beef")
    for question in ("tides", "rui", "ada", "beef", job.pk):
        assert found(question) == []
        assert found(question, Q(scope="elsewhere")) == [job.pk]


def test_filters_hold_for_a_search_too() -> None:
    waiting, received = jobs.waiting(), jobs.received()
    assert found("tides") == sorted([waiting.pk, received.pk], reverse=True)
    assert found("tides", state="RECEIVED") == [received.pk]
    assert found("ada", states=["WAITING_APPROVAL"]) == [waiting.pk]


def test_pages_of_a_search_join_what_words_and_people_find_newest_first() -> None:
    made = [jobs.received(now=NOW + timedelta(seconds=n), requester="mei" if n % 3 else "ada",
                          text="By mei" if n % 2 else "x") for n in range(12)]  # fmt: skip
    wanted = [job.pk for n, job in reversed(list(enumerate(made))) if n % 3 or n % 2]
    seen, after = [], ""
    for _ in made:
        page = selectors_jobs.jobs(Q(scope="default"), q="mei", after=after, limit=3)
        seen += [job.pk for job in page.items]
        after = page.next or ""
        if not after:
            break
    assert seen == wanted


def test_a_key_follows_the_jobs_id() -> None:
    keys = [jobs.received(now=NOW + timedelta(milliseconds=n)).pk for n in range(20)]
    assert sorted(keys, key=place_of) == sorted(keys)


def test_jobs_of_one_moment_each_have_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    tail = iter(range(5))
    monkeypatch.setattr("os.urandom", lambda count: bytes(count - 1) + bytes([next(tail)]))
    assert len({hand_in(target_path=f"content/{n}.md").pk for n in range(5)}) == 5
    assert len(found("barrels")) == 5


def test_a_text_of_only_different_letters_is_taken() -> None:
    letters = "".join(chr(0x4E00 + n % 20000) + chr(0x4E00 + n * 7 % 19000) for n in range(100_000))
    job = hand_in(content=letters.encode(), title="whale")
    assert found("whale") == [job.pk]


def test_a_refused_submit_leaves_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(service, "_first_revision", fails)
    with pytest.raises(RuntimeError):
        hand_in()
    assert not SearchText.objects.exists()


def test_jobs_from_before_are_filled_in_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_fill, "BATCH", 2)
    monkeypatch.setattr(search_fill, "BATCHES", 2)
    made = [jobs.received(now=NOW + timedelta(seconds=n)) for n in range(5)]
    SearchText.objects.all().delete()
    assert found("tides") == []
    message = Outbox.objects.create(
        id="search_fill", kind="search_fill", due_at=NOW, created_at=NOW
    )
    ports: Any = type("Ports", (), {"clock": type("Clock", (), {"now": staticmethod(lambda: NOW)})})
    CONSUMERS["search_fill"](message, ports)
    assert found("tides") == [job.pk for job in reversed(made[1:])]
    message.refresh_from_db()
    assert message.due_at > NOW  # so it comes again
    CONSUMERS["search_fill"](message, ports)
    assert len(found("tides")) == 5


def test_filling_leaves_what_was_written_meanwhile() -> None:
    job = jobs.received(text="One barrel.\n")
    SearchText.objects.filter(job=job).update(text="new", words="new")
    message = Outbox(id="search_fill", kind="search_fill")
    CONSUMERS["search_fill"](message, None)  # type: ignore[arg-type]
    assert found("new") == [job.pk]


def test_a_rejection_names_nobody_as_an_author() -> None:
    job = jobs.waiting()
    journal.record(job, Event.REJECT, who=Who(Actor.REVIEWER, "noor"), now=NOW)
    assert found("noor") == []
