"""start: what ``run``, ``serve`` and ``worker`` do before anything else."""

import sys

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connections

from publisher.processes import holds
from publisher.processes.doctor import database
from publisher.processes.doctor.answer import Level
from publisher.processes.doctor.examine import examine, troubles


def begin(*, will_migrate: bool = False) -> int:
    """Show that the data folder is in use, and stop with words where something does not hold."""
    database.own_migrations()
    try:
        held = holds.use(settings.DATA_DIR / "processes")
    except holds.InUse as error:
        raise CommandError(str(error), returncode=2) from error
    except OSError as error:
        message = f"{settings.DATA_DIR} cannot be used: {error.strerror}."
        raise CommandError(message, returncode=2) from error
    found = examine(will_migrate=will_migrate)
    for each in found:
        if each.level is Level.WARNING:
            sys.stderr.write(f"imprimatur: {each.title}: {each.message}\n")
    if bad := troubles(found):
        said = "\n".join(f"  {each.title}: {each.message}" for each in bad)
        raise CommandError(f"Imprimatur does not start like this:\n{said}", returncode=2)
    connections.close_all()
    return held
