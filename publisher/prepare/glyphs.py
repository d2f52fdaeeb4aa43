"""Glyphs: which code points the articles of a commit use, each blob's letters looked up once."""

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from publisher.domain.errors import RepositoryError
from publisher.domain.globs import match_glob
from publisher.models import Article, Site
from publisher.ports import Change, Repository
from publisher.prepare import fonts, index

ASCII = frozenset(range(0x20, 0x7F))
CHUNK = 500
BLOBS = 2_000
"""How many blobs' letters one process remembers besides the article index."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """How many articles of a commit use each code point; ``links`` are paths that are no files."""

    commit: str
    articles: str
    uses: Counter[int]
    links: frozenset[str] = frozenset()


_counted: dict[int, _Counted] = {}
_letters: OrderedDict[str, str] = OrderedDict()


def union(
    repository: Repository,
    site: Site,
    commit: str,
    *,
    ours: Iterable[bytes],
    replaced: Collection[str],
) -> frozenset[int]:
    """The code points of all articles at a commit, with ``replaced`` paths as ``ours`` has them.

    A function of the commit and these bytes alone. What was counted for another commit of this
    site is brought up to this one by what changed in between.
    """
    uses = Counter(_at(repository, site, commit).uses)
    for path, entry in repository.entries(commit, replaced).items():
        if entry is not None and entry.mode.startswith("100") and match_glob(site.articles, path):
            uses.subtract(_of_blobs(repository, site, {entry.blob: path})[entry.blob])
    used = {code for code, number in uses.items() if number > 0}
    letters = (index.letters_of(data.decode("utf-8", "replace")) for data in ours)
    return ASCII.union(used, *map(fonts.glyphs, letters))


def _at(repository: Repository, site: Site, commit: str) -> _Counted:
    known = _counted.get(site.pk)
    if known is None or known.articles != site.articles:
        known = _Counted("", site.articles, Counter())
    if known.commit != commit:
        known = _brought_to(repository, site, known, commit)
        _counted[site.pk] = known
    return known


def _brought_to(repository: Repository, site: Site, known: _Counted, commit: str) -> _Counted:
    try:
        changes = repository.changes(known.commit or None, commit)
    except RepositoryError:
        if not known.commit:
            raise
        # What was counted before is gone (rewritten history): count anew.
        known = _Counted("", site.articles, Counter())
        changes = repository.changes(None, commit)
    uses, links = Counter(known.uses), set(known.links)
    articles = [change for change in changes if match_glob(site.articles, change.path)]
    for start in range(0, len(articles), CHUNK):
        _count(repository, site, articles[start : start + CHUNK], uses, links)
    return _Counted(commit, site.articles, uses, frozenset(links))


def _count(
    repository: Repository,
    site: Site,
    changes: list[Change],
    uses: Counter[int],
    links: set[str],
) -> None:
    """Add what came and take off what went; a link or another repository is no article."""
    gone = [(one.old_blob, one.path) for one in changes if one.old_blob and one.path not in links]
    come = [(one.new_blob, one.path) for one in changes if one.new_blob and one.is_file]
    letters = _of_blobs(repository, site, dict(gone + come))
    for blob, _ in gone:
        uses.subtract(letters[blob])
    for blob, _ in come:
        uses.update(letters[blob])
    links.difference_update(change.path for change in changes)
    links.update(one.path for one in changes if one.new_blob and not one.is_file)


def _of_blobs(
    repository: Repository, site: Site, paths: Mapping[str, str]
) -> dict[str, frozenset[int]]:
    """The code points of each blob: remembered, or in the article index, or read."""
    unknown = {blob: path for blob, path in paths.items() if blob not in _letters}
    found = {blob: _letters[blob] for blob in paths if blob in _letters}
    rows = Article.objects.filter(site=site, blob__in=unknown, path__in=set(unknown.values()))
    found.update(rows.values_list("blob", "glyphs"))
    for blob in unknown:
        if blob not in found:
            found[blob] = index.letters_of(repository.read(blob).decode("utf-8", "replace"))
            _remember(blob, found[blob])
    return {blob: fonts.glyphs(letters) for blob, letters in found.items()}


def _remember(blob: str, letters: str) -> None:
    _letters[blob] = letters
    while len(_letters) > BLOBS:
        _letters.popitem(last=False)
