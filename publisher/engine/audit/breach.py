"""A breach: one promise that does not hold, where, and what to do about it."""

from collections.abc import Callable
from dataclasses import dataclass

from publisher.engine.audit.advice import ADVICE


@dataclass(frozen=True, slots=True)
class Breach:
    """``rule`` is stable for programs; ``subject`` names the job, site, artifact or guard."""

    rule: str
    subject: str
    message: str

    @property
    def advice(self) -> str:
        """What to do."""
        return ADVICE.get(self.rule, "Read the history of this job, and the log of its time.")

    @property
    def is_warning(self) -> bool:
        """Whether it is told and breaks no promise: others' right, or what nobody can look at any more."""
        return self.rule in WARNINGS


WARNINGS = frozenset({"branch_unchecked", "history_rewritten", "site_unchecked", "seals_cut"})


def unchecked(name: str, why: str) -> Breach:
    """A whole check that could not be made."""
    return Breach("check_failed", name, f"This check could not be finished: {why}.")


def unreadable(table: str) -> Callable[[str, str], Breach]:
    """How one row of a table is told that does not hold what the product writes there."""

    def tell(key: str, why: str) -> Breach:
        return Breach("row_unreadable", f"{table} {key}", f"It holds what cannot be: {why}.")

    return tell
