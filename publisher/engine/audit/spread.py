"""Spread: how one piece of work is done for many shares, here or in other processes."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

Share = TypeVar("Share")
Result = TypeVar("Result")


class Spread(Protocol):
    """Like ``map``, which is one; another may do several shares at once, and begin at once."""

    def __call__(
        self, work: Callable[[Share], Result], shares: Sequence[Share], /
    ) -> Iterator[Result]:
        """The results, in the order of the shares."""
