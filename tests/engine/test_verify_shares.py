"""verify reads the histories in shares, each on its own, and none is left out."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from publisher.engine.audit import chains, keys, stored_events
from publisher.engine.audit.verify import verify
from reviews import audit_bound
from tests.support.journey import FRESH, FRESH_TEXT, Journey
from tests.support.planted import found, write


@pytest.fixture
def ids(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Four jobs, each a share of its own."""
    monkeypatch.setattr(stored_events, "SHARE", 1)
    return sorted(journey.submit(FRESH_TEXT, f"content/posts/{n}.mdx").pk for n in range(4))


def test_each_share_tells_of_its_own_jobs(journey: Journey, ids: list[str]) -> None:
    write("UPDATE publisher_jobevent SET reason = 'x' WHERE job_id = %s AND seq = 1", ids[1])
    write("UPDATE publisher_job SET event_seq = 9 WHERE id = %s", ids[3])
    told = [stored_events.suspects(share) for share in stored_events.shares()]
    assert told == [[], [ids[1]], [], [ids[3]]]
    assert found(journey) == {("event_changed", ids[1]), ("head_differs", ids[3])}


def test_events_before_the_first_job_and_after_the_last_are_in_a_share(ids: list[str]) -> None:
    shares = stored_events.shares()
    assert [first for first, _ in shares] == ["", *ids[1:]]
    assert [end for _, end in shares] == [*ids[1:], ""]


def test_a_job_without_any_event_is_told(journey: Journey, ids: list[str]) -> None:
    write("DELETE FROM publisher_jobevent WHERE job_id = %s", ids[2])
    assert {subject for _, subject in found(journey)} == {ids[2]}


def test_a_job_that_moved_while_its_share_was_read_is_no_breach(
    ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_events, "suspects", lambda _, **__: ids)
    assert list(chains.check("", map)) == []


def test_a_share_names_its_jobs_to_every_large_table_that_it_joins(journey: Journey) -> None:
    """Else PostgreSQL reads that table from end to end, for each of the shares."""
    share = (journey.published(FRESH_TEXT, FRESH, action="create").pk, "z")
    with CaptureQueriesContext(connection) as asked:
        list(keys.told(share, ""))
        list(audit_bound.breaches_of(*share))
    texts = [query["sql"] for query in asked]
    for joined, bound in {
        "JOIN publisher_job j": "j.id >= ",
        "JOIN publisher_revision r": "r.job_id >= ",
        "FROM reviews_decision d": "d.approval_id BETWEEN ",
    }.items():
        those = [text for text in texts if joined in text]
        assert those
        assert [text for text in those if bound not in text] == []


def test_what_others_found_meanwhile_is_among_the_breaches(
    journey: Journey, ids: list[str]
) -> None:
    write("UPDATE publisher_jobevent SET reason = 'x' WHERE job_id = %s AND seq = 1", ids[0])
    began: list[object] = []

    def spread(work: object, shares: object) -> object:
        began.append(shares)
        return map(work, shares)  # type: ignore[call-overload]

    assert [breach.subject for breach in verify(journey.ports, spread=spread)] == [ids[0]]  # type: ignore[arg-type]
    assert len(began) == 1
