"""Workflows: the order of the steps, the action table and what a fingerprint notices."""

from dataclasses import replace
from typing import Any

import pytest

from publisher.domain.envelope import build, taking_back
from publisher.domain.errors import InvalidInput
from publisher.domain.states import Lane
from publisher.domain.workflows import (
    ACTIONS,
    PREPARE,
    ReplayPolicy,
    Risk,
    Step,
    action,
    fingerprint,
)


def test_prepare_takes_these_steps_in_this_order() -> None:
    names = "collect dedup draft quality secrets frontmatter fonts manifest"
    assert [step.name for step in PREPARE] == names.split()


def test_only_the_draft_may_be_billed_outside() -> None:
    assert {step.name for step in PREPARE if step.policy != ReplayPolicy.SAFE} == {"draft"}


def test_publishing_looks_at_the_remote_before_it_pushes_again() -> None:
    publish = action("blog.publish/v1")
    assert publish.replay_policy is ReplayPolicy.RECONCILE_FIRST
    assert (publish.lane, publish.risk, publish.steps) == (Lane.PUBLISH, Risk.ROUTINE, PREPARE)


def envelope(action: str) -> dict[str, Any]:
    return build(
        job_id="j",
        action=action,
        site="s",
        remote="/r",
        branch="main",
        operation="create",
        paths=[],
        scope="default",
        requester="ada",
        input_hash="",
        payload_hash="",
        derived=[],
        commit={"subject": "s", "author": "a"},
        memory=None,
        not_before=None,
    )


def test_publishing_binds_each_field_of_the_envelope() -> None:
    fields = tuple(envelope("blog.publish/v1"))
    assert action("blog.publish/v1").binding_fields == fields


def test_taking_back_also_binds_what_is_taken_back() -> None:
    fields = tuple(taking_back(envelope("git.revert/v1"), job_id="old", commit="c" * 40))
    assert action("git.revert/v1").binding_fields == fields
    assert fields[-1] == "reverts"


def test_each_action_is_filed_under_its_own_name() -> None:
    assert {name: row.name for name, row in ACTIONS.items()} == {name: name for name in ACTIONS}


@pytest.mark.parametrize("kind", ["", "blog.publish", "blog.publish/v2", "BLOG.PUBLISH/V1"])
def test_an_undeclared_kind_is_refused(kind: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        action(kind)
    assert caught.value.field == "kind"


def test_a_fingerprint_is_stable() -> None:
    assert fingerprint(PREPARE) == fingerprint(list(PREPARE))


@pytest.mark.parametrize(
    "steps",
    [
        PREPARE[1:],
        PREPARE[::-1],
        (replace(PREPARE[0], version=2), *PREPARE[1:]),
        (replace(PREPARE[0], name="gather"), *PREPARE[1:]),
        (replace(PREPARE[0], policy=ReplayPolicy.NEVER), *PREPARE[1:]),
        (),
    ],
    ids=["fewer", "order", "version", "name", "policy", "none"],
)
def test_a_fingerprint_notices_each_change(steps: tuple[Step, ...]) -> None:
    assert fingerprint(steps) != fingerprint(PREPARE)
