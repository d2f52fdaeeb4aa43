"""Cores: work on many shares in as many processes as there are cores."""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

import django
from django.db import connection

Share = TypeVar("Share")
Result = TypeVar("Result")

WORTH_IT = 4
"""Fewer shares are done before a process has started."""


def spread(work: Callable[[Share], Result], shares: Sequence[Share]) -> Iterator[Result]:
    """Begin at once, one process a core; the results come in the order of the shares.

    ``work`` reads the database and must not write. Where others would not help, or would not see an
    open transaction's rows, it is done here.
    """
    cores = len(os.sched_getaffinity(0))
    if cores < 2 or len(shares) < WORTH_IT or connection.in_atomic_block:
        return map(work, shares)
    # Not forked: a copy would share this one's connection and its locks.
    pool = ProcessPoolExecutor(
        min(cores, len(shares)), mp_context=get_context("spawn"), initializer=_begin
    )
    begun = [pool.submit(work, share) for share in shares]
    # What was handed in is done; then they end.
    pool.shutdown(wait=False)
    return (_result(one, work, share) for one, share in zip(begun, shares, strict=True))


def _begin() -> None:
    """Nobody looks for cycles: rows hold none, and looking costs a sixth of all; the process ends soon."""
    django.setup()
    gc.disable()


def _result(begun: Future[Result], work: Callable[[Share], Result], share: Share) -> Result:
    try:
        return begun.result()
    except BrokenProcessPool:
        # One of them was killed, and all end with it: what is left is done here.
        return work(share)
