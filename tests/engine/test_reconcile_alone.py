"""In every reconciler one bad row, site or folder is left, and the others are looked at."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from publisher import journal, wakeup
from publisher.adapters.git.repository import GitRepository
from publisher.domain.states import State
from publisher.engine import sites as engine_sites
from publisher.engine.reconcile import RECONCILERS, expiry, fetches, sweep, visibility, workspaces
from publisher.engine.reconcile.counts import Counts
from publisher.models import JobEvent, Outbox, Site
from publisher.ports import SiteSpec
from reviews.models import Approval
from reviews.services import approvals
from tests.support.git import make_remote, second_person
from tests.support.journey import FRESH, FRESH_TEXT, SEED, Journey, fresh
from tests.support.live import make_live

SECOND = "content/posts/second.mdx"
SECOND_TEXT = b"---\ntitle: Second\n---\n\nAnother thing altogether.\n"


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> None:
    """A data folder of this test's own, for the seals."""
    (tmp_path / "data").mkdir()
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"


def failing(real: Callable[..., Any], is_bad: Callable[..., bool]) -> Callable[..., Any]:
    """The real thing, with a defect for some."""

    def call(*arguments: Any, **more: Any) -> Any:
        if is_bad(*arguments, **more):
            raise AttributeError("'NoneType' object has no attribute 'get'")
        return real(*arguments, **more)

    return call


def two_published(journey: Journey) -> tuple[str, str]:
    first = journey.published(FRESH_TEXT, FRESH, action="create").pk
    second = journey.published(SECOND_TEXT, SECOND, action="create").pk
    engine_sites.refresh(journey.site, journey.ports)
    visibility.run(journey.ports)
    return first, second


def test_a_defect_of_one_reconciler_stops_no_other(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RECONCILERS, "due", failing(RECONCILERS["due"], lambda *_a, **_m: True))
    done = sweep(journey.ports)
    assert done.failed == ("due",)
    assert set(done.counts) == set(RECONCILERS) - {"due"}


def test_every_due_job_is_hinted_but_the_bad_one(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = journey.submit(FRESH_TEXT, FRESH, action="create")
    good = journey.submit(SECOND_TEXT, SECOND, action="create")
    told: list[str] = []
    monkeypatch.setattr(
        wakeup, "hint",
        failing(lambda job_id, **_more: told.append(job_id), lambda job_id, **_m: job_id == bad.pk),
    )  # fmt: skip
    assert sweep(journey.ports).failed == ()
    assert told == [good.pk]


def test_every_loss_is_told_but_that_of_the_bad_job(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = two_published(journey)
    second_person(journey.remote, {FRESH: b"a"}, "One")
    second_person(journey.remote, {SECOND: b"b"}, "Two")
    engine_sites.refresh(journey.site, journey.ports)
    with monkeypatch.context() as patch:
        patch.setattr(
            journal, "note", failing(journal.note, lambda job, *_some, **_more: job.pk == bad)
        )
        visibility.run(journey.ports)
    rows = JobEvent.objects.filter(event="no_longer_at_tip").order_by("pk")
    assert [row.job_id for row in rows] == [good]
    visibility.run(journey.ports)
    assert sorted(row.job_id for row in rows.all()) == sorted([bad, good])


@pytest.mark.parametrize("name", sorted(RECONCILERS))
def test_a_site_that_cannot_be_opened_stops_no_other(name: str, journey: Journey) -> None:
    remote = make_remote(journey.folder / "other.git", SEED)
    Site.objects.create(
        name="aside", scope="default", remote=str(remote), branch="main", head="a" * 40,
        clone_state="ready", live_checkout="/nowhere", created_at=journey.now(),
    )  # fmt: skip
    make_live(journey)
    opened: list[str] = []

    def noted(real: Any) -> Any:
        def call(spec: SiteSpec, cancelled: Any) -> Any:
            opened.append(spec.name)
            return real(spec, cancelled)

        return call

    journey.published(FRESH_TEXT, FRESH, action="create")
    bad = failing(journey.ports.repository, lambda spec, _cancelled: spec.name == "aside")
    RECONCILERS[name](replace(journey.ports, repository=noted(bad)))
    assert opened in ([], ["aside", "magazine"])


def test_a_folder_that_cannot_be_removed_keeps_no_other(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(GitRepository, "remove_workspace", lambda *_some: None)
        jobs = [
            journey.published(FRESH_TEXT, FRESH, action="create"),
            journey.published(SECOND_TEXT, SECOND, action="create"),
        ]
    bad = jobs[0].pk
    monkeypatch.setattr(
        GitRepository, "remove_workspace",
        failing(GitRepository.remove_workspace, lambda _self, job_id: job_id == bad),
    )  # fmt: skip
    workspaces.run(journey.ports)
    repository = journey.repository()
    assert repository.workspaces() == [bad]
    repository.close()


def test_a_request_that_cannot_be_closed_keeps_no_other_open(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [
        journey.submit(FRESH_TEXT, FRESH, action="create"),
        journey.submit(SECOND_TEXT, SECOND, action="create"),
    ]
    journey.work()
    Approval.objects.update(wait_until=journey.now() - timedelta(seconds=1))
    monkeypatch.setattr(
        approvals, "lapse",
        failing(approvals.lapse, lambda request, _now: request.job_id == jobs[0].pk),
    )  # fmt: skip
    assert expiry.run(journey.ports) == Counts(looked_at=2, changed=1, left=1)
    assert [fresh(job).state for job in jobs] == [State.WAITING_APPROVAL, State.REVIEW]


def test_a_fetch_that_cannot_be_asked_for_keeps_no_other(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = Site.objects.create(
        name="aside", scope="default", remote="/nowhere", branch="main", created_at=journey.now()
    )
    Outbox.objects.all().delete()
    Site.objects.update(fetched_at=None)
    monkeypatch.setattr(fetches, "ask", failing(fetches.ask, lambda row, _now: row.pk == beside.pk))
    fetches.run(journey.ports)
    assert [row.pk for row in Outbox.objects.all()] == [f"site_fetch:{journey.site.pk}"]
