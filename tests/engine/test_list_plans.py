"""The list of jobs is answered from indexes: a page reads as much among many jobs as among few."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q

from publisher import selectors_jobs, selectors_search
from publisher.domain.ids import job_id
from publisher.models import Job, JobEvent, SearchText, Site
from publisher.models.search import place_of
from tests.support import jobs
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db
FEW, MANY, NEAR = 400, 2400, 100
ONE = Q(scope="default")
SEVERAL = Q(pk__in=[]) | Q(scope__in=["default", "small"]) | Q(scope="other", site__in=[1, 2])
FILTERS: tuple[dict[str, Any], ...] = (
    {}, {"state": "FAILED"}, {"states": ["PUBLISHED", "SKIPPED", "FAILED"]}, {"kind": "report/v1"},
    {"site": "second"}, {"operation": "delete"}, {"requester": "NOOR"},
    {"since": NOW + timedelta(days=1)}, {"q": "text"}, {"q": "rare"}, {"q": "修理"}, {"q": "noor"},
    {"q": "beef"}, {"q": "nothing"}, {"q": "text", "state": "PUBLISHED"},
)  # fmt: skip
"""What few jobs have stands at the far end of the list, behind all the others."""
Question = tuple[str, Any]


def write(first: int, last: int) -> None:
    """Jobs that are over; only those before the tenth are odd ones."""
    usual, second = jobs.site(), jobs.site("second")
    rows = [_job(n, second if n < 10 else usual) for n in range(first, last)]
    Job.objects.bulk_create(rows)
    JobEvent.objects.bulk_create(
        JobEvent(job=row, seq=1, event="submit", actor_name=row.requester, at=NOW) for row in rows
    )
    SearchText.objects.bulk_create(
        SearchText(id=place_of(row.pk), job=row, text=row.title, words=row.title) for row in rows
    )
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            # Each writing leaves a piece of the index; few and many jobs are read from one alike.
            cursor.execute(
                "INSERT INTO publisher_searchwords (publisher_searchwords) VALUES ('optimize')"
            )
        cursor.execute("ANALYZE")
        if connection.vendor == "postgresql":
            # Over small tables a whole read is the cheapest; what counts is what could be used.
            for way in ("seqscan", "hashjoin", "mergejoin"):
                cursor.execute(f"SET LOCAL enable_{way} = off")


def _job(n: int, site: Site) -> Job:
    is_odd = n < 10
    at = NOW + timedelta(seconds=n)
    milliseconds = int(at.timestamp() * 1000)
    return Job(
        id=job_id(unix_milliseconds=milliseconds, randomness=n.to_bytes(10, "big")), site=site,
        scope="default", lane="publish", kind="report/v1" if is_odd else "blog.publish/v1",
        requester="noor" if is_odd else "ada", state="FAILED" if is_odd else "PUBLISHED",
        operation="delete" if is_odd else "create", available_at=at, created_at=at, updated_at=at,
        title="text rare 修 理 修理" if is_odd else "text",
        local_commit=f"beef{n:036x}" if is_odd else f"{n + 4096:040x}",
    )  # fmt: skip


@contextmanager
def _heard() -> Iterator[Callable[[], int]]:
    """How much was read meanwhile: SQLite's steps, or the rows that PostgreSQL touched."""
    asked: list[Question] = []
    steps = [0]

    def hear(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        asked.append((sql, params))
        return execute(sql, params, many, context)

    def step() -> int:
        steps[0] += 10
        return 0

    is_sqlite = connection.vendor == "sqlite"
    if is_sqlite:
        connection.connection.set_progress_handler(step, 10)
    with connection.execute_wrapper(hear):
        yield lambda: steps[0] if is_sqlite else sum(map(_touched, asked))
    if is_sqlite:
        connection.connection.set_progress_handler(None, 0)


def _touched(question: Question) -> int:
    sql, params = question
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
        ((plan,),) = cursor.fetchall()
    root = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
    return int(sum(_rows_of(node) for node in _nodes(root)))


def _rows_of(node: Any) -> float:
    away = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float((node["Actual Rows"] + away) * node["Actual Loops"])


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.get("Plans", []):
        yield from _nodes(child)


@pytest.fixture(autouse=True)
def _a_small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the newest texts among which PostgreSQL looks for common words first; SQLite counts so many."""
    monkeypatch.setattr(selectors_search, "NEAR", NEAR)
    monkeypatch.setattr(selectors_search, "COMMON", NEAR)


def work(within: Q, filters: dict[str, Any]) -> int:
    """How much the first page and one in the middle read."""
    count = Job.objects.count()
    middle = Job.objects.order_by("-pk").values_list("pk", flat=True)[count // 2]
    with _heard() as read:
        selectors_jobs.jobs(within, **filters)
        selectors_jobs.jobs(within, after=middle, **filters)
    return read()


@pytest.mark.parametrize("filters", FILTERS, ids=str)
@pytest.mark.parametrize("within", [ONE, SEVERAL], ids=["one", "several"])
def test_a_page_reads_as_much_among_many_jobs_as_among_few(
    within: Q, filters: dict[str, Any]
) -> None:
    write(0, FEW)
    few = work(within, filters)
    write(FEW, MANY)
    assert work(within, filters) < 1.3 * few + 500
