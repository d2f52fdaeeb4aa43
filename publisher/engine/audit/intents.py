"""Intents: an open write is the very one that its job's history announces last."""

from collections.abc import Iterator

from django.db.models import Q, QuerySet

from publisher.domain.states import State
from publisher.engine import effects
from publisher.engine.audit.breach import Breach, unreadable
from publisher.models import Effect, JobEvent
from publisher.spoiled import each

_ANNOUNCED = Q(target=State.PUSHING.value) | Q(event="effect_intent")
_TRIES = 3
_NAMES = {"tip": "tip", "commit": "commit", "manifest": "manifest_hash"}
"""What the event calls it, and the write."""


def check(writes: QuerySet[Effect]) -> Iterator[Breach]:
    """Open writes are few: each is compared by itself."""
    rows = writes.filter(status__in=effects.OPEN).select_related("job").order_by("pk")
    yield from each(rows, _check, unreadable("publisher_effect"))


def _check(effect: Effect) -> Iterator[Breach]:
    """One that is announced anew while it is looked at is looked at again."""
    for _ in range(_TRIES):
        wrong = _differing(effect)
        present = Effect.objects.select_related("job").filter(pk=effect.pk).first()
        if not wrong or present is None or present.updated_at == effect.updated_at:
            break
        effect = present
    if wrong:
        message = f"Its open write is not the one that was announced: {', '.join(wrong)} differ."
        yield Breach("intent_differs", effect.job_id, message)


def _differing(effect: Effect) -> list[str]:
    events = JobEvent.objects.filter(_ANNOUNCED, job=effect.job_id).order_by("-seq")
    facts = events.values_list("facts", flat=True).first() or {}
    wrong = [name for name, column in _NAMES.items() if facts.get(name) != getattr(effect, column)]
    is_sent = effect.job.state == State.PUSHING.value
    if is_sent and effect.commit != effect.job.local_commit:
        wrong.append("the job's commit")
    return wrong
