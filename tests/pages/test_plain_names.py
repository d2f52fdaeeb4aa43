"""Names: what the program calls by a code stands on the pages by a name, in the reader's language."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import translation

from publisher.domain.states import Actor, Event
from publisher.models import Site
from reviews.presenters import timeline, words
from tests.pages.conftest import Login
from tests.support import jobs
from tests.support.page_rows import Rows


def _event(event: str, **columns: Any) -> SimpleNamespace:
    values = {"seq": 1, "facts": {}, "actor": "worker", "actor_name": "", "at": None, "reason": ""}
    return SimpleNamespace(event=event, **{**values, **columns})


def test_steps_that_were_written_down_together_are_named_one_by_one() -> None:
    told = timeline.entry(_event("step_committed", facts={"step": "dedup, draft"}))
    assert told.sentence == "Finished: Look for duplicates · Write the draft."


def test_a_wait_that_is_said_again_and_again_is_told_once() -> None:
    paused = {"reason": "The site is paused."}
    happened = [
        _event("committed", seq=1),
        _event("held", seq=2, **paused),
        _event("claimed", seq=3),
        _event("held", seq=4, **paused),
        _event("held", seq=5, reason="It is to be published later."),
    ]
    assert [told.seq for told in timeline.entries(happened)] == [5, 4, 1]
    assert len(timeline.entries(happened, everything=True)) == 5


@pytest.mark.parametrize(
    ("event", "reason", "shown"),
    [
        (Event.RESOLVE, "conflict resolved", ""),
        (Event.GIVE_UP, "kept what is published", "保留已发布的内容。"),
        (Event.GIVE_UP, "Not this year.", "Not this year."),
    ],
)
def test_what_the_program_wrote_for_a_person_is_in_the_readers_language(
    event: Event, reason: str, shown: str
) -> None:
    with translation.override("zh-hans"):
        told = timeline.entry(_event(event.value, actor=Actor.OPERATOR.value, reason=reason))
    assert told.reason == shown


def test_the_checks_of_a_site_are_named_in_chinese(rows: Rows, at: Login) -> None:
    report = [{"name": name, "ok": True, "message": ""} for name in words.CHECKS]
    Site.objects.filter(pk=jobs.site().pk).update(check_report=report)
    client = at("omar")
    client.cookies["django_language"] = "zh-hans"
    page = client.get(f"/sites/{jobs.site().name}/").content.decode()
    assert [name for name in words.CHECKS if f" {name}</p>" in page] == []


def test_no_two_states_are_called_the_same() -> None:
    called = [str(label.word) for label in words.STATES.values()]
    assert len(called) == len(set(called))


def test_who_may_not_decide_is_not_told_to(rows: Rows, at: Login) -> None:
    address = f"/jobs/{rows.waiting.pk}/"
    assert "Read and decide" not in at("ada").get(address).content.decode()
    assert "Read and decide" in at("rui").get(address).content.decode()
