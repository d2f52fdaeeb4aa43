"""A clock that jumps ahead and back: nothing waits longer than it was meant to, and no hold is cut short."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.utils import timezone
from django_q.models import Schedule

from publisher import leases
from publisher.domain.errors import StaleWorker
from publisher.domain.states import State
from publisher.engine.reconcile import clocks, fetches, sweep
from publisher.engine.reconcile.counts import Counts
from publisher.models import JobEvent, LiveSight, Outbox, Site
from publisher.processes import due_work
from publisher.services.sites import request
from tests.support.clock import ManualClock
from tests.support.journey import FRESH, FRESH_TEXT, Journey, fresh, told
from tests.support.live import make_live

HOUR, YEAR = 3600, 366 * 24 * 3600
LONGEST_RETRY, LEASE = 300, 90

pytestmark = pytest.mark.parametrize("jump", [HOUR // 2, 6 * HOUR, 10 * YEAR])


@pytest.fixture
def clock(journey: Journey) -> ManualClock:
    """The engine's clock, right until a test moves it."""
    clock = ManualClock(journey.now())
    journey.ports = replace(journey.ports, clock=clock)
    return clock


def ahead(clock: ManualClock, jump: int, act: Callable[[], object]) -> None:
    """Do it while the clock is wrong."""
    clock.advance(jump)
    act()
    clock.advance(-jump)


def test_a_retry_comes_in_its_time(journey: Journey, clock: ManualClock, jump: int) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    away = journey.remote.rename(journey.remote.with_name("away.git"))
    ahead(clock, jump, journey.work)
    assert fresh(job).state == State.RETRY_WAIT, told(job)
    assert fresh(job).available_at > clock.now() + timedelta(seconds=HOUR // 4)
    away.rename(journey.remote)
    journey.work()
    clock.advance(LONGEST_RETRY)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    event = JobEvent.objects.get(job=job, event="clock_set_right")
    assert event.reason.startswith("The clock was ahead")
    journey.is_sound(job)


def test_a_dead_worker_is_followed_after_one_lease(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    ahead(clock, jump, lambda: leases.claim(job.pk, owner="dead", now=clock.now(), seconds=LEASE))
    journey.work()
    assert fresh(job).owner == "dead", "for as long as it may live"
    clock.advance(LEASE + 1)
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


def test_a_host_that_slept_goes_on_and_its_sleeper_writes_nothing(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    claimed = leases.claim(job.pk, owner="asleep", now=clock.now(), seconds=LEASE)
    assert claimed is not None
    clock.advance(jump)
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    with pytest.raises(StaleWorker):
        leases.renew(claimed[1], now=clock.now(), seconds=LEASE)
    assert fresh(job).owner == ""


def test_a_worker_that_lives_keeps_what_it_holds(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    claimed = leases.claim(job.pk, owner="alive", now=clock.now(), seconds=LEASE)
    assert claimed is not None
    clock.advance(-jump)
    clocks.run(journey.ports)
    leases.renew(claimed[1], now=clock.now(), seconds=LEASE)
    assert fresh(job).lease_until == clock.now() + timedelta(seconds=LEASE)


def test_a_message_is_delivered_in_its_time(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    def fail() -> None:
        request(journey.site, "site_fetch", now=clock.now())
        journey.deliver()

    away = journey.remote.rename(journey.remote.with_name("away.git"))
    ahead(clock, jump, fail)
    away.rename(journey.remote)
    clocks.run(journey.ports)
    clock.advance(LONGEST_RETRY)
    journey.deliver()
    assert Outbox.objects.get(kind="site_fetch").done_at == clock.now()


def test_a_message_of_a_dead_worker_is_taken_over_after_one_lease(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    def die() -> None:
        Outbox.objects.all().delete()
        request(journey.site, "site_fetch", now=clock.now())
        message = Outbox.objects.get()
        leases.take_message(message, owner="dead", now=clock.now(), seconds=LEASE)

    ahead(clock, jump, die)
    for _ in range(2):
        clocks.run(journey.ports)
        clock.advance(LEASE + 1)
        journey.deliver()
    assert Outbox.objects.get().done_at is not None


def test_a_site_that_was_fetched_in_the_future_is_fetched_now(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    Site.objects.update(fetched_at=clock.now() + timedelta(seconds=jump))
    Outbox.objects.all().delete()
    fetches.run(journey.ports)
    assert Outbox.objects.filter(kind="site_fetch", due_at=clock.now()).count() == 1
    assert clocks.run(journey.ports) == Counts(looked_at=1, changed=1)
    assert Site.objects.get().fetched_at is None
    journey.deliver()
    assert Site.objects.get().fetched_at == clock.now()


def test_a_time_that_a_person_asked_for_stays(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    when = clock.now() + timedelta(days=2)
    job = journey.approved(FRESH_TEXT, FRESH, action="create", not_before=when)
    journey.work()
    assert fresh(job).available_at == when, told(job)
    clock.advance(-jump)
    clocks.run(journey.ports)
    assert fresh(job).available_at == when


def test_a_draft_for_later_is_made_in_its_time(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    """Its wait for a retry is no wait for the moment that a person asked for."""
    when = clock.now() + timedelta(days=20 * 366)
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    later = clock.now() + timedelta(seconds=jump)
    type(job).objects.filter(pk=job.pk).update(
        updated_at=later, available_at=later + timedelta(seconds=60), not_before=when
    )
    clocks.run(journey.ports)
    assert fresh(job).available_at == clock.now() + timedelta(seconds=60)


def test_a_hold_that_began_in_the_future_is_held_whole(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    """Its policy says half a minute: neither half an hour, nor no time at all."""
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    later = clock.now() + timedelta(seconds=jump)
    type(job).objects.filter(pk=job.pk).update(
        updated_at=later, available_at=later + timedelta(seconds=30)
    )
    clocks.run(journey.ports)
    assert fresh(job).available_at == clock.now() + timedelta(seconds=30)
    clocks.run(journey.ports)
    assert fresh(job).available_at == clock.now() + timedelta(seconds=30)


def test_a_live_checkout_that_was_seen_in_the_future_is_looked_at(
    journey: Journey, clock: ManualClock, jump: int
) -> None:
    live = make_live(journey)
    ahead(clock, jump, live.scan)
    assert LiveSight.objects.get().looked_at > clock.now()
    journey.published(FRESH_TEXT, FRESH, action="create")
    sweep(journey.ports)
    journey.deliver()
    assert live.read(FRESH) == FRESH_TEXT


def test_the_sweep_itself_comes_in_its_time(
    db: None, jump: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.fromisoformat("2026-05-03T12:00:00+00:00")
    monkeypatch.setattr(timezone, "now", lambda: now)
    due_work.schedule_sweep("publisher.tasks.sweep", seconds=300)
    rows = Schedule.objects.filter(name="sweep")
    rows.update(next_run=now + timedelta(seconds=jump))
    due_work.hurry_sweep(300)
    assert rows.get().next_run == now
    rows.update(next_run=now + timedelta(seconds=300))
    due_work.hurry_sweep(300)
    assert rows.get().next_run == now + timedelta(seconds=300)
