"""Database: whole, reachable, of this release, not older than what is known of it, and on time."""

import os
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from pkgutil import iter_modules

from django.apps import apps
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

from publisher import clock, seal_file, spoiled, sqlite_file
from publisher.processes.doctor import clock_word
from publisher.processes.doctor.answer import Answer, ok, trouble, warning
from publisher.processes.doctor.clock_word import Word

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
WARN_SECONDS = 5
STOP_SECONDS = 120
_OWN = ("publisher", "reviews")


def whole(path: Path, data_dir: Path) -> Answer:
    """SQLite's file is this account's, and neither empty, nor cut, nor gone from a used folder."""
    said = {"path": path}
    for each in sqlite_file.files_of(path):
        # Asked of the system: SQLite itself begins even a transaction of writes, and then fails.
        if each.exists() and not os.access(each, os.R_OK | os.W_OK):
            message = _("%(path)s cannot be read and written by this account: give it the file.")
            return trouble(message % {"path": each})
    if why := sqlite_file.refusal(path, data_dir):
        way_out = _("Put a backup back (restore), or the file itself, before anything is started.")
        return trouble(f"{why} {way_out}")
    if path.exists() and _is_short(path):
        return trouble(
            _("The database %(path)s was cut short; its log does not fill it up.") % said
        )
    return ok(_("SQLite's file is whole."))


def _is_short(path: Path) -> bool:
    """Whether the file is still shorter than it says after its log was written into it."""
    try:
        with closing(sqlite3.connect(path, timeout=1)) as probe:
            busy, in_log, moved = probe.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            pages = probe.execute("PRAGMA page_count").fetchone()[0]
            size = probe.execute("PRAGMA page_size").fetchone()[0]
    except sqlite3.OperationalError:
        return False  # locked: somebody works with it
    except sqlite3.DatabaseError:
        return True
    return not busy and in_log == moved and path.stat().st_size < pages * size


def reachable() -> Answer:
    """The database answers."""
    try:
        clock.now()
    except DatabaseError as error:
        why = " ".join(str(error).split())[:300]
        return trouble(_("The database does not answer: %(why)s") % {"why": why})
    return ok(_("The database answers."))


def migrations(*, will_migrate: bool = False) -> Answer:
    """The database has the form that this program expects; files that came after it are not its own."""
    executor = MigrationExecutor(connection)
    others = {each for each in executor.loader.disk_migrations if each[0] not in _OWN}
    known, applied = own_migrations() | others, set(executor.loader.applied_migrations)
    ours = {app for app, _name in known}
    later = sorted(f"{app}.{name}" for app, name in applied - known if app in ours)
    later = [each for each in later if each not in _replaced(executor)]
    if later:
        message = _(
            "The database is of a later release (%(names)s). Install that release, and start again "
            "what still runs."
        )
        return trouble(message % {"names": ", ".join(later)})
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    missing = sum((each.app_label, each.name) in known for each, _backwards in plan)
    if missing and not will_migrate:
        message = _("The database is older than the program (%(count)d steps): run migrate.")
        return trouble(message % {"count": missing})
    return ok(_("The database has this release's form."))


def _replaced(executor: MigrationExecutor) -> set[str]:
    rows = executor.loader.replacements.values()
    return {f"{app}.{name}" for row in rows for app, name in row.replaces}


def is_of_this_release() -> bool:
    """Whether just our own migrations are applied: one question, and nothing of them is loaded."""
    known = own_migrations()
    applied = MigrationRecorder.Migration.objects.filter(app__in={app for app, _name in known})
    try:
        return set(applied.values_list("app", "name")) == known
    except DatabaseError:
        return False  # nothing was ever migrated, or nothing answers


@cache
def own_migrations() -> frozenset[tuple[str, str]]:
    """Our own migrations by their files, as they are when it is first asked: each start asks.

    A program stays what it was when another release is put in its place on the disk.
    """
    own = [app for app in _OWN if app in apps.app_configs]  # the engine also runs alone
    folders = {app: Path(apps.get_app_config(app).path) / "migrations" for app in own}
    return frozenset(
        (app, found.name)
        for app, folder in folders.items()
        for found in iter_modules([str(folder)])
    )


def not_older(seals: Path) -> Answer:
    """The database knows the last seal that was written to the file beside it."""
    number = seal_file.unknown(seals)
    if number is None:
        return ok(_("The database knows the last seal."))
    message = _(
        "The database is older than its seals (%(path)s, number %(number)d): writes were lost, or "
        "an older copy was put in its place. Put the right one back. If the older one is meant: "
        "restore --accept."
    )
    return trouble(message % {"path": seals, "number": number})


def on_time(machine: float | None = None, *, word: Word | None = None) -> Answer:
    """The clocks agree, and neither is before what has happened already.

    Where the clock was ahead, what it wrote then stands against one that is right: ``word`` is a
    person's, that it is.
    """
    now = clock.now()
    here = datetime.fromtimestamp(time.time() if machine is None else machine, UTC)
    apart = abs((here - now).total_seconds())
    if min(here, now) < EARLIEST:
        return trouble(_("The clock says %(time)s: set it.") % {"time": min(here, now)})
    with spoiled.left_out() as unread:
        newest = clock_word.latest(word)
    if newest is not None and now < newest - timedelta(seconds=STOP_SECONDS):
        message = _(
            "The clock (%(now)s) is before the newest event (%(event)s): set it. If it is right, and "
            "was ahead then: python3 manage.py doctor --clock-is-right TIME, with the present time "
            "as another clock shows it."
        )
        return trouble(message % {"now": now, "event": newest})
    said = {"seconds": round(apart)}
    if apart > STOP_SECONDS:
        message = _("This machine's clock and the database's are %(seconds)d s apart: set them.")
        return trouble(message % said)
    if apart > WARN_SECONDS:
        return warning(_("This machine's clock and the database's are %(seconds)d s apart.") % said)
    if unread:
        message = _("The time of the newest event cannot be read (%(row)s): verify says more.")
        return warning(message % {"row": ", ".join(unread[:3])})
    return ok(_("The clock is right by all that is known."))
