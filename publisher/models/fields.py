"""Column kinds that many tables share: hashes, commits, repository paths."""

from enum import StrEnum
from typing import Any

from django.db import models

HASH_LENGTH = len("sha256:") + 64
COMMIT_LENGTH = 64
PATH_LENGTH = 1000


def hash_field(**options: Any) -> "models.CharField[str, str]":
    """A ``sha256:`` + 64 hex value; empty while unknown."""
    return models.CharField(max_length=HASH_LENGTH, blank=True, default="", **options)


def commit_field(**options: Any) -> "models.CharField[str, str]":
    """A full commit id; empty while unknown."""
    return models.CharField(max_length=COMMIT_LENGTH, blank=True, default="", **options)


def one_of(name: str, column: str, values: type[StrEnum]) -> models.CheckConstraint:
    """The database's own guard that a column holds a member of an enum, without ``choices``."""
    return models.CheckConstraint(
        name=name, condition=models.Q(**{f"{column}__in": [str(value) for value in values]})
    )
