"""Pauses: what is approved waits at a paused site without a word, and goes on with it."""

from datetime import timedelta

from django.db.models import F

from publisher import selectors
from publisher.domain.states import State
from publisher.models import Job, Site
from publisher.services import sites
from tests.support.journey import FRESH, FRESH_TEXT, OMAR, Journey, fresh, told


def events(job: Job) -> list[str]:
    return [entry.event for entry in selectors.events(fresh(job))]


def approved(journey: Journey) -> Job:
    return journey.approved(FRESH_TEXT, FRESH, action="create")


def test_a_paused_site_holds_what_is_approved(journey: Journey) -> None:
    job = approved(journey)
    sites.pause(journey.site)
    before = journey.head()
    for _ in range(10):
        journey.hurry(job)
    assert (fresh(job).state, fresh(job).attempt) == ("LOCAL_COMMITTED", 0), told(job)
    assert journey.head() == before
    sites.resume(journey.site, who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_what_a_pause_holds_waits_without_a_word(journey: Journey) -> None:
    job = approved(journey)
    sites.pause(journey.site)
    journey.hurry(job)
    told = events(job)
    assert told[-1] == "held"
    for _ in range(3):
        journey.hurry(job)
    assert events(job) == told
    sites.pause(journey.site, lane="report")
    journey.hurry(job)
    assert events(job) == told
    journey.hurry(job, ago=timedelta(hours=2))  # the site may have changed meanwhile
    assert events(job) == [*told, "claimed", "held"]
    # The pause of another lane holds nothing here.
    Site.objects.update(paused_lanes=["report"])
    journey.hurry(job)
    assert fresh(job).state == State.PUBLISHED, told
    journey.is_sound(job)


def test_a_long_pause_uses_up_no_time_to_deliver(journey: Journey) -> None:
    job = approved(journey)
    sites.pause(journey.site)
    journey.hurry(job)
    ago = timedelta(hours=3)
    Job.objects.update(available_at=F("available_at") - ago, deadline_at=F("deadline_at") - ago)
    sites.resume(journey.site, who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)
