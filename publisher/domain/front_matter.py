"""Front matter values: what a job may set, so that YAML and TOML alike can hold it on one line."""

import math
from collections.abc import Mapping, Sequence

Scalar = str | int | float | bool
Value = Scalar | Sequence[Scalar]


def misfit(values: Mapping[str, object]) -> str | None:
    """The first key whose value is none: neither text, number, truth value nor a list of these."""
    return next((key for key, value in values.items() if not _is_value(value)), None)


def _is_value(value: object) -> bool:
    return _is_scalar(value) or (isinstance(value, list | tuple) and all(map(_is_scalar, value)))


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str | int)
