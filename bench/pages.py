"""Measure the pages over many jobs: inbox, review, and the list with each filter, first page and middle.

Run ``python -m bench.pages`` (``--postgresql`` for a private server, ``--jobs N``, ``--rounds N``). Each
page takes turns with the framework's floor, in one process and through the whole middleware. Prints for
each the median, its ratio to the floor's, the questions to tables, and middle page to first page.
"""

import argparse
import importlib
import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from bench.scratch import installation

FILTERS = (
    "", "state=done", "state=FAILED", "state=ended", "site=bench", "action=delete", "action=update",
    "who=Person7", "q=text", "q=rare77", "q=part500", "q=common+part500", "q=修理", "q=person7",
    f"q={777:040x}", "q=nothing-such",
)  # fmt: skip
MIDDLE = "019b{:04x}-{:04x}-7000-8000-000000000000"


@dataclass
class Page:
    """One address, and what was measured of it."""

    name: str
    address: str
    times: list[float] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)
    questions: int = 0

    @property
    def median(self) -> float:
        """Milliseconds."""
        return statistics.median(self.times) * 1000

    @property
    def ratio(self) -> float:
        """How much longer than the floor."""
        return statistics.median(self.times) / statistics.median(self.floors)


def main() -> None:
    """Build, measure in turns, print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    with installation(postgresql=options.postgresql):
        management = importlib.import_module("django.core.management")
        management.call_command("collectstatic", interactive=False, verbosity=0)
        began = time.perf_counter()
        rows = importlib.import_module("tests.support.page_rows").everything()
        importlib.import_module("bench.listed").write(options.jobs)
        print(f"{options.jobs} jobs written in {time.perf_counter() - began:.0f} s")
        pages = list(_pages(rows, options.jobs))
        _measure(pages, options.rounds)
    firsts = {page.name: page.median for page in pages}
    for page in pages:
        first = firsts.get(page.name.removesuffix(", middle"), page.median)
        print(
            f"{page.name[:40]:40} {page.median:7.1f} ms {page.ratio:5.2f} x floor "
            f"{page.questions:3} questions {page.median / first:5.2f} x first"
        )


def _pages(rows: Any, jobs: int) -> Iterable[Page]:
    approval = importlib.import_module("tests.support.jobs").request_of(rows.update)
    yield Page("inbox", "/")
    yield Page("review", f"/approvals/{approval.pk}/")
    half = jobs // 2
    middle = MIDDLE.format(half >> 16, half & 0xFFFF)
    for query in FILTERS:
        yield Page(f"jobs {query}", f"/jobs/?{query}")
        yield Page(f"jobs {query}, middle", f"/jobs/?{query}&after={middle}")


def _measure(pages: list[Page], rounds: int) -> None:
    floor = importlib.import_module("bench.floor")
    client, database = _client(floor), importlib.import_module("django.db").connection
    for page in pages:
        _get(client, page.address)
        with importlib.import_module("django.test.utils").CaptureQueriesContext(database) as asked:
            _get(client, page.address)
        page.questions = sum(" FROM " in one["sql"] for one in asked)
        for _ in range(rounds):
            page.floors.append(_get(client, "/floor/"))
            page.times.append(_get(client, page.address))


def _client(floor: ModuleType) -> Any:
    settings = importlib.import_module("django.conf").settings
    settings.ROOT_URLCONF = type("Urls", (), {"urlpatterns": floor.urls()})
    client = importlib.import_module("django.test").Client(HTTP_HOST="localhost")
    principals = importlib.import_module("reviews.models").Principal.objects
    client.force_login(principals.get(name="rui").user)
    return client


def _get(client: Any, address: str) -> float:
    began = time.perf_counter()
    answer = client.get(address)
    took = time.perf_counter() - began
    if answer.status_code != 200:
        raise SystemExit(f"{address} answered {answer.status_code}.")
    return took


if __name__ == "__main__":
    main()
