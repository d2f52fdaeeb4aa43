"""A web process of its own on seeded rows, for browsers: real settings, real static files."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from tests.support import migrated

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Served:
    """Where it is, and the ids of what it holds."""

    address: str
    ids: dict[str, Any]


@contextmanager
def serving(folder: Path, database: str) -> Iterator[Served]:
    """Start it on a free port, its files below the folder; stop it at the end."""
    environment = {
        **{key: value for key, value in os.environ.items() if key != "DEBUG"},
        "DATABASE_URL": database,
        "IMPRIMATUR_DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "publisher.settings",
        "PYTHONPATH": str(ROOT),
    }
    migrated.fill(folder, database)
    with (folder.parent / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.page_server"],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, (folder.parent / "server.log").read_text()
            told = json.loads(line)
            yield Served(f"http://localhost:{told['port']}", told["ids"])
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


class _Quiet(WSGIRequestHandler):
    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Say nothing."""


class _Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def main() -> None:
    """Seed, tell the port, serve until killed."""
    import django

    django.setup()
    from publisher.processes.web import collect_static

    collect_static()
    # The application looks for static files once, when it is made.
    from publisher.wsgi import application

    ids = seed()
    with make_server(
        "localhost", 0, application, server_class=_Threads, handler_class=_Quiet
    ) as server:
        print(json.dumps({"port": server.server_port, "ids": ids}), flush=True)
        server.serve_forever()


def seed() -> dict[str, Any]:
    """Rows of each situation, hostile and large ones; the ids by name."""
    from publisher import clock
    from reviews.models import Approval
    from tests.support import jobs, page_closed, page_list, page_rows, people

    now = clock.now()
    rows = page_rows.everything(now)
    user = people.add("root", "admin", "operator", "auditor").user
    assert user is not None
    user.is_superuser = user.is_staff = True
    user.save()
    ids: dict[str, Any] = {}
    for name in rows.__slots__ if hasattr(rows, "__slots__") else vars(rows):
        job = getattr(rows, name)
        if name != "site":
            ids[name] = job.pk
            request = Approval.objects.filter(job=job).first()
            ids[f"{name}_approval"] = request.pk if request else None
    conflict = rows.conflict.conflicts.get()
    ids["conflict_page"] = conflict.pk
    for name in (
        "decide",
        "reject",
        "stale",
        "return",
        "overtaken_desk",
        "overtaken_phone",
        "resend",
        "resend_plain",
    ):
        job = page_rows.new_article(
            at=rows.site, now=now, title=f"To {name}", path=f"content/posts/{name}.md"
        )
        ids[name], ids[f"{name}_approval"] = job.pk, jobs.request_of(job).pk
    for name, request in page_closed.every(at=rows.site, now=now).items():
        ids[f"{name}_approval"] = request.pk
    other = jobs.site("attic")
    ids["hostile"] = [job.pk for job in page_rows.hostile(at=other, now=now)]
    ids["hostile_approvals"] = list(
        Approval.objects.filter(job__in=ids["hostile"]).values_list("pk", flat=True)
    )
    ids["hostile_conflict"] = other.jobs.get(conflicts__isnull=False).conflicts.get().pk
    ids["hostile_pages"] = page_list.paths(list(other.jobs.all()))
    large = page_rows.large(at=other, now=now)
    ids["large_approvals"] = [jobs.request_of(job).pk for job in large]
    ids["large"] = [job.pk for job in large]
    return ids


if __name__ == "__main__":
    main()
