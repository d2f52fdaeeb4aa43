"""Keys: each outside write still has the key of its job, its place and its version."""

from collections.abc import Iterator

import orjson
from django.db import connection

from publisher.domain.envelope import digest
from publisher.domain.keys import effect_parts
from publisher.engine.audit import stored_events
from publisher.engine.audit.stored_events import Share
from publisher.spoiled import ERRORS

_TEXT = {"sqlite": "e.target", "postgresql": "e.target::text"}
_EFFECTS = (
    "SELECT e.job_id, e.step, {target}, e.operation_key, j.revision "
    "FROM publisher_effect e JOIN publisher_job j ON j.id = e.job_id WHERE true"
)


def told(share: Share, site: str) -> Iterator[tuple[str, str, str]]:
    """(rule, job, what is wrong) of the writes of a share's jobs."""
    query = _EFFECTS.format(target=_TEXT[connection.vendor])
    for job, step, target, key, revision in stored_events.rows(query, "e.job_id j.id", share, site):
        if not _is_its(job, step, target, key, revision):
            yield "intent_differs", job, "The key of its write is not the one that was made for it."


def _is_its(job: str, step: str, target: str, key: str, revision: int) -> bool:
    """Whether a version of the job, mostly its last, has this key at the place of the write."""
    try:
        place = orjson.loads(target)
        resource = f"{place['site']}#{place['branch']}"
    except ERRORS:
        return False
    made = (effect_parts(job, step, resource, number) for number in range(revision, 0, -1))
    return any(key == stored_events.plain_digest(parts) or key == digest(parts) for parts in made)
