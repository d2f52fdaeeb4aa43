"""History: what changed between commits, and what commits say of themselves."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Generic, TypeVar

from publisher.adapters.git import line, merges, trees
from publisher.adapters.git.objects import Objects, check_id, is_file
from publisher.adapters.git.runner import Runner
from publisher.domain import trailers
from publisher.domain.errors import RepositoryError
from publisher.ports import Change, CommitFacts

LISTING_CAP = 512 << 20
KEPT_ANSWERS = 8
_EARLIEST = int(datetime(1, 1, 2, tzinfo=UTC).timestamp())
_LATEST = int(datetime(9999, 12, 30, tzinfo=UTC).timestamp())
"""A day within the calendar's ends, so that each zone has such a moment too."""
_FORMAT = "--format=%H%n%P%n%ct%n%ae%n%an%n%B"
_LOG = (
    "-z", "--topo-order", "--no-color", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8",
    _FORMAT,
)  # fmt: skip
_MARK = b"\x01"
"""Begins a commit in a list of names; no job may name a path with it."""

T = TypeVar("T")


class _Recent(Generic[T]):
    """The last few answers about two commits: what lies between two ids never changes.

    Jobs that are delivered together mostly began at one commit, and ask the same.
    """

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[str, str], list[T]] = OrderedDict()

    def get(self, span: tuple[str, str], ask: Callable[[], list[T]]) -> list[T]:
        """A copy of the answer about this span."""
        if span not in self._answers:
            self._answers[span] = ask()
            if len(self._answers) > KEPT_ANSWERS:
                self._answers.popitem(last=False)
        self._answers.move_to_end(span)
        return list(self._answers[span])


class History:
    """Questions to the commit graph of one clone; no network."""

    def __init__(self, runner: Runner, objects: Objects) -> None:
        self._runner = runner
        self._objects = objects
        self._changes: _Recent[Change] = _Recent()
        self._commits: _Recent[CommitFacts] = _Recent()

    def changes(self, old: str | None, new: str) -> list[Change]:
        """Paths that differ; without ``old`` every path of ``new``. Renames are two changes."""
        if old is None:
            return self._listing(new)
        return self._changes.get((old, new), lambda: self._differing(old, new))

    def _differing(self, old: str, new: str) -> list[Change]:
        before, after = (self._objects.root(commit) for commit in (old, new))
        return [
            Change(shown_path(path), was[1] or None, is_now[1] or None, is_file(is_now[0]))
            for path, was, is_now in trees.differences(self._objects, before, after)
        ]

    def commits(self, base: str | None, tip: str) -> list[CommitFacts]:
        """Commits of base..tip, newest first; all of the tip's history without a base."""
        if base is None:
            return list(self._log([], _span(base, tip)))
        return self._commits.get((base, tip), lambda: self._between(base, tip))

    def _between(self, base: str, tip: str) -> list[CommitFacts]:
        records = line.between(self._objects, check_id(base), tip)
        if records is None:
            return list(self._log([], _span(base, tip)))
        return [_facts(record) for record in records]

    def each_commit(self, tip: str, visit: Callable[[CommitFacts], None]) -> None:
        """Hand over all of the tip's history, newest first, by one process; none of it is kept."""
        rest = bytearray()

        def take(more: bytes) -> None:
            rest.extend(more)
            *records, last = rest.split(b"\x00")
            rest[:] = last
            for record in records:
                visit(_facts(record.decode("utf-8", "replace")))

        self._runner.run(
            "log", *_LOG, operands=[check_id(tip)], paths=[], sink=take,
            idle=self._runner.deadlines.read,
        )  # fmt: skip
        if rest:
            visit(_facts(rest.decode("utf-8", "replace")))

    def changed_paths(self, commits: Sequence[str]) -> dict[str, set[str]]:
        """The paths that each commit changed against its first parent, by one process for all."""
        asked = "".join(f"{check_id(commit)}\n" for commit in commits)
        answer = self._runner.run(
            "diff-tree", "--stdin", "-r", "-z", "-m", "--first-parent", "--root", "--no-renames",
            "--no-ext-diff", "--no-textconv", stdin=asked.encode(), cap=LISTING_CAP,
        )  # fmt: skip
        found: dict[str, set[str]] = {commit: set() for commit in commits}
        paths: set[str] = set()
        fields = iter(answer.out.split(b"\x00"))
        for head in fields:
            if head.startswith(b":"):
                paths.add(shown_path(next(fields)))
            elif head:
                paths = found[head.decode().strip()]
        return found

    def facts(self, commit: str) -> CommitFacts:
        """One commit."""
        for facts in self._log(["--no-walk"], check_id(commit)):
            return facts
        raise RepositoryError(f"The clone has no commit {commit}.")

    def last_change(self, base: str | None, tip: str, path: str) -> CommitFacts | None:
        """The newest commit of base..tip that touched the path."""
        found = next(self._log(["-1"], _span(base, tip), path), None)
        if found is None and base is not None:
            return self._told(merges.deciders(self._runner, base, tip, [path])).get(path)
        return found

    def last_changes(self, base: str | None, tip: str, paths: list[str]) -> dict[str, CommitFacts]:
        """For each path the newest commit of base..tip that touched it, by two processes for all.

        Of a merge only what none of its parents holds counts, so the side that brought it is named.
        The merge is, where it took what it holds from a side without this history.
        """
        missing, found = set(paths), dict[str, str]()
        rest, commit = bytearray(), ""

        def take(more: bytes) -> None:
            nonlocal commit
            rest.extend(more)
            *fields, last = rest.split(b"\x00")
            rest[:] = last
            for field in fields:
                if field.startswith(_MARK):
                    commit = field.removeprefix(_MARK).decode()
                elif (path := shown_path(bytes(field).removeprefix(b"\n"))) in missing:
                    found[path] = commit
                    missing.discard(path)

        self._runner.run(
            "log", "-z", "-c", "--topo-order", "--name-only", "--no-renames", "--no-ext-diff",
            "--no-color", "--no-show-signature", f"--format={_MARK.decode()}%H",
            operands=[_span(base, tip)], paths=sorted(missing), sink=take,
            idle=self._runner.deadlines.read,
        )  # fmt: skip
        if base is not None and missing:
            found |= merges.deciders(self._runner, base, tip, sorted(missing))
        return self._told(found)

    def _told(self, found: dict[str, str]) -> dict[str, CommitFacts]:
        if not found:
            return {}
        commits = sorted(set(found.values()))
        answer = self._runner.run(
            "log", *_LOG, "--no-walk=unsorted",
            operands=[check_id(commit) for commit in commits], paths=[], cap=LISTING_CAP,
        )  # fmt: skip
        by_id = {facts.commit: facts for facts in _records(answer.out)}
        return {path: by_id[commit] for path, commit in found.items()}

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether one commit is in the other's history; by no process where a short line leads there."""
        known = line.leads(self._objects, check_id(older), check_id(newer))
        if known is not None:
            return known
        answer = self._runner.run(
            "merge-base", "--is-ancestor", operands=[check_id(older), check_id(newer)], ok=(0, 1)
        )
        return answer.code == 0

    def merge_base(self, one: str, other: str) -> str | None:
        """A best common ancestor; None when the histories have nothing in common."""
        answer = self._runner.run(
            "merge-base", operands=[check_id(one), check_id(other)], ok=(0, 1)
        )
        return answer.out.decode().strip() or None

    def root(self, tip: str) -> str:
        """The first commit of the tip's own line of history: what tells repositories apart."""
        answer = self._runner.run(
            "log", "--first-parent", "--max-parents=0", "--format=%H", "-1",
            operands=[check_id(tip)],
        )  # fmt: skip
        return answer.out.decode().strip()

    def _log(self, options: list[str], span: str, path: str | None = None) -> Iterator[CommitFacts]:
        answer = self._runner.run(
            "log", *_LOG, *options,
            operands=[span], paths=[] if path is None else [path], cap=LISTING_CAP,
        )  # fmt: skip
        yield from _records(answer.out)

    def _listing(self, commit: str) -> list[Change]:
        answer = self._runner.run(
            "ls-tree", "-r", "-z", "--full-tree", operands=[check_id(commit)], cap=LISTING_CAP
        )
        found = []
        for row in answer.out.split(b"\x00"):
            head, _, path = row.partition(b"\t")
            mode, _, rest = head.decode().partition(" ")
            if path:
                blob = rest.rpartition(" ")[2]
                found.append(Change(shown_path(path), None, blob, is_file(mode)))
        return found


def shown_path(path: bytes) -> str:
    """A path as text; bytes that are not UTF-8 become escapes, because no job may name them."""
    return path.decode("utf-8", "backslashreplace")


def _span(base: str | None, tip: str) -> str:
    return check_id(tip) if not base else f"{check_id(base)}..{check_id(tip)}"


def _records(out: bytes) -> Iterator[CommitFacts]:
    for record in out.split(b"\x00"):
        if record:
            yield _facts(record.decode("utf-8", "replace"))


def _facts(record: str) -> CommitFacts:
    commit, parents, seconds, email, author, message = record.split("\n", 5)
    return CommitFacts(
        commit=commit,
        parents=tuple(parents.split()),
        author=author,
        email=email,
        date=_moment(seconds),
        subject=message.lstrip("\n").partition("\n")[0],
        trailers=trailers.parse(message),
    )


def _moment(seconds: str) -> datetime:
    """A commit's own date; people's clocks reach years that no calendar here has."""
    return datetime.fromtimestamp(min(max(int(seconds or 0), _EARLIEST), _LATEST), UTC)
