"""Shapes of conflicts: the three versions of each file, as text where they are text."""

from typing import Any

from publisher import artifacts
from reviews.api.shapes import Json, moment

SHOWN_BYTES = 512 * 1024


def conflict(row: Any) -> Json:
    """A conflict in short."""
    return {
        "id": row.pk,
        "job_id": row.job_id,
        "site": row.job.site.name,
        "revision": row.revision,
        "kind": row.kind,
        "paths": [entry["path"] for entry in row.files],
        "ours_sha256": row.ours_sha256,
        "theirs_sha256": row.theirs_sha256,
        "created_at": moment(row.created_at),
        "settled_at": moment(row.settled_at),
        "settled_by": row.settled_by or None,
        "settled_how": row.settled_how or None,
    }


def whole_conflict(row: Any) -> Json:
    """A conflict with its files' versions, and who changed what on the remote."""
    return {
        **conflict(row),
        "base_commit": row.base_commit,
        "tip": row.tip,
        "files": [_file(row.job_id, entry) for entry in row.files],
    }


def _file(job_id: str, entry: Json) -> Json:
    facts = (
        "path",
        "kind",
        "commit",
        "author",
        "date",
        "subject",
        "moved_to",
        "instead",
        "link_to",
    )
    versions = {name: _version(job_id, entry.get(name)) for name in ("base", "ours", "theirs")}
    return {**{name: entry.get(name) for name in facts}, **versions}


def _version(job_id: str, name: str | None) -> Json | None:
    """One version; None where no file is there. Large and binary ones are links only.

    What is missing or damaged has no size, and its link leads nowhere.
    """
    if not name:
        return None
    data = artifacts.load_whole(name)
    text = None
    if data is not None and len(data) <= SHOWN_BYTES and b"\x00" not in data:
        text = data.decode("utf-8", "replace")
    return {
        "sha256": name,
        "size": None if data is None else len(data),
        "text": text,
        "link": f"/api/v1/jobs/{job_id}/artifacts/{name}",
    }
