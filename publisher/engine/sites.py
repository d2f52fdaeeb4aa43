"""Sites: make the clone, fetch, and keep the index of articles; in the background, never for a job."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime

import structlog
from django.db import DatabaseError, OperationalError

from publisher import wakeup
from publisher.domain.errors import (
    AdapterError,
    ImprimaturError,
    InvalidInput,
    LockBusy,
    RepositoryError,
)
from publisher.domain.states import State
from publisher.engine import roots, site_index, site_rules
from publisher.models import Article, Job, OtherFile, Site
from publisher.models.site import CloneState
from publisher.ports import CheckFact, Ports, Repository

log = structlog.get_logger(__name__)


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
            site_index.update(site, repository, tip)
            _open(site, ports.clock.now())
            repository.tend()
        finally:
            repository.close()
    except OperationalError:
        raise  # the database is busy or away, which is no trouble of this site
    except (ImprimaturError, OSError, DatabaseError) as error:
        _keep_trouble(site, error, ports.clock.now())
        raise
    except Exception as error:
        # A defect that one file brings out must not freeze the index while all seems well.
        log.exception("refresh_crashed", site=site.name)
        known = AdapterError(
            f"Reading the branch ended in an unexpected {type(error).__name__}. The log of the "
            "worker holds the details.",
            kind="defect",
        )
        _keep_trouble(site, known, ports.clock.now())
        raise known from error
    return tip


def _keep_trouble(
    site: Site, error: ImprimaturError | OSError | DatabaseError, now: datetime
) -> None:
    if isinstance(error, ImprimaturError):
        known = error
    elif isinstance(error, DatabaseError):
        known = AdapterError(f"The database does not take what the site's branch holds: {error}.")
    else:
        known = AdapterError(str(error))
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
    """Clone and fetch; submits are accepted meanwhile, and their jobs wait."""
    if site.clone_state != CloneState.READY.value:
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
    )
    site.refresh_from_db()
    return tip


def _open(site: Site, now: datetime) -> None:
    """Clone and index are there: whoever waited for them goes on."""
    if site.clone_state == CloneState.READY.value:
        return
    site.clone_state = CloneState.READY.value
    site.save(update_fields=["clone_state"])
    wake_received(site, now)


def wake_received(site: Site, now: datetime) -> None:
    """Jobs that waited for the clone."""
    waiting = Job.objects.filter(site=site, state=State.RECEIVED.value)
    for job_id in waiting.values_list("pk", flat=True):
        wakeup.hint(job_id, due_at=now, now=now)


def _progress(site: Site) -> Callable[[str], None]:
    def tell(text: str) -> None:
        Site.objects.filter(pk=site.pk).update(clone_progress=text[:300])

    return tell


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
    report += [*_notes(site), *site_index.told(site)]
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
    except (ImprimaturError, OSError, DatabaseError) as error:
        return [CheckFact("fetch", ok=False, message=str(error))]
    return []
