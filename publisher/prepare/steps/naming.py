"""Naming: where a new article goes, following the site's own habit."""

from collections import Counter, defaultdict
from pathlib import PurePosixPath

from publisher.domain.globs import fixed_part, match_glob
from publisher.domain.slugs import slug
from publisher.models import Article
from publisher.prepare.context import Context
from publisher.prepare.shelves import nearest

_TRIES = 50
_KNOWN = 500
_READ_OF_A_FOLDER = 6
_READ = 120


def new_path(context: Context, title: str, text: str) -> str:
    """A free path beside the articles that are most like the text, with the ending that they have."""
    folder, ending = _habit(context, text)
    stem = slug(title)
    names = [stem, *(f"{stem}-{number}" for number in range(2, _TRIES))]
    paths = [f"{folder}/{name}{ending}" if folder else f"{name}{ending}" for name in names]
    entries = context.repository.entries(context.base, paths)
    return next((path for path in paths if entries[path] is None), paths[0])


def _habit(context: Context, text: str) -> tuple[str, str]:
    known = Article.objects.filter(site=context.job.site).order_by("-pk")
    folders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    endings: Counter[str] = Counter()
    for path, blob in known.values_list("path", "blob")[:_KNOWN]:
        folders[str(PurePosixPath(path).parent)].append((path, blob))
        endings[PurePosixPath(path).suffix] += 1
    folder = _folder(context, text, folders)
    if folder is not None:
        endings = Counter(PurePosixPath(path).suffix for path, _ in folders[folder])
    place = fixed_part(context.job.site.articles) if folder is None else folder
    place = "" if place == "." else place
    ending = next((end for end, _ in endings.most_common()), _first_ending(context, place))
    return place, ending


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
    root = fixed_part(context.job.site.articles)
    may_stand_above = match_glob(context.job.site.articles, f"{root}/x.md".lstrip("/"))
    return found if found is not None or may_stand_above else fullest[0]


def _text(context: Context, blob: str) -> str:
    return context.repository.read(blob).decode("utf-8", "replace")


def _first_ending(context: Context, folder: str) -> str:
    """The ending that the site's glob allows, of those that articles have."""
    articles = context.job.site.articles
    allowed = (
        end for end in (".md", ".mdx") if match_glob(articles, f"{folder}/x{end}".lstrip("/"))
    )
    return next(allowed, ".md")
