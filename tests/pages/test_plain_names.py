"""Names: what the program calls by a code stands on the pages by a name, in the reader's language."""

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import translation

from publisher.domain.envelope import differences
from publisher.domain.states import Actor, Event
from publisher.journal import Who
from publisher.models import Site
from publisher.services import revise
from reviews.presenters import envelope, said, timeline, words
from tests.pages.conftest import Login
from tests.support import jobs
from tests.support.page_rows import Rows

ROOT = Path(__file__).resolve().parents[2]


def _event(event: str, **columns: Any) -> SimpleNamespace:
    values = {"seq": 1, "facts": {}, "actor": "worker", "actor_name": "", "at": None, "reason": ""}
    return SimpleNamespace(event=event, **{**values, **columns})


def test_steps_that_were_written_down_together_are_named_one_by_one() -> None:
    with translation.override("en"):
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


@pytest.mark.parametrize(
    ("event", "reason", "shown"),
    [
        ("revise", "edited", "已编辑"),
        ("revise", "new inputs", "换了材料"),
        ("submit", "published anyway", "仍然发布"),
        ("void", "The approval was withdrawn.", "批准已撤回。"),
        ("no_change", "Saved without a change.", "已保存，没有变化。"),
        ("revise", "The site is paused.", "The site is paused."),
    ],
)
def test_reasons_that_no_person_gave_are_told_in_chinese(
    event: str, reason: str, shown: str
) -> None:
    with translation.override("zh-hans"):
        told = timeline.entry(_event(event, actor=Actor.SUBMITTER.value, reason=reason))
    assert told.reason == shown


def _written() -> set[str]:
    """Each reason that a service gives where no person gives one."""
    found: set[str] = set()
    for file in (*(ROOT / "publisher/services").glob("*.py"), ROOT / "reviews/services/work.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            given: list[tuple[str | None, ast.expr | None]] = []
            if isinstance(node, ast.Call):
                given = [(word.arg, word.value) for word in node.keywords]
            elif isinstance(node, ast.FunctionDef):
                names = [word.arg for word in node.args.kwonlyargs]
                given = list(zip(names, node.args.kw_defaults, strict=True))
            for name, value in given:
                if name in ("why", "reason") and isinstance(value, ast.Constant) and value.value:
                    found.add(str(value.value))
    return found


def test_every_reason_that_a_service_gives_is_known_to_the_pages() -> None:
    found = _written()
    assert {"new inputs", "submitted", "conflict resolved"} <= found
    assert [text for text in found if text not in words.WRITTEN and said.find(text) is None] == []


def test_every_word_that_the_program_writes_down_is_translated() -> None:
    with translation.override("zh-hans"):
        assert [text for key, text in words.WRITTEN.items() if str(text) == key] == []


def test_versions_and_policies_say_why_in_chinese(rows: Rows, at: Login) -> None:
    who, files = Who(Actor.SUBMITTER, "ada"), {rows.waiting.target_path: b"# Other\n"}
    revise.revise(rows.waiting, files=files, base_revision=1, who=who, now=jobs.NOW)
    headers = {"accept-language": "zh-hans"}
    versions = at("rui").get(f"/jobs/{rows.waiting.pk}/", headers=headers).content.decode()
    assert versions.count("已编辑") == 2
    assert "edited" not in versions
    rules = at("rui").get("/policies/", headers=headers).content.decode()
    assert "the rule of a new installation" not in rules


@pytest.mark.parametrize(
    ("provider", "model", "shown"),
    [
        ("standin", "standin", "the built-in writer, which uses no model"),
        ("standin", "", "the built-in writer, which uses no model"),
        ("someone", "m-1", "someone (m-1)"),
    ],
)
def test_the_writer_of_a_draft_is_named_once(provider: str, model: str, shown: str) -> None:
    with translation.override("en"):
        assert words.writer(provider, model) == shown


def test_each_field_that_an_approval_binds_has_a_name(rows: Rows) -> None:
    old = {
        **jobs.request_of(rows.update).envelope,
        "memory": {"scope": "default", "revision": 1, "expires_at": "2026-05-03T12:00:00+00:00"},
        "derived": [{"paths": ["a"], "generator": "g", "config_hash": "h"}],
        "reverts": {"job_id": "1", "commit": "2"},
    }
    named = {row.field: row.name for row in envelope.changes(differences(old, {}))}
    named |= {row.field: row.name for row in envelope.changes(differences(old, _changed(old)))}
    assert {"input_hash", "memory.revision", "commit.author"} <= set(named)
    assert [field for field, name in named.items() if field in name] == []
    with translation.override("zh-hans"):
        chinese = envelope.changes(differences(old, _changed(old)))
    assert [row.name for row in chinese if row.name.partition(":")[0].isascii()] == []


def _changed(value: Any) -> Any:
    """Every leaf is another one; entries of lists stay known by their path."""
    if isinstance(value, dict):
        return {key: each if key == "path" else _changed(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_changed(each) for each in value]
    return "2026-05-04T12:00:00+00:00"


def test_what_differs_is_told_in_words_not_in_codes() -> None:
    differing: list[dict[str, Any]] = [
        {"field": "target.operation", "old": "create", "new": "update"},
        {"field": "not_before", "old": None, "new": "2026-05-03T12:00:00+00:00"},
        {"field": "target.paths[a.md].base_sha256", "old": None, "new": "sha256:" + "1" * 64},
    ]
    with translation.override("en"):
        told = envelope.changes(differing)
    assert (told[0].old, told[0].new) == ("new article", "changes an article")
    assert told[1].new == "3 May 2026, 12:00 UTC"
    assert told[2].name == "The files: a.md"
