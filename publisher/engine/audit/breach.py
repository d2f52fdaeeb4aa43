"""A breach: one promise that does not hold, where, and what to do about it."""

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
        """Whether others did what they may do on their remote: told, but no broken promise."""
        return self.rule in WARNINGS


WARNINGS = frozenset({"history_rewritten"})
