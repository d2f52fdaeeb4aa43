"""Waiting for a state with a deadline; the only place in the tests that lets time pass."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def until(look: Callable[[], Answer], *, seconds: float, what: str, every: float = 0.02) -> Answer:
    """Look until the answer is true and return it; fail with a sentence when the time is up."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while True:
        answer = look()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for {what}; last answer: {answer!r}")
        pause.wait(every)
