"""What the door took out: told by file and line, and no dead end once it is mended."""

from typing import Any

import pytest

from publisher import artifacts, selectors
from publisher.domain.findings import Severity
from publisher.domain.states import State
from publisher.models import Finding, Job, Revision
from publisher.ports import Source
from publisher.services.placing import Place
from publisher.services.resolve import Choice, resolve
from publisher.services.revert import revert
from publisher.services.revise import revise
from publisher.services.submit import Asset
from tests.support.git import blob, second_person
from tests.support.journey import (
    ADA,
    FRESH,
    FRESH_TEXT,
    HELLO,
    OMAR,
    TARGET,
    Journey,
    fresh,
    told,
)

SECRET = b"hunter2hunter2X9k"
SAMPLE = HELLO + b"\npassword: Zq81xw77kkLm2 is what the manual says.\n"
CONF = "public/conf.txt"
PICTURE = Asset("public/cover.png", b"\x89PNG\x00")


def guilty(*, conf: bytes = b"", text: bytes = FRESH_TEXT) -> dict[str, Any]:
    """What is submitted with a picture that is innocent."""
    assets = (PICTURE, *((Asset(CONF, conf),) if conf else ()))
    return {"content": text, "path": FRESH, "action": "create", "assets": assets}


def found(job: Job) -> list[Finding]:
    return [one for one in selectors.findings(fresh(job)) if one.rule == "secret"]


def saved(journey: Journey, job: Job, files: dict[str, bytes], place: Place | None = None) -> None:
    base = fresh(job).revision
    revise(
        fresh(job), files=files, base_revision=base, who=ADA, now=journey.now(),
        place=place or Place(),
    )  # fmt: skip
    journey.work()


def test_the_finding_names_the_file_and_the_line(journey: Journey) -> None:
    job = journey.submit(**guilty(conf=b"a\nb\npassword: " + SECRET + b"\n"))
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert [(one.path, one.line, one.column) for one in found(job)] == [(CONF, 3, 11)]


def test_each_that_was_taken_out_is_a_finding(journey: Journey) -> None:
    text = FRESH_TEXT + b"password: " + SECRET + b"\n\nAnd the password=" + SECRET + b"\n"
    job = journey.submit(**guilty(text=text))
    journey.work()
    assert [(one.path, one.line) for one in found(job)] == [(FRESH, 6), (FRESH, 8)]


@pytest.mark.parametrize("name", [CONF, FRESH])
def test_the_guilty_file_alone_is_mended(journey: Journey, name: str) -> None:
    line = b"password: " + SECRET + b"\n"
    sent = guilty(conf=line) if name == CONF else guilty(text=FRESH_TEXT + line)
    job = journey.submit(**sent)
    journey.work()
    saved(journey, job, {name: b"a\n" if name == CONF else FRESH_TEXT})
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert found(job) == []


def test_another_file_mends_nothing(journey: Journey) -> None:
    job = journey.submit(**guilty(conf=b"password: " + SECRET + b"\n"))
    journey.work()
    saved(journey, job, {FRESH: FRESH_TEXT + b"More.\n"})
    assert fresh(job).state == State.REVIEW, told(job)
    assert [(one.path, one.line) for one in found(job)] == [(CONF, 1)]


def test_a_file_at_another_path_takes_what_was_found_along(journey: Journey) -> None:
    job = journey.submit(**guilty(text=FRESH_TEXT + b"password: " + SECRET + b"\n"))
    journey.work()
    elsewhere = "content/posts/elsewhere.mdx"
    saved(journey, job, {}, Place(elsewhere))
    assert fresh(job).state == State.REVIEW, told(job)
    assert [(one.path, one.severity) for one in found(job)] == [(elsewhere, Severity.BLOCK)]


def test_rows_from_before_that_name_rules_alone_speak_of_the_article(journey: Journey) -> None:
    job = journey.submit(**guilty())
    first = job.revisions.get()
    Revision.objects.create(
        job=job, number=2, inputs={**first.inputs, "redacted": ["password"]},
        input_hash=first.input_hash, author="ada", created_at=first.created_at,
    )  # fmt: skip
    Job.objects.filter(pk=job.pk).update(revision=2)
    journey.work()
    assert [(one.path, one.line) for one in found(job)] == [(FRESH, None)]
    saved(journey, job, {FRESH: FRESH_TEXT + b"More.\n"})
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


def test_a_summary_with_a_secret_is_not_published(journey: Journey) -> None:
    summary = "Our password: " + SECRET.decode()
    job = journey.submit(b"Of a harbour.\n", FRESH, action="create", title="T", summary=summary)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.REVIEW, "secret"), told(job)


def test_what_a_source_lost_is_told_where_it_would_be_published(journey: Journey) -> None:
    text = "The crane stopped at noon.\n\nThe password: " + SECRET.decode() + " was changed.\n"
    job = journey.submit(sources=(Source("notes", text),))
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    draft = artifacts.load_text(selectors.draft_files(fresh(job))[fresh(job).target_path])
    lines = [n for n, line in enumerate(draft.split("\n"), 1) if "[REDACTED:password]" in line]
    assert lines
    assert [(one.severity, one.line) for one in found(job)] == [(Severity.WARN, n) for n in lines]


def test_an_article_that_writes_of_our_marks_is_not_warned_of_them(journey: Journey) -> None:
    text = HELLO + b"\nThen it says [REDACTED:password] there.\n"
    second_person(journey.remote, {TARGET: text}, "of marks")
    job = journey.submit(text + b"More.\n", TARGET, action="update")
    journey.work()
    assert (fresh(job).state, found(job)) == (State.WAITING_APPROVAL, []), told(job)


def test_a_new_secret_beside_a_published_one_blocks(journey: Journey) -> None:
    second_person(journey.remote, {TARGET: SAMPLE}, "a sample")
    job = journey.submit(None, TARGET, set_front_matter={"note": "x", "api_key": SECRET.decode()})
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.REVIEW, "secret"), told(job)
    assert {one.severity for one in found(job)} == {Severity.BLOCK, Severity.WARN}


def test_an_edit_keeps_what_the_published_article_holds(journey: Journey) -> None:
    second_person(journey.remote, {TARGET: SAMPLE}, "a sample")
    job = journey.submit(None, TARGET, set_front_matter={"note": "x"})
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    saved(journey, job, {TARGET: SAMPLE + b"More.\n"})
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert {one.severity for one in found(job)} == {Severity.WARN}
    journey.approve(job)
    journey.work()
    assert blob(journey.remote, TARGET) == SAMPLE + b"More.\n"


def test_a_text_with_a_published_sample_goes_on_once_it_is_saved_again(journey: Journey) -> None:
    """Only prepare knows what the site holds, so the door takes it out the first time."""
    second_person(journey.remote, {TARGET: SAMPLE}, "a sample")
    text = SAMPLE + b"More.\n"
    job = journey.submit(text, TARGET, action="update")
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    (one,) = found(job)
    assert "save the whole text again" in one.advice
    saved(journey, job, {TARGET: text})
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    journey.approve(job)
    journey.work()
    assert blob(journey.remote, TARGET) == text


def test_a_removed_article_with_a_sample_comes_back(journey: Journey) -> None:
    second_person(journey.remote, {TARGET: SAMPLE}, "a sample")
    job = journey.published(None, TARGET, action="delete")
    back = revert(job, who=OMAR, now=journey.now()).job
    journey.work()
    assert fresh(back).state == State.WAITING_APPROVAL, told(back)
    assert {one.severity for one in found(back)} == {Severity.WARN}


def test_a_conflict_settled_by_both_keeps_what_they_published(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    second_person(journey.remote, {FRESH: SAMPLE}, "theirs")
    journey.work()
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    resolve(
        conflict, files=[Choice(FRESH, "both")], ours_sha256=conflict.ours_sha256,
        theirs_sha256=conflict.theirs_sha256, who=OMAR, now=journey.now(),
    )  # fmt: skip
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    draft = artifacts.load(selectors.draft_files(fresh(job))[FRESH])
    assert draft.startswith(SAMPLE)
