"""Environment: all that git is told about the machine; nothing comes from the account it runs in."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SEARCH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SSH = (
    "ssh -oBatchMode=yes -oConnectTimeout=10 -oServerAliveInterval=10 -oServerAliveCountMax=3"
    " -oStrictHostKeyChecking=yes"
)

CONFIGURATION = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("core.symlinks", "false"),
    ("core.fileMode", "false"),
    ("core.autocrlf", "false"),
    ("core.quotePath", "false"),
    # By default git flushes nothing to the disk that a commit or a push is made of.
    ("core.fsync", "all"),
    # Neighbours hold a ref's lock for milliseconds; waiting is cheaper than a failed job.
    ("core.filesRefLockTimeout", "1000"),
    ("core.packedRefsTimeout", "1000"),
    ("credential.helper", ""),
    ("commit.gpgSign", "false"),
    ("push.gpgSign", "false"),
    ("push.followTags", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.fsckObjects", "true"),
    ("transfer.fsckObjects", "true"),
    ("protocol.ext.allow", "never"),
    ("http.followRedirects", "false"),
    ("http.lowSpeedLimit", "1000"),
    ("http.lowSpeedTime", "20"),
    ("submodule.recurse", "false"),
    ("color.ui", "false"),
    ("rerere.enabled", "false"),
    ("merge.directoryRenames", "false"),
    ("advice.pushUpdateRejected", "false"),
    ("advice.graftFileDeprecated", "false"),
)
"""Outranks every file that git reads, the clone's own included."""


@dataclass(frozen=True, slots=True)
class Network:
    """How https remotes are reached, which there may be, and what is let pass of old histories.

    ``ca_file`` holds the trusted authorities ("" for the system's), ``tolerated`` names of checks
    that only warn, ``hosts`` the only ones to talk to (none for any).
    """

    ca_file: str = ""
    proxy: str = ""
    tolerated: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def configuration(self) -> tuple[tuple[str, str], ...]:
        """The same as git's settings. An empty proxy means none, whatever a file says."""
        trusted = (("http.sslCAInfo", self.ca_file),) if self.ca_file else ()
        lenient = [(f"fetch.fsck.{name}", "warn") for name in self.tolerated]
        return (*trusted, *lenient, ("http.sslVerify", "true"), ("http.proxy", self.proxy))


DIRECT = Network()


def base(
    *, git_dir: Path, home: Path, protocols: Iterable[str], network: Network = DIRECT
) -> dict[str, str]:
    """The whole environment of a git process, without credentials; ``home`` is an empty folder."""
    return {
        "PATH": _path(),
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "GIT_DIR": str(git_dir),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "SSH_ASKPASS": "/bin/false",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_SSH_COMMAND": _SSH,
        "GIT_ALLOW_PROTOCOL": ":".join(protocols),
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": os.devnull,  # grafts give commits other parents, replaced or not
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_DEFAULT_REF_FORMAT": "files",  # where refs.py puts a job's branch
        "GIT_EDITOR": "false",
        "GIT_PAGER": "cat",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        **_configuration(network),
    }


@cache
def _path() -> str:
    found = shutil.which("git")
    folder = str(Path(found).parent) if found else ""
    return _SEARCH if not folder or folder in _SEARCH.split(":") else f"{folder}:{_SEARCH}"


def _configuration(network: Network) -> dict[str, str]:
    settings = CONFIGURATION + network.configuration()
    pairs = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        pairs[f"GIT_CONFIG_KEY_{number}"] = key
        pairs[f"GIT_CONFIG_VALUE_{number}"] = value
    return pairs
