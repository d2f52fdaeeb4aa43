"""Commit: put bytes on commits by plumbing, without an index, a work tree, a hook or a filter."""

from collections.abc import Mapping, Sequence

from publisher.adapters.git.objects import Objects, check_id, is_file
from publisher.adapters.git.refs import OURS, check_branch, job_ref, past_stale_locks
from publisher.adapters.git.runner import Runner
from publisher.domain.errors import RepositoryError, RepositoryUnsafe
from publisher.domain.paths import check_spelling, folders
from publisher.ports import CommitPlan

IDENTITY = ("Imprimatur", "imprimatur@localhost")
_NEW_FILE = "100644"
_TREE = "040000"


class Commits:
    """Builds commits in one clone; the same arguments give the same ids."""

    def __init__(self, runner: Runner, objects: Objects) -> None:
        self._runner = runner
        self._objects = objects

    def build(self, parent: str, plans: Sequence[CommitPlan]) -> list[str]:
        """One commit for each plan, the first on ``parent``, each other on the one before.

        The branches of the jobs come along. Whoever builds holds the repository's lock, so a
        worker that was overtaken is over with it before the next one begins.
        """
        check_id(parent)
        _check_apart(plans)
        stream = bytearray()
        for number, plan in enumerate(plans, 1):
            if not plan.ref.startswith(OURS) or check_branch(plan.ref) != plan.ref:
                raise RepositoryError(f"A commit is kept below {OURS}.", permanent=True)
            for path in plan.files:
                check_spelling(path, field="files")
            # No other plan touches these paths, so the modes are those of the common parent.
            modes = {path: self._mode(parent, path, plan) for path in plan.files}
            stream += _stream(plan, modes, number, parent if number == 1 else f":{number - 1}")
        stream += b"".join(b"get-mark :%d\n" % number for number in range(1, len(plans) + 1))
        return self._write(bytes(stream + b"done\n"), [plan.ref for plan in plans])

    def _write(self, stream: bytes, refs: Sequence[str]) -> list[str]:
        try:
            answer = past_stale_locks(
                self._runner,
                # A replay of another tip may stand at these refs; they are ours to replace.
                lambda: self._runner.run(
                    "fast-import", "--quiet", "--force", "--done", "--date-format=raw", stdin=stream
                ),
            )
        except RepositoryError:
            self._forget_crashes()
            raise
        commits = [check_id(line) for line in answer.out.decode().split()]
        # The process that reads may have looked before these objects were there; it looks again.
        if [self._objects.resolve(ref) for ref in refs] != commits:
            raise RepositoryUnsafe("The clone does not hold the commit that was just made.")
        return commits

    def _mode(self, parent: str, path: str, plan: CommitPlan) -> str:
        """The mode for a path; refuses what would remove other files, or write through a link."""
        for folder in folders(path):
            above = self._objects.entry(parent, folder)
            is_set = plan.files.get(folder) is not None
            is_freed = folder in plan.files and not is_set
            if is_set or (above is not None and above.mode != _TREE and not is_freed):
                raise RepositoryError(f"{folder} is no folder there.", permanent=True)
        entry = self._objects.entry(parent, path)
        if entry is not None and not is_file(entry.mode):
            raise RepositoryError(f"{path} is no regular file there.", permanent=True)
        kept = entry.mode if entry else _NEW_FILE
        return plan.modes.get(path, kept if kept == "100755" else _NEW_FILE)

    def _forget_crashes(self) -> None:
        """Remove the reports that fast-import leaves in the clone when it fails."""
        for report in self._runner.git_dir.glob("fast_import_crash_*"):
            report.unlink(missing_ok=True)


def _check_apart(plans: Sequence[CommitPlan]) -> None:
    """Each plan was checked against the common parent, so none may change what another one sees.

    A file that several write keeps one mode, and the last one's bytes.
    """
    written: set[str] = set()
    removed: set[str] = set()
    above: set[str] = set()
    for plan in plans:
        writes = {path for path, data in plan.files.items() if data is not None}
        removes = set(plan.files) - writes
        ours = {folder for path in plan.files for folder in folders(path)}
        touched = written | removed
        if writes & (removed | above) or removes & (touched | above) or ours & touched:
            raise RepositoryError("Two commits of one chain touch one path.", permanent=True)
        written |= writes
        removed |= removes
        above |= ours


def _stream(plan: CommitPlan, modes: Mapping[str, str], mark: int, parent: str) -> bytes:
    author = plan.author or IDENTITY
    who = f"{_name(author[0])} <{_name(author[1])}> {int(plan.date.timestamp())} +0000"
    text = plan.message.encode()
    parts = [
        f"commit {plan.ref}\nmark :{mark}\nauthor {who}\ncommitter {who}\n".encode(),
        f"data {len(text)}\n".encode() + text + f"\nfrom {parent}\n".encode(),
    ]
    # Removals first, so that a folder may take the place of a file.
    for path, data in sorted(plan.files.items(), key=lambda item: (item[1] is not None, item[0])):
        if data is None:
            parts.append(b"D " + quoted(path) + b"\n")
        else:
            parts.append(f"M {modes[path]} inline ".encode() + quoted(path))
            parts.append(f"\ndata {len(data)}\n".encode() + data + b"\n")
    parts.append(b"\n")
    if plan.job_id is not None:
        parts.append(f"reset {job_ref(plan.job_id)}\nfrom :{mark}\n\n".encode())
    return b"".join(parts)


def quoted(path: str) -> bytes:
    """A path as git reads it from a line, whatever it holds."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return b'"' + escaped.encode() + b'"'


def _name(text: str) -> str:
    kept = "".join(char for char in text if char.isprintable() and char not in "<>")
    return kept.strip() or IDENTITY[0]
