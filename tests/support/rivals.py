"""What may happen to a job while somebody says yes to it: each is done as the product does it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import transaction

from publisher import authority, clock
from publisher.domain.errors import ImprimaturError, NotAuthorised
from publisher.models import Job, Site
from reviews.models import Approval
from reviews.services import approvals, policies
from reviews.services import people as service
from tests.support import jobs, people
from tests.support.requests import As

Json = dict[str, Any]
Doer = Callable[[Json, Json], Json]


def apart(count: int) -> list[Json]:
    """Waiting jobs, each at a site and with a reviewer of its own: what one round changes ends with it."""
    found = []
    for number in range(count):
        place = jobs.site(f"blog-{number}")
        reviewer = people.add(f"reviewer-{number}", "reviewer").name
        job = jobs.waiting(at=place, now=clock.now())
        asked = {"approval": jobs.request_of(job).pk, "hash": job.binding_hash}
        found.append({"job": job.pk, "site": place.name, "reviewer": reviewer, **asked})
    return found


def would_leave(job: Job) -> bool:
    """Whether the fence would let it go out now, looked up and taken back."""
    with transaction.atomic():
        try:
            authority.current().authorise(job, job.binding_hash, clock.now())
        except NotAuthorised:
            return False
        finally:
            transaction.set_rollback(True)
    return True


def _cancel(racer: Json, target: Json) -> Json:
    """Its submitter stops the job."""
    answer = As(racer["name"]).post(f"/jobs/{target['job']}/cancel")
    code = "" if answer.status_code == 200 else answer.json()["code"]
    return {"code": code, "status": answer.status_code, "body": {}}


def _expire(racer: Json, target: Json) -> Json:
    """A sweep for which the time to answer is over; its machine's clock is ahead of the others'."""
    request = Approval.objects.select_related("job__site").get(pk=target["approval"])
    moved = approvals.lapse(request, request.wait_until + timedelta(seconds=1))
    return {"code": "" if moved else "too_late", "body": {}}


def _take_role(racer: Json, target: Json) -> Json:
    """The reviewer of this round is one no longer."""
    return _done(
        lambda: service.remove_role(
            service.find(target["reviewer"]),
            scope="default",
            role="reviewer",
            caller=people.caller(racer["name"]),
        )
    )


def _ask_two(racer: Json, target: Json) -> Json:
    """From now on two have to say yes at this round's site."""
    return _done(
        lambda: policies.put(
            caller=people.caller(racer["name"]),
            scope="default",
            site=Site.objects.get(name=target["site"]),
            rules={"approvals": 2},
            why="It is read by many.",
            now=clock.now(),
        )
    )


def _done(act: Callable[[], object]) -> Json:
    try:
        act()
    except ImprimaturError as refused:
        return {"code": refused.code, "body": {}}
    return {"code": "", "body": {}}


ACTS: dict[str, Doer] = {
    "cancel": _cancel,
    "expire": _expire,
    "take_role": _take_role,
    "ask_two": _ask_two,
}
