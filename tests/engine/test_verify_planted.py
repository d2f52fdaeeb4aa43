"""verify finds each breach of a list: rows written past the product, one at a time, in one process."""

from collections.abc import Callable

import pytest
from django.db import transaction

from publisher.domain.states import State
from publisher.engine import relay
from publisher.models import Effect, Job, Outbox, Revision, Site
from reviews.models import Approval
from tests.support.journey import FRESH, FRESH_TEXT, Journey, fresh
from tests.support.planted import found, write
from tests.support.spoil import spoil

OTHER = "sha256:" + "1" * 64
COMMIT = "c" * 40
LATER = "2099-01-01 00:00:00"
OF_JOB = "WHERE job_id = '{job}'"


class Killed(BaseException):
    """The process is gone: nothing answers it."""


def waiting(journey: Journey, _: pytest.MonkeyPatch) -> Job:
    """Asked about."""
    job = journey.submit(FRESH_TEXT, FRESH, action="create")
    journey.work()
    return fresh(job)


def ready(journey: Journey, _: pytest.MonkeyPatch) -> Job:
    """Approved."""
    return journey.approved(FRESH_TEXT, FRESH, action="create")


def pushing(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> Job:
    """Approved, announced, and its worker died before it pushed."""
    job = ready(journey, monkeypatch)

    def death(*_arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(relay, "push", death)
        with pytest.raises(Killed):
            journey.work()
    assert fresh(job).state == State.PUSHING
    return fresh(job)


def published(journey: Journey, _: pytest.MonkeyPatch) -> Job:
    """On the remote."""
    return journey.published(FRESH_TEXT, FRESH, action="create")


def _job(columns: str) -> str:
    return f"UPDATE publisher_job SET {columns} WHERE id = '{{job}}'"


def _approval(columns: str) -> str:
    return f"UPDATE reviews_approval SET {columns} {OF_JOB}"


def _effect(columns: str) -> str:
    return f"UPDATE publisher_effect SET {columns} {OF_JOB}"


NO_DECISION = "DELETE FROM reviews_decision"
Stage = Callable[[Journey, pytest.MonkeyPatch], Job]
PLANTED: dict[Stage, list[tuple[str, str]]] = {
    waiting: [
        ("job_changed", _job(f"binding_hash = '{OTHER}'")),
        ("job_changed", _job(f"not_before = '{LATER}'")),
        ("job_changed", _job("operation = 'delete'")),
        ("approval_changed", _approval(f"status = 'approved', valid_until = '{LATER}'")),
        ("approval_changed", _approval("parts = '[]'")),
        ("artifact_unknown", "DELETE FROM publisher_artifact WHERE kind = 'content'"),
        ("stale_generation", _job("generation = 0")),
    ],
    ready: [
        ("job_changed", _job(f"binding_hash = '{OTHER}'")),
        ("job_changed", _job(f"target_sha256 = '{OTHER}'")),
        ("job_changed", _job("title = 'Other'")),
        ("job_changed", _job("operation = 'delete'")),
        ("job_changed", _job(f"key_digest = '{OTHER[7:]}'")),
        ("job_changed", _job(f"request_hash = '{OTHER}'")),
        ("job_changed", _job("kind = 'git.revert/v1'")),
        ("job_changed", _job("lane = 'report'")),
        ("approval_changed", _approval("status = 'pending'")),
        ("approval_changed", _approval("status = 'rejected'")),
        ("approval_changed", _approval(f"valid_until = '{LATER}'")),
        ("approval_changed", _approval("policy_version = 99")),
        ("decision_changed", NO_DECISION),
        ("decision_changed", "UPDATE reviews_decision SET comment = 'other'"),
        ("decision_changed", "UPDATE reviews_decision SET door = 'mail'"),
        ("decision_changed", "UPDATE reviews_decision SET at = '2020-01-01 00:00:00'"),
        ("artifact_unknown", "DELETE FROM publisher_artifact WHERE kind = 'content'"),
    ],
    pushing: [
        ("stuck", _effect("status = 'absent'")),
        ("stuck", _effect("status = 'closed'")),
        ("stuck", _effect("status = 'confirmed'")),
        ("stuck", "DELETE FROM publisher_effect"),
        ("intent_differs", _effect(f"tip = '{COMMIT}'")),
        ("intent_differs", _effect(f"\"commit\" = '{COMMIT}'")),
        ("intent_differs", _effect(f"manifest_hash = '{OTHER}'")),
        ("intent_differs", _job(f"local_commit = '{COMMIT}'")),
        ("stale_generation", _job("generation = 0")),
        ("approval_changed", _approval("status = 'void'")),
    ],
    published: [
        ("job_changed", _job(f"binding_hash = '{OTHER}'")),
        ("intent_differs", _effect("operation_key = 'x'")),
        ("approval_changed", _approval("status = 'approved'")),
        ("approval_changed", _approval("parts = '[]'")),
        ("artifact_unknown", "DELETE FROM publisher_artifact WHERE kind = 'content'"),
    ],
}


def test_what_is_planted_in_one_site_is_no_breach_of_another(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = published(journey, monkeypatch)
    Site.objects.create(name="other", scope="default", remote="/none", created_at=journey.now())
    write(NO_DECISION)
    write(_approval("parts = '[]'").format(job=job.pk))
    assert {subject for _, subject in found(journey, site="magazine")} == {job.pk}
    assert found(journey, site="other") == set()


def test_an_odd_time_of_one_site_is_no_breach_of_another(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = published(journey, monkeypatch)
    Site.objects.create(name="other", scope="default", remote="/none", created_at=journey.now())
    rows = {
        ("publisher_job", "not_before", job.pk),
        ("publisher_effect", "updated_at", Effect.objects.get().pk),
        ("publisher_outbox", "created_at", Outbox.objects.filter(kind="site_fetch")[0].pk),
        ("publisher_site", "created_at", journey.site.pk),
        ("reviews_approval", "valid_until", Approval.objects.get().pk),
    }
    for row in rows:
        spoil(*row)
    told = {("row_unreadable", f"{table} {key}") for table, _, key in rows}
    assert told <= found(journey, site="magazine")
    assert found(journey, site="other") == set()


def test_a_file_that_only_the_manifest_names_is_missed_by_reading_it(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = published(journey, monkeypatch)
    content = Revision.objects.get().content
    write("UPDATE reviews_approval SET parts = '[]'")
    write("UPDATE publisher_revision SET content = ''")
    write("DELETE FROM publisher_artifact WHERE sha256 = %s", content)
    assert ("artifact_unknown", job.pk) not in found(journey)
    assert ("artifact_unknown", job.pk) in found(journey, deep=True)


@pytest.mark.parametrize("stage", list(PLANTED), ids=lambda stage: str(stage.__name__))
def test_each_planted_breach_is_told(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, stage: Stage
) -> None:
    job = stage(journey, monkeypatch)
    assert found(journey, deep=True) == set()
    missed = []
    for rule, statement in PLANTED[stage]:
        point = transaction.savepoint()
        write(statement.format(job=job.pk))
        if (rule, job.pk) not in (told := found(journey)):
            missed.append((rule, statement, told))
        transaction.savepoint_rollback(point)
    assert missed == []
    assert found(journey) == set()
