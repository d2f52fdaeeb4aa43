"""Sites: make the clone, fetch, and keep the index of articles; in the background, never for a job."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from itertools import islice

import structlog

from publisher import wakeup
from publisher.domain.errors import (
    AdapterError,
    ImprimaturError,
    InvalidInput,
    LockBusy,
    RepositoryError,
)
from publisher.domain.globs import match_glob
from publisher.domain.states import State
from publisher.engine import roots, site_rules
from publisher.models import Article, Job, OtherFile, Site
from publisher.models.site import CloneState
from publisher.ports import Change, CheckFact, Ports, Repository
from publisher.prepare import index

log = structlog.get_logger(__name__)

CHUNK = 200


def _never() -> bool:
    return False


def refresh(site: Site, ports: Ports) -> str:
    """Clone if needed, fetch, index; returns the tip. What went wrong is kept for the site's page."""
    try:
        if not site.branch:
            _find_branch(site, ports)
        repository = ports.repository(site.spec, _never)
        try:
            tip = _bring(site, repository, ports)
            _index(site, repository, tip)
            repository.tend()
        finally:
            repository.close()
    except (ImprimaturError, OSError) as error:
        _keep_trouble(site, error, ports.clock.now())
        raise
    return tip


def _keep_trouble(site: Site, error: ImprimaturError | OSError, now: datetime) -> None:
    known = error if isinstance(error, ImprimaturError) else AdapterError(str(error))
    if isinstance(known, LockBusy) or known.facts.get("why") == "cancelled":
        return  # somebody else is at it, and nothing is wrong with the site
    failed = {}
    if getattr(known, "permanent", False) and site.clone_state != CloneState.READY.value:
        failed["clone_state"] = CloneState.FAILED.value
    Site.objects.filter(pk=site.pk).update(last_error=known.message, last_error_at=now, **failed)


def _find_branch(site: Site, ports: Ports) -> None:
    repository = ports.repository(site.spec, _never)
    try:
        site.branch = repository.default_branch()
    finally:
        repository.close()
    Site.objects.filter(pk=site.pk).update(branch=site.branch)


def _bring(site: Site, repository: Repository, ports: Ports) -> str:
    """Clone and fetch; submits are accepted meanwhile, and their jobs are woken at the end."""
    was_ready = site.clone_state == CloneState.READY.value
    if not was_ready:
        Site.objects.filter(pk=site.pk).update(clone_state=CloneState.CLONING.value)
    repository.ensure_clone(_progress(site))
    with ports.locks.hold("delivery", site.name):
        tip = repository.fetch()
    roots.watch(site, repository, tip)
    now = ports.clock.now()
    Site.objects.filter(pk=site.pk).update(
        head=tip,
        fetched_at=now,
        last_error="",
        clone_progress="",
        clone_state=CloneState.READY.value,
    )
    site.refresh_from_db()
    if not was_ready:
        wake_received(site, now)
    return tip


def wake_received(site: Site, now: datetime) -> None:
    """Jobs that waited for the clone."""
    waiting = Job.objects.filter(site=site, state=State.RECEIVED.value)
    for job_id in waiting.values_list("pk", flat=True):
        wakeup.hint(job_id, due_at=now, now=now)


def _progress(site: Site) -> Callable[[str], None]:
    def tell(text: str) -> None:
        Site.objects.filter(pk=site.pk).update(clone_progress=text[:300])

    return tell


def _index(site: Site, repository: Repository, tip: str) -> None:
    """Bring the article index from the last indexed commit to the tip: costs per change."""
    if site.indexed_commit == tip:
        return
    try:
        changes = repository.changes(site.indexed_commit or None, tip)
    except RepositoryError:
        # The last indexed commit is gone (rewritten history): index anew.
        changes = repository.changes(None, tip)
        site.indexed_commit = ""
    if not site.indexed_commit:
        # Also after another pattern: what is an article by now was none before, and the other way.
        Article.objects.filter(site=site).delete()
        OtherFile.objects.filter(site=site).delete()
    for chunk in _chunks(iter(changes)):
        articles = [each for each in chunk if match_glob(site.articles, each.path)]
        _index_articles(site, repository, articles)
        _index_others(site, chunk)
    Site.objects.filter(pk=site.pk).update(indexed_commit=tip)


def _chunks(changes: Iterator[Change]) -> Iterator[list[Change]]:
    while chunk := list(islice(changes, CHUNK)):
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


def is_silent(site: Site, ports: Ports, *, pushes: bool) -> bool:
    """Whether another worker here waits in vain for the site's remote."""
    repository = ports.repository(site.spec, _never)
    try:
        return repository.is_silent(pushes=pushes)
    except OSError as trouble:
        # A full disk or the like: the work itself meets it, and tells it where it belongs.
        log.warning("contact_unknown", site=site.name, reason=str(trouble))
        return False
    finally:
        repository.close()


def reach(site: Site, ports: Ports) -> None:
    """Find the branch and make sure that it is there; RepositoryError says what is wrong."""
    if not site.branch:
        _find_branch(site, ports)
    wrong = [fact for fact in check(site, ports) if not fact.ok]
    if wrong:
        raise RepositoryError(wrong[0].message)


def require_branch(site: Site, branch: str, ports: Ports) -> None:
    """Raise InvalidInput for a branch that the remote lacks; where nobody can look, it may be there."""
    repository = ports.repository(replace(site.spec, branch=branch), _never)
    try:
        report = repository.check()
    finally:
        repository.close()
    for fact in report:
        if fact.name == "branch" and not fact.ok:
            raise InvalidInput("branch", fact.message)


def forget(site: Site, ports: Ports) -> None:
    """Remove what a refused connection left on this machine; a later site may get the same id."""
    ports.repository(site.spec, _never).discard()


def check(site: Site, ports: Ports) -> list[CheckFact]:
    """Try what delivery needs, and keep the report for the site's page."""
    repository = ports.repository(site.spec, _never)
    try:
        report = [*repository.check(), *site_rules.broken(site)]
    finally:
        repository.close()
    if site.last_error:
        report += _look_again(site, ports, report)
    report += _notes(site)
    Site.objects.filter(pk=site.pk).update(check_report=[asdict(fact) for fact in report])
    return report


def _notes(site: Site) -> list[CheckFact]:
    """What is no fault, and may be one: a pattern that no file of the branch matches."""
    known = Article.objects.filter(site=site)
    others = OtherFile.objects.filter(site=site)
    if known.exists() or not others.exists():
        return []
    words = (
        f"No file of the branch matches {site.articles} yet. If there are articles already, set "
        "another pattern."
    )
    return [CheckFact("articles", ok=True, message=words)]


def _look_again(site: Site, ports: Ports, report: Sequence[CheckFact]) -> list[CheckFact]:
    """Whether what went wrong the last time does so still; not asked where the cause is known."""
    if not all(fact.ok for fact in report):
        return []
    try:
        refresh(site, ports)
    except (ImprimaturError, OSError) as error:
        return [CheckFact("fetch", ok=False, message=str(error))]
    return []
