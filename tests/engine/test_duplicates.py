"""Duplicates: a draft is judged by what its base holds, wherever the index of articles stands."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from publisher import selectors
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import State
from publisher.engine import sites as engine_sites
from publisher.models import Job, Site, Step
from publisher.ports import Source
from publisher.prepare.steps import STEPS, dedup
from publisher.services.acts import publish_anyway
from publisher.services.revise import revise
from tests.support.clock import ManualClock
from tests.support.git import second_person
from tests.support.journey import ADA, OMAR, SEED, TARGET, Journey, begin, fresh, told

TIDES = (
    "The tide turns twice a day. The moon pulls the sea towards itself. "
    "At new moon and at full moon the pull of the sun is added, and the tide is high. "
    "Fishermen have known this for longer than there are books about it. "
    "A table of tides is printed each year in January and hangs in every harbour office."
)
TIDES_ZH = "每逢新月和满月，太阳也来拉海水，潮水更高。每年一月印一张潮汐表，挂在每个港口办公室里。"
LONGER = TIDES + " In 2026 the office also prints a table for the two new piers."
PATH = "content/posts/tides.mdx"
BY_HAND = "content/posts/by-hand.mdx"
ARTICLE = f"---\ntitle: Tides\n---\n\n{TIDES}\n".encode()


class Died(BaseException):
    """The process is gone."""


def submitted(journey: Journey, text: str = TIDES) -> Job:
    """A draft to be made of this text, as far as the engine takes it now."""
    job = journey.submit(sources=(Source("notes", text),), title="Tides")
    journey.work()
    return fresh(job)


def verdict(job: Job) -> tuple[str, str | None]:
    found: dict[str, Any] = Step.objects.get(job=job, name="dedup").outputs["verdict"]
    return found["kind"], found["target"]


def refreshed(journey: Journey) -> Site:
    engine_sites.refresh(Site.objects.get(), journey.ports)
    return Site.objects.get()


def test_the_same_source_handed_in_twice_is_published_once(journey: Journey) -> None:
    first = journey.published(sources=(Source("notes", TIDES),), title="Tides")
    second = submitted(journey)
    assert (second.state, second.failure_code) == (State.SKIPPED, "duplicate"), told(second)
    assert first.target_path in second.failure_message
    third = submitted(journey, LONGER)
    assert (third.state, third.target_path) == (State.WAITING_APPROVAL, first.target_path)


@pytest.mark.parametrize("text", [f"# Tides\n\n{TIDES}\n", f"潮汐每天两次\n\n{TIDES_ZH}\n"])
def test_a_source_with_its_own_title_handed_in_twice_is_published_once(
    journey: Journey, text: str
) -> None:
    journey.published(sources=(Source("notes", text),))
    before = journey.head()
    job = journey.submit(sources=(Source("notes", text),))
    journey.work()
    assert (fresh(job).state, journey.head()) == (State.SKIPPED, before), told(job)


def test_a_correction_of_one_word_is_a_change_of_the_article(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path, {**SEED, PATH: ARTICLE})
    job = submitted(journey, TIDES.replace("January", "February"))
    assert (verdict(job), job.operation) == (("UPDATE", PATH), "update"), told(job)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_stands_between_two_rules_is_judged_as_well(
    db: None, tmp_path: Path, newline: str
) -> None:
    journey = begin(tmp_path, {**SEED, PATH: ARTICLE})
    text = f"---\n\nThe harbour is closed from Friday.\n\n---\n\n{TIDES}\n"
    job = submitted(journey, text.replace("\n", newline))
    assert (verdict(job), job.operation) == (("UPDATE", PATH), "update"), told(job)
    head = "---\ntitle: Other\n---\n"
    assert submitted(journey, head.replace("\n", newline) + TIDES).state == State.SKIPPED


@pytest.mark.parametrize("path", [None, PATH])
@pytest.mark.parametrize(("added", "percent"), [(0, None), (4, None), (60, "91")])
def test_a_change_that_leaves_out_most_of_the_article_says_so(
    db: None, tmp_path: Path, path: str | None, added: int, percent: str | None
) -> None:
    more = "".join(
        f"\n\nPier {n} has a gauge of its own, read at {n} each day." for n in range(added)
    )
    journey = begin(tmp_path, {**SEED, PATH: ARTICLE + more.encode()})
    job = journey.submit(None, path, sources=(Source("notes", LONGER),))
    journey.work()
    assert (fresh(job).state, fresh(job).target_path) == (State.WAITING_APPROVAL, PATH), told(job)
    found = [one for one in selectors.findings(fresh(job)) if one.rule == "much_goes"]
    expected = f"{percent} % of the text of {PATH} is not in this draft and would go away."
    assert [(one.severity, one.message) for one in found] == (
        [("warn", expected)] if percent else []
    )


def test_an_appeal_takes_the_place_of_no_article(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path, {**SEED, PATH: ARTICLE})
    skipped = submitted(journey)
    assert skipped.state == State.SKIPPED, told(skipped)
    second_person(journey.remote, {PATH: ARTICLE.replace(TIDES.encode(), LONGER.encode())}, "more")
    appeal = publish_anyway(skipped, who=OMAR, now=journey.now()).job
    journey.work()
    assert verdict(fresh(appeal)) == ("UPDATE", PATH)
    assert (fresh(appeal).state, fresh(appeal).operation) == (State.WAITING_APPROVAL, "create")
    assert fresh(appeal).target_path != PATH


def test_an_article_that_came_by_hand_is_seen_before_the_index_knows_it(journey: Journey) -> None:
    second_person(journey.remote, {PATH: ARTICLE}, "by hand")
    job = submitted(journey)
    assert (job.state, job.failure_code) == (State.SKIPPED, "duplicate"), told(job)
    assert PATH in job.failure_message


def test_a_file_that_is_no_article_is_no_duplicate(journey: Journey) -> None:
    second_person(journey.remote, {"notes/tides.mdx": ARTICLE}, "elsewhere")
    job = submitted(journey)
    assert job.state == State.WAITING_APPROVAL, told(job)
    assert verdict(job) == ("NEW", None)


def test_an_article_that_came_by_a_rewritten_history_is_seen_before_the_index_knows_it(
    journey: Journey,
) -> None:
    second_person(journey.remote, {**SEED, PATH: ARTICLE}, "begun anew", rewrite=True)
    job = submitted(journey)
    assert (job.state, job.failure_code) == (State.SKIPPED, "duplicate"), told(job)
    assert PATH in job.failure_message


def test_a_draft_of_the_history_before_waits_for_no_list_of_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = submitted(journey)
    second_person(journey.remote, {PATH: b"# Begun anew\n"}, "begun anew", rewrite=True)
    refreshed(journey)
    monkeypatch.setattr(dedup, "MOST_READ", 0)
    files = {job.target_path: LONGER.encode()}
    revise(job, files=files, base_revision=1, who=ADA, now=journey.now())
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


@pytest.mark.parametrize("text", [TIDES, LONGER])
@pytest.mark.parametrize("now_there", [None, b"---\ntitle: Tides\n---\n\nGone fishing.\n"])
def test_what_the_base_no_longer_says_is_no_duplicate(
    db: None, tmp_path: Path, text: str, now_there: bytes | None
) -> None:
    journey = begin(tmp_path, {**SEED, PATH: ARTICLE})
    second_person(journey.remote, {PATH: now_there}, "taken off the site")
    job = submitted(journey, text)
    assert job.state == State.WAITING_APPROVAL, told(job)
    assert (verdict(job), job.operation) == (("NEW", None), "create")


@pytest.mark.parametrize("before", [{}, {BY_HAND: b"---\ntitle: Tides\n---\n\nGone fishing.\n"}])
def test_what_came_after_the_base_is_left_to_the_look_before_the_push(
    db: None, tmp_path: Path, before: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def death(_context: object) -> None:
        raise Died

    journey = begin(tmp_path, {**SEED, **before})
    with monkeypatch.context() as dying:
        dying.setitem(STEPS, "dedup", death)
        job = journey.submit(sources=(Source("notes", TIDES),), title="Tides")
        with pytest.raises(Died):
            journey.work()
    second_person(journey.remote, {BY_HAND: ARTICLE}, "meanwhile")
    assert refreshed(journey).indexed_commit == journey.head()
    Job.objects.filter(pk=job.pk).update(lease_until=journey.now())
    journey.hurry(job)
    assert (fresh(job).state, verdict(job)) == (State.WAITING_APPROVAL, ("NEW", None)), told(job)
    journey.approve(job)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.SKIPPED, "duplicate"), told(job)


def test_a_draft_waits_without_using_a_try_until_the_articles_are_listed(
    db: None, tmp_path: Path
) -> None:
    journey = begin(tmp_path, {**SEED, PATH: ARTICLE})
    Site.objects.update(indexed_commit="")
    job = submitted(journey)
    assert (job.state, job.failure_code, job.attempt) == (State.RETRY_WAIT, "lock_busy", 0)
    refreshed(journey)
    journey.hurry(job)
    assert fresh(job).state == State.SKIPPED, told(job)


def test_waiting_until_the_articles_are_listed_uses_no_time(journey: Journey) -> None:
    clock = ManualClock(journey.now())
    journey.ports = replace(journey.ports, clock=clock)
    Site.objects.update(indexed_commit="")
    job = submitted(journey)
    for _ in range(3):
        job = fresh(job)
        assert (job.state, job.failure_code, job.attempt) == (State.RETRY_WAIT, "lock_busy", 0)
        assert job.deadline_at is not None
        left = job.deadline_at - job.available_at
        assert left == timedelta(seconds=DEFAULT_LIMITS.prepare_deadline_seconds)
        clock.advance((job.available_at - clock.now()).total_seconds())
        journey.work()


def test_a_draft_waits_for_the_index_where_very_much_came_since(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dedup, "MOST_READ", 1)
    second_person(journey.remote, {PATH: ARTICLE, "content/posts/more.mdx": b"# More\n"}, "many")
    job = submitted(journey)
    assert (job.state, job.failure_code) == (State.RETRY_WAIT, "lock_busy"), told(job)
    refreshed(journey)
    journey.hurry(job)
    assert fresh(job).state == State.SKIPPED, told(job)


def test_what_names_no_text_waits_for_no_index(journey: Journey) -> None:
    Site.objects.update(indexed_commit="")
    job = journey.submit(None, TARGET, action="delete")
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
