"""alone: one bad row, clone or folder is its own trouble, and stops neither the others nor the sweep."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import DatabaseError

from publisher.domain.errors import ImprimaturError, StaleWorker
from publisher.engine.reconcile.counts import Counts

log = structlog.get_logger(__name__)


@contextmanager
def alone(counts: Counts, reconciler: str, **which: object) -> Iterator[None]:
    """Look at one thing; whatever goes wrong is logged, and the thing counts as left."""
    try:
        yield
    except StaleWorker:
        counts.left += 1  # somebody else is at it
    except Exception as error:
        counts.left += 1
        expected = isinstance(error, (ImprimaturError, DatabaseError, OSError))
        log.warning(
            "reconciler_left_one", reconciler=reconciler, reason=words(error),
            exc_info=not expected, **which,
        )  # fmt: skip


def words(error: Exception) -> str:
    """What went wrong, for a job's history; a defect is named by its kind alone."""
    if isinstance(error, ImprimaturError):
        return error.message
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"Unexpected {type(error).__name__}."
