"""Tells work that grows with a text's length from work that explodes, by time or by calls; not speed."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# The guarded texts need 0.02 to 4 s on a machine of 2 cores; quadratic work on them needs hours.
CPU_SECONDS = 60


@contextmanager
def no_explosion() -> Iterator[None]:
    """Fail where the block burnt CPU time that no slow or busy machine explains."""
    began = time.process_time()
    yield
    assert time.process_time() - began < CPU_SECONDS


def calls_of(work: Callable[[], object]) -> int:
    """How many calls the work makes, of functions in Python and in C: the same on each machine."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count
