"""The Authority that settings name, as a database backend is named; without one nothing may leave."""

from functools import lru_cache
from typing import cast

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from publisher.ports import Authority


@lru_cache(maxsize=1)
def current() -> Authority:
    """The configured authority; ImproperlyConfigured when there is none (fail closed)."""
    dotted = settings.IMPRIMATUR_AUTHORITY
    if not dotted:
        raise ImproperlyConfigured("No authority is configured, so nothing can be approved.")
    return cast(Authority, import_string(dotted)())
