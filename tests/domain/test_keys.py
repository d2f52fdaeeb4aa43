"""Keys: stable, apart from each other, and blind to attempts."""

import hashlib
import hmac
import inspect
import json
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain import keys
from publisher.domain.errors import InvalidInput

EFFECT: dict[str, Any] = {
    "job_id": "j1",
    "step": "push",
    "resource": "docs:main",
    "intent_version": 1,
}


def test_an_effect_key_never_changes() -> None:
    spelled = json.dumps(
        ["imprimatur.key/v1", "effect", "j1", "push", "docs:main", 1], separators=(",", ":")
    )
    assert keys.effect_key(**EFFECT) == "sha256:" + hashlib.sha256(spelled.encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [{"job_id": "j2"}, {"step": "call"}, {"resource": "docs:dev"}, {"intent_version": 2}],
    ids=lambda change: next(iter(change)),
)
def test_each_part_of_an_effect_makes_another_key(change: dict[str, Any]) -> None:
    assert keys.effect_key(**{**EFFECT, **change}) != keys.effect_key(**EFFECT)


def test_an_effect_and_its_compensation_have_different_keys() -> None:
    assert keys.effect_key(**EFFECT) != keys.compensation_key(**EFFECT)


def test_the_same_parts_in_each_domain_have_different_keys() -> None:
    made = {
        keys.trigger_key(site="a", trigger="b", occurrence=1),
        keys.effect_key(job_id="a", step="b", resource="c", intent_version=1),
        keys.compensation_key(job_id="a", step="b", resource="c", intent_version=1),
        keys.notification_key(job_id="a", event_seq=1, channel="b", recipient="c"),
    }
    assert len(made) == 4


@given(one=st.tuples(st.text("a:/", max_size=3), st.text("a:/", max_size=3)), cut=st.integers(0, 6))
def test_parts_never_run_into_each_other(one: tuple[str, str], cut: int) -> None:
    joined = "".join(one)
    other = (joined[:cut], joined[cut:])

    def key(parts: tuple[str, str]) -> str:
        return keys.effect_key(job_id="j", step=parts[0], resource=parts[1], intent_version=1)

    assert (key(one) == key(other)) == (one == other)


def test_no_key_takes_an_attempt_or_a_generation() -> None:
    makers = (keys.trigger_key, keys.effect_key, keys.compensation_key, keys.notification_key)
    named = {name for maker in makers for name in inspect.signature(maker).parameters}
    assert not named & {"attempt", "generation", "owner", "lease"}


def test_a_topic_closed_again_is_another_trigger() -> None:
    first = keys.trigger_key(site="docs", trigger="topic:s1", occurrence=1)
    assert first == keys.trigger_key(site="docs", trigger="topic:s1", occurrence=1)
    assert first != keys.trigger_key(site="docs", trigger="topic:s1", occurrence=2)


def test_an_outbox_id_is_a_stable_uuid5_of_the_payload() -> None:
    made = keys.outbox_id({"site": "docs", "paths": ["a"]})
    assert made == keys.outbox_id({"paths": ["a"], "site": "docs"})
    assert made == uuid.UUID("1f855da7-1b79-5dc1-b9c6-13eb1bc9db86")
    assert made.version == 5


def test_another_payload_has_another_outbox_id() -> None:
    assert keys.outbox_id({"site": "docs"}) != keys.outbox_id({"site": "docs2"})


def test_a_keyed_digest_is_hmac_sha256() -> None:
    assert keys.keyed_digest(b"k", "值") == hmac.digest(b"k", "值".encode(), "sha256").hex()


def test_another_secret_gives_another_digest() -> None:
    assert keys.keyed_digest(b"k", "a") != keys.keyed_digest(b"l", "a")


@given(st.text().filter(lambda key: "\0" not in key), st.text())
def test_no_key_of_a_client_has_the_digest_of_one_of_the_products_own(key: str, own: str) -> None:
    assert keys.keyed_digest(b"k", key) != keys.own_digest(b"k", own)


def test_any_text_has_a_keyed_digest() -> None:
    assert keys.keyed_digest(b"k", "\ud800") != keys.keyed_digest(b"k", "\ud801")


def test_an_empty_secret_is_refused() -> None:
    with pytest.raises(InvalidInput):
        keys.keyed_digest(b"", "a")
