"""Tells work that grows with a text's length from work that explodes; says nothing about speed."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

# The guarded texts need 0.02 to 4 s on a machine of 2 cores; quadratic work on them needs hours.
CPU_SECONDS = 60


@contextmanager
def no_explosion() -> Iterator[None]:
    """Fail where the block burnt CPU time that no slow or busy machine explains."""
    began = time.process_time()
    yield
    assert time.process_time() - began < CPU_SECONDS
