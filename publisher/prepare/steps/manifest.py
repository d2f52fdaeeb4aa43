"""manifest: the files in the workspace, verified; their list with hashes; the differences to show."""

import contextlib
import os
from pathlib import Path

from publisher import artifacts
from publisher.artifacts import sha256_of
from publisher.domain.errors import RepositoryUnsafe
from publisher.domain.manifest import Entry, Manifest
from publisher.prepare.context import Context, StepResult

DIFF_BYTES = 5 * 1024 * 1024
STORED_DIFF_BYTES = 8 * 1024 * 1024


def run(context: Context) -> StepResult:
    """List every produced file with its SHA-256, and keep what differs from the base."""
    entries = _entries(context)
    manifest = Manifest(tuple(entries))
    _write_workspace(context, manifest)
    name = context.store(manifest.to_json(), "manifest")
    diffs, binary = _diffs(context, manifest)
    return StepResult(
        outputs={
            "manifest": name,
            "manifest_hash": manifest.manifest_hash,
            "payload_hash": manifest.payload_hash,
            "diffs": diffs,
            "binary": binary,
            "changes_nothing": _changes_nothing(context, manifest),
        },
        assertions=("workspace files verified by hash",),
    )


def _entries(context: Context) -> list[Entry]:
    entries = [_entry(path, name, "content") for path, name in context.files.items()]
    derived = context.outputs["fonts"]["derived"]
    entries += [_entry(path, name, "derived") for path, name in derived.items()]
    gone = set(context.outputs["draft"].get("removed", ()))
    if context.target_path not in context.files:
        gone.add(context.target_path)
    return entries + [Entry(path, None, 0, "absent") for path in sorted(gone)]


def _entry(path: str, name: str, kind: str) -> Entry:
    data = artifacts.load(name)
    if kind == "derived":
        return Entry(path, name, len(data), "derived")
    return Entry(path, name, len(data), "content")


def _bases(context: Context) -> dict[str, str | None]:
    return {**context.outputs["draft"]["bases"], **context.outputs["fonts"]["bases"]}


def _changes_nothing(context: Context, manifest: Manifest) -> bool:
    """Whether the base holds every content entry already."""
    bases = _bases(context)
    return all(bases.get(entry.path) == entry.sha256 for entry in manifest.payload)


def _diffs(context: Context, manifest: Manifest) -> tuple[dict[str, str], list[str]]:
    """Unified differences of changed text files as artifacts, and the paths that are binary.

    Of a file that is new or goes away, the bytes themselves are the difference. Only UTF-8 is text:
    a page would show the same sign for any other byte.
    """
    diffs: dict[str, str] = {}
    binary: list[str] = []
    bases = _bases(context)
    for entry in manifest.entries:
        base = bases.get(entry.path)
        old = artifacts.load(base) if base else b""
        new = artifacts.load(entry.sha256) if entry.sha256 else b""
        if b"\x00" in old or not _is_text(new):
            binary.append(entry.path)
            continue
        if not base or not entry.sha256 or max(len(old), len(new)) > DIFF_BYTES:
            continue
        text = context.repository.diff(old, new).encode("utf-8", "replace")
        if len(text) <= STORED_DIFF_BYTES:
            diffs[entry.path] = context.store(text, "diff")
    return diffs, binary


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def _write_workspace(context: Context, manifest: Manifest) -> None:
    """Put the files into the job's own worktree, never through a link, and read them back."""
    root = context.repository.make_workspace(context.job.pk, context.base)
    for entry in manifest.entries:
        if entry.sha256 is None:
            continue
        data = artifacts.load(entry.sha256)
        _write_no_follow(root, entry.path, data)
        if sha256_of((root / entry.path).read_bytes()) != entry.sha256:
            raise RepositoryUnsafe(f"The workspace does not keep {entry.path} as written.")


def _write_no_follow(root: Path, path: str, data: bytes) -> None:
    """Open each folder relative to the one above and refuse links, so nothing leaves the workspace."""
    *folders, name = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for folder in folders:
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, 0o755, dir_fd=here)
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with os.fdopen(os.open(name, flags, 0o644, dir_fd=here), "wb") as out:
            out.write(data)
    finally:
        os.close(here)
