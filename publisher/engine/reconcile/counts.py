"""Counts: what a reconciler looked at, changed and left."""

from dataclasses import dataclass


@dataclass(slots=True)
class Counts:
    """Filled while a reconciler runs."""

    looked_at: int = 0
    changed: int = 0
    left: int = 0
