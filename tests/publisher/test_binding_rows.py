"""The binding of a job's rows: what is bound voids it whatever comes, what is not never does."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from publisher import envelopes
from publisher.domain.envelope import binding_hash
from publisher.models import Job, Revision, Site, Step
from reviews.services import policies
from tests.support import jobs, people
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db

_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
_NUMBER = st.integers(0, 2**31 - 1)
_COMMIT = st.text("0123456789abcdef", min_size=40, max_size=40)
_HASH = st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:{}".format)
_TIME = st.integers(1, 10**8).map(lambda seconds: NOW + timedelta(seconds=seconds))
_WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20)

UNBOUND_OF_JOB: Mapping[str, st.SearchStrategy[Any]] = {
    "topic": _TEXT, "summary": _TEXT, "provider": _TEXT, "idempotency_key": _TEXT,
    "base_commit": _COMMIT, "local_commit": _COMMIT, "remote_commit": _COMMIT,
    "recheck_head": _COMMIT, "recheck_delta": _HASH, "target_sha256": _HASH,
    "manifest_hash": _HASH, "source_sha256": _HASH, "request_hash": _HASH,
    "attempt": _NUMBER, "generation": _NUMBER, "state_version": _NUMBER,
    "available_at": _TIME, "deadline_at": _TIME, "committing_at": _TIME, "updated_at": _TIME,
    "failure_code": _WORD, "failure_message": _TEXT, "memory_scope": _WORD,
}  # fmt: skip
UNBOUND_OF_SITE: Mapping[str, st.SearchStrategy[Any]] = {
    "token_file": _TEXT, "host_keys": _TEXT, "live_checkout": _TEXT, "quiet_seconds": _NUMBER,
    "head": _COMMIT, "root_commit": _COMMIT, "stop_reason": _TEXT, "scope": _WORD,
    "paused_lanes": st.just(["publish"]), "required_front_matter": st.lists(_WORD, max_size=2),
    "articles": _TEXT, "assets": _TEXT, "trailer_prefix": _WORD,
}  # fmt: skip
BOUND_OF_JOB: Mapping[str, st.SearchStrategy[Any]] = {
    "kind": _WORD, "scope": _WORD, "requester": _WORD, "title": _WORD,
    "operation": st.sampled_from(["update", "delete"]), "not_before": _TIME,
    "memory_revision": _NUMBER,
}  # fmt: skip
BOUND_OF_SITE: Mapping[str, st.SearchStrategy[Any]] = {
    "name": _WORD, "remote": _WORD, "branch": _WORD,
}  # fmt: skip


@pytest.fixture
def job() -> Job:
    """A job that waits for its approval."""
    return jobs.waiting()


def _binding(job: Job) -> str:
    return binding_hash(envelopes.of(jobs.reloaded(job)))


def _some(columns: Mapping[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=dict(columns))


def _next_revision(job: Job) -> None:
    """The same content under another number, as a save that changes nothing would leave it."""
    for model in (Revision, Step):
        for row in model.objects.filter(job=job):
            row.pk = None
            setattr(row, "number" if model is Revision else "revision", job.revision + 1)
            row.save(force_insert=True)
    Job.objects.filter(pk=job.pk).update(revision=job.revision + 1)


def _new_policy(approvals: int) -> None:
    policies.put(
        caller=people.caller("omar"),
        scope="default",
        rules={"approvals": approvals},
        now=NOW,
        why="x",
    )


def _change(model: type[Job] | type[Site], pk: Any, columns: Mapping[str, Any]) -> None:
    if columns:
        model.objects.filter(pk=pk).update(**columns)


@settings(deadline=None, max_examples=60)
@given(
    of_job=_some(UNBOUND_OF_JOB),
    of_site=_some(UNBOUND_OF_SITE),
    is_renumbered=st.booleans(),
    approvals=st.none() | st.integers(1, 3),
)
def _unbound_things_change_nothing(
    job: Job, of_job: Any, of_site: Any, is_renumbered: bool, approvals: int | None
) -> None:
    with transaction.atomic():
        if is_renumbered:
            _next_revision(job)
        if approvals is not None:
            _new_policy(approvals)
        _change(Job, job.pk, of_job)
        _change(Site, job.site_id, of_site)
        assert _binding(job) == job.binding_hash
        transaction.set_rollback(True)


def test_unbound_rows_never_change_the_binding(job: Job) -> None:
    people.everybody()
    _unbound_things_change_nothing(job)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def _a_bound_thing_voids(job: Job, data: st.DataObject) -> None:
    model, columns = data.draw(st.sampled_from([(Job, BOUND_OF_JOB), (Site, BOUND_OF_SITE)]))
    row = job if model is Job else job.site
    name = data.draw(st.sampled_from(sorted(columns)))
    value = data.draw(columns[name].filter(lambda value: value != getattr(row, name)))
    with transaction.atomic():
        _change(model, row.pk, {name: value})
        assert _binding(job) != job.binding_hash, name
        transaction.set_rollback(True)


def test_a_bound_column_always_changes_the_binding(job: Job) -> None:
    _a_bound_thing_voids(job)


def test_another_base_changes_the_binding(job: Job) -> None:
    row = Step.objects.get(job=job, name="draft")
    row.outputs["bases"][job.target_path] = "sha256:" + "9" * 64
    row.save()
    assert _binding(job) != job.binding_hash
