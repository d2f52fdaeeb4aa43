"""examine: all checks in order, as settings say; a check that cannot run says why."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from publisher import databases, spoiled, sqlite_file
from publisher.env import split
from publisher.models import Site
from publisher.processes.backup import moves, record
from publisher.processes.doctor import clock_word, database, place, surroundings
from publisher.processes.doctor.answer import Answer, Level, ok, trouble

Check = Callable[[], Answer]
TITLES = {
    "data_folder": gettext_lazy("data folder"),
    "disk": gettext_lazy("disk"),
    "restore": gettext_lazy("restore"),
    "database_file": gettext_lazy("database file"),
    "local_disk": gettext_lazy("local disk"),
    "database": gettext_lazy("database"),
    "migrations": gettext_lazy("migrations"),
    "seals": gettext_lazy("seals"),
    "clock": gettext_lazy("clock"),
    "secrets": gettext_lazy("secrets"),
    "lease": gettext_lazy("lease"),
    "git": gettext_lazy("git"),
    "redis": gettext_lazy("Redis"),
    "provider": gettext_lazy("provider"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One check and what it found."""

    name: str
    level: Level
    message: str

    @property
    def title(self) -> str:
        """The check's name for people."""
        return str(TITLES[self.name])


def examine(*, will_migrate: bool = False) -> list[Finding]:
    """Run every check. The database is only opened once its file was found to be whole."""
    found = [_ask(name, check) for name, check in _before_the_database().items()]
    opens = not troubles(found)
    if opens:
        found.append(_ask("database", database.reachable))
        opens = not troubles(found)
    if opens:
        found += [_ask(*each) for each in _in_the_database(will_migrate).items()]
    found.append(_ask("secrets", lambda: place.secrets(_secret_files(with_tokens=opens))))
    return found + [_ask(name, check) for name, check in _around().items()]


def troubles(found: list[Finding]) -> list[Finding]:
    """What stops a start."""
    return [each for each in found if each.level is Level.TROUBLE]


def _ask(name: str, check: Check) -> Finding:
    try:
        answer = check()
    except DatabaseError as error:
        why = " ".join(str(error).split())[:300]
        answer = trouble(_("The database could not be asked: %(why)s") % {"why": why})
    except (*spoiled.ERRORS, OSError) as error:
        answer = trouble(_("It could not be checked: %(why)s") % {"why": spoiled.why(error)})
    return Finding(name, answer.level, answer.message)


def _before_the_database() -> dict[str, Check]:
    folder = settings.DATA_DIR
    checks: dict[str, Check] = {
        "data_folder": partial(place.data_folder, folder),
        "disk": _disk,
        "restore": _no_restore,
    }
    path = sqlite_path()
    if path is not None:
        checks["database_file"] = partial(database.whole, path, folder)
        checks["local_disk"] = partial(place.local_disk, path)
    return checks


def _in_the_database(will_migrate: bool) -> dict[str, Check]:
    checks: dict[str, Check] = {
        "migrations": partial(database.migrations, will_migrate=will_migrate)
    }
    if _has_tables():
        checks["seals"] = partial(database.not_older, settings.DATA_DIR / record.SEALS)
        checks["clock"] = partial(database.on_time, word=clock_word.given(settings.DATA_DIR))
    return checks


def _around() -> dict[str, Check]:
    queue = settings.Q_CLUSTER
    wait = settings.DATABASES["default"]["OPTIONS"].get("timeout", 0)
    return {
        "lease": partial(
            surroundings.lease,
            settings.IMPRIMATUR_LEASE_SECONDS,
            database_wait=wait,
            task=queue["timeout"],
            redelivery=queue["retry"],
        ),
        "git": surroundings.git,
        "redis": partial(surroundings.redis, settings.REDIS_URL),
        "provider": partial(surroundings.provider, settings.LLM_BASE_URL),
    }


def sqlite_path() -> Path | None:
    """SQLite's file; None where the database is another."""
    return databases.file_of(settings.DATABASES["default"])


def _disk() -> Answer:
    """The worse of the two disks, where the database has its own."""
    path = sqlite_path()
    folders = [settings.DATA_DIR, *([path.parent] if path else [])]
    return max(
        (place.disk(each) for each in folders), key=lambda found: list(Level).index(found.level)
    )


def _no_restore() -> Answer:
    if moves.pending(settings.DATA_DIR):
        return trouble(_("A restore was cut short. Finish it: python3 manage.py restore"))
    return ok(_("No restore is unfinished."))


def _has_tables() -> bool:
    return database.migrations().level is not Level.TROUBLE


def _secret_files(*, with_tokens: bool) -> list[Path]:
    env = settings.ENV
    given = [settings.DATA_DIR / record.SECRET_KEY, env.secret_key_file, env.llm_api_key_file]
    former = split(env.secret_key_fallback_files)
    tokens: list[str] = []
    if with_tokens and _has_tables():
        sites = Site.objects.filter(removed_at__isnull=True).exclude(token_file="")
        tokens = list(sites.values_list("token_file", flat=True))
    return [Path(each) for each in (*given, *former, *tokens, *_sqlite_files()) if each]


def _sqlite_files() -> list[Path]:
    """With the log and the shared memory; whoever reads a session there can act as its owner."""
    path = sqlite_path()
    return sqlite_file.files_of(path) if path else []
