"""Apart: whether a job can go along with others in one push without coming under their feet."""

from publisher import artifacts, envelopes
from publisher.domain.errors import ImprimaturError
from publisher.domain.globs import match_glob
from publisher.domain.manifest import Manifest
from publisher.domain.paths import folders, twin_key
from publisher.engine import recheck
from publisher.models import Job
from publisher.prepare.dedup import Candidate, Sketch, SketchIndex, judge, sketch

BYTES = 32 << 20
"""What all files of one push may hold: a chain of commits is built in memory."""
DERIVED = 1 << 20
"""What the different derived files of one push may hold, as they were last made.

Each is made again for its place in the chain. A MiB of glyphs takes up to 20 s, in which the remote
moves on.
"""


class Apart:
    """What those who were admitted touch and say.

    Each job of a group is compared with the remote's tip alone. So none may change what another
    one would have found there: a path, a folder's last file, or an article that says the same.
    What is derived is made for each in its turn, so several may bring the same such path.
    """

    def __init__(self) -> None:
        self._size = 0
        self._paths: set[str] = set()
        self._derived: set[str] = set()
        self._made: dict[str, int] = {}
        self._above: set[str] = set()
        self._beside: set[str] = set()
        self._emptied: set[str] = set()
        self._index = SketchIndex()
        self._said: dict[str, Candidate] = {}
        self._spelt: dict[str, str] = {}

    def admit(self, job: Job) -> bool:
        """Whether it stays apart from all before it; then it counts for those that follow."""
        try:
            manifest = envelopes.manifest_of(job)
            text = recheck.text_of(job)
            articles = _articles(job, manifest)
        except ImprimaturError:
            # Alone it says what is wrong with it.
            return False
        size = self._size + sum(entry.size for entry in manifest.entries)
        drawn = sketch(text)
        if size > BYTES or self._takes_long(manifest) or self._touches(manifest):
            return False
        if self._repeats(job, text, drawn):
            return False
        self._size = size
        self._keep(manifest)
        for path, said in articles.items():
            found = drawn if path == job.target_path else sketch(said)
            self._index.add(path, found)
            self._said[path] = Candidate(path, job.title or path, found, said)
        return True

    def _takes_long(self, manifest: Manifest) -> bool:
        """Whether its derived files are one more kind than one push has time for.

        The same bytes mean the same letters: those are made once.
        """
        made = self._made | _made(manifest)
        return bool(self._made) and made != self._made and sum(made.values()) > DERIVED

    def _touches(self, manifest: Manifest) -> bool:
        paths, above, beside, emptied = _surroundings(manifest)
        derived = _derived(manifest)
        return bool(
            paths & (self._paths | self._above | self._derived)
            or derived & (self._paths | self._above)
            or above & (self._paths | self._derived)
            or beside & self._emptied
            or emptied & self._beside
            or any(self._spelt.get(key, step) != step for key, step in _spellings(manifest))
        )

    def _repeats(self, job: Job, text: str, drawn: Sketch) -> bool:
        near = [self._said[path] for path in self._index.rank(drawn)]
        return bool(near) and judge(text, title=job.title, candidates=near).kind != "NEW"

    def _keep(self, manifest: Manifest) -> None:
        paths, above, beside, emptied = _surroundings(manifest)
        self._paths |= paths
        self._derived |= _derived(manifest)
        self._made |= _made(manifest)
        self._above |= above
        self._beside |= beside
        self._emptied |= emptied
        self._spelt.update(_spellings(manifest))


def _articles(job: Job, manifest: Manifest) -> dict[str, str]:
    """The articles that the job brings, with their text."""
    return {
        entry.path: artifacts.load_text(entry.sha256)
        for entry in manifest.entries
        if entry.sha256 and match_glob(job.site.articles, entry.path)
    }


def _surroundings(manifest: Manifest) -> tuple[set[str], set[str], set[str], set[str]]:
    """Paths, all folders above them, the folders that they lie in, and those that may become empty."""
    paths, above, beside, emptied = set[str](), set[str](), set[str](), set[str]()
    for entry in manifest.entries:
        path = twin_key(entry.path)
        chain = [twin_key(folder) for folder in folders(entry.path)]
        above.update(chain)
        if entry.kind == "derived":
            continue
        paths.add(path)
        beside.update(chain[-1:])
        if entry.sha256 is None:
            emptied.update(chain)
    return paths, above, beside, emptied


def _derived(manifest: Manifest) -> set[str]:
    return {twin_key(entry.path) for entry in manifest.entries if entry.kind == "derived"}


def _made(manifest: Manifest) -> dict[str, int]:
    """The derived files by their bytes, with their size."""
    return {
        entry.sha256: entry.size
        for entry in manifest.entries
        if entry.kind == "derived" and entry.sha256
    }


def _spellings(manifest: Manifest) -> list[tuple[str, str]]:
    """Each path and folder, after what all its twins share."""
    steps = {step for path in manifest.paths for step in (*folders(path), path)}
    return [(twin_key(step), step) for step in steps]
