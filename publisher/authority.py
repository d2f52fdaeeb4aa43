"""The Authority that settings name, as a database backend is named; without one nothing may leave."""

from functools import lru_cache
from typing import cast

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.utils.module_loading import import_string

from publisher.ports import Authority


class NoAuthority(ImproperlyConfigured, CommandError):
    """An error of the settings for code, and a sentence without a traceback for commands."""


@lru_cache(maxsize=1)
def current() -> Authority:
    """The configured authority; NoAuthority when there is none (fail closed)."""
    dotted = settings.IMPRIMATUR_AUTHORITY
    if not dotted:
        raise NoAuthority(
            "This needs to know who may approve, and the folder reviews is missing. Put it back."
        )
    return cast(Authority, import_string(dotted)())
