"""Nodes: this installation's id, and the signs of life of its processes."""

import uuid
from datetime import datetime

from django.db import IntegrityError, transaction

from publisher.models import Job, Node

INSTALLATION = "installation"


def installation(now: datetime) -> str:
    """The id of this installation: made once, the same on all of its machines."""
    rows = Node.objects.filter(name=INSTALLATION, role=INSTALLATION).only("installation")
    known = rows.first()
    if known is None:
        try:
            with transaction.atomic():
                known = Node.objects.create(
                    installation=str(uuid.uuid4()),
                    name=INSTALLATION,
                    role=INSTALLATION,
                    heartbeat_at=now,
                )
        except IntegrityError:
            known = rows.get()
    return known.installation


def writer(name: str, now: datetime) -> str:
    """How this machine signs its commits: installation and node."""
    return f"{installation(now)[:8]}/{name}"


def show_life(name: str, role: str, now: datetime, **facts: object) -> None:
    """Say that a process lives."""
    seen = {"installation": installation(now), "heartbeat_at": now, "facts": facts}
    # Nothing is read of the row: what it holds is over, and may be what nobody can read.
    rows = Node.objects.filter(name=name, role=role)
    if rows.update(**seen):
        return
    try:
        with transaction.atomic():
            Node.objects.create(name=name, role=role, **seen)
    except IntegrityError:
        rows.update(**seen)


def note_restore(taken_at: datetime, now: datetime) -> None:
    """Remember that this database is a copy that was taken at a moment and put back."""
    installation(now)
    row = Node.objects.only("facts").get(name=INSTALLATION, role=INSTALLATION)
    known = row.facts.get("restores", [])
    row.facts["restores"] = [*known, {"taken_at": taken_at.isoformat(), "at": now.isoformat()}]
    row.save(update_fields=["facts"])


def restored_at() -> datetime | None:
    """When a copy was put back the last time; None where that never happened."""
    return max((datetime.fromisoformat(each["at"]) for each in _restores()), default=None)


def is_from_backup(job: Job) -> bool:
    """Whether the job was in a database that was restored: more may have happened than it knows."""
    restores = _restores()
    return any(job.created_at <= datetime.fromisoformat(each["at"]) for each in restores)


def _restores() -> list[dict[str, str]]:
    """Without the row's own times: one that cannot be read would stop every delivery."""
    rows = Node.objects.filter(name=INSTALLATION, role=INSTALLATION)
    return [
        each for facts in rows.values_list("facts", flat=True) for each in facts.get("restores", [])
    ]
