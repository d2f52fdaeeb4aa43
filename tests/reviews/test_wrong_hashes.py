"""Wrong hashes: who sends many of no version of the job may not decide for a while, at any door."""

from datetime import datetime, timedelta

import pytest
from django.test import Client

from publisher import clock, selectors
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Job
from publisher.services import revise
from reviews.models import Decision, Principal, WrongHash
from reviews.services import wrong_hashes
from tests.support import doors, jobs
from tests.support.doors import Door
from tests.support.people import token

pytestmark = pytest.mark.django_db

OTHER_HASH = "sha256:" + "0" * 64


@pytest.fixture(params=doors.ALL, ids=lambda door: door.name)
def door(request: pytest.FixtureRequest) -> Door:
    """Each door in turn."""
    found: Door = request.param
    return found


def guess(door: Door, who: str, job: Job, *, times: int, now: datetime | None = None) -> list[str]:
    """The codes of so many answers to a hash that was never the job's."""
    request = jobs.request_of(job)
    sent = {"reviewed_hash": OTHER_HASH, **({} if now is None else {"now": now})}
    return [door.decide(who, request, "approve", **sent).code for _ in range(times)]


def test_the_tenth_wrong_hash_closes_every_door_to_its_sender_alone(door: Door, job: Job) -> None:
    assert set(guess(door, "rui", job, times=wrong_hashes.MOST)) == {"superseded"}
    for other in doors.ALL:
        answer = other.decide("rui", jobs.request_of(job), "approve", request_id="right")
        assert answer.code == "too_many_requests"
        assert answer.status in (0, 429)
    assert not Decision.objects.exists()
    assert WrongHash.objects.count() == wrong_hashes.MOST
    assert door.decide("mei", jobs.request_of(job), "approve").code == ""


def test_after_ten_minutes_its_sender_may_decide_again(job: Job) -> None:
    began = clock.now() - timedelta(minutes=10)
    guess(doors.Service(), "rui", job, times=wrong_hashes.MOST, now=began)
    early = began + timedelta(minutes=9)
    assert guess(doors.Service(), "rui", job, times=1, now=early) == ["too_many_requests"]
    assert doors.Service().decide("rui", jobs.request_of(job), "approve").code == ""


def test_a_hash_of_an_older_version_is_no_wrong_one(door: Door, job: Job) -> None:
    old = jobs.request_of(job)
    who = Who(Actor.SUBMITTER, "ada")
    edited = revise.revise(
        job, files={job.target_path: b"# Other\n"}, base_revision=1, who=who, now=clock.now()
    )
    jobs.waiting(edited, now=clock.now())
    codes = {door.decide("rui", old, "approve").code for _ in range(wrong_hashes.MOST + 1)}
    assert codes == {"superseded"}
    assert not WrongHash.objects.exists()


def test_the_history_tells_each_and_the_programs_answer_says_when_to_come_again(job: Job) -> None:
    guess(doors.Http(), "rui", job, times=wrong_hashes.MOST)
    found = [event for event in selectors.events(job) if event.event == "wrong_hash"]
    assert [(event.actor_name, event.facts["door"]) for event in found] == [("rui", "api")] * 10
    answer = Client().post(
        f"/api/v1/approvals/{jobs.request_of(job).pk}/decision",
        {"decision": "approve", "reviewed_hash": OTHER_HASH, "request_id": "r2"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token('rui', 'decide', 'read')}"},
    )
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 600


def test_the_page_keeps_what_was_typed_and_says_when_to_come_again(
    job: Job, client: Client
) -> None:
    guess(doors.Service(), "rui", job, times=wrong_hashes.MOST)
    user = Principal.objects.get(name="rui").user
    assert user is not None
    client.force_login(user)
    request = jobs.request_of(job)
    form = {"decision": "reject", "reviewed_hash": request.binding_hash, "request_id": "r1",
            "comment": "Not yet."}  # fmt: skip
    answer = client.post(f"/approvals/{request.pk}/decide/", form)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 600
    assert "Not yet." in answer.content.decode()
    assert "Wait ten minutes" in answer.content.decode()
