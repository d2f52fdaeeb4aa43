"""Watching what was published: every file of a job, and nothing that was taken back on purpose."""

from collections.abc import Mapping
from typing import Any

import pytest

from publisher.adapters.git.runner import Runner
from publisher.domain.states import State
from publisher.engine import sites as engine_sites
from publisher.engine.reconcile import visibility
from publisher.models import Effect, Job, JobEvent
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
