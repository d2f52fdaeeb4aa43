"""Findings: what a gate saw, where, and what a person can do about it."""

from collections.abc import Collection
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


OF_THE_SITE = frozenset({"lfs_path", "font_path", "path_symlink", "path_twin"})
"""Rules about what the site holds or is set to: once that is changed, the same draft fits."""


def can_prepare_again(rules: Collection[str], *, is_complete: bool) -> bool:
    """Whether a job in REVIEW is prepared again as it is; ``rules`` are those that block it still.

    That helps one that stopped before its draft was complete, and one that only the site keeps.
    """
    return OF_THE_SITE.issuperset(rules) if rules else not is_complete
