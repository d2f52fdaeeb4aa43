"""Texts: what people read is valid Unicode without NUL, whichever way it came in."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from publisher.domain.envelope import canonical
from publisher.domain.errors import InvalidInput
from publisher.domain.paths import shown

NUL = b"\x00"
LARGEST = 2**53 - 1
"""Up to here every program that reads JSON reads a whole number as it was written."""


def check_readable(text: str | bytes, *, field: str) -> None:
    """InvalidInput for a text that not every database keeps, or that nobody can see whole.

    Bytes are the text of a file; their encoding is the business of prepare.
    """
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError:
        raise InvalidInput(
            field, f"The {_named(field)} is not valid Unicode. Send it as UTF-8."
        ) from None
    if NUL in data:
        raise InvalidInput(field, f"The {_named(field)} holds a NUL character. Remove it.")


def check_readable_values(values: Mapping[str, Any], *, field: str) -> None:
    """The same for all texts of JSON values, which must have a canonical form as well."""
    for text in texts_of(values):
        check_readable(text, field=field)
    for key, value in values.items():
        try:
            canonical(value)
        except InvalidInput:
            raise InvalidInput(field, _uncanonical(key, value)) from None


def _uncanonical(key: str, value: Any) -> str:
    if any(_is_out_of_range(leaf) for leaf in _leaves(value)):
        return (
            f"The value for “{shown(key)}” holds a number that not every program reads alike: it is "
            f"beyond {LARGEST} or has no end. Write it as a text, in quotes."
        )
    return (
        f"The value for “{shown(key)}” cannot be written as JSON. Send the whole article as the "
        "content."
    )


def _is_out_of_range(leaf: Any) -> bool:
    if isinstance(leaf, float):
        return not math.isfinite(leaf)
    return isinstance(leaf, int) and abs(leaf) > LARGEST


def _named(field: str) -> str:
    return field.replace("_", " ")


def texts_of(values: Any) -> Iterator[str]:
    """All texts of a JSON value, keys too."""
    return (leaf for leaf in _leaves(values) if isinstance(leaf, str))


def _leaves(values: Any) -> Iterator[Any]:
    """All that a JSON value holds and that holds nothing itself, keys too."""
    waiting = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
        else:
            yield value
