"""The index of a site's files: rows for what the branch holds, brought from commit to commit."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import TypeVar

from publisher.domain.errors import RepositoryError
from publisher.domain.globs import match_glob
from publisher.domain.paths import shown
from publisher.models import Article, OtherFile, Site
from publisher.ports import Change, CheckFact, Repository
from publisher.prepare import index

CHUNK = 200
LEFT_OUT = "names"

Item = TypeVar("Item")


def update(site: Site, repository: Repository, tip: str) -> None:
    """Bring the article index from the last indexed commit to the tip: costs per change."""
    while site.indexed_commit != tip and not _is_brought(site, repository, tip):
        # Another pattern or another run came between, and the rows may be of both: list all anew.
        Site.objects.filter(pk=site.pk).update(indexed_commit="")
        site.refresh_from_db()


def _is_brought(site: Site, repository: Repository, tip: str) -> bool:
    """Write the rows; whether the site stood all the while as it was loaded."""
    since = site.indexed_commit
    try:
        changes = repository.changes(since or None, tip)
    except RepositoryError:
        # The last indexed commit is gone (rewritten history): index anew.
        changes, since = repository.changes(None, tip), ""
    fitting = [change for change in changes if index.fits(change.path)]
    for chunk in _chunks(iter(fitting)):
        articles = [each for each in chunk if match_glob(site.articles, each.path)]
        _index_articles(site, repository, articles)
        _index_others(site, chunk)
    if not since:
        _drop_others(site, fitting)
    if not since or len(fitting) < len(changes):
        whole = repository.changes(None, tip) if since else changes
        _tell(site, [change.path for change in whole if not index.fits(change.path)])
    as_loaded = Site.objects.filter(
        pk=site.pk, articles=site.articles, indexed_commit=site.indexed_commit
    )
    return as_loaded.update(indexed_commit=tip) == 1


def _tell(site: Site, left_out: list[str]) -> None:
    """Say on the site's page what is left out; nothing, once all of it is gone."""
    (report,) = Site.objects.filter(pk=site.pk).values_list("check_report", flat=True)
    others = [fact for fact in report if fact["name"] != LEFT_OUT]
    if left_out:
        words = (
            f"The branch has names that are too long to be used here, {len(left_out)} in all, such "
            f"as {shown(left_out[0])}. No job can name them; shorten them if one should."
        )
        others.append(asdict(CheckFact(LEFT_OUT, ok=True, message=words)))
    Site.objects.filter(pk=site.pk).update(check_report=others)


def told(site: Site) -> list[CheckFact]:
    """What the last look at the branch said of its names, for another report."""
    (report,) = Site.objects.filter(pk=site.pk).values_list("check_report", flat=True)
    return [CheckFact(**fact) for fact in report if fact["name"] == LEFT_OUT]


def _chunks(items: Iterator[Item]) -> Iterator[list[Item]]:
    while chunk := list(islice(items, CHUNK)):
        yield chunk


def _index_articles(site: Site, repository: Repository, chunk: list[Change]) -> None:
    gone = [change.path for change in chunk if change.new_blob is None or not change.is_file]
    Article.objects.filter(site=site, path__in=gone).delete()
    rows = [
        Article(site=site, path=change.path, blob=change.new_blob, **index.describe(
            change.path, repository.read(change.new_blob)
        ))
        for change in chunk
        if change.new_blob is not None and change.is_file
    ]  # fmt: skip
    Article.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["site", "path"],
        update_fields=["blob", "title", "sketch", "glyphs"],
    )


def _index_others(site: Site, chunk: list[Change]) -> None:
    """Links and submodules wherever they are, and the files that are no articles."""
    others = {
        change.path: OtherFile(site=site, path=change.path, is_regular=change.is_file)
        for change in chunk
        if change.new_blob is not None
        and not (change.is_file and match_glob(site.articles, change.path))
    }
    gone = [change.path for change in chunk if change.path not in others]
    OtherFile.objects.filter(site=site, path__in=gone).delete()
    OtherFile.objects.bulk_create(
        others.values(),
        update_conflicts=True,
        unique_fields=["site", "path"],
        update_fields=["is_regular"],
    )


def _drop_others(site: Site, listed: list[Change]) -> None:
    """Rows of what is gone, or of what another pattern makes of a file, once all is listed anew.

    They go last, because drafts are judged and places looked for in the meantime.
    """
    articles = {
        change.path
        for change in listed
        if change.is_file and match_glob(site.articles, change.path)
    }
    others = {change.path for change in listed} - articles
    for model, held in ((Article, articles), (OtherFile, others)):
        rows = model.objects.filter(site=site)
        for paths in _chunks(iter(set(rows.values_list("path", flat=True)) - held)):
            rows.filter(path__in=paths).delete()
