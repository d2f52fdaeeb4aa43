"""A person changes on the remote what a job is about to change."""

import pytest

from publisher import artifacts, selectors
from publisher.domain.errors import InvalidInput, MarkersLeft
from publisher.domain.states import State
from publisher.services.resolve import Choice, resolve
from publisher.services.submit import Asset
from tests.support.git import git, second_person
from tests.support.journey import (
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

BOT = HELLO.replace(b"Second line.", b"Second line by the bot.")
HUMAN = HELLO.replace(b"Second line.", b"Second line by a human.")


def test_identical_bytes_upstream_end_as_skipped(journey: Journey) -> None:
    fixed = HELLO.replace(b"Second line", b"Second line, fixed")
    job = journey.approved(fixed, TARGET, action="update")
    human = second_person(journey.remote, {TARGET: fixed}, "fix typo by hand")
    journey.work()

    assert fresh(job).state == State.SKIPPED, told(job)
    assert fresh(job).failure_code == "already_upstream"
    found = event(job, "found_upstream")
    assert (found.facts["commit"], found.facts["author"]) == (human, "Second Person")
    assert journey.head() == human
    assert not job.effects.exists()
    journey.is_sound(job)


def test_the_same_lines_edited_by_a_person_are_a_conflict(journey: Journey) -> None:
    job = journey.submit(BOT, TARGET, action="update")
    other = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    journey.approve(job)
    journey.approve(other)
    human = second_person(journey.remote, {TARGET: HUMAN}, "human edit")
    journey.work()

    assert fresh(job).state == State.CONFLICT, told(job)
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    (file,) = conflict.files
    assert artifacts.load(file["base"]) == HELLO
    assert artifacts.load(file["ours"]) == BOT
    assert artifacts.load(file["theirs"]) == HUMAN
    assert (file["kind"], file["commit"], file["author"]) == ("content", human, "Second Person")
    assert fresh(other).state == State.PUBLISHED, told(other)
    assert not list((journey.folder / "git").rglob("rebase-*"))
    journey.is_sound(job, other)


def test_a_conflict_is_not_tried_again_by_itself(journey: Journey) -> None:
    job = journey.approved(BOT, TARGET, action="update")
    second_person(journey.remote, {TARGET: HUMAN}, "human edit")
    journey.work()
    before = fresh(job).event_seq
    journey.hurry(job)
    assert fresh(job).event_seq == before
    assert fresh(job).state == State.CONFLICT


def test_a_renamed_target_is_a_conflict_and_needs_a_new_approval(journey: Journey) -> None:
    renamed = "content/posts/renamed.mdx"
    job = journey.approved(BOT, TARGET, action="update")
    human = second_person(journey.remote, {TARGET: None, renamed: HELLO}, "better slug")
    journey.work()

    assert fresh(job).state == State.CONFLICT, told(job)
    assert journey.head() == human
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    (file,) = conflict.files
    assert (file["kind"], file["moved_to"]) == ("target_moved", renamed)
    resolve(
        conflict,
        files=[Choice(TARGET, "follow_rename")],
        ours_sha256=conflict.ours_sha256,
        theirs_sha256=conflict.theirs_sha256,
        who=OMAR,
        now=journey.now(),
    )
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert fresh(job).target_path == renamed
    assert journey.head() == human
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_both_adding_one_path_is_a_conflict_with_both_versions(journey: Journey) -> None:
    theirs = FRESH_TEXT.replace(b"Body.", b"Human text.")
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    human = second_person(journey.remote, {FRESH: theirs}, "human wrote it first")
    journey.work()

    assert fresh(job).state == State.CONFLICT, told(job)
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    assert conflict.kind == "add_add"
    (file,) = conflict.files
    assert file["base"] is None
    assert artifacts.load(file["ours"]) == FRESH_TEXT
    assert artifacts.load(file["theirs"]) == theirs
    assert journey.head() == human
    journey.is_sound(job)


COVER = "public/covers/c.png"
OLD_COVER = b"\x89PNG\r\n\x1a\n\x00\x01" + b"A" * 890
BOT_COVER = b"\x89PNG\r\n\x1a\n\x00\x02bot\xff"
HUMAN_COVER = b"\x89PNG\r\n\x1a\n\x00\x03human\xfe"


def test_a_binary_conflict_holds_article_and_cover_back_together(journey: Journey) -> None:
    second_person(journey.remote, {COVER: OLD_COVER}, "cover")
    article = HELLO.replace(b"First", b"1st")
    job = journey.approved(article, TARGET, action="update", assets=(Asset(COVER, BOT_COVER),))
    human = second_person(journey.remote, {COVER: HUMAN_COVER}, "new cover")
    journey.work()

    assert fresh(job).state == State.CONFLICT, told(job)
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    (file,) = conflict.files
    assert file["path"] == COVER
    assert file["ours"] == artifacts.sha256_of(BOT_COVER)
    assert file["theirs"] == artifacts.sha256_of(HUMAN_COVER)
    assert journey.head() == human
    journey.is_sound(job)


def test_a_half_resolved_conflict_stays_a_conflict(journey: Journey) -> None:
    job = journey.approved(BOT, TARGET, action="update")
    human = second_person(journey.remote, {TARGET: HUMAN}, "human edit")
    journey.work()
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    half = (
        b'---\ntitle: "Hello"\ndate: 2026-01-01\n---\n\nFirst line.\n\nSecond line, agreed.\n\n'
        b"<<<<<<< ours\nThird by bot.\n=======\nThird by human.\n>>>>>>> theirs\n"
    )
    with pytest.raises(MarkersLeft) as refusal:
        resolve(
            conflict,
            files=[Choice(TARGET, "content", half)],
            ours_sha256=conflict.ours_sha256,
            theirs_sha256=conflict.theirs_sha256,
            who=OMAR,
            now=journey.now(),
        )
    assert refusal.value.facts["lines"] == [10, 12, 14]
    journey.work()
    assert fresh(job).state == State.CONFLICT
    assert journey.head() == human
    journey.is_sound(job)


def test_a_deletion_that_a_person_made_first_is_skipped(journey: Journey) -> None:
    job = journey.approved(path=TARGET, action="delete")
    human = second_person(journey.remote, {TARGET: None}, "gone")
    journey.work()
    assert fresh(job).state == State.SKIPPED, told(job)
    assert fresh(job).failure_code == "already_upstream"
    assert journey.head() == human
    journey.is_sound(job)


def test_a_deletion_of_what_a_person_edited_is_a_conflict(journey: Journey) -> None:
    job = journey.approved(path=TARGET, action="delete")
    human = second_person(journey.remote, {TARGET: HUMAN}, "human edit")
    journey.work()
    assert fresh(job).state == State.CONFLICT, told(job)
    assert journey.head() == human
    journey.is_sound(job)


def test_an_edit_of_what_a_person_removed_is_a_conflict(journey: Journey) -> None:
    job = journey.approved(BOT, TARGET, action="update")
    human = second_person(journey.remote, {TARGET: None}, "gone")
    journey.work()
    assert fresh(job).state == State.CONFLICT, told(job)
    assert fresh(job).failure_code == "conflict_modify_delete"
    assert journey.head() == human
    journey.is_sound(job)


def test_an_edit_that_was_taken_back_is_no_conflict(journey: Journey) -> None:
    job = journey.approved(BOT, TARGET, action="update")
    second_person(journey.remote, {TARGET: HUMAN}, "human edit")
    second_person(journey.remote, {TARGET: HELLO}, "taken back")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_a_target_that_became_a_link_is_shown_as_one_and_never_written_over(
    journey: Journey,
) -> None:
    canary = journey.folder / "canary.txt"
    canary.write_text("canary secret\n")
    job = journey.approved(BOT, TARGET, action="update")
    second_person(journey.remote, {TARGET: None}, "take it away")
    second_person(journey.remote, {}, "put a link there", links={TARGET: str(canary)})
    journey.work()

    assert fresh(job).state == State.CONFLICT, told(job)
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    (entry,) = conflict.files
    assert (entry["theirs"], entry["instead"], entry["link_to"]) == (None, "link", str(canary))
    hashes = {"ours_sha256": conflict.ours_sha256, "theirs_sha256": conflict.theirs_sha256}
    for choice in ("ours", "delete", "both"):
        with pytest.raises(InvalidInput, match="no file any more"):
            resolve(conflict, files=[Choice(TARGET, choice)], who=OMAR, now=journey.now(), **hashes)
    elsewhere = Choice(TARGET, "new_path", new_path=FRESH)
    resolve(conflict, files=[elsewhere], who=OMAR, now=journey.now(), **hashes)
    journey.work()
    journey.approve(job)
    journey.work()

    assert fresh(job).state == State.PUBLISHED, told(job)
    assert canary.read_text() == "canary secret\n"
    assert git(journey.remote, "ls-tree", "main", TARGET).startswith(b"120000")
    journey.is_sound(job)


def test_a_target_that_became_a_folder_is_told_as_one(journey: Journey) -> None:
    job = journey.approved(BOT, TARGET, action="update")
    second_person(journey.remote, {TARGET: None}, "take it away")
    second_person(journey.remote, {f"{TARGET}/a.png": b"x"}, "put a folder there")
    journey.work()

    assert fresh(job).state == State.CONFLICT, told(job)
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    assert [entry["instead"] for entry in conflict.files] == ["folder"]
