"""Workflows: what each kind of action is, its steps, and how each step may be replayed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from publisher.domain.envelope import SCHEMA, digest
from publisher.domain.errors import InvalidInput
from publisher.domain.states import Lane


class ReplayPolicy(StrEnum):
    """What may happen after a crash when nobody knows whether a step's effect took place."""

    SAFE = "safe"  # has no effect outside; runs again
    IDEMPOTENT = "idempotent"  # runs again under the same key
    RECONCILE_FIRST = "reconcile-first"  # look outside, then perhaps again
    NEVER = "never"  # a person decides


class Risk(StrEnum):
    """How much harm an unwanted action does; risky ones are held back a moment before the fence."""

    ROUTINE = "routine"
    RISKY = "risky"


@dataclass(frozen=True, slots=True)
class Step:
    """One unit of a workflow. ``version`` rises whenever its stored results stop being reusable.

    ``is_cheap``: pure and quick, so that its checkpoint may be written with the next step's.
    """

    name: str
    version: int
    policy: ReplayPolicy
    is_cheap: bool = False


PREPARE = (
    Step("collect", 1, ReplayPolicy.SAFE),
    Step("dedup", 1, ReplayPolicy.SAFE, is_cheap=True),
    Step("draft", 1, ReplayPolicy.IDEMPOTENT),  # a provider may bill it
    Step("quality", 1, ReplayPolicy.SAFE, is_cheap=True),
    Step("secrets", 1, ReplayPolicy.SAFE, is_cheap=True),
    Step("frontmatter", 1, ReplayPolicy.SAFE, is_cheap=True),  # with MDX: one text, one parse
    Step("fonts", 1, ReplayPolicy.SAFE, is_cheap=True),
    Step("manifest", 1, ReplayPolicy.SAFE),
)

ALL_FIELDS = (
    "schema",
    "job_id",
    "action",
    "target",
    "scope",
    "requester",
    "input_hash",
    "payload_hash",
    "derived",
    "commit",
    "memory",
    "not_before",
)
"""Every top field of a publication's envelope. A field that is not named here binds as well."""


@dataclass(frozen=True, slots=True)
class Action:
    """One row of the action table."""

    name: str
    lane: Lane
    schema: str
    binding_fields: tuple[str, ...]
    replay_policy: ReplayPolicy
    risk: Risk
    steps: tuple[Step, ...]


ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "blog.publish/v1": Action(
            name="blog.publish/v1",
            lane=Lane.PUBLISH,
            schema=SCHEMA,
            binding_fields=ALL_FIELDS,
            replay_policy=ReplayPolicy.RECONCILE_FIRST,
            risk=Risk.ROUTINE,
            steps=PREPARE,
        ),
        "git.revert/v1": Action(
            name="git.revert/v1",
            lane=Lane.PUBLISH,
            schema=SCHEMA,
            binding_fields=(*ALL_FIELDS, "reverts"),
            replay_policy=ReplayPolicy.RECONCILE_FIRST,
            risk=Risk.ROUTINE,
            steps=PREPARE,
        ),
    }
)


def action(kind: str) -> Action:
    """The row of an action; raises InvalidInput for a kind that nobody declared."""
    if kind not in ACTIONS:
        raise InvalidInput("kind", f"There is no such kind; known: {', '.join(sorted(ACTIONS))}.")
    return ACTIONS[kind]


def fingerprint(steps: Sequence[Step]) -> str:
    """The hash of a definition: changes with any name, version, policy or the order."""
    return digest([[step.name, step.version, step.policy.value] for step in steps])
