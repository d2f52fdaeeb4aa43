"""A manage.py command that dies like a killed process, right before the N-th change to the disk."""

import os
import sys
from collections.abc import Callable
from typing import Any

from django.core.management import execute_from_command_line

CHANGES = ("replace", "rename", "fsync", "unlink", "link")
CODE = 137


def arm(number: int) -> Callable[[], int]:
    """Count what changes the disk and die before the change with this number; tells the count."""
    count = 0

    def dying(real: Callable[..., Any]) -> Callable[..., Any]:
        def act(*given: Any, **named: Any) -> Any:
            nonlocal count
            count += 1
            if count == number:
                os._exit(CODE)
            return real(*given, **named)

        return act

    for name in CHANGES:
        setattr(os, name, dying(getattr(os, name)))
    return lambda: count


if __name__ == "__main__":
    counted = arm(int(sys.argv[1]))
    execute_from_command_line(["manage.py", *sys.argv[2:]])
    sys.stderr.write(f"changes={counted()}\n")
