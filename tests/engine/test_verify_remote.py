"""verify finds what was planted on the remote, in the clone, and where the database is no database."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from publisher.domain.states import State
from publisher.engine.audit.verify import verify
from publisher.models import Job, JobEvent, Site
from publisher.models.site import CloneState
from publisher.processes.backup import restore
from publisher.services import sites
from tests.support.git import git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, SEED, Journey, fresh
from tests.support.planted import chain_anew, found, write
from tests.support.settings import BASE_DIR


@pytest.fixture
def published(journey: Journey) -> Job:
    """A published job of a healthy installation."""
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    assert found(journey) == set()
    return job


def _message(journey: Journey, job: Job) -> str:
    return git(journey.remote, "log", "-1", "--format=%B", job.remote_commit).decode().strip()


def _replaced(journey: Journey, job: Job, message: str, files: dict[str, bytes]) -> str:
    """The published commit is exchanged for another one at the same place of the history."""
    git(journey.remote, "update-ref", "refs/heads/main", f"{job.remote_commit}^")
    return second_person(journey.remote, files, message)


def _take_for_proof(commit: str) -> None:
    """The job and its receipt name another commit."""
    write("UPDATE publisher_job SET remote_commit = %s", commit)
    write("UPDATE publisher_effect SET external_id = %s", commit)


def test_a_second_commit_with_the_same_job_id(journey: Journey, published: Job) -> None:
    second_person(journey.remote, {"b.md": b"x"}, _message(journey, published))
    assert found(journey) == {
        ("second_commit", published.pk),
        ("forged_commit", published.pk),
    }


def test_a_trailer_that_is_only_quoted_is_no_second_commit(
    journey: Journey, published: Job
) -> None:
    quoted = f"About it\n\nBlog-Job-Id: {published.pk}\n\nThat was all."
    second_person(journey.remote, {"b.md": b"x"}, quoted)
    assert found(journey) == set()


def test_a_forged_trailer_on_other_bytes(journey: Journey, published: Job) -> None:
    commit = _replaced(journey, published, _message(journey, published), {FRESH: b"forged"})
    _take_for_proof(commit)
    assert found(journey) == {("proof_differs", published.pk)}
    again = {("proof_differs", published.pk), ("bytes_differ", published.pk)}
    assert found(journey, deep=True) == again


def test_bytes_that_were_never_the_approved_ones(journey: Journey, published: Job) -> None:
    """As a publisher would leave it that did not compare them: all ids and hashes agree."""
    commit = _replaced(journey, published, _message(journey, published), {FRESH: b"forged"})
    _take_for_proof(commit)
    (event,) = JobEvent.objects.filter(job=published, event="confirm")
    facts = json.dumps({**event.facts, "commit": commit})
    write("UPDATE publisher_jobevent SET facts = %s WHERE id = %s", facts, event.pk)
    chain_anew(published)
    assert found(journey) == set()
    assert found(journey, deep=True) == {("bytes_differ", published.pk)}


def test_published_whose_commit_lacks_its_trailers(journey: Journey, published: Job) -> None:
    commit = _replaced(journey, published, "no trailers", {FRESH: FRESH_TEXT})
    _take_for_proof(commit)
    write("UPDATE publisher_jobevent SET facts = '{}' WHERE event = 'confirm'")
    assert ("not_on_remote", published.pk) in found(journey)


@pytest.mark.parametrize(
    ("trailer", "rule"),
    [("Blog-Manifest-Sha256", "manifest_differs"), ("Blog-Approval", "approval_differs")],
)
def test_published_whose_commit_lacks_a_trailer(
    journey: Journey, published: Job, trailer: str, rule: str
) -> None:
    lines = _message(journey, published).splitlines()
    message = "\n".join(line for line in lines if not line.startswith(trailer))
    commit = _replaced(journey, published, message, {FRESH: FRESH_TEXT})
    _take_for_proof(commit)
    assert found(journey) == {("proof_differs", published.pk), (rule, published.pk)}


def test_a_published_commit_that_changes_more_than_its_manifest(
    journey: Journey, published: Job
) -> None:
    files = {FRESH: FRESH_TEXT, "README.md": b"and this"}
    commit = _replaced(journey, published, _message(journey, published), files)
    _take_for_proof(commit)
    assert found(journey) == {("proof_differs", published.pk)}
    again = {("proof_differs", published.pk), ("foreign_paths", published.pk)}
    assert found(journey, deep=True) == again


def test_published_without_a_commit_on_the_remote(journey: Journey) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    write("UPDATE publisher_job SET state = 'PUBLISHED'")
    assert found(journey) == {
        ("state_differs", job.pk),
        ("no_receipt", job.pk),
        ("not_on_remote", job.pk),
        ("approval_changed", job.pk),
    }


def test_a_rewritten_history_is_a_warning_and_no_breach(journey: Journey, published: Job) -> None:
    second_person(journey.remote, SEED, "anew", rewrite=True)
    Site.objects.update(root_commit="")
    (warning,) = verify(journey.ports)
    assert (warning.rule, warning.subject) == ("history_rewritten", published.pk)
    assert warning.is_warning


def test_what_was_published_on_the_branch_before_is_said_not_to_be_checked(
    journey: Journey, published: Job
) -> None:
    git(journey.remote, "branch", "live", "main^")
    sites.change(journey.site, now=journey.now(), branch="live")
    (warning,) = verify(journey.ports)
    assert (warning.rule, warning.subject) == ("branch_unchecked", "magazine")
    assert "on the branch main" in warning.message
    assert warning.is_warning
    git(journey.remote, "update-ref", "refs/heads/live", "main")
    assert found(journey) == set()


def test_a_commit_of_ours_that_the_database_does_not_know(journey: Journey, published: Job) -> None:
    stranger = "01a00000-0000-7000-8000-000000000000"
    message = _message(journey, published).replace(published.pk, stranger)
    second_person(journey.remote, {"b.md": b"x"}, message)
    assert found(journey) == {("unknown_commit", stranger)}


def _second_site(journey: Journey, **changes: Any) -> Site:
    """Another site whose history is the same remote's."""
    columns = {"name": "second", "remote": journey.site.remote, "branch": "main", **changes}
    return Site.objects.create(
        scope="default", clone_state=CloneState.READY.value, created_at=journey.now(), **columns
    )


def test_a_second_site_of_the_same_remote_is_no_breach(journey: Journey, published: Job) -> None:
    _second_site(journey)
    assert found(journey) == set()
    assert found(journey, site="second") == set()


def test_a_second_site_leaves_a_forged_commit_to_the_site_of_its_job(
    journey: Journey, published: Job
) -> None:
    _second_site(journey)
    second_person(journey.remote, {"b.md": b"x"}, _message(journey, published))
    rules = [breach.rule for breach in verify(journey.ports)]
    assert sorted(rules) == ["forged_commit", "second_commit"]


def test_a_branch_that_grew_from_the_sites_own_is_no_breach(
    journey: Journey, published: Job
) -> None:
    git(journey.remote, "branch", "next", "main")
    _second_site(journey, branch="next")
    assert found(journey) == set()


def test_a_copied_commit_on_another_branch_is_one(journey: Journey, published: Job) -> None:
    git(journey.remote, "branch", "next", "main")
    _second_site(journey, branch="next")
    commit = git(
        journey.remote, "commit-tree", "main^{tree}", "-p", "next", "-m",
        _message(journey, published),
    ).decode().strip()  # fmt: skip
    git(journey.remote, "update-ref", "refs/heads/next", commit)
    assert found(journey) == {("unknown_commit", published.pk)}


def test_a_commit_of_a_removed_sites_job_is_known(journey: Journey, published: Job) -> None:
    Site.objects.update(removed_at=journey.now())
    _second_site(journey)
    assert found(journey) == {("site_unchecked", "magazine")}


def test_a_removed_site_is_said_not_to_be_checked_and_fails_nothing(
    journey: Journey, published: Job
) -> None:
    Site.objects.update(removed_at=journey.now())
    (warning,) = verify(journey.ports)
    assert warning.message.startswith("The site was removed")
    assert warning.is_warning


@pytest.mark.parametrize("state", [CloneState.PENDING, CloneState.CLONING, CloneState.FAILED])
def test_a_published_commit_is_missed_whatever_the_clone_is_like(
    journey: Journey, published: Job, state: CloneState
) -> None:
    git(journey.remote, "update-ref", "refs/heads/main", f"{published.remote_commit}^")
    journey.repository().discard()
    Site.objects.update(clone_state=state.value)
    rules = {breach.rule for breach in verify(journey.ports) if not breach.is_warning}
    assert rules == set()
    write("UPDATE publisher_jobevent SET facts = '{}' WHERE event = 'confirm'")
    assert ("not_on_remote", published.pk) in found(journey)


def test_a_sound_remote_is_read_without_a_clone(journey: Journey, published: Job) -> None:
    journey.repository().discard()
    Site.objects.update(clone_state=CloneState.PENDING.value)
    assert found(journey, deep=True) == set()


def test_a_remote_that_cannot_be_read_without_a_clone(journey: Journey, published: Job) -> None:
    journey.repository().discard()
    Site.objects.update(clone_state=CloneState.FAILED.value)
    journey.remote.rename(journey.folder / "away.git")
    assert found(journey) == {("remote_unreadable", "magazine")}


def test_a_restored_database_has_no_breach_of_the_restore_itself(
    journey: Journey, published: Job
) -> None:
    now = journey.now()
    restore.note(now.isoformat(), now)
    assert Site.objects.get().fetched_at is None
    assert found(journey) == set()


def test_what_is_no_commit_in_a_history_hides_nothing_else(
    journey: Journey, published: Job
) -> None:
    write("UPDATE publisher_jobevent SET facts = %s WHERE event = 'confirm'", '{"tip": "zz"}')
    write("UPDATE publisher_job SET remote_commit = %s", "0" * 40)
    rules = {rule for rule, _ in found(journey)}
    assert {"event_changed", "forged_commit", "not_on_remote"} <= rules


UNSENT = (
    "WAITING_APPROVAL", "REVIEW", "CONFLICT", "SKIPPED", "REJECTED", "CANCELLED",
    "READY_TO_COMMIT",
)  # fmt: skip


@pytest.mark.parametrize("state", UNSENT)
def test_a_commit_of_a_job_that_sent_none(journey: Journey, published: Job, state: str) -> None:
    job = journey.submit(FRESH_TEXT + b"more", "content/posts/more.mdx", action="create")
    journey.work()
    write("UPDATE publisher_job SET state = %s WHERE id = %s", state, job.pk)
    message = _message(journey, published).replace(published.pk, job.pk)
    second_person(journey.remote, {"b.md": b"x"}, message)
    assert ("commit_unpublished", job.pk) in found(journey)


def test_a_forged_commit_that_a_skipped_job_is_made_to_name(
    journey: Journey, published: Job
) -> None:
    job = journey.submit(FRESH_TEXT + b"more", "content/posts/more.mdx", action="create")
    journey.work()
    message = _message(journey, published).replace(published.pk, job.pk)
    commit = second_person(journey.remote, {"b.md": b"x"}, message)
    write(
        "UPDATE publisher_job SET state = 'SKIPPED', remote_commit = %s WHERE id = %s",
        commit, job.pk,
    )  # fmt: skip
    assert ("commit_unpublished", job.pk) in found(journey)


def test_a_commit_that_an_open_write_announced_is_no_breach_of_its_job(
    journey: Journey, published: Job
) -> None:
    write("UPDATE publisher_job SET state = 'PUSHING', remote_commit = ''")
    write("UPDATE publisher_effect SET status = 'intent'")
    assert "commit_unpublished" not in {rule for rule, _ in found(journey)}
    write("UPDATE publisher_effect SET status = 'closed'")
    assert ("commit_unpublished", published.pk) in found(journey)


def test_what_an_older_database_forgot_is_looked_for_and_no_breach(
    journey: Journey, published: Job
) -> None:
    write("UPDATE publisher_job SET state = 'READY_TO_COMMIT', remote_commit = ''")
    write("DELETE FROM publisher_effect")
    assert ("commit_unpublished", published.pk) in found(journey)
    now = journey.now()
    restore.note(now.isoformat(), now)
    assert "commit_unpublished" not in {rule for rule, _ in found(journey)}
    write("UPDATE publisher_job SET state = 'CANCELLED'")
    assert ("commit_unpublished", published.pk) in found(journey)


def test_a_remote_that_cannot_be_read(journey: Journey, published: Job) -> None:
    journey.remote.rename(journey.folder / "away.git")
    assert found(journey) == {("remote_unreadable", "magazine")}


def test_another_repository_at_the_same_address(journey: Journey, published: Job) -> None:
    Site.objects.update(root_commit=journey.history()[-1].commit)
    second_person(journey.remote, SEED, "another project", rewrite=True)
    assert ("remote_replaced", "magazine") in found(journey)
    assert fresh(published).state == State.PUBLISHED


class Folder:
    """A data folder with a migrated database, and the product's commands in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = path / "imprimatur.sqlite3"
        self.manage("migrate", "-v0")

    def manage(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one command in a process of its own."""
        environment = {
            **os.environ,
            "IMPRIMATUR_NO_BOOTSTRAP": "1",
            "IMPRIMATUR_DATA_DIR": str(self.path),
            "DJANGO_SETTINGS_MODULE": "publisher.settings",
            "DATABASE_URL": "",
        }
        return subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """One for all of these, which leave it as it was."""
    return Folder(tmp_path_factory.mktemp("verify"))


def test_a_healthy_empty_installation_passes(folder: Folder) -> None:
    done = folder.manage("verify", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"passed": True, "breaches": []}


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (b"not a database, " * 100, "damaged"), (None, "cut short")],
)
def test_a_database_that_is_none_is_told_and_not_opened_empty(
    folder: Folder, tmp_path: Path, content: bytes | None, words: str
) -> None:
    kept = folder.database.read_bytes()
    spoiled = kept[: len(kept) // 2] if content is None else content
    folder.database.write_bytes(spoiled)
    done = folder.manage("verify", "--json")
    after = folder.database.read_bytes()
    folder.database.write_bytes(kept)
    assert done.returncode == 1
    (breach,) = json.loads(done.stdout)["breaches"]
    assert breach["rule"] == "database_unreadable"
    assert words in breach["message"]
    assert breach["advice"]
    assert after == spoiled


def test_the_list_names_job_breach_and_what_to_do(folder: Folder) -> None:
    with sqlite3.connect(folder.database) as database:
        database.execute("DROP TRIGGER guard_job_move")
    database.close()
    done = folder.manage("verify")
    folder.manage("migrate", "-v0")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "guard_missing: guard_job_move: A guard of the database is missing.",
        "    Run migrate; it puts the guards back. Then run verify again.",
    ]
    assert folder.manage("verify").returncode == 0
