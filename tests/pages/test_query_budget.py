"""What a page costs: a few questions, however much waits, and neither COUNT nor OFFSET over the jobs."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from publisher import clock
from tests.support import jobs
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
MOST = 6


def asked(client: Client, path: str) -> list[str]:
    """The questions of one page."""
    with CaptureQueriesContext(connection) as seen:
        assert client.get(path).status_code in (200, 204)
    return [str(query["sql"]) for query in seen.captured_queries]


@pytest.mark.parametrize(
    "path", ["/", "/?q=tools&site=blog&given=groups", "/?kind=approval&risk=risky", "/inbox/live/"]
)
def test_the_inbox_costs_at_most_six(rows: Rows, at: Login, path: str) -> None:
    client = at("rui")
    before = len(asked(client, path))
    for _ in range(5):
        jobs.waiting(at=rows.site, now=clock.now())
    found = asked(client, path)
    assert len(found) == before <= MOST
    assert not [sql for sql in found if "COUNT(" in sql.upper() or "OFFSET" in sql.upper()]


def test_the_frame_of_every_page_costs_one(rows: Rows, at: Login) -> None:
    """Beside it: the session, the account, the roles, the clock, and the one list of this page."""
    assert len(asked(at("rui"), "/conflicts/")) == 1 + 5
