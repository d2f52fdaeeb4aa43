"""The list of jobs: found by group, site, action, person, time, words, ids and hashes."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from publisher import clock
from publisher.domain.states import State
from publisher.models import Job
from reviews.presenters import words
from tests.support import jobs
from tests.support.page_rows import Rows

Login = Callable[[str], Client]


def found(client: Client, query: str) -> set[str]:
    page = client.get(f"/jobs/?{query}").content.decode()
    return set(re.findall(r'class="list__title"><a href="/jobs/([^/"]+)/"', page))


def ids(**columns: object) -> set[str]:
    return {job.pk for job in Job.objects.filter(scope="default", **columns)}


def test_each_state_is_in_one_group() -> None:
    grouped = [state for _word, states in words.GROUPS.values() for state in states]
    assert sorted(grouped) == sorted(State)


@pytest.mark.parametrize("group", words.GROUPS)
def test_a_group_of_states_finds_all_of_them_and_no_other(
    group: str, rows: Rows, at: Login
) -> None:
    wanted = ids(state__in=[state.value for state in words.GROUPS[group][1]])
    assert found(at("rui"), f"state={group}") == wanted


@pytest.mark.parametrize("action", ["create", "update"])
def test_an_action_finds_its_jobs(action: str, rows: Rows, at: Login) -> None:
    assert found(at("rui"), f"action={action}") == ids(operation=action) != set()


def test_a_person_finds_what_they_submitted(rows: Rows, at: Login) -> None:
    Job.objects.filter(pk=rows.update.pk).update(requester="mei")
    assert found(at("rui"), "who=Mei") == {rows.update.pk}


def test_a_time_finds_what_is_not_older(rows: Rows, at: Login) -> None:
    Job.objects.update(created_at=clock.now() - timedelta(days=9))
    Job.objects.filter(pk=rows.update.pk).update(created_at=clock.now() - timedelta(days=6))
    assert found(at("rui"), "age=7") == {rows.update.pk}


def test_the_beginning_of_an_id_a_hash_or_a_commit_finds_the_job(rows: Rows, at: Login) -> None:
    Job.objects.filter(pk=rows.skipped.pk).update(remote_commit="beef5" + "0" * 35)
    bound = jobs.reloaded(rows.update).binding_hash
    client = at("rui")
    assert found(client, f"q={rows.update.pk}") == {rows.update.pk}
    assert found(client, f"q={bound[:20]}") == {rows.update.pk}
    assert found(client, f"q={bound.removeprefix('sha256:')[:12].upper()}") == {rows.update.pk}
    assert found(client, "q=beef5") == {rows.skipped.pk}


def test_a_path_or_a_title_finds_the_job(rows: Rows, at: Login) -> None:
    assert rows.update.pk in found(at("rui"), "q=posts/tools")
    assert rows.update.pk in found(at("rui"), "q=town+library")


def reason(client: Client, query: str) -> str:
    page = client.get(f"/jobs/?{query}").content.decode()
    return "\n".join(re.findall(r'<p class="list__why list__match">(.*?)</p>', page))


def test_a_word_of_the_text_is_marked_where_it_stands(rows: Rows, at: Login) -> None:
    told = reason(at("rui"), "q=pasta")
    assert "a sewing machine and a <mark>pasta</mark> maker wait" in told


def test_a_chinese_word_is_marked_where_it_stands(rows: Rows, at: Login) -> None:
    assert "<mark>收音机</mark>、自行车" in reason(at("rui"), "q=收音机")


def test_markup_in_a_text_stays_text_beside_the_mark(rows: Rows, at: Login) -> None:
    jobs.received(at=rows.site, text="# T\n\n<b onclick=x>zebra</b> \u202ezebra\n")
    told = reason(at("rui"), "q=zebra")
    assert "&lt;b onclick=x&gt;<mark>zebra</mark>&lt;/b&gt;" in told
    assert "U+202E" in told


def test_a_commit_that_begins_so_is_named(rows: Rows, at: Login) -> None:
    Job.objects.filter(pk=rows.skipped.pk).update(local_commit="beef5" + "0" * 35)
    assert reason(at("rui"), "q=BEEF5") == "Commit made here: <mark>beef5</mark>0000000"


def test_a_search_reaches_no_other_scope(rows: Rows, at: Login) -> None:
    jobs.received(at=jobs.site("far", scope="elsewhere"), text="zebra zebra\n")
    assert found(at("rui"), "q=zebra") == set()


@pytest.mark.parametrize("query", ["", "q=tools", "state=people", "site=blog", "who=ada", "age=7"])
def test_the_list_asks_little_however_it_is_filtered(query: str, rows: Rows, at: Login) -> None:
    """Who asks takes four, the name of a site one; what the frame tells besides is the inbox's.

    PostgreSQL looks for words among the newest texts first, whose edge it asks for by their index.
    """
    client = at("rui")
    with CaptureQueriesContext(connection) as asked:
        client.get(f"/jobs/live/?{query}")
    told = [one["sql"] for one in asked if " FROM " in one["sql"]]
    searches = 2 * (query.startswith("q=") and connection.vendor == "postgresql")
    over_jobs = [one for one in told if 'FROM "publisher_job"' in one]
    assert not [one for one in told if "COUNT(" in one]
    assert not [one for one in over_jobs if "OFFSET" in one]
    assert len(told) <= 6 + query.startswith("site") + searches, "\n".join(one[:90] for one in told)


def test_values_that_do_not_exist_filter_nothing(rows: Rows, at: Login) -> None:
    assert found(at("rui"), "state=NONE&action=steal&age=x") == ids()


def test_pages_follow_each_other_with_the_filters_kept(rows: Rows, at: Login) -> None:
    for number in range(60):
        jobs.received(at=rows.site, now=jobs.NOW, path=f"content/many/{number}.md")
    client, query, seen = at("rui"), "q=content/many", set[str]()
    for _page in range(3):
        here = found(client, query)
        assert not here & seen
        seen |= here
        page = client.get(f"/jobs/?{query}").content.decode()
        following = re.search(r'href="\?([^"]*after=[^"]*)">Older', page)
        if following is None:
            break
        query = following[1].replace("&amp;", "&")
    assert len(seen) == 60
    assert "Newest jobs" in page


def test_nothing_found_says_what_to_do(rows: Rows, at: Login) -> None:
    page = at("rui").get("/jobs/?q=no-such-thing&action=delete").content.decode()
    assert "No job fits" in page
    assert "Show all jobs" in page
