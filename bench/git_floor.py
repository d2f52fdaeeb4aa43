"""Git floor: what one publication costs with bare git commands, and what the adapter adds to it.

Run ``python -m bench.git_floor --files 100 --history 100``. Both sides do the same work on the same
repository: somebody else moved the branch; fetch, compare, build the commit on the new tip by
fast-import, push with a lease, fetch again and find the trailers.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from publisher.adapters.git.repository import GitRepository
from publisher.ports import SiteSpec

FILES_IN_A_FOLDER = 50
BRANCH = "refs/heads/main"
TRACKING = "refs/remotes/origin/main"
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
FETCH = ("fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")
WHO = f"Bench <bench@localhost> {int(MOMENT.timestamp())} +0000"


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """One bare git command, with durable writes as in the product's clones."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    done = subprocess.run(
        ["git", "-c", "core.fsync=all", "-c", "gc.auto=0", *arguments],
        cwd=folder, env=environment, input=stdin, capture_output=True, check=True,
    )  # fmt: skip
    return done.stdout


@dataclass(slots=True)
class Phases:
    """Milliseconds per phase of one publication."""

    spent: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of a block to a phase."""
        start = time.perf_counter()
        yield
        self.spent[name] = self.spent.get(name, 0.0) + (time.perf_counter() - start) * 1000

    @property
    def total(self) -> float:
        """The whole publication."""
        return sum(self.spent.values())


def make_remote(
    path: Path, *, files: int, history: int, layout: str = "nested", size: int = 4000
) -> Path:
    """A bare remote with this many articles and this many commits, each of one file."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "--bare", "--initial-branch=main")
    body = (b"A line of an article that is as long as such lines are.\n" * 75)[:size]
    folder = 1_000_000_000 if layout == "flat" else FILES_IN_A_FOLDER
    parts = [f"commit {BRANCH}\nauthor {WHO}\ncommitter {WHO}\ndata 4\nbase\n".encode()]
    parts += [
        _file(_article(number, folder), body + str(number).encode()) for number in range(files)
    ]
    for number in range(1, history):
        parts.append(f"commit {BRANCH}\ncommitter {WHO}\ndata 2\nc\n".encode())
        parts.append(_file(_article(number % files, folder), body + f"{number} again".encode()))
    git(path, "fast-import", "--quiet", stdin=b"".join(parts))
    git(path, "gc", "-q")  # as a server does to what it has
    return path


def move(remote: Path, number: int) -> None:
    """Somebody else changes one article."""
    text = f"commit {BRANCH}\ncommitter {WHO}\ndata 5\nmoved\nfrom {BRANCH}^0\n".encode()
    git(remote, "fast-import", "--quiet", stdin=text + _file(_article(0), f"m{number}".encode()))


def own_payload(number: int) -> dict[str, bytes]:
    """The same three files below names of their own, as articles that meet in one push have them."""
    article, font, listed = payload(number).values()
    return {
        f"content/new/article-{number}.md": article,
        f"public/pictures/picture-{number}.png": font,
        f"public/pictures/picture-{number}.json": listed,
    }


def payload(number: int) -> dict[str, bytes]:
    """The three files of one publication: an article, a font and a list."""
    return {
        f"content/new/article-{number}.md": os.urandom(4096).hex().encode(),
        "public/fonts/subset.woff2": os.urandom(60_000),
        "public/fonts/subset.json": f'{{"number": {number}}}\n'.encode(),
    }


def message(number: int) -> str:
    """A commit message with a trailer that is looked for afterwards."""
    return f"publish: article {number}\n\nBlog-Job-Id: bench-{number}\n"


def floor(remote: Path, clone: Path, number: int) -> Phases:
    """One publication by six bare commands."""
    phases, files, text = Phases(), payload(number), message(number).encode()
    base = git(clone, "rev-parse", TRACKING).decode().strip()
    fetch = (*FETCH, str(remote))
    with phases.phase("fetch"):
        git(clone, *fetch, f"+{BRANCH}:{TRACKING}")
        tip = (clone / TRACKING).read_text().strip()
    with phases.phase("compare"):
        git(clone, "diff-tree", "-r", "-z", base, tip)
    ref = f"refs/floor/{number}"
    head = f"commit {ref}\ncommitter {WHO}\ndata {len(text)}\n".encode()
    stream = head + text + f"from {tip}\n".encode()
    stream += b"".join(_file(path, data) for path, data in files.items())
    with phases.phase("commit"):
        git(clone, "fast-import", "--quiet", stdin=stream)
        commit = (clone / ref).read_text().strip()
    with phases.phase("push"):
        lease = f"--force-with-lease={BRANCH}:{tip}"
        git(clone, "push", "-q", "--porcelain", lease, str(remote), f"{commit}:{BRANCH}")
    with phases.phase("confirm"):
        git(clone, *fetch, f"+{BRANCH}:{TRACKING}")
        found = git(clone, "log", "-z", "--format=%H%n%B", f"{tip}..{TRACKING}")
    _must_hold(commit.encode() in found)
    return phases


def adapter(repository: GitRepository, number: int) -> Phases:
    """The same publication through the port, with everything that the engine asks on the way."""
    phases, files, base = Phases(), payload(number), repository.tip()
    with phases.phase("fetch"):
        tip = repository.fetch()
    with phases.phase("compare"):
        repository.commits(base, tip)
        repository.changes(base, tip)
        for path in files:
            repository.read_path(tip, path)
    job = f"bench-{number}"
    with phases.phase("commit"):
        commit = repository.build_commit(
            parent=tip, files=files, message=message(number), date=MOMENT,
            ref=f"refs/imprimatur/replay/{job}/1", job_id=job,
        )  # fmt: skip
    with phases.phase("push"):
        repository.push(commit, lease=tip)
    with phases.phase("confirm"):
        seen = repository.fetch()
        found = repository.commits(tip, seen)
        same = all(repository.read_path(seen, path) == data for path, data in files.items())
    _must_hold(same and found[0].trailers == (("Blog-Job-Id", job),))
    return phases


def measure(folder: Path, *, files: int, history: int, runs: int) -> dict[str, list[Phases]]:
    """Both sides in turn, each on a clone of its own; the first run of each is not counted."""
    remote = make_remote(folder / "remote.git", files=files, history=history)
    clone = folder / "floor.git"
    clone.mkdir()
    git(clone, "init", "-q", "--bare", "--initial-branch=main")
    git(clone, "fetch", "-q", "--no-tags", str(remote), f"+{BRANCH}:{TRACKING}")
    spec = SiteSpec(1, "bench", str(remote), "main")
    repository = GitRepository(spec, root=folder / "git", protocols=("file",))
    repository.ensure_clone()
    sides: dict[str, Callable[[int], Phases]] = {
        "floor": lambda number: floor(remote, clone, number),
        "adapter": lambda number: adapter(repository, number),
    }
    results: dict[str, list[Phases]] = {name: [] for name in sides}
    started = 0
    for number in range(2 * (runs + 1)):
        name = "floor" if number % 2 == 0 else "adapter"
        move(remote, number)
        before = repository.runner.started
        results[name].append(sides[name](number))
        started = max(started, repository.runner.started - before)
    repository.close()
    print(f"adapter: {started} processes for the first publication, the reader included")
    return {name: found[1:] for name, found in results.items()}


def _article(number: int, folder: int = FILES_IN_A_FOLDER) -> str:
    return f"content/{number // folder:05d}/article-{number:06d}.md"


def _file(path: str, data: bytes) -> bytes:
    return f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def _must_hold(holds: bool) -> None:
    if not holds:
        raise SystemExit("The publication was not found on the remote.")


def main() -> None:
    """Print the medians of both sides, phase by phase."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--history", type=int, default=100)
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="git-floor-") as folder:
        results = measure(
            Path(folder), files=options.files, history=options.history, runs=options.runs
        )
    for name, runs in results.items():
        cells = [
            f"{phase} {statistics.median(run.spent[phase] for run in runs):.1f}"
            for phase in runs[0].spent
        ]
        total = statistics.median(run.total for run in runs)
        print(f"{name:8} total {total:6.1f} ms   " + "   ".join(cells))


if __name__ == "__main__":
    main()
