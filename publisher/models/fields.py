"""Column kinds that many tables share: hashes, commits, repository paths."""

from enum import StrEnum
from typing import Any

from django.db import models

from publisher.domain.paths import place_key

HASH_LENGTH = len("sha256:") + 64
COMMIT_LENGTH = 64
PATH_LENGTH = 1000


def hash_field(**options: Any) -> "models.CharField[str, str]":
    """A ``sha256:`` + 64 hex value; empty while unknown."""
    return models.CharField(max_length=HASH_LENGTH, blank=True, default="", **options)


def commit_field(**options: Any) -> "models.CharField[str, str]":
    """A full commit id; empty while unknown."""
    return models.CharField(max_length=COMMIT_LENGTH, blank=True, default="", **options)


def one_of(
    name: str, column: str, values: type[StrEnum], *, or_empty: bool = False
) -> models.CheckConstraint:
    """The database's own guard that a column holds a member of an enum, without ``choices``."""
    known = [*([""] if or_empty else []), *(str(value) for value in values)]
    return models.CheckConstraint(name=name, condition=models.Q(**{f"{column}__in": known}))


class PlaceKeyField(models.BinaryField[bytes, bytes]):
    """``paths.place_key`` of the row's ``path``, however the row is written.

    Bytes, because they compare alike in every database, whatever its language.
    """

    def pre_save(self, model_instance: models.Model, add: bool) -> bytes:
        key = place_key(model_instance.path)  # type: ignore[attr-defined]
        setattr(model_instance, self.attname, key)
        return key

    def deconstruct(self) -> Any:
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.BinaryField", args, kwargs
