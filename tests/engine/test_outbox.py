"""Outbox: each message stands alone, and one that fails says why and comes again."""

from datetime import timedelta

import pytest
from django.db import OperationalError

from publisher.engine import outbox
from publisher.models import Outbox, Site
from tests.support.journey import Journey


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
    outbox.deliver_due(journey.ports)
    broken.refresh_from_db()
    good.refresh_from_db()
    assert good.done_at is not None
    assert (broken.done_at, broken.last_error, broken.tries) == (None, said, 1)
    assert before < broken.due_at < before + timedelta(seconds=outbox.CLAIM_SECONDS)


def test_it_comes_again_and_is_done_once_it_makes_sense(journey: Journey) -> None:
    broken = message(journey, "a broken one")
    outbox.deliver_due(journey.ports)
    now = journey.now()
    Outbox.objects.filter(pk=broken.pk).update(payload={"site": journey.site.pk}, due_at=now)
    outbox.deliver_due(journey.ports)
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
    outbox.deliver_due(journey.ports)
    waiting.refresh_from_db()
    assert (waiting.done_at, waiting.last_error, waiting.tries) == (None, "", 1)
