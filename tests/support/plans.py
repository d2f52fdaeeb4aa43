"""A program that sweeps among few and many finished jobs, and prints as JSON how it was answered.

For every question to a table that grows with the finished jobs: the parts of its plan that read all of
the table. And how much both sweeps read: rows that PostgreSQL touched, steps that SQLite made.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "publisher.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from publisher import wiring  # noqa: E402
from publisher.domain.errors import RepositoryError  # noqa: E402
from publisher.engine import reconcile  # noqa: E402
from publisher.models import Effect, Job, JobEvent, LiveSight, Outbox, Seal, Site  # noqa: E402
from publisher.ports import Change, CommitFacts  # noqa: E402
from reviews.models import Approval  # noqa: E402

NOW = datetime(2026, 5, 3, tzinfo=UTC)
FEW, MANY = 300, 1500
GROWING = (
    "publisher_job", "publisher_jobevent", "publisher_effect", "publisher_outbox",
    "publisher_artifact", "publisher_seal", "reviews_approval",
)  # fmt: skip
OF_OPEN_ONES = (
    "job_unfinished", "job_claimable", "job_with_people", "effect_open", "outbox_open",
    "approval_pending",
)  # fmt: skip
"""Indexes that hold open rows alone, and so may be read from end to end."""
Question = tuple[str, Any]


def main() -> None:
    """Fill, sweep, fill more, sweep again."""
    call_command("migrate", verbosity=0)
    place = Site.objects.create(
        name="one", scope="default", remote="/nowhere", branch="main", clone_state="ready",
        live_checkout="/nowhere", created_at=NOW, fetched_at=NOW,
    )  # fmt: skip
    LiveSight.objects.create(site=place, looked_at=NOW)
    _fail(place)
    asked: list[Question] = []
    work = []
    for first, last in ((0, FEW), (FEW, MANY)):
        _finish(place, first, last)
        for watched in ("", "watched"):
            Site.objects.update(head="0" * 40, watched_head=watched and "1" * 40)
            with _listening() as heard:
                reconcile.sweep(_ports())
            asked = heard.questions if watched else [*asked, *heard.questions]
            work += [heard.steps or _rows(heard.questions)] if watched else []
    whole = [(part, statement) for statement, values in asked for part in _whole(statement, values)]
    tables = {name for statement, _ in asked for name in _growing(statement)}
    print(json.dumps({"asked": sorted(tables), "whole": whole, "work": work}))


def _finish(place: Site, first: int, last: int) -> None:
    """Published jobs with what a sweep could come across, sealed."""
    numbers = range(first, last)
    common = {"created_at": NOW, "updated_at": NOW}
    Job.objects.bulk_create(
        Job(
            id=f"job-{n}", site=place, kind="blog.publish/v1", lane="publish", scope="default",
            requester="ada", state="PUBLISHED", available_at=NOW, target_path=f"content/{n}.md",
            remote_commit=f"{n:040x}", finished_at=NOW - timedelta(days=90), **common,
        )
        for n in numbers
    )  # fmt: skip
    JobEvent.objects.bulk_create(
        JobEvent(job_id=f"job-{n}", seq=1, event="confirm", target="PUBLISHED", at=NOW)
        for n in numbers
    )
    Effect.objects.bulk_create(
        Effect(
            job_id=f"job-{n}", step="deliver", action="blog.publish/v1", operation_key=f"key-{n}",
            policy="reconcile-first", status="confirmed", **common,
        )
        for n in numbers
    )  # fmt: skip
    Outbox.objects.bulk_create(
        Outbox(id=f"done-{n}", kind="site_fetch", due_at=NOW, done_at=NOW, created_at=NOW)
        for n in numbers
    )
    Approval.objects.bulk_create(
        Approval(
            job_id=f"job-{n}", revision=1, status="done", envelope={}, policy_version=1,
            wait_until=NOW, opened_at=NOW,
        )
        for n in numbers
    )  # fmt: skip
    newest = JobEvent.objects.order_by("-pk").values_list("pk", flat=True)[0]
    number = Seal.objects.count()
    Seal.objects.bulk_create(
        Seal(number=number + n, at=NOW, last_event=newest + 2000 if n == last - first else 0)
        for n in range(1, last - first + 1)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        if connection.vendor == "postgresql":
            # Over small tables a whole read is the cheapest; what counts is what could be used.
            cursor.execute("SET enable_seqscan = off")


def _fail(place: Site) -> None:
    """A job whose write is open, which every sweep looks for on the remote."""
    Job.objects.create(
        id="failed", site=place, kind="blog.publish/v1", lane="publish", scope="default",
        requester="ada", state="FAILED", available_at=NOW, created_at=NOW, updated_at=NOW,
    )  # fmt: skip
    Effect.objects.create(
        job_id="failed", step="deliver", action="blog.publish/v1", operation_key="open",
        policy="reconcile-first", status="intent", created_at=NOW, updated_at=NOW,
    )  # fmt: skip


def _ports() -> Any:
    """A remote that cannot be fetched, whose clone shows a change of an article and of a file."""

    def unreachable() -> str:
        raise RepositoryError("It does not answer.")

    trailers = (("Blog-Job-Id", "job-7"),)
    commit = CommitFacts(f"{7:040x}", (), "Ada", "ada@example.org", NOW, "x", trailers)
    paths = ("content/5.md", "public/a.png")
    clone = SimpleNamespace(
        fetch=unreachable,
        ensure_clone=lambda *_: None,
        live=lambda _: unreachable(),
        workspaces=lambda: ["job-1"],
        jobs_with_refs=lambda: ["job-2"],
        remove_workspace=lambda _: None,
        drop_job_refs=lambda _: None,
        is_ancestor=lambda *_: True,
        tip=lambda: "0" * 40,
        changes=lambda *_: [Change(path, "2" * 40, "3" * 40) for path in paths],
        read=lambda _: b"x",
        read_path=lambda *_: b"x",
        commits=lambda *_: [commit],
        each_commit=lambda *_: None,
        last_changes=lambda _, __, names: dict.fromkeys(names, commit),
        close=lambda: None,
        is_silent=lambda **_: False,
    )
    return replace(wiring.ports(), repository=lambda *_: clone)


class _Heard:
    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.steps = 0

    def hear(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith(("SELECT", "UPDATE")) and _growing(sql):
            self.questions.append((sql, params))
        return execute(sql, params, many, context)

    def step(self) -> int:
        self.steps += 1
        return 0


def _growing(sql: str) -> set[str]:
    return set(re.findall(r'"(\w+)"', sql)).intersection(GROWING)


@contextmanager
def _listening() -> Iterator[_Heard]:
    heard = _Heard()
    is_sqlite = connection.vendor == "sqlite"
    if is_sqlite:
        connection.connection.set_progress_handler(heard.step, 10)
    with connection.execute_wrapper(heard.hear):
        yield heard
    if is_sqlite:
        connection.connection.set_progress_handler(None, 0)


def _whole(sql: str, params: Any) -> Iterator[str]:
    """What of its plan reads a growing table, or an index of it, from end to end."""
    if "WHERE" not in sql and sql.endswith("LIMIT 1"):
        return  # the first by an index, and no more
    if connection.vendor == "sqlite":
        for row in _answer(f"EXPLAIN QUERY PLAN {sql}", params):
            detail = str(row[-1])
            kind, name, *_ = [*detail.split(), "", ""]
            is_growing = name in GROWING or re.fullmatch(r"[U-Z]\d+", name)
            if kind == "SCAN" and is_growing and not _is_of_open_ones(detail):
                yield detail
        return
    ((plan,),) = _answer(f"EXPLAIN (FORMAT JSON) {sql}", params)
    for node in _nodes(_parsed(plan)[0]["Plan"]):
        if node.get("Relation Name") in GROWING and "Scan" in node["Node Type"]:
            index = node.get("Index Name", "")
            is_bitmap = node["Node Type"] == "Bitmap Heap Scan"
            if not (is_bitmap or "Index Cond" in node or _is_of_open_ones(index)):
                yield f"{node['Node Type']} of {node['Relation Name']} {index}"


def _is_of_open_ones(text: str) -> bool:
    return any(name in text for name in OF_OPEN_ONES)


def _rows(questions: list[Question]) -> int:
    """Rows that PostgreSQL touches to answer them."""
    found = 0
    for sql, params in questions:
        if sql.startswith("SELECT"):
            ((plan,),) = _answer(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
            for node in _nodes(_parsed(plan)[0]["Plan"]):
                away = node.get("Rows Removed by Filter", 0)
                found += (node["Actual Rows"] + away) * node["Actual Loops"]
    return int(found)


def _answer(sql: str, params: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())


def _parsed(plan: Any) -> Any:
    return json.loads(plan) if isinstance(plan, str) else plan


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.get("Plans", []):
        yield from _nodes(child)


if __name__ == "__main__":
    main()
