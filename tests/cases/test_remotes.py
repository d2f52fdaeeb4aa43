"""Remotes with a branch, a history or a clone that nobody expected."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from publisher.domain.errors import RepositoryError
from publisher.domain.states import State
from publisher.engine import sites as engine_sites
from publisher.engine.reconcile import visibility
from publisher.models import Article, JobEvent, Site
from publisher.models.site import CloneState
from publisher.services import acts, sites
from tests.support.git import git, make_remote, second_person
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    OMAR,
    SEED,
    Journey,
    begin,
    fresh,
    ports_in,
    told,
)
from tests.support.live import make_live
from tests.support.people import everybody


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
    live = make_live(journey)
    rewritten = second_person(journey.remote, SEED, "base, mail address removed", rewrite=True)
    engine_sites.refresh(journey.site, journey.ports)
    visibility.run(journey.ports)
    visibility.run(journey.ports)
    assert not live.scan()
    journey.work()

    assert list(live.notes()) == ["diverged"]
    assert live.head() == fresh(job).remote_commit
    assert fresh(job).state == State.PUBLISHED
    (warning,) = JobEvent.objects.filter(job=job, event="no_longer_found")
    assert warning.facts["commit"] == fresh(job).remote_commit
    assert journey.head() == rewritten
    assert journey.commits_of(job) == []


def test_a_lost_clone_of_a_rewritten_remote_is_made_anew_and_tells_of_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else what was published just before the fetch could be another machine's, after it.
    monkeypatch.setattr(visibility, "SLACK", timedelta(0))
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    engine_sites.refresh(journey.site, journey.ports)
    visibility.run(journey.ports)
    shutil.rmtree(journey.folder / "git")
    rewritten = second_person(journey.remote, SEED, "base, mail address removed", rewrite=True)
    engine_sites.refresh(journey.site, journey.ports)
    assert visibility.run(journey.ports).left == 0
    site = Site.objects.get(pk=journey.site.pk)
    assert (site.last_error, site.head, site.watched_head) == ("", rewritten, rewritten)
    assert site.stop_reason
    assert JobEvent.objects.filter(job=job, event="no_longer_found").count() == 1


@pytest.mark.parametrize("is_lost", [False, True])
def test_own_commits_on_a_history_that_was_taken_away_are_not_to_be_pushed(
    journey: Journey, is_lost: bool
) -> None:
    """Also after the clone was made anew, which knows nothing of the former history."""
    journey.published(FRESH_TEXT, FRESH, action="create")
    live = make_live(journey)
    rewritten = second_person(journey.remote, SEED, "base, mail address removed", rewrite=True)
    live.write(FRESH, b"Mine.\n")
    live.git("commit", "-qam", "mine")
    if is_lost:
        shutil.rmtree(journey.folder / "git")
    engine_sites.refresh(live.site(), journey.ports)
    assert not live.scan()
    assert list(live.notes()) == ["diverged"]
    assert journey.head() == rewritten


def test_another_repository_stops_the_site_until_somebody_resumes_it(journey: Journey) -> None:
    first = journey.history()[-1].commit
    journey.site.refresh_from_db()
    assert journey.site.root_commit == first
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    rewritten = second_person(journey.remote, SEED, "base, mail address removed", rewrite=True)
    journey.work()
    journey.site.refresh_from_db()
    assert first[:12] in journey.site.stop_reason
    assert journey.site.paused_lanes == ["publish"]
    assert fresh(job).state != State.PUBLISHED, told(job)
    assert journey.head() == rewritten

    sites.resume(journey.site, who=OMAR, now=journey.now())
    engine_sites.refresh(journey.site, journey.ports)
    journey.site.refresh_from_db()
    assert (journey.site.root_commit, journey.site.stop_reason) == (rewritten, "")
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    (facts,) = journey.commits_of(job)
    assert facts.parents == (rewritten,)
    assert len(journey.history()) == 2
    journey.is_sound(job)


def test_a_rewritten_history_with_the_same_beginning_stops_nothing(journey: Journey) -> None:
    second_person(journey.remote, {"b.md": b"b"}, "to be dropped")
    engine_sites.refresh(journey.site, journey.ports)
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    git(journey.remote, "update-ref", "refs/heads/main", "main^")
    second_person(journey.remote, {"c.md": b"c"}, "in its place")
    journey.work()
    journey.site.refresh_from_db()
    assert journey.site.stop_reason == ""
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def _seen(journey: Journey) -> None:
    """One look of the sweep at what is on the remote now."""
    engine_sites.refresh(journey.site, journey.ports)
    visibility.run(journey.ports)


def test_who_took_a_published_text_away_is_told_once(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    _seen(journey)
    removal = second_person(journey.remote, {FRESH: None}, "Not wanted")
    _seen(journey)
    second_person(journey.remote, {"b.md": b"x"}, "Something else")
    _seen(journey)
    (warning,) = JobEvent.objects.filter(job=job, event="no_longer_at_tip")
    assert warning.facts["removed_by"] == removal
    assert warning.facts["author"] == "Second Person"
    assert f"Second Person removed {FRESH}" in warning.reason
    assert "Not wanted" in warning.reason
    assert fresh(job).state == State.PUBLISHED
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_a_later_publication_of_ours_is_no_loss(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    _seen(journey)
    later = journey.published(FRESH_TEXT + b"More.\n", FRESH, action="update")
    _seen(journey)
    assert not JobEvent.objects.filter(event="no_longer_at_tip").exists()
    changed = second_person(journey.remote, {FRESH: b"theirs"}, "Mine is better")
    _seen(journey)
    (warning,) = JobEvent.objects.filter(event="no_longer_at_tip")
    assert (warning.job_id, warning.facts["removed_by"]) == (later.pk, changed)
    journey.is_sound(job, later)


def test_a_branch_that_stands_still_is_not_looked_at_again(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    journey.published(FRESH_TEXT, FRESH, action="create")
    _seen(journey)
    monkeypatch.setattr(visibility, "_look", None)
    assert visibility.run(journey.ports).left == 1


def test_a_branch_that_is_gone_is_said_in_words_and_never_made_again(journey: Journey) -> None:
    journey.published(FRESH_TEXT, FRESH, action="create")
    git(journey.remote, "branch", "-m", "main", "trunk")
    with pytest.raises(RepositoryError, match="main"):
        engine_sites.refresh(journey.site, journey.ports)
    journey.site.refresh_from_db()
    assert "main" in journey.site.last_error
    assert _branches(journey.remote) == ["trunk"]


def test_a_shallow_remote_ends_its_clone_in_words_and_heals_once_it_is_whole(
    db: None, tmp_path: Path
) -> None:
    everybody()
    source = make_remote(tmp_path / "source.git", SEED)
    second_person(source, {"README.md": b"1"}, "1")
    remote, ports = tmp_path / "remote.git", ports_in(tmp_path)
    git(tmp_path, "clone", "-q", "--bare", "--depth=1", f"file://{source}", str(remote))
    site = sites.add(name="cut", remote=str(remote), scope="default", now=ports.clock.now())
    journey = Journey(tmp_path, remote, ports, site)
    journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    site.refresh_from_db()
    assert site.clone_state == CloneState.FAILED.value
    assert "itself a shallow clone" in site.last_error
    wrong = [fact.name for fact in engine_sites.check(site, ports) if not fact.ok]
    assert wrong == ["history"]

    git(remote, "fetch", "-q", "--unshallow", f"file://{source}", "+refs/heads/*:refs/heads/*")
    assert all(fact.ok for fact in engine_sites.check(site, ports))
    site.refresh_from_db()
    assert (site.clone_state, site.last_error) == (CloneState.READY.value, "")


def test_a_detached_head_is_no_default(journey: Journey) -> None:
    git(journey.remote, "update-ref", "--no-deref", "HEAD", journey.head())
    facts = {fact.name: fact.message for fact in engine_sites.check(journey.site, journey.ports)}
    assert facts["branch"] == '"main" is there.'


def test_a_pattern_that_matches_nothing_is_told_and_is_no_fault(journey: Journey) -> None:
    sites.change(journey.site, now=journey.now(), articles="nowhere/**/*.md")
    journey.work()
    journey.site.refresh_from_db()
    report = engine_sites.check(journey.site, journey.ports)
    assert all(fact.ok for fact in report)
    (note,) = [fact for fact in report if fact.name == "articles"]
    assert "nowhere/**/*.md" in note.message

    sites.change(journey.site, now=journey.now(), articles="content/**/*.{md,mdx}")
    journey.work()
    journey.site.refresh_from_db()
    assert Article.objects.filter(site=journey.site).exists()
    assert "articles" not in [fact.name for fact in engine_sites.check(journey.site, journey.ports)]


def test_a_branch_that_can_be_none_is_the_sites_trouble_and_heals_with_it(
    journey: Journey,
) -> None:
    Site.objects.update(branch="a..b")
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    found = fresh(job)
    assert (found.state, found.failure_code) == (State.REVIEW, "branch_gone"), told(job)
    assert '"a..b", which is no name of a branch' in found.failure_message

    sites.change(Site.objects.get(), now=journey.now(), branch="main")
    acts.retry(found, who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
