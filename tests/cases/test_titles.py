"""Titles that are no plain scalars, wherever the product itself writes them into an article."""

import json
import tomllib
from pathlib import Path

import pytest
from django.core.management import call_command
from ruamel.yaml import YAML

from publisher import envelopes, selectors
from publisher.domain.states import State
from publisher.models import Job
from publisher.ports import Source
from publisher.services.placing import Place
from publisher.services.revise import new_inputs, revise
from tests.support.git import blob, second_person
from tests.support.journey import ADA, FRESH, FRESH_TEXT, SEED, TARGET, Journey, begin, fresh, told
from tests.support.requests import As

COLON = "Tea or coffee: a \"test\" for 'guests' # not a comment \\ end -- {x}"
PATH = "content/posts/colon.mdx"
BODY = b"Body only.\n"
NO_FRONT_MATTER = {
    "content/posts/a.md": b"# A\n\nText.\n",
    "content/posts/b.md": b"# B\n\nText.\n",
    "content/posts/c.md": b'---\ntitle: "C"\n---\n\nText.\n',
}
TOML = {"content/posts/a.md": b'+++\ntitle = "A"\n+++\n\nText.\n'}


def _yaml(article: bytes) -> dict[str, object]:
    """The front matter as any reader of YAML gets it."""
    values: dict[str, object] = YAML(typ="safe", pure=True).load(article.split(b"---\n")[1])
    return values


def _created(journey: Journey, content: bytes = BODY, **fields: object) -> bytes:
    """What the remote holds of a new article."""
    fields = {"title": COLON, **fields}
    job = journey.published(content, PATH, action="create", **fields)
    journey.is_sound(job)
    return blob(journey.remote, PATH)


def test_a_title_that_is_no_plain_scalar_is_set_exactly(journey: Journey) -> None:
    job = journey.published(path=TARGET, action="update", set_front_matter={"title": COLON})
    assert _yaml(blob(journey.remote, TARGET))["title"] == COLON
    journey.is_sound(job)


def test_a_draft_made_here_holds_exactly_the_given_title(journey: Journey) -> None:
    text = "The lighthouse was built in 1858. Its lamp burned oil until 1920. " * 3
    job = journey.published(sources=(Source("notes", text),), title=COLON)
    assert _yaml(blob(journey.remote, fresh(job).target_path))["title"] == COLON
    journey.is_sound(job)


def _by_payload(folder: Path) -> str:
    (folder / "body.mdx").write_bytes(BODY)
    document = {
        "action": "create", "target_path": PATH, "title": COLON, "body_file": "body.mdx",
        "idempotency_key": "c53",
    }  # fmt: skip
    (folder / "submit.json").write_text(json.dumps(document))
    call_command("submit", "--site", "magazine", "--payload", str(folder), "--as", "ada")
    return Job.objects.get().pk


def _by_http(_folder: Path) -> str:
    body = {
        "site": "magazine", "action": "create", "target_path": PATH, "title": COLON,
        "content": BODY.decode(),
    }  # fmt: skip
    answer = As("ada").post("/jobs", body, **{"Idempotency-Key": "c53"})
    return str(answer.json()["job_id"])


@pytest.mark.parametrize("submit", [_by_payload, _by_http])
def test_a_draft_without_front_matter_gets_one_with_exactly_the_title(
    journey: Journey, tmp_path: Path, submit: object
) -> None:
    (tmp_path / "payload").mkdir()
    assert callable(submit)
    job = selectors.job(submit(tmp_path / "payload"), scopes=None)
    journey.work()
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    data = blob(journey.remote, PATH)
    assert _yaml(data) == {"title": COLON}
    assert data.endswith(b"\n---\n" + BODY)
    assert fresh(job).title == COLON
    assert journey.history()[0].subject.endswith(COLON)
    journey.is_sound(job)


def test_a_draft_with_front_matter_of_its_own_stays_byte_for_byte(journey: Journey) -> None:
    own = b"---\n# mine\nauthor: Ada\n---\nBody only.\n"
    assert _created(journey, own) == own


def test_a_draft_without_front_matter_and_title_stays_byte_for_byte(journey: Journey) -> None:
    assert _created(journey, title="") == BODY


def test_where_most_articles_have_no_front_matter_a_title_is_only_a_name(
    db: None, tmp_path: Path
) -> None:
    assert _created(begin(tmp_path, NO_FRONT_MATTER)) == BODY


def test_the_title_is_written_as_the_neighbours_write_theirs(db: None, tmp_path: Path) -> None:
    head, _, body = _created(begin(tmp_path, TOML)).removeprefix(b"+++\n").partition(b"+++\n")
    assert tomllib.loads(head.decode()) == {"title": COLON}
    assert body == BODY


def test_a_new_folder_follows_the_rest_of_the_site(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path, {"content/old/a.md": TOML["content/posts/a.md"]})
    assert _created(journey).startswith(b"+++\n")


def test_bytes_behind_the_written_front_matter_are_the_drafts(journey: Journey) -> None:
    draft = b"\xef\xbb\xbf\r\nOne.\r\n\nTwo {2}, no end"
    data = _created(journey, draft)
    assert data.startswith(b"\xef\xbb\xbf---\r\ntitle: ")
    assert data.endswith(b"\r\n---\r\n" + draft.removeprefix(b"\xef\xbb\xbf"))


def test_fields_that_the_site_requires_are_filled_as_the_drafter_fills_them(
    db: None, tmp_path: Path
) -> None:
    required = ["title", "date", "summary", "tags"]
    journey = begin(tmp_path, SEED, required_front_matter=required)
    body = b"The lighthouse was built in 1858. The lighthouse burned oil until 1920.\n"
    found = _yaml(_created(journey, body))
    assert list(found) == required
    assert found["title"] == COLON
    assert found["date"] == Job.objects.get().created_at.date()
    assert str(found["summary"]).startswith("The lighthouse was built in 1858.")
    assert found["tags"]


def test_a_summary_that_was_given_is_written_as_given(journey: Journey) -> None:
    data = _created(journey, summary="Both: hot.")
    assert _yaml(data) == {"title": COLON, "summary": "Both: hot."}


def test_a_changed_article_keeps_its_front_matter_but_for_the_title(journey: Journey) -> None:
    job = journey.published(BODY, TARGET, action="update", title=COLON)
    data = blob(journey.remote, TARGET)
    assert list(_yaml(data)) == ["title", "date"]
    assert _yaml(data)["title"] == COLON
    assert data.endswith(b"\ndate: 2026-01-01\n---\n" + BODY)
    journey.is_sound(job)


def test_front_matter_that_cannot_be_read_stops_for_a_person(journey: Journey) -> None:
    second_person(journey.remote, {TARGET: b"---\ntitle: [open\n---\nText.\n"}, "broken")
    job = journey.submit(BODY, TARGET, action="update", title=COLON)
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert "front_matter_yaml" in {found.rule for found in selectors.findings(fresh(job))}


def test_a_redacted_title_is_not_published(journey: Journey) -> None:
    token = "ghp_" + "a1B2" * 9
    job = journey.submit(BODY, PATH, action="create", title=f"Our token {token}")
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert fresh(job).failure_code == "secret"


def test_an_edit_by_hand_is_taken_as_it_is(journey: Journey) -> None:
    job = journey.submit(BODY, PATH, action="create", title=COLON)
    journey.work()
    edited = b"No front matter, as I want it.\n"
    revise(fresh(job), files={PATH: edited}, base_revision=1, who=ADA, now=journey.now())
    journey.work()
    journey.approve(job)
    journey.work()
    assert blob(journey.remote, PATH) == edited


PARTED = "password:\nhunter2hunter2X9k"


def test_a_secret_that_a_line_break_parts_is_in_no_commit(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, title=PARTED, topic=PARTED, action="create")
    (commit,) = journey.commits_of(job)
    assert "hunter2" not in commit.subject
    journey.is_sound(job)


@pytest.mark.parametrize(
    "head",
    [
        b"---\ntitle: >-\n  password:\n  hunter2hunter2X9k\n---\n",
        b'---\ntitle: "pass\\x77ord: hunter2hunter2X9k"\n---\n',
        b'+++\ntitle = """password:\nhunter2hunter2X9k"""\n+++\n',
    ],
)
def test_a_secret_that_the_front_matter_hides_is_in_no_title(journey: Journey, head: bytes) -> None:
    job = journey.submit(head + b"\nBody.\n", FRESH, action="create")
    journey.work()
    assert fresh(job).title == "password: [REDACTED:password]"


OSLO, WIEN = (
    f"# {name}\n\nThe first of them was opened in 1858. Twelve more followed until 1920. " * 2
    for name in ("Pools of Oslo", "Trams of Wien")
)


def _drafted_again(journey: Journey, title: str) -> Job:
    """A job of sources that got other ones before anybody decided."""
    job = journey.submit(sources=(Source("notes", OSLO),), title=title)
    journey.work()
    new_inputs(fresh(job), sources=(Source("notes", WIEN),), who=ADA, now=journey.now())
    journey.work()
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    return fresh(job)


@pytest.mark.parametrize(("given", "title"), [("", "Trams of Wien"), ("Rides", "Rides")])
def test_a_title_follows_the_new_inputs_unless_it_was_given(
    journey: Journey, given: str, title: str
) -> None:
    job = _drafted_again(journey, given)
    assert job.title == title
    assert _yaml(blob(journey.remote, job.target_path))["title"] == title
    (commit,) = journey.commits_of(job)
    assert commit.subject == f"Publish {title}"


@pytest.mark.parametrize(
    ("given", "path"), [(None, "content/posts/trams-of-wien.mdx"), (PATH, PATH)]
)
def test_a_path_follows_the_new_inputs_unless_it_was_given(
    journey: Journey, given: str | None, path: str
) -> None:
    job = journey.submit(None, given, sources=(Source("notes", OSLO),))
    journey.work()
    assert fresh(job).target_path == (given or "content/posts/pools-of-oslo.mdx")
    new_inputs(fresh(job), sources=(Source("notes", WIEN),), who=ADA, now=journey.now())
    journey.work()
    assert (fresh(job).target_path, fresh(job).operation) == (path, "create")


def test_a_path_that_an_edit_named_stays_with_the_new_inputs(journey: Journey) -> None:
    job = journey.submit(sources=(Source("notes", OSLO),))
    journey.work()
    revise(fresh(job), files={}, base_revision=1, who=ADA, now=journey.now(), place=Place(PATH))
    journey.work()
    new_inputs(fresh(job), sources=(Source("notes", WIEN),), who=ADA, now=journey.now())
    journey.work()
    assert (fresh(job).target_path, fresh(job).title) == (PATH, "Trams of Wien")


def test_until_it_is_prepared_again_a_job_has_no_title_of_the_old_text(journey: Journey) -> None:
    job = journey.submit(sources=(Source("notes", OSLO),))
    journey.work()
    job = new_inputs(fresh(job), sources=(Source("notes", WIEN),), who=ADA, now=journey.now())
    assert fresh(job).title == ""


@pytest.mark.parametrize(("given", "title"), [("", "Wells of Rome"), ("Pumps", "Pumps")])
def test_a_title_follows_an_edit_unless_it_was_given(
    journey: Journey, given: str, title: str
) -> None:
    article = b"---\ntitle: Pumps of Paris\n---\n\nBody.\n"
    job = journey.submit(article, PATH, action="create", title=given)
    journey.work()
    assert fresh(job).title == (given or "Pumps of Paris")
    edited = {PATH: article.replace(b"Pumps of Paris", b"Wells of Rome")}
    revise(fresh(job), files=edited, base_revision=1, who=ADA, now=journey.now())
    journey.work()
    assert fresh(job).title == title
    assert envelopes.of(fresh(job))["commit"]["subject"] == f"Publish {title}"


def test_an_edit_without_front_matter_stays_as_people_wrote_it(journey: Journey) -> None:
    job = journey.submit(BODY, PATH, action="create", title=COLON)
    journey.work()
    revise(fresh(job), files={PATH: b"Bare.\n"}, base_revision=1, who=ADA, now=journey.now())
    journey.work()
    journey.approve(job)
    journey.work()
    assert blob(journey.remote, PATH) == b"Bare.\n"
    assert fresh(job).title == COLON
