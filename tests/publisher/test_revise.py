"""An edit is a new revision; an edit of nothing is none."""

import pytest

from publisher import artifacts, selectors
from publisher.domain.errors import InvalidInput, StaleDraft, TooLarge, UnsafePath, WrongState
from publisher.domain.states import Actor, Event, State
from publisher.journal import Who
from publisher.models import Job
from publisher.ports import Source
from publisher.services import revise
from tests.support import jobs
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db
ADA = Who(Actor.SUBMITTER, "ada")
EDITED = b"---\ntitle: Tides\n---\n\nEdited.\n"
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3iL6"


def edit(job: Job, data: bytes = EDITED, *, path: str = "", base: int = 1, why: str = "x") -> Job:
    return revise.revise(
        job, files={path or job.target_path: data}, base_revision=base, who=ADA, now=NOW, why=why
    )


def test_an_edit_is_a_new_revision_that_is_prepared_again() -> None:
    job = edit(jobs.waiting())
    assert (job.state, job.revision, job.manifest_hash, job.binding_hash) == ("RECEIVED", 2, "", "")
    revision = job.revisions.get(number=2)
    assert artifacts.load(revision.content) == EDITED
    assert revision.author == "ada"
    assert job.revisions.get(number=1).content != revision.content


def test_an_edit_closes_the_open_request() -> None:
    job = jobs.waiting()
    request = jobs.request_of(job)
    edit(job)
    request.refresh_from_db()
    assert request.status == "superseded"


def test_saving_without_a_change_keeps_revision_and_request() -> None:
    job = jobs.waiting()
    bound = job.binding_hash
    edit(job, jobs.TEXT.encode())
    assert (job.state, job.revision, job.binding_hash) == ("WAITING_APPROVAL", 1, bound)
    assert jobs.request_of(job).status == "pending"
    assert selectors.events(job)[-1].event == "no_change"


@pytest.mark.parametrize("base", [0, 2])
def test_an_edit_of_another_revision_is_refused(base: int) -> None:
    job = jobs.waiting()
    with pytest.raises(StaleDraft) as refused:
        edit(job, base=base)
    assert refused.value.facts["current_revision"] == 1
    assert job.revisions.count() == 1


def test_of_two_edits_of_the_same_row_one_is_kept() -> None:
    job = jobs.waiting()
    other = jobs.reloaded(job)
    edit(job)
    with pytest.raises(WrongState):
        edit(other, b"Other.\n")
    assert job.revisions.count() == 2


def test_saving_nothing_of_a_job_that_moved_on_is_refused() -> None:
    job = jobs.waiting()
    seen = jobs.reloaded(job)
    jobs.moved(job, Event.APPROVE, State.READY_TO_COMMIT)
    with pytest.raises(WrongState, match="moved on"):
        edit(seen, jobs.TEXT.encode())


def test_an_approved_job_cannot_be_edited() -> None:
    job = jobs.moved(jobs.waiting(), Event.APPROVE, State.READY_TO_COMMIT)
    with pytest.raises(WrongState):
        edit(job)
    assert job.revision == 1


@pytest.mark.parametrize("path", ["../a.md", ".git/config", "content/other.md", "public/../a"])
def test_an_edit_names_the_article_or_assets_alone(path: str) -> None:
    job = jobs.waiting()
    with pytest.raises(UnsafePath) as refused:
        edit(job, path=path)
    assert refused.value.field == "files"


def test_an_edit_may_add_an_asset() -> None:
    job = edit(jobs.waiting(), b"png", path="public/a.png")
    (asset,) = job.revisions.get(number=2).inputs["assets"]
    assert (asset["path"], artifacts.load(asset["artifact"])) == ("public/a.png", b"png")


@pytest.mark.parametrize(
    "path",
    ["public/A.png", "public/a.png/b", f"public/{SECRET}.png"],
    ids=["twin", "below", "secret"],
)
def test_an_added_file_is_refused_as_at_submit(path: str) -> None:
    job = jobs.waiting()
    files = {"public/a.png": b"png", path: b"other"}
    with pytest.raises(InvalidInput) as refused:
        revise.revise(job, files=files, base_revision=1, who=ADA, now=NOW)
    assert refused.value.field == "files"
    assert job.revisions.count() == 1


@pytest.mark.parametrize(
    ("path", "length"), [("", 5 * 2**20 + 1), ("public/a.png", 10 * 2**20 + 1)]
)
def test_an_edit_over_the_limit_is_refused(path: str, length: int) -> None:
    with pytest.raises(TooLarge) as refused:
        edit(jobs.waiting(), b"x" * length, path=path)
    assert refused.value.field == "files"


def test_a_secret_in_an_edit_is_kept_nowhere() -> None:
    job = edit(jobs.waiting(), f"See {SECRET}\n".encode(), why=f"because of {SECRET}")
    revision = job.revisions.get(number=2)
    assert SECRET.encode() not in artifacts.load(revision.content)
    assert SECRET not in revision.why + selectors.events(job)[-1].reason
    assert revision.inputs["redacted"]


def test_new_sources_are_a_new_revision() -> None:
    job = jobs.in_review()
    revise.new_inputs(job, sources=[Source("s", f"More. {SECRET}")], who=ADA, now=NOW)
    assert (job.state, job.revision, job.ready_draft) == ("RECEIVED", 2, False)
    (source,) = job.revisions.get(number=2).inputs["sources"]
    assert SECRET.encode() not in artifacts.load(source["artifact"])


@pytest.mark.parametrize("sources", [[], [Source("s", " \n")]])
def test_new_sources_must_hold_text(sources: list[Source]) -> None:
    with pytest.raises(InvalidInput):
        revise.new_inputs(jobs.in_review(), sources=sources, who=ADA, now=NOW)


def test_an_edit_with_a_nul_is_refused_and_a_picture_with_one_is_taken() -> None:
    job = jobs.waiting()
    with pytest.raises(InvalidInput) as refused:
        edit(job, b"Tides\x00\n")
    assert refused.value.field == "files"
    assert edit(job, b"\x89PNG\x00", path="public/a.png").revision == 2


@pytest.mark.parametrize("text", ["a\x00b", "half \ud800"], ids=["nul", "surrogate"])
def test_new_sources_that_are_no_readable_text_are_refused(text: str) -> None:
    job = jobs.waiting()
    for source, field in ((Source("s", text), "source"), (Source(text, "text"), "sources")):
        with pytest.raises(InvalidInput) as refused:
            revise.new_inputs(job, sources=[source], who=ADA, now=NOW)
        assert refused.value.field == field
    assert jobs.reloaded(job).revision == 1
