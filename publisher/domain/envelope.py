"""Envelopes: the exact action in canonical JSON (RFC 8785), and the hash that binds approvals."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rfc8785

from publisher.domain.errors import InvalidInput
from publisher.domain.trailers import one_line

SCHEMA = "imprimatur.envelope/v1"

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_AUTHORITY = re.compile(
    r"(?P<user>(?:[^@/?#]*@)?)(?:\[[^]/?#@]*\]|[^:/?#@\[\]]+|(?=/))(?::[0-9]*)?(?=[/?#]|\Z)"
)
_SHORT_FORM = re.compile(r"[^/@]*@([^/:]+:.*)", re.DOTALL)


def canonical(value: Any) -> bytes:
    """The one spelling of a JSON value (RFC 8785), as UTF-8.

    Raises InvalidInput for what has none: NaN, infinities, integers beyond 2**53 - 1, lone
    surrogates, keys that are no strings, and types that JSON does not know.
    """
    try:
        return rfc8785.dumps(value)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("value", f"This has no canonical JSON form: {error}.") from error


def digest(value: Any) -> str:
    """``sha256:`` and 64 hex digits over the canonical JSON of a value."""
    return "sha256:" + hashlib.sha256(canonical(value)).hexdigest()


def build(
    *,
    job_id: str,
    action: str,
    site: str,
    remote: str,
    branch: str,
    operation: str,
    paths: Sequence[Mapping[str, Any]],
    scope: str,
    requester: str,
    input_hash: str,
    payload_hash: str,
    derived: Sequence[Mapping[str, Any]],
    commit: Mapping[str, str],
    memory: Mapping[str, Any] | None,
    not_before: str | None,
) -> dict[str, Any]:
    """The envelope: what, where, which bytes, for whom. Lists are sorted; their order is not bound.

    ``paths`` are {path, base_sha256} (None: absent), ``derived`` {paths, generator, config_hash},
    ``commit`` {subject, author}, ``memory`` {scope, revision, expires_at}; times are ISO 8601.
    """
    envelope: dict[str, Any] = {
        "schema": SCHEMA,
        "job_id": job_id,
        "action": action,
        "target": _target(site, remote, branch, operation, paths),
        "scope": scope,
        "requester": requester,
        "input_hash": input_hash,
        "payload_hash": payload_hash,
        "derived": sorted(map(_sorted_paths, derived), key=canonical),
        "commit": {key: one_line(text) for key, text in commit.items()},
        "memory": dict(memory) if memory is not None else None,
        "not_before": not_before,
    }
    canonical(envelope)  # what cannot be bound is refused here, not at the fence
    return envelope


def taking_back(envelope: Mapping[str, Any], *, job_id: str, commit: str) -> dict[str, Any]:
    """The envelope of a revert: it also binds which job and which commit are taken back."""
    return {**envelope, "reverts": {"job_id": job_id, "commit": commit}}


def _target(
    site: str, remote: str, branch: str, operation: str, paths: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "site": site,
        "remote": without_credentials(remote),
        "branch": branch,
        "operation": operation,
        "paths": sorted((dict(entry) for entry in paths), key=_by_path_then_all),
    }


def binding_hash(envelope: Mapping[str, Any]) -> str:
    """The hash that an approval is bound to: over each field of the envelope, known or not."""
    return digest(dict(envelope))


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each field that differs, as ``{field, old, new}``; empty only when the binding hashes agree.

    Fields are named from the top with dots, entries of a list by their path: ``target.branch``,
    ``target.paths[content/a.md].base_sha256``. A field that is not there counts as None.
    """
    return _compare("", dict(old), dict(new))


def without_credentials(remote: str) -> str:
    """A remote without user, password, query and fragment: where it is, not who asks."""
    scheme = _SCHEME.match(remote)
    if scheme is None:
        short = _SHORT_FORM.fullmatch(remote)
        return short[1] if short else remote
    rest = remote[scheme.end() :]
    start = _AUTHORITY.match(rest)
    # Where no sound host stands first, a password holds a "/", "?" or "@" that was not escaped.
    rest = rest[start.end("user") :] if start else rest.rpartition("@")[2]
    return scheme[0] + re.split(r"[?#]", rest, maxsplit=1)[0]


def _by_path_then_all(entry: dict[str, Any]) -> tuple[str, bytes]:
    return entry["path"], canonical(entry)


def _sorted_paths(derived: Mapping[str, Any]) -> dict[str, Any]:
    return {**derived, "paths": sorted(derived["paths"])}


def _compare(field: str, old: Any, new: Any) -> list[dict[str, Any]]:
    if canonical(old) == canonical(new):
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        prefix = f"{field}." if field else ""
        return _compare_keys(old, new, lambda key: f"{prefix}{key}")
    old_by_path, new_by_path = _by_path(old), _by_path(new)
    if old_by_path is not None and new_by_path is not None:
        found = _compare_keys(old_by_path, new_by_path, lambda key: f"{field}[{key}]")
        if found:
            return found
    return [{"field": field, "old": old, "new": new}]


def _compare_keys(
    old: dict[str, Any], new: dict[str, Any], name: Callable[[str], str]
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for key in sorted(old.keys() | new.keys()):
        if key in old and key in new:
            found += _compare(name(key), old[key], new[key])
        else:
            found.append({"field": name(key), "old": old.get(key), "new": new.get(key)})
    return found


def _by_path(value: Any) -> dict[str, Any] | None:
    """A list of entries keyed by their path, or None when it is no such list."""
    if not isinstance(value, list | tuple) or not all(isinstance(one, dict) for one in value):
        return None
    keyed = {one["path"]: one for one in value if isinstance(one.get("path"), str)}
    return keyed if len(keyed) == len(value) else None
