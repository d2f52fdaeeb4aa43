"""Documents: JSON of others, in which each key stands once."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from publisher.domain.errors import InvalidInput
from publisher.domain.paths import shown


@dataclass(frozen=True, slots=True)
class _Doubled:
    """Stands for an object that names a key twice, of which JSON would keep the last alone."""

    key: str


def parse(text: str | bytes, *, name: str) -> Any:
    """The value; ``name`` is what people call the document.

    ValueError and RecursionError as from ``json.loads``; InvalidInput names the doubled key, or
    the field whose value holds one.
    """
    document = json.loads(text, object_pairs_hook=_object)
    _refuse_doubled(document, name)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Doubled:
    counts = Counter(key for key, _value in pairs)
    doubled = next((key for key, count in counts.items() if count > 1), None)
    return dict(pairs) if doubled is None else _Doubled(doubled)


def _refuse_doubled(document: Any, name: str) -> None:
    waiting = list(document.items()) if isinstance(document, dict) else [("", document)]
    while waiting:
        field, value = waiting.pop()
        if isinstance(value, _Doubled):
            message = f"{name} names “{shown(value.key)}” twice. Keep one of them."
            raise InvalidInput(field or value.key, message)
        inner = value.values() if isinstance(value, dict) else value
        waiting += [(field, item) for item in inner] if isinstance(value, dict | list) else []
