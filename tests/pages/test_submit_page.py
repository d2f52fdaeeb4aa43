"""The submit page: files beside an article, new, changed and removed articles, named refusals."""

import re
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from publisher.models import Job
from reviews.submit_form import SubmitForm
from tests.support.page_rows import Rows

Login = Callable[[str], Client]
MIB = 1024 * 1024
TEXT = "---\ntitle: Lamps\n---\n\nA text that took an hour to write.\n"


def form(**fields: object) -> dict[str, object]:
    return {
        "mode": "content", "site": "blog", "text": TEXT, "key": "lamps",
        "target_path": "content/posts/lamps.md", **fields,
    }  # fmt: skip


def picture(name: str = "lamp.png", size: int = 20) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, b"\x89PNG" + b"\x00" * size, content_type="image/png")


def kept(job: Job) -> list[str]:
    return [item["path"] for item in job.revisions.get().inputs["assets"]]


def test_several_files_go_where_their_rows_say(rows: Rows, at: Login) -> None:
    sent = form(
        files_0=picture(), place_0="public/images/the-lamp.png",
        files_1=[picture("a.png"), picture("b.png")], place_1="public/lamps/",
    )  # fmt: skip
    assert at("ada").post("/submit/", sent).status_code == 302
    job = Job.objects.get(target_path="content/posts/lamps.md")
    assert sorted(kept(job)) == [
        "public/images/the-lamp.png", "public/lamps/a.png", "public/lamps/b.png",
    ]  # fmt: skip


def test_without_a_path_a_file_goes_next_to_the_article(rows: Rows, at: Login) -> None:
    rows.waiting.site.assets = "**/*.png"
    rows.waiting.site.save(update_fields=["assets"])
    assert at("ada").post("/submit/", form(files_0=picture())).status_code == 302
    job = Job.objects.get(target_path="content/posts/lamps.md")
    assert kept(job) == ["content/posts/lamp.png"]


@pytest.mark.parametrize("action", ["create", "update"])
def test_what_it_is_can_be_said(action: str, rows: Rows, at: Login) -> None:
    assert at("ada").post("/submit/", form(action=action)).status_code == 302
    assert Job.objects.get(target_path="content/posts/lamps.md").operation == action


def test_an_article_is_removed_by_its_path_alone(rows: Rows, at: Login) -> None:
    sent = form(mode="delete", text="", target_path="content/posts/old.md")
    assert at("ada").post("/submit/", sent).status_code == 302
    assert Job.objects.get(target_path="content/posts/old.md").operation == "delete"


def test_a_removal_without_a_path_is_refused_at_the_path(rows: Rows, at: Login) -> None:
    response = at("ada").post("/submit/", form(mode="delete", text="", target_path=""))
    assert response.status_code == 422
    assert 'id="id_target_path_error"' in response.content.decode()


@pytest.mark.parametrize(
    ("field", "files"),
    [
        ("files_0", {"files_0": picture(size=10 * MIB), "place_0": "public/lamp.png"}),
        (
            "files_0",
            {
                "files_0": [picture("a.png", 9 * MIB), picture("b.png", 8 * MIB)],
                "place_0": "public/",
            },
        ),
        ("place_1", {"files_1": picture(), "place_1": "../../etc/lamp.png"}),
        ("place_0", {"files_0": picture(), "place_0": "private/lamp.png"}),
        ("place_0", {"files_0": picture("CON.png"), "place_0": "public/"}),
        ("place_2", {"files_2": picture(), "place_2": "public/.git/config"}),
        ("files_0", {"files_0": [picture(f"{n}.png") for n in range(21)], "place_0": "public/"}),
    ],
    ids=[
        "too large",
        "too large together",
        "outside",
        "wrong folder",
        "device name",
        "git",
        "too many",
    ],
)
def test_a_refused_file_is_named_at_its_field_and_the_text_stays(
    field: str, files: dict[str, object], rows: Rows, at: Login
) -> None:
    before = Job.objects.count()
    response = at("ada").post("/submit/", form(**files))
    page = response.content.decode()
    assert response.status_code in (413, 422)
    assert f'id="id_{field}_error"' in page
    assert "A text that took an hour to write." in page
    assert "Choose your files again" in page
    assert Job.objects.count() == before


def test_files_with_a_source_are_refused_in_words(rows: Rows, at: Login) -> None:
    sent = form(mode="source", target_path="", files_0=picture(), place_0="public/lamp.png")
    response = at("ada").post("/submit/", sent)
    assert response.status_code == 422
    assert "Files go with a finished article" in response.content.decode()


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("byte for byte", "only a title given below")), ("zh-hans", ("逐字节", "标题"))],
)
def test_the_page_says_what_becomes_of_a_title_beside_a_finished_article(
    rows: Rows, at: Login, language: str, words: tuple[str, str]
) -> None:
    page = at("ada").get("/submit/", headers={"Accept-Language": language}).content.decode()
    (choice,) = [line for line in page.splitlines() if 'value="content"' in line]
    assert all(word in choice for word in words)


IMPOSSIBLE = (
    "0001-01-01T00:00", "9999-12-31T23:59", "1969-12-30T00:00", "2026-06-30T23:59:60",
    "10000-01-01T00:00",
)  # fmt: skip


@pytest.mark.parametrize("moment", IMPOSSIBLE)
def test_a_time_that_cannot_be_meant_is_refused_at_its_field(
    moment: str, rows: Rows, at: Login
) -> None:
    before = Job.objects.count()
    response = at("ada").post("/submit/", form(not_before=moment))
    assert response.status_code == 422
    assert 'id="id_not_before_error"' in response.content.decode()
    assert Job.objects.count() == before


@pytest.mark.parametrize(
    ("zone", "moment"),
    [
        ("Europe/Berlin", "2026-03-29T02:30"), ("Europe/Berlin", "2026-10-25T02:30"),
        ("America/New_York", "2026-03-08T02:30"), ("Australia/Lord_Howe", "2026-04-05T01:45"),
    ],
)  # fmt: skip
def test_a_time_that_the_clock_skips_or_tells_twice_is_refused_at_its_field(
    zone: str, moment: str
) -> None:
    with timezone.override(zone):
        refused = SubmitForm(["blog"], form(not_before=moment))
        assert list(refused.errors) == ["not_before"]
        assert zone in refused.errors["not_before"][0]


def test_a_file_with_a_nul_is_refused_as_the_article(rows: Rows, at: Login) -> None:
    upload = SimpleUploadedFile("a.md", b"# Lamps\x00\n")
    response = at("ada").post("/submit/", form(text="", upload=upload))
    assert response.status_code == 422
    assert "The content holds a NUL character. Remove it." in response.content.decode()


def test_a_text_with_a_nul_is_refused_for_that_alone() -> None:
    refused = SubmitForm(["blog"], form(text="# Lamps\x00\n"))
    assert not refused.is_valid()
    assert len(refused.errors["text"]) == 1


def test_a_form_that_was_sent_and_changed_after_going_back_becomes_a_job_of_its_own(
    rows: Rows, at: Login
) -> None:
    ada = at("ada")
    first = ada.post("/submit/", form())["Location"]
    refused = ada.post("/submit/", form(text=f"{TEXT}More.\n"))
    page = refused.content.decode()
    assert refused.status_code == 409
    assert f'href="{first}"' in page
    assert "More." in page
    (key,) = re.findall(r'name="key" value="([^"]*)"', page)
    second = ada.post("/submit/", form(text=f"{TEXT}More.\n", key=key))
    assert second.status_code == 302
    assert second["Location"] != first
