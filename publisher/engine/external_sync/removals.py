"""Removals: most of a site's files gone at once may be a disk that is not mounted; nobody sends that."""

from collections.abc import Collection, Mapping

from publisher.domain.globs import match_glob
from publisher.live import LiveRepository
from publisher.models import Site

MOST = "mass_removal"
TREE = "folder_gone"
MOVED = "moved"
FEWEST = 3
"""One or two files are somebody's own decision, however few there are."""

Files = Mapping[str, list[str | None]]


def suspect(site: Site, repository: LiveRepository, head: str, files: Files) -> list[str]:
    """The removed paths, where they are more than half of the articles or of the assets of HEAD."""
    gone = [path for path, (_, after) in files.items() if after is None]
    if len(gone) < FEWEST:
        return []
    listed = [change.path for change in repository.changes(None, head)]
    found: set[str] = set()
    for pattern in site.roots:
        missing = {path for path in gone if match_glob(pattern, path)}
        held = sum(match_glob(pattern, path) for path in listed)
        if len(missing) >= FEWEST and 2 * len(missing) > held:
            found |= missing
    return sorted(found)


def moved(files: Files, staying: Collection[str | None]) -> list[str]:
    """New files that hold what stays upstream elsewhere: half of a move would put it there twice."""
    return [path for path, (before, after) in files.items() if before is None and after in staying]
