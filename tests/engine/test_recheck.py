"""Articles that arrive between the yes and the commit are judged once: SKIP or KEEP, nothing else."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from publisher.domain.states import State
from publisher.engine import recheck
from publisher.models import Delta, Job
from publisher.ports import Source
from publisher.prepare import dedup
from publisher.prepare.dedup import Candidate
from publisher.services import acts, revise
from tests.support.git import add_hook, blob, second_person
from tests.support.journey import (
    ADA,
    FRESH,
    FRESH_TEXT,
    HELLO,
    OMAR,
    TARGET,
    Journey,
    event,
    fresh,
    told,
)

TIDES = (
    "The tide turns twice a day. The moon pulls the sea towards itself. "
    "At new moon and at full moon the pull of the sun is added, and the tide is high. "
    "Fishermen have known this for longer than there are books about it. "
    "A table of tides is printed each year in January and hangs in every harbour office."
)
BREAD = (
    "Flour, water and salt make a loaf of bread. The dough rests for a night in a cool room. "
    "In the morning the oven is heated with dry wood until the stones are white. "
    "The loaf is baked for an hour, and rests for another before it is cut. "
    "Nobody in the village bought bread in those years; everybody baked it at home."
)
OTHER = {"content/posts/bread.mdx": b"# Bread\n\nFlour, water and salt make a loaf of bread.\n"}


def drafted(journey: Journey, source: str = TIDES) -> Job:
    """A job whose article was made here from a source, and approved."""
    return journey.approved(sources=(Source("notes", source),), title="Tides")


def at(name: str) -> Client:
    """Somebody who is signed in."""
    browser = Client()
    browser.force_login(get_user_model().objects.get(username=name))
    return browser


def copied(journey: Journey, job: Job, path: str = "content/posts/by-hand.mdx") -> str:
    """A person publishes the same text under another name."""
    text = recheck.text_of(job)
    return second_person(journey.remote, {path: text.encode()}, "the same, by hand")


def verdicts(job: Job) -> list[tuple[str, list[str]]]:
    rows = Delta.objects.filter(job=job).order_by("pk")
    return [(row.verdict, [path for path, _blob in row.evidence]) for row in rows]


def test_what_says_the_same_is_skipped_and_can_be_published_anyway(journey: Journey) -> None:
    job = drafted(journey)
    human = copied(journey, job)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.SKIPPED, "duplicate"), told(job)
    assert verdicts(job) == [("SKIP", ["content/posts/by-hand.mdx"])]
    assert journey.head() == human
    journey.is_sound(job)

    page = at("omar").get(f"/jobs/{job.pk}/").content.decode()
    assert page.count("content/posts/by-hand.mdx arrived meanwhile and says the same.") == 3
    assert "No existing article says the same." not in page
    assert "100 % alike" in page
    assert "A table of tides is printed each year" in page
    assert "/act/publish-anyway/" in page
    appeal = acts.publish_anyway(fresh(job), who=OMAR, now=journey.now()).job
    journey.work()
    journey.approve(appeal)
    journey.work()
    assert fresh(appeal).state == State.PUBLISHED, told(appeal)
    journey.is_sound(job, appeal)
    again = acts.publish_anyway(fresh(job), who=OMAR, now=journey.now())
    assert (again.created, again.job.pk) == (False, appeal.pk)


def test_a_ready_draft_is_kept_whatever_arrived(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    copied(journey, job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert verdicts(job) == [("SKIP", ["content/posts/by-hand.mdx"])]
    kept = event(job, "keep")
    assert kept.reason.startswith("content/posts/by-hand.mdx arrived meanwhile")
    assert kept.reason.endswith("a ready draft is kept.")
    assert kept.facts["judged"]["target"] == "content/posts/by-hand.mdx"
    page = at("omar").get(f"/jobs/{job.pk}/").content.decode()
    assert "A new article says the same; it goes on." in page
    assert blob(journey.remote, FRESH) == FRESH_TEXT
    journey.is_sound(job)


def test_after_one_was_judged_only_the_next_is(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def counting(*arguments: object, candidates: list[Candidate], **more: object) -> str:
        asked.append([candidate.path for candidate in candidates])
        if len(asked) > 3:
            raise RuntimeError("The judge is asked again and again.")
        if len(asked) == 1:
            second_person(
                journey.remote, {"content/posts/later.mdx": b"# Later\n\nOne more.\n"}, "b"
            )
        return "KEEP"

    monkeypatch.setattr(recheck, "recheck", counting)
    job = drafted(journey)
    second_person(journey.remote, OTHER, "a")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert asked == [list(OTHER), ["content/posts/later.mdx"]]
    journey.is_sound(job)


def test_what_was_judged_for_an_earlier_text_is_judged_for_the_next(journey: Journey) -> None:
    """Bread by hand is something else than tides; once the job is about bread, it says the same."""
    model = drafted(journey, BREAD)
    bread = recheck.text_of(model).encode()
    acts.cancel(model, who=OMAR, now=journey.now())
    job = drafted(journey, TIDES)
    second_person(journey.remote, {"content/posts/bread-by-hand.mdx": bread}, "bread, by hand")
    add_hook(journey.remote, "pre-receive", "echo 'Not now.' >&2; exit 1")
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert verdicts(job) == [("KEEP", ["content/posts/bread-by-hand.mdx"])]
    add_hook(journey.remote, "pre-receive", "exit 0")

    revise.new_inputs(fresh(job), sources=[Source("notes", BREAD)], who=ADA, now=journey.now())
    journey.work()
    journey.approve(job)
    journey.work()
    assert verdicts(job)[1:] == [("SKIP", ["content/posts/bread-by-hand.mdx"])]
    assert (fresh(job).state, fresh(job).failure_code) == (State.SKIPPED, "duplicate"), told(job)
    journey.is_sound(job)


def test_many_that_arrived_are_judged_some_at_a_time(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def noting(text: str, *, title: str | None, candidates: list[Candidate]) -> str:
        asked.append([candidate.path for candidate in candidates])
        return dedup.recheck(text, title=title, candidates=candidates)

    monkeypatch.setattr(recheck, "recheck", noting)
    monkeypatch.setattr(recheck, "CHUNK", 2)
    job = drafted(journey)
    second_person(journey.remote, {f"content/{name}.mdx": b"# Bread\n" for name in "abc"}, "more")
    copied(journey, job)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.SKIPPED, "duplicate"), told(job)
    by_hand = "content/posts/by-hand.mdx"
    assert asked == [["content/a.mdx", "content/b.mdx"], ["content/c.mdx", by_hand]]
    assert by_hand in fresh(job).failure_message


def test_a_clash_is_for_people_before_anything_is_judged(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> str:
        raise AssertionError("A judge has nothing to say about a clash.")

    job = journey.approved(HELLO.replace(b"Second", b"2nd"), TARGET, action="update")
    theirs = HELLO.replace(b"Second", b"Other")
    human = second_person(journey.remote, {TARGET: theirs, **OTHER}, "both at once")
    monkeypatch.setattr(recheck, "recheck", never)
    journey.work()
    assert fresh(job).state == State.CONFLICT, told(job)
    assert verdicts(job) == []
    assert journey.head() == human
    journey.is_sound(job)


@pytest.mark.parametrize("answer", ["UPDATE", "keep", ""])
def test_any_other_answer_brings_it_to_people(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    job = drafted(journey)
    human = second_person(journey.remote, OTHER, "another article")
    monkeypatch.setattr(recheck, "recheck", lambda *_, **__: answer)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.REVIEW, "judge_protocol"), told(
        job
    )
    assert verdicts(job) == []
    assert journey.head() == human
    journey.is_sound(job)
