"""Columns that hold a name of the program's hold no other: the database itself refuses."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Model

from publisher.domain.states import State
from publisher.models import Delta, Job
from publisher.models.conflict import Judged
from tests.support import jobs

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("column", ["resume_state", "recheck_origin", "failure_class", "lane"])
def test_a_job_holds_known_names_only(column: str) -> None:
    job = jobs.received()
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.filter(pk=job.pk).update(**{column: "SOMEWHERE"})


def test_a_wait_may_begin_in_any_state() -> None:
    job = jobs.received()
    for state in ["", *State]:
        Job.objects.filter(pk=job.pk).update(resume_state=state, recheck_origin=state)
    assert Job.objects.get(pk=job.pk).resume_state == list(State)[-1]


def test_a_delta_is_judged_by_one_of_two_words() -> None:
    job = jobs.received()
    for number, verdict in enumerate(Judged):
        delta(job, str(number), verdict=verdict)
    with pytest.raises(IntegrityError), transaction.atomic():
        delta(job, "other", verdict="MAYBE")


def delta(job: Job, fingerprint: str, **fields: Any) -> Model:
    return Delta.objects.create(
        job=job, fingerprint=fingerprint, created_at=job.created_at, **fields
    )
