"""Places: whether a path is free for a job's file, told before anything is stored.

What is asked is the index of the site's branch: a few rows for each folder of the path. Prepare asks
the repository itself again, at the job's own base.
"""

from collections.abc import Callable
from typing import NamedTuple

from django.db.models import Q, Value
from django.db.models.functions import Left

from publisher.domain.errors import InvalidInput, UnsafePath
from publisher.domain.paths import (
    folders,
    in_the_way_of_fonts,
    is_nameable,
    place_key,
    stands_beside,
    unnameable_twin,
)
from publisher.models import Article, OtherFile, Site


def refuse_unfit(path: str, site: Site, *, field: str) -> None:
    """Raise unless a regular file is, or may come to be, at this path of the branch.

    InvalidInput for the twin of an existing name or folder; UnsafePath where the path leads through
    a link or a file, or names a link or a folder. Both name ``field`` and say the way out.
    InvalidInput as well where the site's font file is made.
    """
    if site.fonts and not stands_beside(path, site.fonts):
        raise InvalidInput(field, in_the_way_of_fonts(path, site.fonts), path=path)
    for step in (*folders(path), path):
        rows = _rows(site, step)
        if (file := rows(path=step)) is not None:
            if step == path and file.is_regular:
                return
            raise UnsafePath(field, path, "path_symlink", _in_the_way(file, path))
        if rows(start=f"{step}/") is None:
            if (other := rows()) is not None:
                _refuse_twin(step, path, other, site, field)
            return
    message = f"In the repository {path} is a folder. Choose another name."
    raise UnsafePath(field, path, "path_symlink", message)


class _Row(NamedTuple):
    path: str
    is_regular: bool


def _rows(site: Site, step: str) -> Callable[..., _Row | None]:
    """Looks for one file at this path, at a twin of it, or in a folder of either name."""
    key = place_key(step)
    there = Q(site=site, place_key__gte=key, place_key__lt=key[:-1] + b"\x01")
    start = Left("path", len(step) + 1)

    def one(**narrowed: str) -> _Row | None:
        articles = Article.objects.alias(start=start).filter(there, **narrowed)
        others = OtherFile.objects.alias(start=start).filter(there, **narrowed)
        found = articles.order_by().values_list("path", Value(value=True))
        both = found.union(others.order_by().values_list("path", "is_regular"), all=True)
        return next((_Row(*row) for row in both[:1]), None)

    return one


def _in_the_way(file: _Row, path: str) -> str:
    if file.is_regular:
        return f"In the repository {file.path} is a file, not a folder. Choose another path."
    if file.path == path:
        return (
            f"In the repository {path} is a symbolic link or another repository, not a file. "
            "Choose another path."
        )
    return (
        f"In the repository {file.path} is a symbolic link or another repository, not a folder. "
        "Choose another path."
    )


def _refuse_twin(step: str, path: str, other: _Row, site: Site, field: str) -> None:
    """Worded by what stands there, so that the way out is one."""
    found, is_regular = other
    twin = "/".join(found.split("/")[: step.count("/") + 1])
    if not is_nameable(twin + path[len(step) :], roots=(site.articles, site.assets)):
        message = unnameable_twin(twin, step)
    elif step == path and twin != found:
        message = (
            f"The site already has the folder {twin}, which other systems take for this name. "
            "Choose another name."
        )
    elif twin == found and not is_regular:
        message = (
            f"The site already has {twin}, a symbolic link or another repository, which other "
            f"systems take for {step}. Choose another name."
        )
    elif twin == found and step != path:
        message = (
            f"The site already has the file {twin}, which other systems take for the folder {step}. "
            "Choose another name."
        )
    elif step == path:
        message = (
            f"The site already has {twin}, which other systems take for the same file. "
            "Use that path to change it, or choose another name."
        )
    else:
        message = (
            f"The site already has the folder {twin}, which other systems take for {step}. "
            "Write it as it is there."
        )
    raise InvalidInput(field, message, path=path, twin=twin)
