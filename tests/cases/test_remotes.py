"""Remotes with a branch, a history or a clone that nobody expected."""

from pathlib import Path

import pytest

from publisher.domain.errors import RepositoryError
from publisher.domain.states import State
from publisher.engine import sites as engine_sites
from publisher.engine.reconcile import visibility
from publisher.models import JobEvent
from publisher.models.site import CloneState
from publisher.services import sites
from tests.support.git import git, second_person
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    SEED,
    Journey,
    begin,
    fresh,
    told,
)


def _branches(remote: Path) -> list[str]:
    return git(remote, "for-each-ref", "--format=%(refname:short)").decode().split()


def test_the_branch_is_the_one_that_the_remotes_head_names(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path, branch="trunk")
    assert journey.site.branch == "trunk"
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    assert fresh(job).remote_commit == journey.head()
    assert _branches(journey.remote) == ["trunk"]
    journey.is_sound(job)


def test_a_branch_that_the_remote_lacks_is_a_setup_error(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path, branch="trunk")
    wrong = sites.add(
        name="wrong", remote=str(journey.remote), scope="default", now=journey.now(), branch="main"
    )
    with pytest.raises(RepositoryError, match="main"):
        engine_sites.reach(wrong, journey.ports)
    journey.work()
    wrong.refresh_from_db()
    assert wrong.clone_state != CloneState.READY.value
    assert "main" in wrong.last_error
    assert _branches(journey.remote) == ["trunk"]


def test_a_rewritten_history_is_told_and_nothing_is_pushed_back(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    rewritten = second_person(journey.remote, SEED, "base, mail address removed", rewrite=True)
    engine_sites.refresh(journey.site, journey.ports)
    visibility.run(journey.ports)
    visibility.run(journey.ports)
    journey.work()

    assert fresh(job).state == State.PUBLISHED
    (warning,) = JobEvent.objects.filter(job=job, event="no_longer_found")
    assert warning.facts["commit"] == fresh(job).remote_commit
    assert journey.head() == rewritten
    assert journey.commits_of(job) == []


def test_an_approved_job_follows_a_rewritten_history(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    rewritten = second_person(journey.remote, SEED, "base, mail address removed", rewrite=True)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    (facts,) = journey.commits_of(job)
    assert facts.parents == (rewritten,)
    assert len(journey.history()) == 2
    journey.is_sound(job)
