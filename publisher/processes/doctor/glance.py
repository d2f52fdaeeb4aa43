"""Glance: what commands and tasks look at before they write, in two questions and no more."""

import structlog
from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError

from publisher import seal_file
from publisher.processes.doctor import database
from publisher.processes.doctor.answer import Answer, Level

log = structlog.get_logger(__name__)


def glance() -> None:
    """Stop with words where the database is not the one that this program knows.

    An old program must not write into a newer form, nor any program into an older copy.
    """
    try:
        answer = _form()
        if answer is None or answer.level is not Level.TROUBLE:
            answer = database.not_older(settings.DATA_DIR / seal_file.NAME)
    except DatabaseError as error:
        why = " ".join(str(error).split())[:300]
        raise CommandError(f"The database could not be asked: {why}", returncode=2) from error
    if answer.level is Level.TROUBLE:
        raise CommandError(answer.message, returncode=2)


def is_known() -> bool:
    """Whether the database still has this program's form, for what runs on while others migrate it.

    Not how old it is: the seals beside it are looked at when a process starts.
    """
    answer = _form()
    if answer is None or answer.level is not Level.TROUBLE:
        return True
    log.error("database_not_known", reason=answer.message)
    return False


def _form() -> Answer | None:
    return None if database.is_of_this_release() else database.migrations()
