"""Outbox: each message stands alone, and one that fails says why and comes again."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError

from publisher import leases
from publisher.adapters.git import in_use
from publisher.domain.errors import StaleWorker
from publisher.engine import outbox, sites
from publisher.models import Outbox, Site
from publisher.ports import Ports, Repository, SiteSpec
from publisher.services.sites import request
from tests.support.git import second_person
from tests.support.journey import Journey, calm, lost


def message(journey: Journey, key: str, kind: str = "site_fetch", **payload: int) -> Outbox:
    """A message that is due; the earlier key comes first."""
    now = journey.now()
    return Outbox.objects.create(id=key, kind=kind, payload=payload, due_at=now, created_at=now)


@pytest.mark.parametrize(
    ("kind", "said"), [("site_fetch", "Unexpected KeyError."), ("unknown", "Unexpected KeyError.")]
)
def test_a_message_that_makes_no_sense_stops_no_other(
    journey: Journey, kind: str, said: str
) -> None:
    broken = message(journey, "a broken one", kind)
    good = message(journey, "b a good one", site=journey.site.pk)
    before = journey.now()
    journey.deliver()
    broken.refresh_from_db()
    good.refresh_from_db()
    assert good.done_at is not None
    assert (broken.done_at, broken.last_error, broken.tries) == (None, said, 1)
    assert before < broken.due_at < before + timedelta(minutes=1)


@pytest.mark.parametrize("payload", [[], "site", 7, {"site": []}, {"site": "x"}, {"site": 10**30}])
@pytest.mark.parametrize("kind", ["site_fetch", "live_look", "external_sync", "record_published"])
def test_a_message_whose_payload_is_spoiled_stops_no_other(
    journey: Journey, kind: str, payload: Any
) -> None:
    broken = message(journey, "a broken one", kind)
    Outbox.objects.filter(pk=broken.pk).update(payload=payload)
    good = message(journey, "b a good one", site=journey.site.pk)
    journey.deliver()
    broken.refresh_from_db()
    good.refresh_from_db()
    assert good.done_at is not None
    assert (broken.done_at, broken.tries) == (None, 1)
    assert broken.last_error.startswith("Unexpected ")


def test_it_comes_again_and_is_done_once_it_makes_sense(journey: Journey) -> None:
    broken = message(journey, "a broken one")
    journey.deliver()
    now = journey.now()
    Outbox.objects.filter(pk=broken.pk).update(payload={"site": journey.site.pk}, due_at=now)
    journey.deliver()
    broken.refresh_from_db()
    assert broken.done_at is not None
    assert broken.last_error == ""


def test_a_busy_database_is_no_trouble_of_the_message(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = message(journey, "a", site=journey.site.pk)

    def busy(_message: Outbox) -> Site:
        raise OperationalError("database is locked")

    monkeypatch.setattr(outbox, "_site", busy)
    journey.deliver()
    waiting.refresh_from_db()
    assert (waiting.done_at, waiting.last_error, waiting.tries) == (None, "", 1)


def test_a_message_that_is_being_delivered_is_nobody_elses(journey: Journey) -> None:
    """Until its lease ends: whoever died over it delays it no longer than that."""
    waiting = message(journey, "a", site=journey.site.pk)
    now = journey.now()
    assert leases.take_message(waiting, owner="other:2", now=now, seconds=60) is not None
    journey.deliver()
    waiting.refresh_from_db()
    assert (waiting.done_at, waiting.owner, waiting.tries) == (None, "other:2", 1)
    Outbox.objects.filter(pk=waiting.pk).update(lease_until=now)
    journey.deliver()
    waiting.refresh_from_db()
    assert waiting.done_at is not None
    assert (waiting.owner, waiting.lease_until, waiting.tries) == ("", None, 2)


def test_a_delivery_is_held_as_long_as_it_is_renewed(journey: Journey) -> None:
    waiting = message(journey, "a", site=journey.site.pk)
    now = journey.now()
    held = leases.take_message(waiting, owner="one:1", now=now, seconds=10)
    assert held is not None
    leases.renew(held, now=now + timedelta(seconds=9), seconds=10)
    later = now + timedelta(seconds=18)
    assert leases.take_message(waiting, owner="two:2", now=later, seconds=10) is None
    assert leases.take_message(waiting, owner="two:2", now=later + timedelta(seconds=2), seconds=10)
    with pytest.raises(StaleWorker):
        leases.renew(held, now=later, seconds=10)


def test_whoever_lost_it_records_nothing_of_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = message(journey, "a", site=journey.site.pk)

    def overtaken(_site: Site, _ports: Ports) -> str:
        Outbox.objects.filter(pk=waiting.pk).update(owner="two:2")
        return ""

    monkeypatch.setattr(sites, "refresh", overtaken)
    journey.deliver()
    waiting.refresh_from_db()
    assert (waiting.done_at, waiting.owner) == (None, "two:2")
    assert waiting.lease_until is not None


def test_what_is_asked_for_again_meanwhile_comes_again(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    request(journey.site, "site_fetch", now=journey.now())
    times = []

    def slow(site: Site, _ports: Ports) -> str:
        times.append(site.name)
        if len(times) == 1:
            request(site, "site_fetch", now=journey.now())
        return ""

    monkeypatch.setattr(sites, "refresh", slow)
    journey.deliver()
    asked = Outbox.objects.get(pk=f"site_fetch:{journey.site.pk}")
    assert (asked.done_at, asked.owner) == (None, "")
    journey.deliver()
    asked.refresh_from_db()
    assert asked.done_at is not None
    assert len(times) == 2


def test_git_stops_once_the_message_is_somebody_elses(journey: Journey) -> None:
    """A process that was stopped for a while works on beside the one that took over no longer."""
    message(journey, "a", site=journey.site.pk)
    heard: list[bool] = []
    told = []

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
        heard.append(cancelled())
        return journey.ports.repository(spec, cancelled)

    ports = replace(journey.ports, repository=repository)
    for heartbeat in (calm, lost):
        Outbox.objects.filter(pk="a").update(done_at=None, due_at=journey.now())
        outbox.deliver_due(ports, owner="one:1", heartbeat=heartbeat, lease_seconds=9)
        told.append(heard[-1])
    assert told == [False, True]
    assert Site.objects.get().last_error == ""


def test_a_site_is_not_blamed_while_somebody_else_is_at_it(journey: Journey) -> None:
    waiting = message(journey, "a", site=journey.site.pk)
    fetching = journey.folder / "git" / str(journey.site.pk)
    lock = fetching / "clone.git" / "refs/remotes/origin/main.lock"
    lock.touch()
    second_person(journey.remote, {"README.md": b"x"}, "newer")
    with in_use.marked(fetching):
        journey.deliver()
    waiting.refresh_from_db()
    assert waiting.last_error == "Another git process holds a lock of this clone."
    assert Site.objects.get().last_error == ""
