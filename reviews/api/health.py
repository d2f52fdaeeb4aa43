"""Health: whether this process, and the installation behind it, can do its work."""

import shutil
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, OperationalError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja.errors import HttpError

from publisher import clock, databases
from publisher import selectors as engine
from publisher.domain.errors import ImprimaturError
from publisher.processes.doctor import database
from publisher.processes.doctor.answer import Level
from publisher.storage import is_full
from reviews.api.auth import authenticate
from reviews.api.problems import busy, full, problem
from reviews.permissions import public

SILENT = timedelta(seconds=60)
AHEAD = timedelta(seconds=5)
"""How far a clock that wrote a sign of life may have been ahead."""
DISK_FREE_BYTES = 100 * 1024 * 1024


@public
def healthz(request: HttpRequest) -> JsonResponse:
    """This process answers; nothing else is looked at."""
    return JsonResponse({"status": "ok"})


@public
def readyz(request: HttpRequest) -> JsonResponse:
    """Whether work can be taken in and done; names the probes that fail, and says no more."""
    failing = failing_probes()
    body = {"status": "failing" if failing else "ok", "failing": failing}
    return JsonResponse(body, status=503 if failing else 200)


def failing_probes() -> list[str]:
    """The names of what is wrong: database, migrations, disk, worker. Writes nothing.

    Not how long work waits: at one silent remote that would take every server out of service.
    """
    failing = []
    if _is_full():
        failing.append("disk")
    try:
        now = clock.now()
        if not _migrated():
            return ["migrations", *failing]
        beats = [node.heartbeat_at for node in engine.nodes() if node.role == "worker"]
        if not any(is_alive(beat, now) for beat in beats):
            failing.append("worker")
    except DatabaseError:
        return ["database", *failing]
    return failing


def _is_full() -> bool:
    """Of the data folder's disk, and of the database's where that lies on another."""
    file = databases.file_of(settings.DATABASES["default"])
    folders = [settings.IMPRIMATUR_DATA_DIR, *([file.parent] if file else [])]
    return any(shutil.disk_usage(each).free < DISK_FREE_BYTES for each in folders)


def is_alive(beat: datetime, now: datetime, *, silence: timedelta = SILENT) -> bool:
    """Whether a sign of life is new enough; one of the future may be of somebody long gone."""
    return -AHEAD < now - beat < silence


def _migrated() -> bool:
    return database.migrations().level is not Level.TROUBLE


@public
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus text, for a session or a token that may read."""
    try:
        return _numbers(request)
    except ImprimaturError as refused:
        return problem(403, detail=refused.message)
    except HttpError as refused:
        return problem(refused.status_code, detail=str(refused))
    except OperationalError as trouble:
        return full() if is_full(trouble) else busy()


def _numbers(request: HttpRequest) -> HttpResponse:
    asking = authenticate(request)
    if asking is None:
        return problem(401, headers={"WWW-Authenticate": 'Bearer realm="imprimatur"'})
    if not asking.may_somewhere("read"):
        return problem(403)
    text = "\n".join([*_jobs(), *_queue(), *_effects(), *_nodes()]) + "\n"
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def _gauge(name: str, about: str, values: list[tuple[str, float]]) -> list[str]:
    head = [f"# HELP imprimatur_{name} {about}", f"# TYPE imprimatur_{name} gauge"]
    return head + [f"imprimatur_{name}{labels} {value:g}" for labels, value in values]


def _jobs() -> list[str]:
    counts = engine.count_by_state(Q())
    values = [(f'{{state="{state}"}}', float(count)) for state, count in counts.items()]
    return _gauge("jobs", "Unfinished jobs by state.", values)


def _queue() -> list[str]:
    now = clock.now()
    oldest = engine.oldest_due(now)
    age = (now - oldest).total_seconds() if oldest else 0.0
    return _gauge("queue_age_seconds", "Age of the oldest due job.", [("", max(age, 0.0))])


def _effects() -> list[str]:
    count = float(engine.count_open_effects())
    return _gauge("open_effects", "Outside writes whose outcome is open.", [("", count)])


def _nodes() -> list[str]:
    now = clock.now()
    values = [
        (
            f'{{node="{_escaped(node.name)}",role="{_escaped(node.role)}"}}',
            abs((now - node.heartbeat_at).total_seconds()),  # a far future is no life either
        )
        for node in engine.nodes()
    ]
    return _gauge("heartbeat_age_seconds", "Time since a process showed itself.", values)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
