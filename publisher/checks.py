"""System checks: what must hold of the settings before anything may start."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from publisher import databases
from publisher.processes.backup import moves

QUEUE_VERSION = "1.11.1"
INSTALLATION = "installation"
"""The tag of what may differ from one installation to the next; the rest of Django's checks look at code."""


@register(INSTALLATION)
def queue_is_the_known_one(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """The death-safe queue replaces inner parts of django-q2: only the known release will do."""
    found = version("django-q2")
    if found == QUEUE_VERSION:
        return []
    hint = "Install the locked requirements; to upgrade, run tests/processes first."
    return [Error(f"django-q2 is {found}, not {QUEUE_VERSION}.", hint=hint, id="publisher.E001")]


@register(INSTALLATION)
def sqlite_keeps_its_word(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """SQLite in its default mode loses writers; an address may not switch ours off."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] != databases.SQLITE:
        return []
    if database["OPTIONS"].get("transaction_mode") == "IMMEDIATE":
        return []
    return [Error("DATABASE_URL takes transaction_mode=IMMEDIATE away.", id="publisher.E002")]


@register(INSTALLATION)
def requests_are_not_transactions(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """A transaction as long as a request would hold SQLite's only write lock over rendering."""
    if not settings.DATABASES["default"].get("ATOMIC_REQUESTS"):
        return []
    return [Error("ATOMIC_REQUESTS must stay off.", id="publisher.E003")]


@register(INSTALLATION)
def no_restore_is_half_done(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """A restore that was cut short is seen to its end before anything else is done."""
    if not moves.pending(settings.DATA_DIR):
        return []
    hint = "Finish it: python3 manage.py restore."
    return [Error("A restore was cut short.", hint=hint, id="publisher.E005")]
