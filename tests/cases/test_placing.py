"""A job stopped for its place: every way on that REVIEW names can be taken, and says what it does."""

from typing import Any

import pytest
from django.test import Client

from publisher import artifacts, selectors
from publisher.domain.errors import InvalidInput, UnsafePath, WrongState
from publisher.domain.states import State
from publisher.models import Article, Job
from publisher.ports import Source
from publisher.services import acts, placing
from publisher.services.placing import Place
from publisher.services.revert import revert
from publisher.services.revise import revise
from publisher.services.submit import Asset
from reviews.models import Principal
from tests.support.git import blob, second_person
from tests.support.journey import ADA, FRESH, HELLO, OMAR, TARGET, Journey, fresh, told
from tests.support.requests import As

TEXT = b'---\ntitle: "Written"\n---\n\nA text that a person wrote after all.\n'
TYPED = TEXT.decode().replace("\n", "\r\n")
NOWHERE = "content/posts/nowhere.mdx"


def stopped(journey: Journey, content: bytes | None = None, path: str = "", **fields: Any) -> Job:
    """A job that prepare brought to REVIEW."""
    job = journey.submit(content, path or None, **fields)
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    return fresh(job)


def undrafted(journey: Journey, **fields: Any) -> Job:
    """A job whose source gave no draft, so that it has no path."""
    return stopped(journey, sources=(Source("notes", "🎉🎉🎉"),), **fields)


def saved(journey: Journey, job: Job, files: dict[str, bytes], place: Place) -> Job:
    revise(job, files=files, base_revision=1, who=ADA, now=journey.now(), place=place)
    journey.work()
    return fresh(job)


def client(name: str) -> Client:
    found = Client()
    user = Principal.objects.get(name=name).user
    assert user is not None
    found.force_login(user)
    return found


def test_a_job_without_a_draft_is_written_by_a_person_and_published(journey: Journey) -> None:
    job = undrafted(journey)
    assert job.target_path == ""
    address, ada = f"/jobs/{job.pk}/", client("ada")
    page = ada.get(f"{address}review/").content.decode()
    assert 'name="target_path"' in page
    assert 'value="content/"' in page
    assert "act/ask-again/" not in page
    form = {"text": TYPED, "base_revision": "1", "target_path": FRESH}
    assert ada.post(f"{address}edit/", form).status_code == 302
    journey.work()
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert blob(journey.remote, FRESH) == TEXT
    journey.is_sound(job)


@pytest.mark.parametrize(
    "path", ["", "content/", "../a.mdx", "README.md", "content/posts/TARGET.mdx"]
)
def test_a_refused_path_is_named_at_its_field_and_the_text_stays(
    journey: Journey, path: str
) -> None:
    job = undrafted(journey)
    Article.objects.get_or_create(site=journey.site, path=TARGET, defaults={"blob": "a" * 40})
    form = {"text": TYPED, "base_revision": "1", "target_path": path}
    response = client("ada").post(f"/jobs/{job.pk}/edit/", form)
    page = response.content.decode()
    assert response.status_code == 422
    assert 'id="id_target_path_error"' in page
    assert "A text that a person wrote after all." in page
    assert (fresh(job).revision, fresh(job).state) == (1, "REVIEW")


def test_the_path_that_is_proposed_comes_from_the_title_and_is_free(journey: Journey) -> None:
    job = undrafted(journey, title="A day at sea")
    page = client("ada").get(f"/jobs/{job.pk}/review/").content.decode()
    assert 'value="content/a-day-at-sea.md"' in page
    Article.objects.create(site=journey.site, path="content/a-day-at-sea.md", blob="a" * 40)
    assert placing.suggested(journey.site, "A day at sea") == "content/a-day-at-sea-2.md"


def test_a_program_gives_the_path_with_the_article(journey: Journey) -> None:
    job = undrafted(journey)
    body = {"files": [{"path": FRESH, "content": TEXT.decode()}], "base_revision": 1}
    answer = As("ada").put(f"/jobs/{job.pk}/draft", body)
    assert (answer.status_code, answer.json()["revision"]) == (200, 2)
    journey.work()
    assert (fresh(job).target_path, fresh(job).operation) == (FRESH, "create")
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


def test_of_several_files_a_program_gives_the_only_article_is_the_target(journey: Journey) -> None:
    job = undrafted(journey)
    files = {"public/a.txt": b"along\n", FRESH: TEXT}
    job = saved(journey, job, files, Place())
    assert (job.target_path, job.state) == (FRESH, "WAITING_APPROVAL"), told(job)
    assert set(selectors.draft_files(job)) == {"public/a.txt", FRESH}


def test_where_several_could_be_the_article_it_has_to_be_named(journey: Journey) -> None:
    job = undrafted(journey)
    with pytest.raises(InvalidInput) as refused:
        saved(journey, job, {FRESH: TEXT, NOWHERE: TEXT}, Place())
    assert refused.value.field == "target_path"


def test_the_path_of_an_article_makes_it_a_change(journey: Journey) -> None:
    """As at submit, where nothing was said about what it is."""
    job = saved(journey, undrafted(journey), {TARGET: TEXT}, Place())
    assert (job.operation, job.state) == ("update", "WAITING_APPROVAL"), told(job)


def test_the_new_path_stands_in_the_history(journey: Journey) -> None:
    job = saved(journey, undrafted(journey), {FRESH: TEXT}, Place())
    (event,) = [row for row in selectors.events(job) if row.event == "revise"]
    assert event.facts["target_path"] == FRESH


def test_without_a_draft_asking_is_refused_and_preparing_again_is_not(journey: Journey) -> None:
    job = undrafted(journey)
    with pytest.raises(WrongState, match="no draft yet"):
        acts.ask_again(job, who=ADA, now=journey.now())
    page = client("omar").get(f"/jobs/{job.pk}/review/").content.decode()
    assert "act/retry/" in page
    client("omar").post(f"/jobs/{job.pk}/act/retry/")
    assert fresh(job).state == State.RECEIVED
    journey.work()
    assert fresh(job).state == State.REVIEW


def test_a_refusal_names_the_act_that_was_asked_for(journey: Journey) -> None:
    job = journey.submit(TEXT, FRESH)
    with pytest.raises(WrongState, match="Ask again is not possible now"):
        acts.ask_again(job, who=OMAR, now=journey.now())


def test_an_article_that_is_there_becomes_a_change_on_the_page(journey: Journey) -> None:
    job = stopped(journey, TEXT, TARGET, action="create")
    address, rui = f"/jobs/{job.pk}/", client("rui")
    page = rui.get(f"{address}review/").content.decode()
    assert f'value="{TARGET}"' in page
    assert '<option value="create" selected>' in page
    assert "Choose another path below, or make it a change" in page
    form = {"text": TYPED, "base_revision": "1", "target_path": TARGET, "action": "update"}
    assert rui.post(f"{address}edit/", form).status_code == 302
    journey.work()
    assert (fresh(job).operation, fresh(job).state) == ("update", "WAITING_APPROVAL"), told(job)


def test_an_article_that_is_there_leaves_another_path(journey: Journey) -> None:
    job = stopped(journey, TEXT, TARGET, action="create")
    job = saved(journey, job, {}, Place(FRESH))
    assert (job.target_path, job.operation) == (FRESH, "create")
    assert job.state == State.WAITING_APPROVAL, told(job)
    assert set(selectors.draft_files(job)) == {FRESH}


def test_another_path_that_is_taken_stops_a_new_article_again(journey: Journey) -> None:
    job = stopped(journey, TEXT, TARGET, action="create")
    job = saved(journey, job, {}, Place("content/posts/other.mdx"))
    assert (job.state, job.failure_code) == ("REVIEW", "target_exists")


@pytest.mark.parametrize(
    ("place", "operation", "path"),
    [(Place(action="create"), "create", NOWHERE), (Place(TARGET), "update", TARGET)],
)
def test_a_change_of_nothing_becomes_a_new_article_or_goes_to_another(
    journey: Journey, place: Place, operation: str, path: str
) -> None:
    job = stopped(journey, TEXT, NOWHERE, action="update")
    job = saved(journey, job, {}, place)
    assert (job.operation, job.target_path) == (operation, path)
    assert job.state == State.WAITING_APPROVAL, told(job)


def test_front_matter_alone_goes_along_to_another_article(journey: Journey) -> None:
    keys = {"title": "Renamed"}
    job = stopped(journey, path=NOWHERE, action="update", set_front_matter=keys)
    form = {"text": "", "base_revision": "1", "target_path": TARGET, "action": "update"}
    assert client("rui").post(f"/jobs/{job.pk}/edit/", form).status_code == 302
    journey.work()
    job = fresh(job)
    assert job.state == State.WAITING_APPROVAL, told(job)
    (name,) = selectors.draft_files(job).values()
    assert artifacts.load(name) == HELLO.replace(b'"Hello"', b'"Renamed"')


def test_a_removal_of_nothing_offers_no_text_and_takes_none(journey: Journey) -> None:
    job = stopped(journey, path=NOWHERE, action="delete")
    omar = client("omar")
    page = omar.get(f"/jobs/{job.pk}/review/").content.decode()
    assert f"/jobs/{job.pk}/edit/" not in page
    assert "This job removes an article, so there is no text to change" in page
    assert f"/jobs/{job.pk}/act/skip/" in page
    assert "ask an operator" not in page
    form = {"text": TYPED, "base_revision": "1", "target_path": NOWHERE}
    assert omar.post(f"/jobs/{job.pk}/edit/", form).status_code == 409
    assert (fresh(job).revision, fresh(job).state) == (1, "REVIEW")


def test_nobody_is_sent_to_an_operator_for_what_nobody_may_overrule(journey: Journey) -> None:
    job = stopped(journey, TEXT, TARGET, action="create")
    for name in ("omar", "rui"):
        page = client(name).get(f"/jobs/{job.pk}/review/").content.decode()
        assert "Nobody can overrule this." in page
        assert "ask an operator" not in page


def test_what_takes_something_back_keeps_its_path(journey: Journey) -> None:
    done = journey.published(TEXT, TARGET, action="update")
    job = revert(done, who=OMAR, now=journey.now()).job
    journey.work()
    with pytest.raises(WrongState, match="keeps its path"):
        saved(journey, fresh(job), {}, Place(FRESH))


@pytest.mark.parametrize("path", ["content/.git/a.md", "public/a.md"])
def test_another_path_obeys_the_rules_of_submit(journey: Journey, path: str) -> None:
    job = stopped(journey, TEXT, TARGET, action="create")
    with pytest.raises(UnsafePath) as refused:
        saved(journey, job, {}, Place(path))
    assert refused.value.field == "target_path"


def test_an_edit_makes_no_removal(journey: Journey) -> None:
    job = stopped(journey, TEXT, TARGET, action="create")
    with pytest.raises(InvalidInput) as refused:
        saved(journey, job, {}, Place(action="delete"))
    assert refused.value.field == "action"


def test_a_program_moves_the_article_under_the_same_rules(journey: Journey) -> None:
    job = stopped(journey, TEXT, TARGET, action="create")
    body = {"files": [{"path": FRESH, "content": TEXT.decode()}], "base_revision": 1}
    refused = As("ada").put(f"/jobs/{job.pk}/draft", {**body, "target_path": "content/.git/a.md"})
    assert (refused.status_code, refused.json()["field"]) == (422, "target_path")
    moved = As("ada").put(f"/jobs/{job.pk}/draft", {**body, "target_path": FRESH})
    assert moved.status_code == 200, moved.json()
    journey.work()
    assert (fresh(job).target_path, fresh(job).operation) == (FRESH, "create")
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)


def test_a_path_through_a_file_leaves_another_path(journey: Journey) -> None:
    second_person(journey.remote, {FRESH: TEXT}, "arrived before the job, after the index")
    job = stopped(journey, TEXT, f"{FRESH}/below.mdx", action="create")
    assert job.failure_code == "path_symlink"
    page = client("rui").get(f"/jobs/{job.pk}/review/").content.decode()
    assert 'name="target_path"' in page
    other = "content/posts/another.mdx"
    job = saved(journey, job, {other: TEXT}, Place(other))
    assert job.state == State.WAITING_APPROVAL, told(job)


def test_a_link_that_others_took_away_is_in_the_way_no_more(journey: Journey) -> None:
    second_person(journey.remote, {}, "a link", links={"public/extra": "/etc"})
    job = journey.submit(TEXT, FRESH, action="create", assets=(Asset("public/extra/a.png", b"a"),))
    journey.work()
    assert fresh(job).failure_code == "path_symlink", told(job)
    back = second_person(journey.remote, {"public/extra": None}, "no link")
    acts.retry(fresh(job), who=OMAR, now=journey.now())
    journey.work()
    assert (fresh(job).state, fresh(job).base_commit) == (State.WAITING_APPROVAL, back), told(job)
    journey.is_sound(job)


@pytest.mark.parametrize(("path", "action"), [(FRESH, "create"), (TARGET, "update")])
def test_saving_what_a_job_does_already_keeps_its_request(
    journey: Journey, path: str, action: str
) -> None:
    """Nobody said at submit what it is; the row tells it, and so may the next save."""
    job = journey.submit(TEXT, path)
    journey.work()
    bound = fresh(job).binding_hash
    saved(journey, fresh(job), {path: TEXT}, Place(action=action))
    assert (fresh(job).revision, fresh(job).binding_hash) == (1, bound)
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
