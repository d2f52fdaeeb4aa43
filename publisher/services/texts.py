"""Texts: what people read is valid Unicode without NUL, whichever way it came in."""

from collections.abc import Iterator
from typing import Any

from publisher.domain.envelope import canonical
from publisher.domain.errors import InvalidInput

NUL = b"\x00"


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


def check_readable_values(values: Any, *, field: str) -> None:
    """The same for all texts of a JSON value, which must have a canonical form as well."""
    try:
        canonical(values)
    except InvalidInput as error:
        raise InvalidInput(field, error.message) from None
    for text in texts_of(values):
        check_readable(text, field=field)


def _named(field: str) -> str:
    return field.replace("_", " ")


def texts_of(values: Any) -> Iterator[str]:
    """All texts of a JSON value, keys too."""
    waiting = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
