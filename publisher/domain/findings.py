"""Findings: what a gate saw, where, and what a person can do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding weighs; only BLOCK stops a draft."""

    BLOCK = "block"
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a gate found; ``line`` and ``column`` count from 1 in the whole file.

    ``message`` says what is wrong, ``advice`` what to do instead; neither repeats a secret.
    """

    severity: Severity
    path: str
    line: int | None
    rule: str
    message: str
    advice: str
    column: int | None = None
