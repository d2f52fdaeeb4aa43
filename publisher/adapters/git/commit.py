"""Commit: put bytes on a commit by plumbing, without an index, a work tree, a hook or a filter."""

from collections.abc import Mapping
from datetime import datetime

from publisher.adapters.git.objects import Objects, check_id, is_file
from publisher.adapters.git.refs import OURS, check_branch, job_ref, past_stale_locks
from publisher.adapters.git.runner import Runner
from publisher.domain.errors import RepositoryError, RepositoryUnsafe
from publisher.domain.paths import check_spelling, folders

IDENTITY = ("Imprimatur", "imprimatur@localhost")
_NEW_FILE = "100644"
_TREE = "040000"


class Commits:
    """Builds commits in one clone; the same arguments give the same id."""

    def __init__(self, runner: Runner, objects: Objects) -> None:
        self._runner = runner
        self._objects = objects

    def build(
        self,
        *,
        parent: str,
        files: Mapping[str, bytes | None],
        message: str,
        date: datetime,
        ref: str,
        job_id: str | None = None,
        modes: Mapping[str, str] | None = None,
        author: tuple[str, str] | None = None,
    ) -> str:
        """One commit on ``parent`` that sets (or removes, on None) exactly these paths.

        The branch of ``job_id`` comes along. Whoever builds holds the repository's lock, so a
        worker that was overtaken is over with it before the next one begins.
        """
        check_id(parent)
        if not ref.startswith(OURS) or check_branch(ref) != ref:
            raise RepositoryError(f"A commit is kept below {OURS}.", permanent=True)
        for path in files:
            check_spelling(path, field="files")
        wanted = {path: self._mode(parent, path, files, modes or {}) for path in files}
        stream = _stream(parent, files, wanted, message, date, ref, author or IDENTITY)
        if job_id is not None:
            stream += f"reset {job_ref(job_id)}\nfrom :1\n\n".encode()
        stream += b"get-mark :1\ndone\n"
        return self._write(stream, ref)

    def _write(self, stream: bytes, ref: str) -> str:
        try:
            answer = past_stale_locks(
                self._runner.git_dir,
                # A replay of another tip may stand at this ref; it is ours to replace.
                lambda: self._runner.run(
                    "fast-import", "--quiet", "--force", "--done", "--date-format=raw", stdin=stream
                ),
            )
        except RepositoryError:
            self._forget_crashes()
            raise
        commit = answer.out.decode().strip()
        # The process that reads may have looked before these objects were there; it looks again.
        if self._objects.resolve(ref) != check_id(commit):
            raise RepositoryUnsafe("The clone does not hold the commit that was just made.")
        return commit

    def _mode(
        self,
        parent: str,
        path: str,
        files: Mapping[str, bytes | None],
        modes: Mapping[str, str],
    ) -> str:
        """The mode for a path; refuses what would remove other files, or write through a link."""
        for folder in folders(path):
            above = self._objects.entry(parent, folder)
            is_set = files.get(folder) is not None
            is_freed = folder in files and not is_set
            if is_set or (above is not None and above.mode != _TREE and not is_freed):
                raise RepositoryError(f"{folder} is no folder there.", permanent=True)
        entry = self._objects.entry(parent, path)
        if entry is not None and not is_file(entry.mode):
            raise RepositoryError(f"{path} is no regular file there.", permanent=True)
        kept = entry.mode if entry else _NEW_FILE
        return modes.get(path, kept if kept == "100755" else _NEW_FILE)

    def _forget_crashes(self) -> None:
        """Remove the reports that fast-import leaves in the clone when it fails."""
        for report in self._runner.git_dir.glob("fast_import_crash_*"):
            report.unlink(missing_ok=True)


def _stream(
    parent: str,
    files: Mapping[str, bytes | None],
    modes: Mapping[str, str],
    message: str,
    date: datetime,
    ref: str,
    author: tuple[str, str],
) -> bytes:
    who = f"{_name(author[0])} <{_name(author[1])}> {int(date.timestamp())} +0000"
    text = message.encode()
    parts = [
        f"commit {ref}\nmark :1\nauthor {who}\ncommitter {who}\ndata {len(text)}\n".encode(),
        text,
        f"\nfrom {parent}\n".encode(),
    ]
    # Removals first, so that a folder may take the place of a file.
    for path, data in sorted(files.items(), key=lambda item: (item[1] is not None, item[0])):
        if data is None:
            parts.append(b"D " + _quoted(path) + b"\n")
        else:
            parts.append(f"M {modes[path]} inline ".encode() + _quoted(path))
            parts.append(f"\ndata {len(data)}\n".encode() + data + b"\n")
    parts.append(b"\n")
    return b"".join(parts)


def _quoted(path: str) -> bytes:
    """A path as fast-import reads it; check_spelling has refused control characters before."""
    return b'"' + path.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'


def _name(text: str) -> str:
    kept = "".join(char for char in text if char.isprintable() and char not in "<>")
    return kept.strip() or IDENTITY[0]
