"""A conflict is settled by choices about what was shown, and by nothing else."""

import pytest

from publisher import artifacts
from publisher.domain.errors import (
    InvalidInput,
    MarkersLeft,
    Moved,
    TooLarge,
    UnsafePath,
    WrongState,
)
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.states import Actor, Event, State
from publisher.journal import Who
from publisher.models import Conflict, Job, Revision
from publisher.services.resolve import Choice, give_up, marker_lines, resolve
from tests.support import jobs
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db
OMAR = Who(Actor.OPERATOR, "omar")
OURS, THEIRS = "sha256:" + "1" * 64, "sha256:" + "2" * 64
THEIR_TEXT = b"Their text.\n"
MARKED = b"a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n"


@pytest.fixture
def conflict() -> Conflict:
    """Somebody changed the target meanwhile."""
    job = jobs.moved(jobs.waiting(), Event.APPROVE, State.READY_TO_COMMIT)
    jobs.moved(job, Event.CLASH)
    entry = {
        "path": job.target_path,
        "kind": "content",
        "moved_to": "",
        "base": None,
        "ours": job.revisions.get().content,
        "theirs": artifacts.store(THEIR_TEXT, kind="theirs", now=NOW),
    }
    return Conflict.objects.create(
        job=job, revision=1, kind="content", files=[entry], base_commit="a" * 40, tip="b" * 40,
        ours_sha256=OURS, theirs_sha256=THEIRS, created_at=NOW,
    )  # fmt: skip


def settle(conflict: Conflict, choice: str, *, theirs: str = THEIRS, **more: object) -> Job:
    files = [Choice(conflict.files[0]["path"], choice, **more)]  # type: ignore[arg-type]
    return resolve(conflict, files=files, ours_sha256=OURS, theirs_sha256=theirs, who=OMAR, now=NOW)


@pytest.mark.parametrize(
    ("choice", "content", "text"),
    [
        ("ours", None, jobs.TEXT.encode()),
        ("both", None, THEIR_TEXT.rstrip() + b"\n\n" + jobs.TEXT.encode()),
        ("content", b"Joined.\n", b"Joined.\n"),
    ],
)
def test_a_choice_is_a_new_revision_on_the_tip_that_was_seen(
    conflict: Conflict, choice: str, content: bytes | None, text: bytes
) -> None:
    job = settle(conflict, choice, content=content)
    assert (job.state, job.revision, job.base_commit) == ("RECEIVED", 2, "b" * 40)
    assert artifacts.load(job.revisions.get(number=2).content) == text
    conflict.refresh_from_db()
    assert (conflict.settled_by, conflict.settled_how) == ("omar", "resolved")


@pytest.mark.parametrize("choice", ["theirs", "keep"])
def test_keeping_what_is_published_ends_the_job(conflict: Conflict, choice: str) -> None:
    assert settle(conflict, choice).state == "SKIPPED"
    conflict.refresh_from_db()
    assert conflict.settled_at == NOW


def test_a_text_may_go_to_a_path_of_its_own(conflict: Conflict) -> None:
    job = settle(conflict, "new_path", new_path="content/other.md")
    assert (job.target_path, job.operation) == ("content/other.md", "")


def test_removing_the_article_is_a_delete(conflict: Conflict) -> None:
    job = settle(conflict, "delete")
    assert (job.operation, job.revisions.get(number=2).content) == ("delete", "")


@pytest.mark.parametrize("path", ["../a.md", ".git/a.md", "public/a.md", ""])
def test_a_hostile_new_path_is_refused(conflict: Conflict, path: str) -> None:
    with pytest.raises(UnsafePath) as refused:
        settle(conflict, "new_path", new_path=path)
    assert refused.value.field == "new_path"


def test_a_new_path_that_holds_a_secret_is_refused(conflict: Conflict) -> None:
    secret = "ghp_" + "NOTAREALTOKEN00000000000000000000000"
    with pytest.raises(InvalidInput, match="Rename the file") as refused:
        settle(conflict, "new_path", new_path=f"content/{secret}.md")
    assert refused.value.field == "new_path"
    assert secret not in refused.value.message


def test_a_text_over_the_limit_is_refused(conflict: Conflict) -> None:
    with pytest.raises(TooLarge) as refused:
        settle(conflict, "content", content=b"x" * (DEFAULT_LIMITS.text_bytes + 1))
    assert refused.value.field == "content"
    assert conflict.job.revisions.count() == 1


def test_two_texts_that_are_too_large_together_are_refused(conflict: Conflict) -> None:
    (entry,) = conflict.files
    entry["theirs"] = artifacts.store(b"x" * DEFAULT_LIMITS.text_bytes, kind="theirs", now=NOW)
    with pytest.raises(TooLarge):
        settle(conflict, "both")


def with_picture(conflict: Conflict, path: str) -> None:
    """The draft brings a picture, which clashes with nothing."""
    step = conflict.job.steps.get(name="draft")
    step.outputs["files"][path] = artifacts.store(b"a picture", kind="content", now=NOW)
    step.save()


@pytest.mark.parametrize(
    ("picture", "path", "why"),
    [
        ("content/Other.md", "content/other.md", "are one file on some systems"),
        ("content/Other.md/a.png", "content/other.md", "On some systems"),
        ("content/other.md/a.png", "content/other.md", "cannot be a file and the folder of"),
        ("content/other.md", "content/other.md", "named twice"),
    ],
)
def test_a_new_path_that_cannot_stand_beside_the_rest_is_refused(
    conflict: Conflict, picture: str, path: str, why: str
) -> None:
    with_picture(conflict, picture)
    with pytest.raises(InvalidInput, match=why) as refused:
        settle(conflict, "new_path", new_path=path)
    assert refused.value.field == "new_path"
    assert jobs.reloaded(conflict.job).state == "CONFLICT"


def test_following_a_rename_out_of_the_sites_folders_is_refused(conflict: Conflict) -> None:
    conflict.files[0]["moved_to"] = "attic/a.md"
    with pytest.raises(UnsafePath):
        settle(conflict, "follow_rename")


def test_versions_that_were_not_shown_are_not_settled(conflict: Conflict) -> None:
    with pytest.raises(Moved) as refused:
        settle(conflict, "ours", theirs=OURS)
    assert refused.value.facts["theirs_sha256"] == THEIRS
    assert jobs.reloaded(conflict.job).state == "CONFLICT"


def test_markers_that_are_left_are_named_by_line(conflict: Conflict) -> None:
    with pytest.raises(MarkersLeft) as refused:
        settle(conflict, "content", content=MARKED)
    assert refused.value.lines == [2, 4, 6]
    assert conflict.job.revisions.count() == 1


def test_a_heading_underlined_by_equal_signs_is_no_marker() -> None:
    assert marker_lines(b"Title\n=======\n\nText\n") == []
    assert marker_lines(MARKED.replace(b"\n", b"\r\n")) == [2, 4, 6]


@pytest.mark.parametrize("choice", ["", "burn"])
def test_an_unknown_choice_is_refused(conflict: Conflict, choice: str) -> None:
    with pytest.raises(InvalidInput):
        settle(conflict, choice)


def test_each_file_needs_a_choice(conflict: Conflict) -> None:
    with pytest.raises(InvalidInput):
        resolve(conflict, files=[], ours_sha256=OURS, theirs_sha256=THEIRS, who=OMAR, now=NOW)


@pytest.mark.parametrize("path", ["", "content/else.md"], ids=["twice", "unknown"])
def test_a_choice_beside_the_conflicts_files_is_refused_by_its_field(
    conflict: Conflict, path: str
) -> None:
    own = conflict.files[0]["path"]
    files = [Choice(own, "ours"), Choice(path or own, "theirs")]
    with pytest.raises(InvalidInput) as refused:
        resolve(conflict, files=files, ours_sha256=OURS, theirs_sha256=THEIRS, who=OMAR, now=NOW)
    assert refused.value.field == "files"
    assert conflict.job.revisions.count() == 1


def test_a_conflict_is_settled_once(conflict: Conflict) -> None:
    settle(conflict, "ours")
    with pytest.raises(WrongState):
        settle(Conflict.objects.get(pk=conflict.pk), "ours")
    assert conflict.job.revisions.count() == 2


def test_giving_up_publishes_nothing(conflict: Conflict) -> None:
    job = give_up(conflict, who=OMAR, now=NOW, reason="theirs is better")
    conflict.refresh_from_db()
    assert (job.state, conflict.settled_how) == ("SKIPPED", "given_up")


def test_a_settled_conflict_gives_up_nothing(conflict: Conflict) -> None:
    """Also where the job waits for people again, with the version that somebody made of it."""
    settle(conflict, "ours")
    jobs.in_review(jobs.reloaded(conflict.job))
    seen = Conflict.objects.select_related("job__site").get(pk=conflict.pk)
    with pytest.raises(WrongState, match="settled already"):
        give_up(seen, who=OMAR, now=NOW, reason="old page")
    assert jobs.reloaded(conflict.job).state == "REVIEW"


def test_a_chosen_text_with_a_nul_is_refused(conflict: Conflict) -> None:
    with pytest.raises(InvalidInput) as refused:
        settle(conflict, "content", content=b"Joined\x00\n")
    assert refused.value.field == "content"


@pytest.mark.parametrize("given", ["", "Tides of old"])
def test_the_title_that_was_given_goes_on_and_no_other(conflict: Conflict, given: str) -> None:
    first = conflict.job.revisions.get()
    before = Revision.objects.create(
        job=conflict.job, number=2, inputs={**first.inputs, "title": given},
        input_hash=first.input_hash, author="ada", created_at=NOW,
    )  # fmt: skip
    Job.objects.filter(pk=conflict.job.pk).update(revision=before.number, title="Of the text")
    conflict.job.refresh_from_db()
    job = settle(conflict, "ours")
    assert job.revisions.get(number=3).given_title == given
