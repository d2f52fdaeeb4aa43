"""Keys set on an article: what cannot be done so is a finding, and no success."""

from typing import Any

import pytest

from publisher import selectors
from publisher.domain.states import State
from publisher.models import Job, Revision
from tests.support.git import blob, second_person
from tests.support.journey import FRESH, TARGET, Journey, fresh, told


def rules(job: Job) -> set[str]:
    return {finding.rule for finding in selectors.findings(fresh(job))}


@pytest.mark.parametrize("action", [None, "update"])
def test_keys_of_an_article_that_is_not_there_need_people(
    journey: Journey, action: str | None
) -> None:
    job = journey.submit(None, FRESH, action=action, set_front_matter={"title": "New"})
    journey.work()
    assert (fresh(job).state, rules(job)) == (State.REVIEW, {"target_missing"}), told(job)


@pytest.mark.parametrize(
    "value",
    ["password: hunter2hunter2X9k", "password:\nhunter2hunter2X9k", ["a", "password=hunter2X9k"]],
    ids=str,
)
def test_a_secret_that_was_taken_out_of_a_value_needs_people(
    journey: Journey, value: str | list[str]
) -> None:
    """Else the mark in its place would be published, and nobody told to revoke it."""
    job = journey.submit(None, TARGET, set_front_matter={"note": value})
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.REVIEW, "secret"), told(job)


@pytest.mark.parametrize("values", [{"title": None}, {}], ids=str)
def test_values_from_before_that_cannot_be_set_stop_no_worker(
    journey: Journey, values: dict[str, Any]
) -> None:
    """Such rows were taken once; a revision's inputs are never changed, so a new one holds them."""
    job = journey.submit(None, TARGET, set_front_matter={"title": "New"})
    first = job.revisions.get()
    Revision.objects.create(
        job=job, number=2, inputs={**first.inputs, "set_front_matter": values},
        input_hash=first.input_hash, author="ada", created_at=first.created_at,
    )  # fmt: skip
    Job.objects.filter(pk=job.pk).update(revision=2)
    journey.work()
    expected = State.REVIEW if values else State.SKIPPED
    assert fresh(job).state == expected, told(job)
    assert ("front_matter" in rules(job)) is bool(values)


@pytest.mark.parametrize(
    "article",
    [
        b"---\ntitle: Old\n...\n\nBody.\n",
        b"---\rtitle: Old\r---\r\rBody.\r",
        b'{"title": "Old"}\n\nBody.\n',
    ],
    ids=["dots", "carriage returns", "json"],
)
def test_front_matter_that_is_not_read_gets_no_second_one_on_top(
    journey: Journey, article: bytes
) -> None:
    second_person(journey.remote, {FRESH: article}, "another form")
    job = journey.submit(None, FRESH, set_front_matter={"title": "New"})
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert "front_matter" in rules(job)
    assert "--- (YAML)" in fresh(job).failure_message
    assert blob(journey.remote, FRESH) == article


def test_numbers_and_lists_of_them_are_published(journey: Journey) -> None:
    values = {"weight": 1.5, "years": [2024, 5], "draft": False}
    journey.published(None, TARGET, set_front_matter=values)
    head = blob(journey.remote, TARGET).split(b"---\n")[1].decode()
    assert {"weight: 1.5", "years: [2024, 5]", "draft: false"} <= set(head.splitlines())
