"""Keys: stable names of triggers, effects, compensations and notices, each in its own domain."""

import hashlib
import hmac
import uuid
from typing import Any

from publisher.domain.envelope import canonical, digest
from publisher.domain.errors import InvalidInput

_SCHEMA = "imprimatur.key/v1"
_OUTBOX = uuid.UUID("6b9d2a4e-2f0c-5c1f-9b8b-3a7c5f1f0e21")


def trigger_key(*, site: str, trigger: str, occurrence: str | int) -> str:
    """What started a job: for a topic's end, its session id and the number of its close."""
    return _key("trigger", site, trigger, occurrence)


def effect_key(*, job_id: str, step: str, resource: str, intent_version: int) -> str:
    """The operation key of an outside write. ``intent_version`` is the revision.

    Never an attempt or a generation: a retry must meet the key of the write that it repeats.
    """
    return digest(effect_parts(job_id, step, resource, intent_version))


def effect_parts(job_id: str, step: str, resource: str, intent_version: int) -> list[str | int]:
    """What an effect's key is the digest of."""
    return _parts("effect", job_id, step, resource, intent_version)


def compensation_key(*, job_id: str, step: str, resource: str, intent_version: int) -> str:
    """The operation key of what undoes the effect of the same four values."""
    return _key("compensation", job_id, step, resource, intent_version)


def notification_key(*, job_id: str, event_seq: int, channel: str, recipient: str) -> str:
    """One message about one event, to one person, by one way."""
    return _key("notification", job_id, event_seq, channel, recipient)


def outbox_id(payload: Any) -> uuid.UUID:
    """The id of a message that belongs to no job: the same payload always has the same one."""
    return uuid.uuid5(_OUTBOX, canonical(payload).decode())


def keyed_digest(secret: bytes, value: str) -> str:
    """HMAC-SHA256 in 64 hex digits: tells equal raw values from unequal ones and keeps neither."""
    if not secret:
        raise InvalidInput("secret", "A keyed digest needs a secret.")
    # Whatever a client sends must have a digest, lone surrogates too.
    return hmac.new(secret, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def own_digest(secret: bytes, key: str) -> str:
    """The keyed digest of a key that the product made itself, as that of a topic's end.

    What such a key is made of can be read by many, and clients name their own keys as they like. No
    client's key has this digest, because none may hold a NUL.
    """
    return keyed_digest(secret, f"\0{key}")


def _key(domain: str, *parts: str | int) -> str:
    return digest(_parts(domain, *parts))


def _parts(domain: str, *parts: str | int) -> list[str | int]:
    return [_SCHEMA, domain, *parts]
