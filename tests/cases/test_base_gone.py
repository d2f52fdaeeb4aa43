"""Jobs whose base this machine's clone does not hold: it is behind, or the history was rewritten."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from publisher.adapters.git.repository import GitRepository
from publisher.domain.errors import OutcomeUnknown, RepositoryError
from publisher.domain.states import Event, State
from publisher.engine import sites as engine_sites
from publisher.engine import worker
from publisher.engine.audit import evaluate
from publisher.engine.run import Run
from publisher.models import Conflict, Finding, Job, Site
from publisher.services import sites
from publisher.services.resolve import Choice, resolve
from publisher.services.revise import revise
from tests.support.git import blob, git, second_person
from tests.support.journey import (
    ADA,
    FRESH,
    FRESH_TEXT,
    HELLO,
    OMAR,
    SEED,
    TARGET,
    Journey,
    event,
    fresh,
    ports_in,
    told,
)

MINE = HELLO + b"\nMine.\n"


def rewritten(journey: Journey, files: Mapping[str, bytes] = SEED) -> str:
    """The remote's history begins anew, and this machine's clone is lost and made anew."""
    tip = second_person(journey.remote, dict(files), "rewritten", rewrite=True)
    lose_clone(journey)
    return tip


def lose_clone(journey: Journey) -> None:
    """It is made anew, and somebody takes what it holds as the site's own."""
    shutil.rmtree(journey.folder / "git")
    engine_sites.refresh(Site.objects.get(), journey.ports)
    sites.resume(Site.objects.get(), who=OMAR, now=journey.now())


def other_machine(journey: Journey, folder: Path) -> Journey:
    """A machine with a clone of its own, that holds what the remote held until now."""
    folder.mkdir()
    made = replace(journey, ports=ports_in(folder), folder=folder)
    repository = made.repository()
    repository.ensure_clone()
    repository.fetch()
    repository.close()
    return made


def edit(journey: Journey, job: Job, text: bytes) -> None:
    found = fresh(job)
    revise(
        found, files={found.target_path: text}, base_revision=found.revision, who=ADA,
        now=journey.now(),
    )  # fmt: skip


def no_answer(_run: Run) -> None:
    raise RepositoryError("Nothing comes of it here.")


@pytest.mark.parametrize("path", [FRESH, TARGET, "content/new/deep.mdx"])
def test_what_was_approved_is_published_though_its_base_is_gone(
    journey: Journey, path: str
) -> None:
    job = journey.approved(MINE, path)
    tip = rewritten(journey)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    (facts,) = journey.commits_of(job)
    assert facts.parents == (tip,)
    assert blob(journey.remote, path) == MINE
    journey.is_sound(job)


def test_what_was_sent_is_found_without_the_base_and_not_sent_again(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the history is searched: the rewritten one holds this job's commit."""
    job = journey.approved(MINE, TARGET, action="update")
    away, real = journey.remote.with_name("away.git"), GitRepository.push

    def push(self: GitRepository, commit: str, *, lease: str) -> None:
        real(self, commit, lease=lease)
        journey.remote.rename(away)
        raise OutcomeUnknown("No answer came.")

    with monkeypatch.context() as patch:
        patch.setattr(GitRepository, "push", push)
        journey.work()
    away.rename(journey.remote)
    assert fresh(job).state == State.RETRY_WAIT, told(job)
    message = git(journey.remote, "log", "-1", "--format=%B", "main").decode()
    second_person(journey.remote, SEED, "rewritten", rewrite=True)
    kept = second_person(journey.remote, {TARGET: MINE}, message)
    second_person(journey.remote, {TARGET: HELLO}, "taken back by hand")
    lose_clone(journey)
    journey.hurry(job)
    assert (fresh(job).state, fresh(job).remote_commit) == (State.PUBLISHED, kept), told(job)
    answer = evaluate.evaluate(fresh(job), journey.ports)
    assert answer.checks["remote"] == "passed", answer
    journey.is_sound(job)


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({**SEED, TARGET: HELLO + b"\nTheirs.\n"}, "conflict_content"),
        ({path: data for path, data in SEED.items() if path != TARGET}, "conflict_modify_delete"),
    ],
)
def test_a_target_that_changed_is_a_conflict_though_the_base_is_gone(
    journey: Journey, files: dict[str, bytes], kind: str
) -> None:
    job = journey.approved(MINE, TARGET, action="update")
    tip = rewritten(journey, files)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.CONFLICT, kind), told(job)
    conflict = Conflict.objects.select_related("job__site").get()
    resolve(
        conflict, files=[Choice(TARGET, "ours")], ours_sha256=conflict.ours_sha256,
        theirs_sha256=conflict.theirs_sha256, who=OMAR, now=journey.now(),
    )  # fmt: skip
    journey.work()
    assert fresh(job).base_commit == tip
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_a_twin_is_a_conflict_though_the_base_is_gone(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    rewritten(journey, {**SEED, FRESH.replace("posts", "Posts"): b"theirs"})
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.CONFLICT, "conflict_twin")


def test_bytes_that_are_there_end_the_job_though_the_base_is_gone(journey: Journey) -> None:
    job = journey.approved(MINE, TARGET, action="update")
    rewritten(journey, {**SEED, TARGET: MINE})
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.SKIPPED, "already_upstream")
    assert fresh(job).remote_commit == journey.head()


def test_an_edit_of_a_job_whose_base_is_gone_begins_at_the_new_tip(journey: Journey) -> None:
    job = journey.submit(MINE, TARGET, action="update")
    journey.work()
    tip = rewritten(journey)
    edit(journey, job, MINE + b"More.\n")
    journey.work()
    assert (fresh(job).state, fresh(job).base_commit) == (State.WAITING_APPROVAL, tip), told(job)
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_an_edit_never_writes_over_what_came_with_the_new_history(journey: Journey) -> None:
    job = journey.submit(MINE, TARGET, action="update")
    journey.work()
    rewritten(journey, {**SEED, TARGET: HELLO + b"\nTheirs.\n"})
    edit(journey, job, MINE + b"More.\n")
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.REVIEW, "changed_since"), told(job)
    assert Finding.objects.get(rule="changed_since").path == TARGET
    edit(journey, job, MINE + b"Theirs.\n")
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


def test_a_conflict_settled_on_one_machine_is_prepared_on_another(
    journey: Journey, tmp_path: Path
) -> None:
    other = other_machine(journey, tmp_path / "other")
    job = journey.approved(MINE, TARGET, action="update")
    second_person(journey.remote, {TARGET: HELLO + b"\nTheirs.\n"}, "theirs")
    journey.work()
    conflict = Conflict.objects.select_related("job__site").get()
    resolve(
        conflict, files=[Choice(TARGET, "ours")], ours_sha256=conflict.ours_sha256,
        theirs_sha256=conflict.theirs_sha256, who=OMAR, now=journey.now(),
    )  # fmt: skip
    other.work()
    found = fresh(job)
    assert (found.state, found.base_commit) == (State.WAITING_APPROVAL, conflict.tip), told(job)
    journey.approve(job)
    other.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_a_job_edited_on_one_machine_is_prepared_on_another(
    journey: Journey, tmp_path: Path
) -> None:
    other = other_machine(journey, tmp_path / "other")
    second_person(journey.remote, {"b.md": b"b"}, "news")
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    base = fresh(job).base_commit
    edit(journey, job, FRESH_TEXT + b"More.\n")
    other.work()
    assert (fresh(job).state, fresh(job).base_commit) == (State.WAITING_APPROVAL, base), told(job)


def test_a_prepare_that_began_on_one_machine_goes_on_on_another(
    journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = other_machine(journey, tmp_path / "other")
    second_person(journey.remote, {"b.md": b"b"}, "news")
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    with monkeypatch.context() as patch:
        patch.setattr("publisher.prepare.steps.STEPS", {})
        journey.work()
    other.hurry(job)
    assert (fresh(job).state, fresh(job).base_commit) == (
        State.WAITING_APPROVAL, journey.head()
    ), told(job)  # fmt: skip


def test_what_one_machine_saw_arrive_is_judged_on_another(
    journey: Journey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = other_machine(journey, tmp_path / "other")
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    second_person(journey.remote, {"content/posts/new.mdx": b"# Something else\n"}, "news")
    with monkeypatch.context() as patch:
        patch.setitem(worker.HANDLERS, State.RECHECK_CANDIDATES, no_answer)
        journey.work()
    assert fresh(job).resume_state == State.RECHECK_CANDIDATES, told(job)
    other.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert event(job, Event.KEEP.value)
    journey.is_sound(job)
