"""Wiring: builds the ports from settings; the only import of adapters."""

import os
import socket
from collections.abc import Callable
from functools import lru_cache, partial

from django.conf import settings
from django.db import connection

from publisher import authority, faults
from publisher.adapters.clock import DatabaseClock
from publisher.adapters.git.environment import Network
from publisher.adapters.git.locks import FileLocks
from publisher.adapters.git.readers import Readers
from publisher.adapters.git.repository import GitRepository
from publisher.adapters.git.runner import Deadlines
from publisher.adapters.git.seed import add_commit, make_remote
from publisher.adapters.providers.standin import StandIn
from publisher.domain.errors import InvalidInput
from publisher.engine.run import HeartbeatOf
from publisher.ports import Ports, Provider, Repository, SiteSpec
from publisher.processes.lease_heartbeat import renewing

__all__ = [
    "add_commit",
    "heartbeat",
    "make_remote",
    "never",
    "node",
    "owner",
    "ports",
    "provider",
    "repository",
]


_READERS = Readers()


def never() -> bool:
    """Nobody asks git to stop."""
    return False


def repository(spec: SiteSpec, cancelled: Callable[[], bool] = never) -> Repository:
    """A site's repository on this machine; close it when done."""
    return GitRepository(
        spec,
        root=settings.IMPRIMATUR_DATA_DIR / "git",
        protocols=settings.IMPRIMATUR_GIT_PROTOCOLS,
        cancelled=cancelled,
        deadlines=Deadlines(
            network=settings.IMPRIMATUR_GIT_SECONDS, idle=settings.IMPRIMATUR_GIT_SECONDS
        ),
        readers=_READERS,
        network=Network(
            ca_file=settings.IMPRIMATUR_GIT_CA_FILE,
            proxy=settings.IMPRIMATUR_HTTPS_PROXY,
            tolerated=settings.IMPRIMATUR_GIT_TOLERATE,
            hosts=settings.IMPRIMATUR_GIT_HOSTS,
        ),
    )


def provider(name: str, cancelled: Callable[[], bool]) -> Provider:
    """A drafting provider by its profile's name; it stops soon after ``cancelled`` turns true."""
    if name != StandIn.name:
        raise InvalidInput("provider", f"There is no provider named {name}.")
    return StandIn(cancelled)


@lru_cache(maxsize=1)
def ports() -> Ports:
    """All ports, as settings say; behind fault points when one is armed."""
    return faults.proxied(
        Ports(
            repository=repository,
            locks=FileLocks(
                settings.IMPRIMATUR_DATA_DIR / "locks",
                in_database_transaction=lambda: connection.in_atomic_block,
            ),
            provider=provider,
            clock=DatabaseClock(),
            authority=authority.current(),
        )
    )


def owner() -> str:
    """This process as an owner of leases."""
    return f"{node()}:{os.getpid()}"


def node() -> str:
    """This machine's name."""
    return settings.IMPRIMATUR_NODE or socket.gethostname()


def heartbeat(seconds: float) -> HeartbeatOf:
    """What renews a lease of this length."""
    return partial(renewing, seconds=seconds, now=ports().clock.now)
