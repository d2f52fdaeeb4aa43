"""Naming: where a new article goes, following the site's own habit."""

from collections import Counter, defaultdict
from pathlib import PurePosixPath

from publisher.domain.findings import Finding, Severity
from publisher.domain.globs import fixed_part, inner_name, match_glob
from publisher.domain.slugs import slug
from publisher.models import Article
from publisher.prepare.context import Context
from publisher.prepare.shelves import nearest

_ENDINGS = (".md", ".mdx")
_TRIES = 50
_KNOWN = 500
_READ_OF_A_FOLDER = 6
_READ = 120


def new_path(context: Context, title: str, text: str) -> tuple[str, list[Finding]]:
    """A free path beside the articles that are most like the text, with the ending that they have.

    With a finding where the site's pattern takes no such name, or all of them are taken.
    """
    articles = context.job.site.articles
    folder, ending = _habit(context, text)
    stem = slug(title)
    names = [stem, *(f"{stem}-{number}" for number in range(2, _TRIES))]
    paths = [_path(folder, f"{name}{inner_name(articles)}{ending}") for name in names]
    entries = context.repository.entries(context.base, paths)
    free = (path for path in paths if entries[path] is None and match_glob(articles, path))
    path = next(free, "")
    return (path, []) if path else (paths[0], [_unnamed(paths[0], articles)])


def _unnamed(path: str, articles: str) -> Finding:
    return Finding(
        severity=Severity.BLOCK,
        path=path,
        line=None,
        rule="path_unnamed",
        message=f"No free name for this title fits the pattern of the site's articles, {articles}.",
        advice="Choose a path that the pattern takes.",
    )


def _path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _takes(articles: str, folder: str, ending: str) -> bool:
    """Whether the site's pattern takes new names in this folder."""
    return match_glob(articles, _path(folder, f"x{inner_name(articles)}{ending}"))


def _habit(context: Context, text: str) -> tuple[str, str]:
    articles = context.job.site.articles
    known = Article.objects.filter(site=context.job.site).order_by("-pk")
    folders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    endings: Counter[str] = Counter()
    own_folder = 1 if inner_name(articles) else 0
    for path, blob in known.values_list("path", "blob")[:_KNOWN]:
        place = PurePosixPath(path)
        endings[place.suffix] += 1
        if len(place.parents) <= own_folder:
            continue  # one at the root has no folder of its own, and shows no place for another
        above = str(place.parents[own_folder])
        folder = "" if above == "." else above
        if _takes(articles, folder, place.suffix):
            folders[folder].append((path, blob))
    chosen = _folder(context, text, folders)
    if chosen is None:
        chosen = fixed_part(articles)
    else:
        endings = Counter(PurePosixPath(path).suffix for path, _ in folders[chosen])
    ending = next((end for end, _ in endings.most_common()), _first_ending(articles, chosen))
    return chosen, ending


def _folder(context: Context, text: str, folders: dict[str, list[tuple[str, str]]]) -> str | None:
    """The only folder, else the nearest of the fullest ones; None for the place above them all."""
    if len(folders) < 2:
        return next(iter(folders), None)
    fullest = sorted(folders, key=lambda name: (-len(folders[name]), name))
    shelves = {
        name: [_text(context, blob) for _, blob in folders[name][:_READ_OF_A_FOLDER]]
        for name in fullest[: _READ // _READ_OF_A_FOLDER]
    }
    found = nearest(text, shelves)
    articles = context.job.site.articles
    root = fixed_part(articles)
    may_stand_above = any(_takes(articles, root, ending) for ending in _ENDINGS)
    return found if found is not None or may_stand_above else fullest[0]


def _text(context: Context, blob: str) -> str:
    return context.repository.read(blob).decode("utf-8", "replace")


def _first_ending(articles: str, folder: str) -> str:
    """The ending that the site's glob allows, of those that articles have."""
    return next((end for end in _ENDINGS if _takes(articles, folder, end)), _ENDINGS[0])
