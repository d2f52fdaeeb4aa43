"""Surroundings: git, the lease's length, and the services that were configured."""

import re
import shutil
import socket
import subprocess
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from redis import Redis
from redis.exceptions import RedisError

from publisher.processes.doctor.answer import Answer, ok, trouble, warning

GIT = (2, 38)
SECONDS = 3.0
BEATS = 3
"""A lease is renewed this many times in its length."""


def git() -> Answer:
    """Git is there and new enough."""
    path = shutil.which("git")
    wanted = ".".join(str(part) for part in GIT)
    if path is None:
        return trouble(_("git is not on this machine: install %(wanted)s or later.")
                       % {"wanted": wanted})  # fmt: skip
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=False, timeout=10
        )
        found = re.search(r"(\d+)\.(\d+)", done.stdout)
    except (OSError, subprocess.TimeoutExpired):
        found = None
    if found is None:
        return trouble(_("git does not say its version: install it anew."))
    said = {"found": found[0], "wanted": wanted}
    if (int(found[1]), int(found[2])) < GIT:
        return trouble(_("git is %(found)s: install %(wanted)s or later.") % said)
    return ok(_("git is %(found)s.") % said)


def lease(seconds: float, *, database_wait: float, task: float, redelivery: float) -> Answer:
    """A lease outlives the longest wait of its own renewal, and no task is handed out twice.

    Steps may take longer than a lease, since it is renewed beside them; a renewal itself may have
    to wait for the database.
    """
    said = {"seconds": round(seconds), "wait": round(database_wait)}
    if redelivery <= task:
        return trouble(_("The queue hands a task out again before its time is over."))
    if seconds * (BEATS - 1) / BEATS < database_wait:
        message = _(
            "A lease of %(seconds)d s may end while its renewal waits up to %(wait)d s for the "
            "database: raise IMPRIMATUR_LEASE_SECONDS."
        )
        return warning(message % said)
    return ok(_("A lease of %(seconds)d s outlives every wait of its renewal.") % said)


def redis(address: str) -> Answer:
    """Redis answers, where it is configured."""
    if not address:
        return ok(_("Redis is not used."))
    client = Redis.from_url(address, socket_connect_timeout=SECONDS, socket_timeout=SECONDS)
    try:
        client.ping()
    except (RedisError, OSError) as error:
        said = {"why": _without_login(str(error), address)}
        return trouble(_("Redis does not answer at REDIS_URL: %(why)s.") % said)
    finally:
        client.close()
    return ok(_("Redis answers."))


def provider(address: str) -> Answer:
    """The drafting provider's machine answers, where one is configured; without it drafts wait."""
    if not address:
        return ok(_("No outside provider is configured."))
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=SECONDS).close()
    except OSError as error:
        said = {"host": parts.hostname, "why": error.strerror or str(error)}
        return warning(_("The provider at %(host)s does not answer: %(why)s.") % said)
    return ok(_("The provider answers."))


def _without_login(text: str, address: str) -> str:
    password = urlsplit(address).password
    return text.replace(password, "…") if password else text
