"""A breach: one promise that does not hold, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Breach:
    """``rule`` is stable for programs; ``subject`` names the job, site or artifact."""

    rule: str
    subject: str
    message: str
