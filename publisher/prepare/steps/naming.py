"""Naming: where a new article goes, following the site's own habit."""

from collections import Counter
from pathlib import PurePosixPath

from publisher.domain.globs import match_glob
from publisher.models import Article, Site
from publisher.prepare.article import slug
from publisher.prepare.context import Context

_TRIES = 50


def new_path(context: Context, title: str) -> str:
    """A free path in the folder and with the ending that most of the site's articles have."""
    site = context.job.site
    folder, ending = _habit(site)
    stem = slug(title)
    names = [stem, *(f"{stem}-{number}" for number in range(2, _TRIES))]
    paths = [f"{folder}/{name}{ending}" if folder else f"{name}{ending}" for name in names]
    entries = context.repository.entries(context.base, paths)
    return next((path for path in paths if entries[path] is None), paths[0])


def _habit(site: Site) -> tuple[str, str]:
    known = Article.objects.filter(site=site).order_by("-pk").values_list("path", flat=True)[:500]
    habits = Counter(
        (str(PurePosixPath(path).parent), PurePosixPath(path).suffix) for path in known
    )
    if habits:
        (folder, ending), _ = habits.most_common(1)[0]
        return ("" if folder == "." else folder), ending
    folder = _fixed_part(site.articles)
    ending = next(
        (
            end
            for end in (".md", ".mdx")
            if match_glob(site.articles, f"{folder}/x{end}".lstrip("/"))
        ),
        ".md",
    )
    return folder, ending


def _fixed_part(pattern: str) -> str:
    """The folders of a glob before its first wildcard."""
    parts: list[str] = []
    for part in pattern.split("/")[:-1]:
        if any(sign in part for sign in "*?[{"):
            break
        parts.append(part)
    return "/".join(parts)
