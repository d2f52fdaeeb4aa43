"""prune: what nothing refers to any more, counted, and removed unless it is only asked about."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.contrib.sessions.models import Session
from django_q.models import Task

from publisher.engine.reconcile import workspaces
from publisher.models import Artifact, Job, Site
from publisher.models.site import CloneState
from publisher.ports import Ports

ORPHAN_HOURS = 24
TASK_DAYS = 7
CHUNK = 500
_ASIDE = ".pruning-"
_UNFINISHED = ".part-"


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many of a kind, and how many bytes where they are files."""

    what: str
    count: int
    size: int = 0


def prune(ports: Ports, *, dry_run: bool) -> list[Pruned]:
    """Find, and remove unless ``dry_run``. Nothing that a row names is touched; no row of a job is."""
    now = ports.clock.now()
    sessions = Session.objects.filter(expire_date__lt=now)
    tasks = Task.objects.filter(stopped__lt=now - timedelta(days=TASK_DAYS))
    found = [
        _orphans(settings.DATA_DIR / "artifacts", now, dry_run=dry_run),
        _workspaces(ports, dry_run=dry_run),
        Pruned("task rows of the queue", tasks.count()),
        Pruned("expired sessions", sessions.count()),
    ]
    if not dry_run:
        tasks.delete()
        sessions.delete()
    return found


def _orphans(root: Path, now: datetime, *, dry_run: bool) -> Pruned:
    """Files without a row: their writer died before it wrote one, a day ago at least."""
    before = (now - timedelta(hours=ORPHAN_HOURS)).timestamp()
    count = size = 0
    for path in _without_row(_old_files(root, before)):
        length = path.stat().st_size
        if dry_run or _remove(path, before):
            count, size = count + 1, size + length
    return Pruned("orphan files of artifacts", count, size)


def _old_files(root: Path, before: float) -> Iterator[Path]:
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_mtime < before:
            yield path


def _without_row(paths: Iterator[Path]) -> Iterator[Path]:
    while chunk := list(islice(paths, CHUNK)):
        names = [f"sha256:{path.name}" for path in chunk]
        known = set(Artifact.objects.filter(pk__in=names).values_list("pk", flat=True))
        yield from (path for path in chunk if f"sha256:{path.name}" not in known)


def _remove(path: Path, before: float, look: Callable[[], None] = lambda: None) -> bool:
    """Set the file aside, look again, and only then remove it.

    Whoever wants the same bytes renews the file's time before the row is written. That either
    happened before the file was set aside, and is seen here, or fails and writes them anew.
    """
    if path.name.startswith((_ASIDE, _UNFINISHED)):
        path.unlink()
        return True
    look()
    aside = path.with_name(_ASIDE + path.name)
    path.rename(aside)
    if aside.stat().st_mtime < before:
        aside.unlink()
        return True
    if path.exists():
        aside.unlink()
    else:
        aside.rename(path)
    return False


def _workspaces(ports: Ports, *, dry_run: bool) -> Pruned:
    if not dry_run:
        return Pruned("workspaces of ended jobs", workspaces.run(ports).changed)
    count = 0
    for site in Site.objects.filter(clone_state=CloneState.READY.value):
        repository = ports.repository(site.spec, lambda: False)
        try:
            present = {*repository.workspaces(), *repository.jobs_with_refs()}
        finally:
            repository.close()
        count += Job.objects.filter(pk__in=present, state__in=workspaces.OVER).count()
    return Pruned("workspaces of ended jobs", count)
