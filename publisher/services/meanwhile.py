"""Meanwhile: a job that moved on under somebody's act is told in words, whatever the way it came."""

from collections.abc import Iterator
from contextlib import contextmanager

from publisher.domain.errors import StaleWorker, WrongState


@contextmanager
def told() -> Iterator[None]:
    """A StaleWorker of the journal leaves as WrongState, with the same facts."""
    try:
        yield
    except StaleWorker as moved:
        raise WrongState("The job moved on meanwhile. Look again.", **moved.facts) from None
