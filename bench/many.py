"""Many: finished jobs by the million, copied inside the database from one that is there."""

from collections.abc import Mapping
from typing import Any

from django.db import connection, models

from bench import finished
from publisher.models import Effect, Job, JobEvent
from reviews.models import Approval

CHUNK = 100_000
REST = "-7000-8000-000000000000"
_NUMBERS = "WITH RECURSIVE n(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM n WHERE n < {last})"
_HEX = {"sqlite": "printf('%0{width}x', n)", "postgresql": "lpad(to_hex(n), {width}, '0')"}


def write(count: int, *, first: int) -> None:
    """Up to this many in all; those before ``first`` are written as ever, and one is copied."""
    if not first:
        finished.write(min(count, 10_000), whole=False)
        first = min(count, 10_000)
    template = Job.objects.filter(site=finished.site()).earliest("pk").pk
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # What is copied was checked; a check of each row takes most of the time.
            cursor.execute("SET session_replication_role = replica")
        for begin in range(first, count, CHUNK):
            last = min(begin + CHUNK, count) - 1
            for model in (Job, JobEvent, Approval, Effect):
                cursor.execute(copying(model, begin, last), [template])
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = DEFAULT")
        vacuum = "VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE"
        cursor.execute(vacuum)


def copying(
    model: type[models.Model], first: int, last: int, also: Mapping[str, str] | None = None
) -> str:
    """The statement that copies the rows of one job; ``also`` gives further columns by the number n."""
    changed = {**_changed(model), **(also or {})}
    columns = [
        str(field.column)
        for field in model._meta.concrete_fields  # noqa: SLF001
        if field.column in changed or not isinstance(field, models.AutoField)
    ]
    values = ", ".join(changed.get(column, f't."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    table = model._meta.db_table  # noqa: SLF001
    key = "id" if model is Job else "job_id"
    numbers = _NUMBERS.format(first=first, last=last)
    return (
        f"INSERT INTO {table} ({names}) {numbers} "
        f"SELECT {values} FROM n CROSS JOIN {table} t WHERE t.{key} = %s"
    )


def _changed(model: type[Any]) -> dict[str, str]:
    """What differs from copy to copy: ids, and what indexes hold."""

    def digits(width: int) -> str:
        return _HEX[connection.vendor].format(width=width).replace("%", "%%")

    # Each is a millisecond after the one before, as the ids of a real installation are.
    name = f"'019b' || substr({digits(8)}, 1, 4) || '-' || substr({digits(8)}, 5) || '{REST}'"
    if model is Job:
        return {
            "id": name,
            "binding_hash": f"'sha256:' || {digits(64)}",
            "target_path": f"'content/' || {digits(12)} || '.md'",
            "remote_commit": digits(40),
        }
    own = {"operation_key": f"'effect-' || {digits(12)} || 'c'"} if model is Effect else {}
    return {"job_id": name, **own}
