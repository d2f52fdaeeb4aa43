"""A row that cannot be read holds up itself alone: sweeps, workers and deliveries go on with the others."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from publisher import leases, nodes, selectors, spoiled
from publisher.domain.states import State
from publisher.engine.foreground import MISSES
from publisher.engine.reconcile import sweep
from publisher.models import Job, Node, Outbox, Site
from reviews.models import Approval
from tests.support.journey import FRESH, FRESH_TEXT, Journey, fresh
from tests.support.planted import found
from tests.support.spoil import spoil

SECOND = "content/posts/second.mdx"
SECOND_TEXT = b"---\ntitle: Second\n---\n\nAnother thing altogether.\n"
JOB_TIMES = [
    "available_at", "created_at", "updated_at", "deadline_at", "not_before", "lease_until",
    "memory_expires_at",
]  # fmt: skip
SITE_TIMES = ["created_at", "fetched_at", "last_error_at", "watched_at"]
MESSAGE_TIMES = ["due_at", "created_at"]
REQUEST_TIMES = ["wait_until", "opened_at", "valid_until"]


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, settings: Any) -> None:
    """A data folder of this test's own, for the seals."""
    (tmp_path / "data").mkdir()
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"


def two(journey: Journey) -> tuple[Job, Job]:
    bad = journey.submit(FRESH_TEXT, FRESH, action="create")
    return bad, journey.submit(SECOND_TEXT, SECOND, action="create")


def several(journey: Journey, count: int) -> list[Job]:
    return [
        journey.submit(FRESH_TEXT, f"content/posts/bad-{number}.mdx", action="create")
        for number in range(count)
    ]


def aside(journey: Journey, name: str) -> Site:
    return Site.objects.create(
        name=name, scope="default", remote="/nowhere", branch="main", head="a" * 40,
        clone_state="ready", live_checkout="/nowhere", created_at=journey.now(),
    )  # fmt: skip


def left(journey: Journey) -> set[str]:
    """The rows that a whole sweep leaves out; it finishes all the same."""
    with capture_logs() as said:
        assert sweep(journey.ports).failed == ()
    return {line["row"] for line in said if line["event"] == "row_left_out"}


@pytest.mark.parametrize("waits", [timedelta(), timedelta(days=900)])
def test_a_job_that_cannot_be_read_holds_up_no_other(journey: Journey, waits: timedelta) -> None:
    bad = several(journey, len(JOB_TIMES))
    good = journey.submit(SECOND_TEXT, SECOND, action="create")
    Job.objects.exclude(pk=good.pk).update(available_at=journey.now() + waits)
    for job, column in zip(bad, JOB_TIMES, strict=True):
        spoil("publisher_job", column, job.pk)
    assert left(journey) == {f"Job {job.pk}" for job in bad}
    journey.work()
    assert fresh(good).state == State.WAITING_APPROVAL


def test_a_site_that_cannot_be_read_holds_up_no_other(journey: Journey) -> None:
    bad = several(journey, len(SITE_TIMES))
    good = journey.submit(SECOND_TEXT, SECOND, action="create")
    beside = [aside(journey, f"aside-{column}".replace("_", "-")) for column in SITE_TIMES]
    for job, site, column in zip(bad, beside, SITE_TIMES, strict=True):
        Job.objects.filter(pk=job.pk).update(site=site)
        spoil("publisher_site", column, site.pk)
    Outbox.objects.all().delete()
    Site.objects.filter(pk=journey.site.pk).update(fetched_at=None)
    assert left(journey) >= {f"Site {site.pk}" for site in beside}
    assert Outbox.objects.filter(pk=f"site_fetch:{journey.site.pk}").exists()
    journey.work()
    assert fresh(good).state == State.WAITING_APPROVAL


def test_a_message_that_cannot_be_read_holds_up_no_other(journey: Journey) -> None:
    Outbox.objects.all().delete()
    good = f"site_fetch:{journey.site.pk}"
    for name in (*MESSAGE_TIMES, good):
        Outbox.objects.create(
            id=name, kind="site_fetch", payload={"site": journey.site.pk}, due_at=journey.now(),
            created_at=journey.now(),
        )  # fmt: skip
    for column in MESSAGE_TIMES:
        spoil("publisher_outbox", column, column)
    assert left(journey) == {f"Outbox {column}" for column in MESSAGE_TIMES}
    journey.deliver()
    done = Outbox.objects.filter(done_at__isnull=False)
    assert list(done.values_list("pk", flat=True)) == [good]


def test_a_request_that_cannot_be_read_keeps_no_other_open(journey: Journey) -> None:
    bad = several(journey, len(REQUEST_TIMES))
    good = journey.submit(SECOND_TEXT, SECOND, action="create")
    journey.work()
    Approval.objects.update(wait_until=journey.now() - timedelta(seconds=1))
    for job, column in zip(bad, REQUEST_TIMES, strict=True):
        spoil("reviews_approval", column, Approval.objects.get(job=job).pk)
    assert len(left(journey)) == len(bad)
    assert fresh(good).state == State.REVIEW
    assert {fresh(job).state for job in bad} == {State.WAITING_APPROVAL}


def test_a_seal_whose_time_cannot_be_read_does_not_end_sealing(journey: Journey) -> None:
    two(journey)
    assert sweep(journey.ports).counts["seals"]["changed"] == 2
    spoil("publisher_seal", "at", 1)
    journey.work()
    done = sweep(journey.ports)
    assert done.failed == ()
    assert done.counts["seals"]["changed"] == 2


def test_a_sign_of_life_that_cannot_be_read_is_written_anew(journey: Journey) -> None:
    nodes.show_life("here", "worker", journey.now())
    spoil("publisher_node", "heartbeat_at", Node.objects.get(role="worker").pk)
    assert selectors.nodes() == []
    nodes.show_life("here", "worker", journey.now())
    assert [node.name for node in selectors.nodes()] == ["here"]


def test_the_installations_own_odd_time_stops_no_delivery(journey: Journey) -> None:
    nodes.note_restore(journey.now() - timedelta(days=1), journey.now() - timedelta(hours=1))
    spoil("publisher_node", "heartbeat_at", Node.objects.get(role="installation").pk)
    journey.published(FRESH_TEXT, FRESH, action="create")


def test_as_many_rows_are_found_as_were_asked_for(journey: Journey) -> None:
    jobs = [journey.submit(FRESH_TEXT, f"content/posts/{n}.mdx", action="create") for n in range(5)]
    spoil("publisher_job", "created_at", jobs[1].pk)
    spoil("publisher_job", "created_at", jobs[2].pk)
    with spoiled.left_out() as names:
        rows = spoiled.readable(Job.objects.order_by("pk")[1:3])
    assert [row.pk for row in rows] == [jobs[3].pk, jobs[4].pk]
    assert sorted(names) == sorted(f"Job {job.pk}" for job in jobs[1:3])


def test_sound_rows_are_read_in_one_question(
    journey: Journey, django_assert_num_queries: Any
) -> None:
    two(journey)
    with django_assert_num_queries(1):
        assert len(spoiled.readable(Job.objects.order_by("pk"))) == 2


def test_the_oldest_due_job_is_the_oldest_that_can_be_read(journey: Journey) -> None:
    bad, good = two(journey)
    spoil("publisher_job", "available_at", bad.pk)
    assert selectors.oldest_due(journey.now()) == fresh(good).available_at


def test_work_ends_though_a_due_job_cannot_be_read(journey: Journey) -> None:
    bad, good = two(journey)
    spoil("publisher_job", "available_at", bad.pk)
    replace(journey.engine(), pause=no_end(MISSES)).until_idle()
    assert fresh(good).state == State.WAITING_APPROVAL


def test_work_ends_though_a_due_job_cannot_be_claimed(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = two(journey)
    real = leases.claim

    def claim(job_id: str, **more: Any) -> Any:
        if job_id == bad.pk:
            raise AttributeError("'NoneType' object has no attribute 'get'")
        return real(job_id, **more)

    monkeypatch.setattr(leases, "claim", claim)
    engine = replace(journey.engine(), pause=no_end(MISSES))
    with capture_logs() as said:
        engine.until_idle()
    assert fresh(good).state == State.WAITING_APPROVAL
    assert engine.given_up() == [bad.pk]
    told = [line["job_id"] for line in said if line["event"] == "job_not_claimed"]
    assert told == [bad.pk]


def no_end(most: int) -> Any:
    """A pause that says after so many that the work goes on without end."""
    left = iter(range(most))

    def pause(_seconds: float) -> None:
        if next(left, None) is None:
            raise AssertionError("The engine waits without end.")

    return pause


@pytest.mark.parametrize("table", ["publisher_job", "publisher_node", "reviews_approval"])
def test_verify_names_the_row_that_is_left_out(journey: Journey, table: str) -> None:
    two(journey)
    journey.work()
    nodes.show_life("here", "worker", journey.now())
    times = {"publisher_node": "heartbeat_at", "reviews_approval": "opened_at"}
    models: dict[str, Any] = {
        "publisher_job": Job, "publisher_node": Node, "reviews_approval": Approval,
    }  # fmt: skip
    key = models[table].objects.latest("pk").pk
    assert found(journey) == set()
    spoil(table, times.get(table, "updated_at"), key)
    assert ("row_unreadable", f"{table} {key}") in found(journey)
