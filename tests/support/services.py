"""Services that a machine may lack: a test says so, and under CI that is a failure."""

import os
from typing import NoReturn

import pytest


def missing(service: str, *, package: str) -> NoReturn:
    """Skip for want of a service; where CI=true nothing may be skipped."""
    reason = f"{service} is not on this machine (Debian package: {package})"
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI=true allows no skipped test: {reason}", pytrace=False)
    pytest.skip(reason)
