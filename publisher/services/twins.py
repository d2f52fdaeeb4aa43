"""Twins: a new path that some systems take for an existing one, told before anything is stored.

What is known here is the article index. Files that are no articles, links and submodules are
prepare's business, which asks the repository itself.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from publisher.domain.errors import InvalidInput
from publisher.domain.paths import folders, twins
from publisher.models import Article, Site

Names = Mapping[str, set[str]]
"""What lies directly in each folder that holds articles; "" is the top one."""


def refuse_twins(path: str, site: Site, *, field: str = "target_path") -> None:
    """InvalidInput for an article's path whose name, or a folder of it, is another's twin."""
    if not Article.objects.filter(site=site, path=path).exists():
        _refuse(path, _names(site), field)


def refuse_asset_twins(paths: Iterable[str], site: Site, *, field: str) -> None:
    """The same for files that go along: their folders may be those of articles."""
    names = _names(site)
    for path in paths:
        _refuse(path, names, field)


_known: dict[int, tuple[str, Names]] = {}
"""By site, with the commit that was indexed: reading all paths takes what a publication takes."""


def _names(site: Site) -> Names:
    known = _known.get(site.pk)
    if known is not None and known[0] == site.indexed_commit:
        return known[1]
    names = _read(site)
    if site.indexed_commit:
        _known[site.pk] = (site.indexed_commit, names)
    return names


def _read(site: Site) -> Names:
    names: dict[str, set[str]] = defaultdict(set)
    for path in Article.objects.filter(site=site).values_list("path", flat=True):
        names[_above(path)].add(path)
    for parent in list(names):
        for folder in filter(None, [*folders(parent), parent]):
            names[_above(folder)].add(folder)
    return names


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _refuse(path: str, names: Names, field: str) -> None:
    """As prepare does: the first part that is new must not be a twin of what lies beside it."""
    parent = ""
    for step in (*folders(path), path):
        beside = names.get(parent, set())
        if step not in beside:
            break
        parent = step
    else:
        return
    if not (found := twins(step, beside)):
        return
    if step == path:
        message = (
            f"The site already has {found[0]}, which other systems take for the same file. "
            "Use that path to change it, or choose another name."
        )
    else:
        message = (
            f"The site already has the folder {found[0]}, which other systems take for {step}. "
            "Write it as it is there."
        )
    raise InvalidInput(field, message, path=path, twin=found[0])
