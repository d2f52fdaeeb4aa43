"""Answer: what one check found, in words."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """``trouble`` stops a start; ``warning`` is said."""

    OK = "ok"
    WARNING = "warning"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Answer:
    """The check's result, without its name."""

    level: Level
    message: str


def ok(message: str) -> Answer:
    """All is well."""
    return Answer(Level.OK, message)


def warning(message: str) -> Answer:
    """Worth knowing; the product works."""
    return Answer(Level.WARNING, message)


def trouble(message: str) -> Answer:
    """The product must not start like this."""
    return Answer(Level.TROUBLE, message)
