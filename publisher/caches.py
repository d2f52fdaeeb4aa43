"""Caches: what is kept to save work; one that does not answer holds nothing and denies nothing."""

from typing import Any

import structlog
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = structlog.get_logger(__name__)


class PatientRedisCache(RedisCache):
    """Redis as a cache: while it is gone every look is a miss, and what is written is lost."""

    def add(
        self,
        key: Any,
        value: Any,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> bool:
        """Keep what is not there yet; whether it was kept."""
        try:
            return bool(super().add(key, value, timeout, version))
        except RedisError as error:
            return bool(_lost(error, instead=False))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """What is kept, or the default."""
        try:
            return super().get(key, default, version)
        except RedisError as error:
            return _lost(error, instead=default)

    def set(
        self,
        key: Any,
        value: Any,
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> None:
        """Keep it, where that can be done."""
        try:
            super().set(key, value, timeout, version)
        except RedisError as error:
            _lost(error, instead=None)

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Count on; ValueError for a key that is not kept, as Django has it."""
        try:
            return int(super().incr(key, delta, version))
        except RedisError as error:
            _lost(error, instead=None)
            raise ValueError("The cache does not answer.") from error


def _lost(error: RedisError, *, instead: Any) -> Any:
    log.warning("cache_unreachable", error=str(error))
    return instead
