"""Watching what was published: every file of a job, and nothing that was taken back on purpose."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from publisher import journal
from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Runner
from publisher.domain.states import State
from publisher.engine import sites as engine_sites
from publisher.engine.audit.verify import verify
from publisher.engine.reconcile import visibility
from publisher.engine.reconcile.counts import Counts
from publisher.models import Effect, Job, JobEvent, Site
from publisher.models.effect import EffectStatus
from publisher.services import sites
from publisher.services.revert import revert
from publisher.services.submit import Asset
from tests.support.git import git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, HELLO, OMAR, SEED, TARGET, Journey, fresh, told

PICTURE, PLAN = "public/images/fresh.png", "public/images/plan.svg"
PICTURES = (Asset(PICTURE, b"\x89PNG one"), Asset(PLAN, b"<svg/>"))
ARTICLE: Mapping[str, Any] = {"content": FRESH_TEXT, "path": FRESH, "action": "create"}


def look(journey: Journey) -> None:
    """One look of the sweep at what is on the remote now."""
    engine_sites.refresh(journey.site, journey.ports)
    visibility.run(journey.ports)


def warnings() -> list[tuple[str, list[str]]]:
    rows = JobEvent.objects.filter(event="no_longer_at_tip").order_by("pk")
    return [(row.job_id, row.facts["paths"]) for row in rows]


def taken_back(journey: Journey, job: Job) -> Job:
    made = revert(fresh(job), who=OMAR, now=journey.now()).job
    journey.work()
    journey.approve(made)
    journey.work()
    assert fresh(made).state == State.PUBLISHED, told(made)
    return fresh(made)


def test_a_picture_that_somebody_changes_is_told(journey: Journey) -> None:
    job = journey.published(**ARTICLE, assets=PICTURES)
    look(journey)
    by = second_person(journey.remote, {PICTURE: b"another"}, "Brighter")
    look(journey)
    assert warnings() == [(job.pk, [PICTURE])]
    (event,) = JobEvent.objects.filter(event="no_longer_at_tip")
    assert event.facts["removed_by"] == by
    assert f"Second Person changed {PICTURE}" in event.reason


def test_files_that_one_commit_takes_away_are_told_together_and_each_once(
    journey: Journey,
) -> None:
    job = journey.published(**ARTICLE, assets=PICTURES)
    look(journey)
    second_person(journey.remote, {PLAN: None}, "No plan")
    look(journey)
    second_person(journey.remote, {FRESH: None, PICTURE: None}, "Nothing at all")
    look(journey)
    second_person(journey.remote, {"b.md": b"x"}, "Something else")
    look(journey)
    assert warnings() == [(job.pk, [PLAN]), (job.pk, [FRESH, PICTURE])]


def test_what_is_gone_before_the_first_look_at_it_is_told(journey: Journey) -> None:
    journey.published(HELLO + b"\nMore.\n", TARGET, action="update")
    look(journey)
    job = journey.published(**ARTICLE, assets=PICTURES)
    second_person(journey.remote, {PICTURE: None}, "Not wanted")
    look(journey)
    assert warnings() == [(job.pk, [PICTURE])]


def test_a_picture_of_a_later_publication_is_no_loss(journey: Journey) -> None:
    first = journey.published(**ARTICLE, assets=PICTURES)
    look(journey)
    later = journey.published(
        FRESH_TEXT + b"More.\n", FRESH, action="update", assets=(Asset(PICTURE, b"two"),)
    )
    look(journey)
    assert warnings() == []
    second_person(journey.remote, {PICTURE: None, PLAN: None}, "No pictures")
    look(journey)
    assert sorted(warnings()) == [(first.pk, [PLAN]), (later.pk, [PICTURE])]


def test_a_picture_that_no_job_published_is_nobodys_loss(journey: Journey) -> None:
    second_person(journey.remote, {PLAN: b"<svg/>"}, "By hand, the same bytes")
    engine_sites.refresh(journey.site, journey.ports)
    journey.published(**ARTICLE, assets=PICTURES[:1])
    look(journey)
    second_person(journey.remote, {PLAN: b"<svg>other</svg>"}, "Again by hand")
    look(journey)
    assert warnings() == []


def test_what_a_merge_takes_away_is_told_with_the_merge(journey: Journey) -> None:
    """An old branch takes everything in and keeps nothing of it: no commit removes the files."""
    job = journey.published(**ARTICLE, assets=PICTURES)
    look(journey)
    work = journey.folder / "work"
    git(journey.folder, "clone", "-q", str(journey.remote), str(work))
    git(work, "checkout", "-q", "-b", "old", "main~1")
    git(work, "merge", "-q", "-s", "ours", "-m", "All as it was", "main")
    git(work, "push", "-q", "origin", "old:main")
    look(journey)
    assert warnings() == [(job.pk, [FRESH, PICTURE, PLAN])]
    (event,) = JobEvent.objects.filter(event="no_longer_at_tip")
    assert event.facts["removed_by"] == journey.head()
    assert "(All as it was)" in event.reason


@pytest.mark.parametrize("branch", ["2024", "3.0", "true", "null"])
def test_a_branch_that_is_named_like_a_number_is_watched(journey: Journey, branch: str) -> None:
    git(journey.remote, "branch", "-m", "main", branch)
    sites.change(journey.site, now=journey.now(), branch=branch)
    look(journey)
    job = journey.published(**ARTICLE)
    look(journey)
    git(journey.remote, "update-ref", f"refs/heads/{branch}", f"{branch}^")
    second_person(journey.remote, {"b.md": b"x"}, "rewritten", branch=branch)
    look(journey)
    assert [row.job_id for row in JobEvent.objects.filter(event=visibility.GONE)] == [job.pk]
    assert "history_rewritten" in {breach.rule for breach in verify(journey.ports)}


def test_what_another_branch_holds_is_not_missed_on_this_one(journey: Journey) -> None:
    journey.published(**ARTICLE)
    look(journey)
    git(journey.remote, "branch", "live", "main^")
    sites.change(journey.site, now=journey.now(), branch="live")
    look(journey)
    second_person(journey.remote, {FRESH: b"theirs"}, "Another of this name", branch="live")
    look(journey)
    second_person(journey.remote, {FRESH: b"new"}, "And another", branch="live")
    look(journey)
    assert not JobEvent.objects.filter(event__in=(visibility.GONE, visibility.CHANGED)).exists()


def test_a_branch_of_another_name_is_watched_for_what_it_holds(journey: Journey) -> None:
    job = journey.published(**ARTICLE)
    look(journey)
    git(journey.remote, "branch", "live", "main")
    sites.change(journey.site, now=journey.now(), branch="live")
    second_person(journey.remote, {FRESH: b"theirs"}, "Changed", branch="live")
    look(journey)
    assert warnings() == [(job.pk, [FRESH])]


def test_what_a_renamed_branch_loses_is_told(journey: Journey) -> None:
    """However long ago it was published."""
    job, later = renamed(journey)
    Job.objects.filter(pk=job.pk).update(finished_at=journey.now() - timedelta(days=60))
    look(journey)
    lose(journey, job)
    look(journey)
    assert gone() == [later.pk]
    assert {(breach.rule, breach.subject) for breach in verify(journey.ports)} == {
        ("history_rewritten", job.pk), ("history_rewritten", later.pk)
    }  # fmt: skip


def test_a_head_from_before_the_branch_was_set_says_nothing_of_it(journey: Journey) -> None:
    renamed(journey)
    visibility.run(journey.ports)
    assert not [row for row in Effect.objects.all() if "branch" in row.receipt]
    look(journey)
    assert {row.receipt["branch"] for row in Effect.objects.all()} == {"live"}


def test_what_was_merged_later_and_lost_is_told(journey: Journey) -> None:
    job = journey.published(**ARTICLE)
    git(journey.remote, "branch", "live", "main^")
    sites.change(journey.site, now=journey.now(), branch="live")
    look(journey)
    git(journey.remote, "update-ref", "refs/heads/live", "main")
    look(journey)
    assert gone() == []
    lose(journey, job)
    look(journey)
    assert gone() == [job.pk]


def renamed(journey: Journey) -> tuple[Job, Job]:
    """Two jobs that were published on a branch that has another name now."""
    jobs = (
        journey.published(**ARTICLE),
        journey.published(HELLO + b"\nMore.\n", TARGET, action="update"),
    )
    look(journey)
    git(journey.remote, "branch", "-m", "main", "live")
    sites.change(journey.site, now=journey.now(), branch="live")
    return jobs


def lose(journey: Journey, job: Job) -> None:
    """Somebody rewrites the branch, without this job's commit."""
    git(journey.remote, "update-ref", "refs/heads/live", f"{job.remote_commit}^")
    second_person(journey.remote, {"b.md": b"x"}, "rewritten", branch="live")


def gone() -> list[str]:
    rows = JobEvent.objects.filter(event=visibility.GONE)
    return list(rows.order_by("pk").values_list("job_id", flat=True))


def test_what_was_taken_back_is_not_missed(journey: Journey) -> None:
    job = journey.published(**ARTICLE, assets=PICTURES)
    look(journey)
    taken_back(journey, job)
    look(journey)
    assert warnings() == []


def test_a_taken_back_job_is_not_missed_in_a_rewritten_history(journey: Journey) -> None:
    job = journey.published(**ARTICLE)
    look(journey)
    made = taken_back(journey, job)
    look(journey)
    second_person(journey.remote, SEED, "begun anew", rewrite=True)
    look(journey)
    missed = JobEvent.objects.filter(event="no_longer_found").values_list("job_id", flat=True)
    assert list(missed) == [made.pk]


def test_a_removal_in_a_rewritten_history_that_holds_the_commit_is_told(journey: Journey) -> None:
    job = journey.published(**ARTICLE)
    published = journey.head()
    second_person(journey.remote, {"b.md": b"x"}, "Something else")
    look(journey)
    git(journey.remote, "update-ref", "refs/heads/main", published)
    by = second_person(journey.remote, {FRESH: None}, "Away with it")
    look(journey)
    look(journey)
    assert warnings() == [(job.pk, [FRESH])]
    (event,) = JobEvent.objects.filter(event="no_longer_at_tip")
    assert event.facts["removed_by"] == by


def test_a_removal_before_the_first_look_of_all_is_told(journey: Journey) -> None:
    job = journey.published(**ARTICLE, assets=PICTURES)
    second_person(journey.remote, {FRESH: None}, "Away with it")
    look(journey)
    assert warnings() == [(job.pk, [FRESH])]


def test_a_removal_that_came_before_the_confirmation_is_told(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The push landed, its worker died, and a sweep passed before another one found the commit."""
    look(journey)
    job = journey.approved(**ARTICLE)
    real = GitRepository.push

    def push(self: GitRepository, commit: str, *, lease: str) -> None:
        real(self, commit, lease=lease)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(GitRepository, "push", push)
        with pytest.raises(KeyboardInterrupt):
            journey.work()
    second_person(journey.remote, {FRESH: None}, "Away with it")
    look(journey)
    Job.objects.filter(pk=job.pk).update(lease_until=journey.now())
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told(job)
    for _ in range(2):
        visibility.run(journey.ports)
    assert warnings() == [(job.pk, [FRESH])]


def test_a_commit_that_is_forced_away_before_the_first_look_at_it_is_told(
    journey: Journey,
) -> None:
    look(journey)
    before = journey.head()
    job = journey.published(**ARTICLE)
    git(journey.remote, "update-ref", "refs/heads/main", before)
    second_person(journey.remote, {"b.md": b"x"}, "Something else")
    for _ in range(2):
        look(journey)
    missed = JobEvent.objects.filter(event="no_longer_found").values_list("job_id", flat=True)
    assert list(missed) == [job.pk]


def test_a_removal_is_told_after_a_change_and_a_change_after_nothing(journey: Journey) -> None:
    job = journey.published(**ARTICLE)
    look(journey)
    for text in (b"a typo mended", b"another one", None, b"a text of their own", None):
        second_person(journey.remote, {FRESH: text}, "By hand")
        look(journey)
    assert warnings() == [(job.pk, [FRESH]), (job.pk, [FRESH])]
    reasons = JobEvent.objects.filter(event="no_longer_at_tip").values_list("reason", flat=True)
    assert [" removed " in reason for reason in reasons.order_by("pk")] == [False, True]


def test_a_job_that_finishes_while_a_sweep_looks_is_not_missed(journey: Journey) -> None:
    """Its head was read before: the commit stands on top of it."""
    look(journey)
    old = Site.objects.get()
    job = journey.published(**ARTICLE)
    Site.objects.update(head=old.head, fetched_at=old.fetched_at)
    visibility.run(journey.ports)
    assert not job.events.filter(event="no_longer_found").exists()
    assert Site.objects.get().watched_at == old.watched_at
    look(journey)
    assert not job.events.filter(event="no_longer_found").exists()


def test_what_another_machine_published_meanwhile_is_not_missed(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This machine's clone holds its commit with the next fetch only."""
    look(journey)
    old = Site.objects.get()
    job = journey.published(**ARTICLE)
    Site.objects.update(head=old.head, fetched_at=old.fetched_at)
    resolves = GitRepository.resolves
    with monkeypatch.context() as patched:
        patched.setattr(
            GitRepository,
            "resolves",
            lambda self, name: name != job.remote_commit and resolves(self, name),
        )
        visibility.run(journey.ports)
    assert not job.events.filter(event="no_longer_found").exists()
    assert Site.objects.get().watched_at == old.watched_at


def test_a_last_look_by_a_clock_that_was_ahead_hides_no_loss(journey: Journey) -> None:
    look(journey)
    before = journey.head()
    Site.objects.update(watched_at=journey.now() + timedelta(days=30))
    job = journey.published(**ARTICLE)
    git(journey.remote, "update-ref", "refs/heads/main", before)
    second_person(journey.remote, {"b.md": b"x"}, "Something else")
    for _ in range(2):
        look(journey)
    missed = JobEvent.objects.filter(event="no_longer_found").values_list("job_id", flat=True)
    assert list(missed) == [job.pk]
    watched_at = Site.objects.get().watched_at
    assert watched_at is not None
    assert watched_at <= journey.now()


def test_a_branch_that_stands_still_is_not_opened(journey: Journey) -> None:
    journey.published(**ARTICLE)
    look(journey)
    ports = replace(journey.ports, repository=None)  # type: ignore[arg-type]
    assert visibility.run(ports) == Counts(looked_at=1, left=1)


def test_what_another_sweep_told_meanwhile_is_told_once(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both looked before either wrote."""
    changed = journey.published(**ARTICLE)
    look(journey)
    gone = journey.published(HELLO + b"\nMore.\n", TARGET, action="update")
    git(journey.remote, "update-ref", "refs/heads/main", changed.remote_commit)
    second_person(journey.remote, {FRESH: b"theirs"}, "By hand")
    engine_sites.refresh(journey.site, journey.ports)
    note = journal.note

    def overtaken(*some: Any, **more: Any) -> Any:
        monkeypatch.setattr(journal, "note", note)
        visibility.run(journey.ports)
        return note(*some, **more)

    monkeypatch.setattr(journal, "note", overtaken)
    visibility.run(journey.ports)
    visibility.run(journey.ports)
    rows = JobEvent.objects.filter(event__in=(visibility.GONE, visibility.CHANGED))
    assert sorted(rows.values_list("job_id", "event")) == sorted(
        [(gone.pk, visibility.GONE), (changed.pk, visibility.CHANGED)]
    )


def test_a_revert_that_is_not_confirmed_yet_is_no_loss(journey: Journey) -> None:
    """As when its worker died between the push and the look."""
    job = journey.published(**ARTICLE, assets=PICTURES)
    look(journey)
    made = taken_back(journey, job)
    assert made.remote_commit == journey.head()
    Effect.objects.filter(job=made).update(status=EffectStatus.INTENT.value, external_id="")
    Job.objects.filter(pk=made.pk).update(remote_commit="")
    look(journey)
    assert warnings() == []


def test_many_changed_files_cost_as_many_processes_as_one(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tuple(Asset(f"public/images/{n}.png", b"\x89PNG %d" % n) for n in range(20))
    journey.published(**ARTICLE, assets=many)
    look(journey)
    counts = []
    for gone in (many[:1], many[1:]):
        second_person(journey.remote, {asset.path: None for asset in gone}, "Out")
        engine_sites.refresh(journey.site, journey.ports)
        counts.append(_processes(journey, monkeypatch))
    assert counts[0] == counts[1]
    assert sum(len(paths) for _, paths in warnings()) == 20


def _processes(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> int:
    commands: list[str] = []
    run = Runner.run

    def counted(runner: Runner, command: str, *options: str, **more: Any) -> Any:
        commands.append(command)
        return run(runner, command, *options, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Runner, "run", counted)
        visibility.run(journey.ports)
    return len(commands)
