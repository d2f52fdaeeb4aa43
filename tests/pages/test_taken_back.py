"""Taking back at the pages and by programs: who may, what is said of it, and where a job came from."""

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import translation

from publisher import clock
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Job
from publisher.ports import Source
from publisher.services import topics
from publisher.services.requests import SubmitRequest
from publisher.services.revert import revert
from tests.support import jobs
from tests.support.page_rows import Rows
from tests.support.requests import As

Login = Callable[[str], Client]
OMAR = Who(Actor.OPERATOR, "omar")


def page_of(client: Client, job: Job) -> str:
    return client.get(f"/jobs/{job.pk}/").content.decode()


def made_of(job: Job) -> Job:
    return Job.objects.get(compensates=job)


def test_an_operator_takes_it_back_by_one_button(rows: Rows, at: Login) -> None:
    response = at("omar").post(f"/jobs/{rows.published.pk}/act/revert/")
    made = made_of(rows.published)
    assert response.headers["Location"] == f"/jobs/{made.pk}/"
    assert (made.state, made.requester, made.kind) == ("RECEIVED", "omar", "git.revert/v1")


@pytest.mark.parametrize("name", ["ada", "rui", "ivy"])
def test_nobody_else_takes_it_back(rows: Rows, at: Login, name: str) -> None:
    assert at(name).post(f"/jobs/{rows.published.pk}/act/revert/").status_code == 403
    assert not Job.objects.filter(compensates=rows.published).exists()


def test_the_act_is_offered_for_what_was_published_alone(rows: Rows, at: Login) -> None:
    client = at("omar")
    assert "/act/revert/" in page_of(client, rows.published)
    for job in (rows.waiting, rows.failed, rows.skipped, rows.conflict):
        assert "/act/revert/" not in page_of(client, job)


def test_whoever_may_not_is_told_who_may(rows: Rows, at: Login) -> None:
    page = page_of(at("rui"), rows.published)
    assert "Take it back" in page
    assert "/act/revert/" not in page


def test_the_page_says_what_is_taken_back_in_plain_words(rows: Rows, at: Login) -> None:
    revert(rows.published, who=OMAR, now=clock.now())
    page = page_of(at("rui"), made_of(rows.published))
    path = rows.published.target_path
    assert f"It takes back a new article: {path} is removed again." in page
    assert rows.published.pk in page
    assert rows.published.remote_commit in page


def test_the_published_job_says_that_it_was_asked_to_be_taken_back(rows: Rows, at: Login) -> None:
    revert(rows.published, who=OMAR, now=clock.now())
    page = page_of(at("rui"), rows.published)
    assert "Somebody asked to take it back. That job is: Received." in page
    assert made_of(rows.published).pk in page


def test_the_published_job_says_by_which_job_and_commit_it_was_taken_back(
    rows: Rows, at: Login
) -> None:
    made = revert(rows.published, who=OMAR, now=clock.now()).job
    commit = "d" * 40
    jobs.published(jobs.waiting(made, now=clock.now()), now=clock.now(), commit=commit)
    page = page_of(at("rui"), jobs.reloaded(rows.published))
    assert "It was taken back later" in page
    assert "It was published, and was taken back later." in page
    assert "The site itself holds exactly the approved text." not in page
    assert made.pk in page
    assert commit in page
    assert jobs.reloaded(rows.published).state == "PUBLISHED"


def test_what_was_taken_back_and_back_again_is_on_the_site(rows: Rows, at: Login) -> None:
    made = revert(rows.published, who=OMAR, now=clock.now()).job
    jobs.published(jobs.waiting(made, now=clock.now()), now=clock.now())
    again = revert(jobs.reloaded(made), who=OMAR, now=clock.now()).job
    jobs.published(jobs.waiting(again, now=clock.now()), now=clock.now())
    page = page_of(at("rui"), jobs.reloaded(rows.published))
    assert "taken back later" not in page
    assert "The site itself holds exactly the approved text." in page


def test_a_rejected_one_is_not_told_as_taken_back(rows: Rows, at: Login) -> None:
    made = revert(rows.published, who=OMAR, now=clock.now()).job
    at("omar").post(f"/jobs/{made.pk}/act/cancel/")
    page = page_of(at("rui"), rows.published)
    assert "taken back later" not in page
    assert "That job is:" not in page


def test_the_review_page_says_what_a_yes_takes_back(rows: Rows, at: Login) -> None:
    made = jobs.waiting(revert(rows.published, who=OMAR, now=clock.now()).job, now=clock.now())
    page = at("rui").get(f"/approvals/{jobs.request_of(made).pk}/").content.decode()
    assert "It takes back a new article" in page
    assert "Takes back the job" in page


def test_what_takes_back_is_called_so_in_lists(rows: Rows, at: Login) -> None:
    revert(rows.published, who=OMAR, now=clock.now())
    assert f"Take back: {rows.published.title}" in at("rui").get("/jobs/").content.decode()


def test_a_job_of_a_topic_names_the_session(rows: Rows, at: Login) -> None:
    request = SubmitRequest("blog", sources=(Source("chat", "The pool opens on 3 June."),))
    who = Who(Actor.SUBMITTER, "ada")
    made = topics.close_topic(request, "chat-7", who=who, scope="default", now=clock.now()).job
    page = page_of(at("rui"), made)
    assert "It was made when the topic chat-7 was closed (close number 1)." in page


def test_other_jobs_say_nothing_of_their_origin(rows: Rows, at: Login) -> None:
    assert "It was made when" not in page_of(at("rui"), rows.waiting)


def test_all_of_it_is_told_in_chinese(rows: Rows, at: Login) -> None:
    revert(rows.published, who=OMAR, now=clock.now())
    client = at("omar")
    client.cookies["django_language"] = "zh-hans"
    with translation.override("zh-hans"):
        for job in (rows.published, made_of(rows.published)):
            page = page_of(client, job)
            assert "ake it back" not in page
            assert "It takes back" not in page


def test_a_program_takes_back_and_gets_the_same_job_again(rows: Rows) -> None:
    first = As("omar").post(f"/jobs/{rows.published.pk}/revert")
    again = As("omar").post(f"/jobs/{rows.published.pk}/revert")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["job_id"] == again.json()["job_id"]
    assert first.json()["reverts"] == rows.published.pk


def test_programs_read_both_ends_of_the_link(rows: Rows) -> None:
    made = As("omar").post(f"/jobs/{rows.published.pk}/revert").json()["job_id"]
    assert As("omar").get(f"/jobs/{made}").json()["compensates"] == rows.published.pk
    assert As("omar").get(f"/jobs/{rows.published.pk}").json()["taken_back_by"] == [made]


@pytest.mark.parametrize(
    ("name", "job", "answer"),
    [
        ("ada", "published", (403, "not_allowed")),
        ("zoe", "published", (404, "not_found")),
        ("omar", "waiting", (409, "wrong_state")),
        ("omar", "skipped", (409, "wrong_state")),
    ],
)
def test_a_program_is_refused_by_name(
    rows: Rows, name: str, job: str, answer: tuple[int, str]
) -> None:
    response = As(name).post(f"/jobs/{getattr(rows, job).pk}/revert")
    assert (response.status_code, response.json()["code"]) == answer


def test_the_console_prints_the_job_that_takes_back(rows: Rows) -> None:
    out = StringIO()
    call_command("revert", rows.published.pk, "--as", "omar", "--json", stdout=out)
    answer = json.loads(out.getvalue())
    assert answer == {"job_id": made_of(rows.published).pk, "state": "RECEIVED"}


def test_the_console_refuses_what_was_not_published(rows: Rows) -> None:
    with pytest.raises(SystemExit) as left:
        call_command("revert", rows.waiting.pk, "--as", "omar")
    assert left.value.code == 5
