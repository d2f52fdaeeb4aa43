"""Words: each state, event, code and status that exists is said in words, in both languages."""

import json
import re
from pathlib import Path

import pytest
from django.utils import translation

from publisher.domain.states import Event, State
from publisher.models.effect import EffectStatus
from publisher.models.job import Operation
from publisher.models.step import StepState
from reviews.models import Answer, ApprovalStatus, Role
from reviews.presenters import nexts, stepper, timeline, words

CATALOGUE = Path(__file__).resolve().parents[2] / "locale/zh_Hans/LC_MESSAGES/django.po"


def test_each_state_has_a_word_an_icon_a_meaning_and_a_next_step() -> None:
    assert set(words.STATES) == set(State) == set(nexts.SENTENCES)
    for label in words.STATES.values():
        assert label.word
        assert label.icon
        assert label.meaning


def test_each_icon_is_in_the_sprite() -> None:
    sprite = (CATALOGUE.parents[3] / "templates/partials/icons.html").read_text()
    known = set(re.findall(r'id="icon-(\w+)"', sprite))
    tables = (words.STATES, words.SEVERITIES, words.APPROVALS, words.EFFECTS, words.STEPS)
    used = {label.icon for table in tables for label in table.values()}
    used |= {icon for _sentence, icon, _tone in timeline.MOVES.values()}
    used |= set(stepper.ICONS.values())
    assert used <= known


def test_each_event_is_told_in_a_sentence() -> None:
    assert {event.value for event in Event} <= set(timeline.MOVES)


def test_each_status_has_a_word() -> None:
    assert set(words.APPROVALS) == {str(status) for status in ApprovalStatus}
    assert set(words.EFFECTS) == {str(status) for status in EffectStatus}
    assert set(words.OPERATIONS) == {str(operation) for operation in Operation}
    assert set(words.ROLES) == {str(role) for role in Role}
    assert set(words.ANSWERS) == {str(answer) for answer in Answer}
    unused = {"compensating", "compensated"}
    assert set(words.STEPS) | unused == {str(state) for state in StepState}


@pytest.mark.parametrize("state", State)
def test_the_stepper_has_at_most_one_present_verb(state: State) -> None:
    verbs = stepper.verbs(state.value, furthest=3)
    assert [verb.name for verb in verbs] == [
        "submit", "prepare", "approve", "commit", "deliver", "confirm",
    ]  # fmt: skip
    assert sum(verb.is_current for verb in verbs) <= 1


def test_every_string_is_translated() -> None:
    blocks = CATALOGUE.read_text().split("\n\n")[1:]
    missing = [block for block in blocks if block.rstrip().endswith('msgstr ""')]
    fuzzy = [block for block in blocks if "#, fuzzy" in block]
    assert missing == []
    assert fuzzy == []


def test_what_is_still_in_the_sources_is_what_the_catalogue_has() -> None:
    """A string that was added without being translated would be shown in English."""
    catalogue = CATALOGUE.read_text()
    pattern = re.compile(r"""{% translate ("[^"]+"|'[^']+')""")
    root = CATALOGUE.parents[3]
    for path in (root / "templates").rglob("*.html"):
        for found in pattern.findall(path.read_text()):
            assert f"msgid {json.dumps(found[1:-1], ensure_ascii=False)}" in catalogue or (
                len(found) > 70
            ), (path.name, found)


def test_the_compiled_catalogue_is_the_present_one() -> None:
    with translation.override("zh-hans"):
        for text in ("Inbox", "Approve exactly this (%(hash)s…)", "Nothing waits for you"):
            assert translation.gettext(text) != text


def test_a_request_that_ran_out_leaves_its_job_at_the_approval() -> None:
    furthest = stepper.furthest_of(["submit", "prepare", "ask", "expire"])
    assert stepper.ordinal("REVIEW", furthest=furthest) == (3, stepper.VERBS[2][1])


@pytest.mark.parametrize("event", ["block", "request_changes", "memory_changed"])
def test_a_job_whose_text_has_to_change_is_back_at_its_preparation(event: str) -> None:
    furthest = stepper.furthest_of(["submit", "prepare", "ask", event])
    assert stepper.ordinal("REVIEW", furthest=furthest) == (2, stepper.VERBS[1][1])
