"""placing: where a later revision puts its article, under the rules that hold at submit."""

from collections.abc import Mapping
from dataclasses import dataclass

from publisher.domain.errors import InvalidInput, WrongState
from publisher.domain.globs import fixed_part, inner_name, match_glob
from publisher.domain.slugs import slug
from publisher.models import Article, Job, Site
from publisher.services.places import refuse_unfit
from publisher.services.requests import checked_path

ACTIONS = ("create", "update")
"""What an edit may make of a job; a removal stays one, and nothing becomes one."""

ENDINGS = (".md", ".mdx")
_TRIES = 50


@dataclass(frozen=True, slots=True)
class Place:
    """Where the article shall go and as what; what is empty stays as it was."""

    path: str = ""
    action: str = ""


AS_BEFORE = Place()


def placed(job: Job, files: Mapping[str, bytes], place: Place) -> tuple[str, dict[str, bytes]]:
    """The article's path after this edit, and the files with the article under it.

    A job without a path takes the one that is named, or that of the only article among the files.
    Raises InvalidInput or UnsafePath with the field that held the path.
    """
    if place.action and place.action not in ACTIONS:
        raise InvalidInput("action", f"Unknown action. Known: {', '.join(ACTIONS)}.")
    named = place.path or job.target_path or _only_article(job, files)
    if named == job.target_path:
        return named, dict(files)
    if job.compensates_id is not None:
        raise WrongState("A job that takes something back keeps its path.", state=job.state)
    field = "target_path" if place.path else "files"
    target = checked_path(named, field=field, roots=(job.site.articles,))
    if target != job.target_path:
        refuse_unfit(target, job.site, field=field)
    return target, {target if path == named else path: data for path, data in files.items()}


def _only_article(job: Job, files: Mapping[str, bytes]) -> str:
    if len(files) == 1:
        return next(iter(files))
    articles = [path for path in files if match_glob(job.site.articles, path)]
    if len(articles) != 1:
        raise InvalidInput("target_path", "Say which path of the repository this is for.")
    return articles[0]


def moved(present: Mapping[str, str], old: str, new: str) -> dict[str, str]:
    """The draft's files with the article at its new path."""
    if old != new and new in present:
        raise InvalidInput("target_path", "The same path is named twice.")
    return {new if path == old else path: name for path, name in present.items()}


def suggested(site: Site, title: str) -> str:
    """A path for a new article: the folder of the site's articles, and a free name for the title.

    Without a title that the site's pattern takes, it is the folder alone, to be completed.
    """
    folder = fixed_part(site.articles)
    start = f"{folder}/" if folder else ""
    if not title.strip():
        return start
    stem, inner = start + slug(title), inner_name(site.articles)
    ends = (inner + end for end in ENDINGS if match_glob(site.articles, stem + inner + end))
    ending = next(ends, "")
    if not ending:
        return start
    names = [f"{stem}{more}{ending}" for more in ("", *(f"-{n}" for n in range(2, _TRIES)))]
    taken = set(Article.objects.filter(site=site, path__in=names).values_list("path", flat=True))
    return next((name for name in names if name not in taken), start)
