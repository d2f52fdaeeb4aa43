"""The submit command: whatever a file or a flag holds, a refusal is exit code 2 and names the field."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from publisher.models import Job
from tests.support import jobs

pytestmark = pytest.mark.django_db
GOOD = {"target_path": "content/a.md", "body_file": "a.md"}


@pytest.fixture(autouse=True)
def _site() -> None:
    jobs.site()


def submit(*arguments: str) -> tuple[int, str]:
    """The exit code, and what was said about it."""
    errors = StringIO()
    try:
        call_command("submit", "--site", "blog", *arguments, stdout=StringIO(), stderr=errors)
    except SystemExit as left:
        return int(left.code or 0), errors.getvalue()
    return 0, errors.getvalue()


def payload(folder: Path, document: Any) -> tuple[int, str]:
    (folder / "a.md").write_text("# A\n")
    (folder / "submit.json").write_text(
        document if isinstance(document, str) else json.dumps(document)
    )
    return submit("--payload", str(folder))


def test_a_payload_becomes_a_job(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x00\x01")
    assets = [{"path": "public/a.png", "file": "a.png"}]
    nothing = dict.fromkeys(("title", "action", "set_front_matter", "idempotency_key"))
    assert payload(tmp_path, {**GOOD, **nothing, "assets": assets}) == (0, "")
    assert Job.objects.get().target_path == "content/a.md"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"target_path": 5}, "target_path"),
        ({"target_path": ["content/a.md"]}, "target_path"),
        ({"target_path": "content/\ud800.md"}, "target_path"),
        ({"body_file": 7}, "body_file"),
        ({"body_file": None, "set_front_matter": {}}, "set_front_matter"),
        ({"body_file": None, "set_front_matter": {"title": None}}, "set_front_matter"),
        ({"body_file": False}, "body_file"),
        ({"body_file": "a.md\x00"}, "body_file"),
        ({"body_file": "\ud800"}, "body_file"),
        ({"assets": None}, "assets"),
        ({"assets": {}}, "assets"),
        ({"assets": [{"path": 3, "file": "a.md"}]}, "assets"),
        ({"assets": [{"path": "public/a", "file": 3}]}, "assets"),
        ({"assets": [{"path": "public/a", "file": "a\x00"}]}, "assets"),
        ({"title": 5}, "title"),
        ({"title": "half \ud800"}, "title"),
        ({"topic": []}, "topic"),
        ({"summary": {}}, "summary"),
        ({"action": 1}, "action"),
        ({"idempotency_key": 5}, "idempotency_key"),
        ({"idempotency_key": ""}, "idempotency_key"),
        ({"idempotency_key": " "}, "idempotency_key"),
        ({"idempotency_key": "\ud800"}, "idempotency_key"),
        ({"set_front_matter": "x"}, "set_front_matter"),
        ({"set_front_matter": [1]}, "set_front_matter"),
        ({"set_front_matter": {"a": "\x00"}, "body_file": None}, "set_front_matter"),
    ],
    ids=str,
)
def test_a_value_of_the_wrong_type_is_refused_by_its_field(
    tmp_path: Path, changes: dict[str, Any], field: str
) -> None:
    code, said = payload(tmp_path, {**GOOD, **changes})
    assert (code, said.split(": ")[1]) == (2, field)
    assert not Job.objects.exists()


@pytest.mark.parametrize("flag", ["content", "asset"])
def test_what_a_payload_names_is_not_named_beside_it(tmp_path: Path, flag: str) -> None:
    (tmp_path / "b.md").write_text("# B\n")
    (tmp_path / "a.md").write_text("# A\n")
    (tmp_path / "submit.json").write_text(json.dumps(GOOD))
    named = {"content": str(tmp_path / "b.md"), "asset": f"public/b.md={tmp_path / 'b.md'}"}
    code, said = submit("--payload", str(tmp_path), f"--{flag}", named[flag])
    assert (code, said.split(": ")[1]) == (2, flag)
    assert not Job.objects.exists()


@pytest.mark.parametrize("key", ["", " "], ids=repr)
def test_an_empty_key_is_refused(tmp_path: Path, key: str) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    (tmp_path / "submit.json").write_text(json.dumps({**GOOD, "idempotency_key": "k1"}))
    code, said = submit("--payload", str(tmp_path), "--key", key)
    assert (code, said.split(": ")[1]) == (2, "key")
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    "name", ["/etc/hostname", "../x.md", "link.md", "linked/x.md", "in/../../x.md"]
)
@pytest.mark.parametrize("field", ["body_file", "assets"])
def test_a_file_outside_of_the_payload_is_refused_by_its_field(
    tmp_path: Path, name: str, field: str
) -> None:
    (tmp_path / "x.md").write_text("outside")
    folder = tmp_path / "payload"
    (folder / "in").mkdir(parents=True)
    (folder / "link.md").symlink_to(tmp_path / "x.md")
    (folder / "linked").symlink_to(tmp_path)
    held = {"body_file": name, "assets": [{"path": "public/x.md", "file": name}]}
    code, said = payload(folder, {**GOOD, field: held[field]})
    assert (code, said.split(": ")[1]) == (2, field)
    assert "outside of the payload's folder" in said
    assert not Job.objects.exists()


def test_a_link_in_a_circle_is_refused_by_its_field(tmp_path: Path) -> None:
    (tmp_path / "b.md").symlink_to("b.md")
    code, said = payload(tmp_path, {**GOOD, "body_file": "b.md"})
    assert (code, said.split(": ")[1]) == (2, "body_file")


def test_a_linked_folder_and_a_link_within_it_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "payload"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "b.md").symlink_to("../a.md")
    (tmp_path / "link").symlink_to(folder)
    document = {**GOOD, "body_file": "deep/b.md"}
    assert payload(tmp_path / "link", document) == (0, "")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('{"title": "a", "target_path": "content/a.md", "title": "b"}', "title"),
        (
            '{"target_path": "content/a.md", "set_front_matter": {"t": 1, "t": 2}}',
            "set_front_matter",
        ),
        ('{"body_file": "a.md", "assets": [{"path": "a", "path": "b", "file": "a.md"}]}', "assets"),
    ],
)
def test_a_key_that_is_named_twice_is_refused_by_its_name(
    tmp_path: Path, text: str, field: str
) -> None:
    code, said = payload(tmp_path, text)
    assert (code, said.split(": ")[1]) == (2, field)
    assert "twice" in said


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000, "{", "[]", "\ud800"], ids=len)
def test_what_is_no_object_in_json_is_refused_as_the_payload(tmp_path: Path, text: str) -> None:
    (tmp_path / "submit.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    code, said = submit("--payload", str(tmp_path))
    assert (code, said.split(": ")[1]) == (2, "payload")


@pytest.mark.parametrize(
    "moment",
    [
        "2026-13-45T00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00",
        "9999-12-31T23:59:59+00:00", "9999-12-31T23:59:59", "0001-01-01T00:00", "soon",
        "2026-06-30T23:59:60Z", "10000-01-01T00:00:00Z",
    ],
)  # fmt: skip
def test_a_time_that_cannot_be_meant_is_refused_by_its_field(tmp_path: Path, moment: str) -> None:
    draft = tmp_path / "a.md"
    draft.write_text("# A\n")
    named = ("--content", str(draft), "--target-path", "content/a.md")
    code, said = submit(*named, "--not-before", moment)
    assert (code, said.split(": ")[1]) == (2, "not_before")
    assert not Job.objects.exists()


@pytest.mark.parametrize("flag", ["key", "title", "topic", "summary", "memory-scope"])
def test_an_argument_that_is_no_text_is_refused_by_its_field(tmp_path: Path, flag: str) -> None:
    draft = tmp_path / "a.md"
    draft.write_text("# A\n")
    named = ("--content", str(draft), "--target-path", "content/a.md")
    code, said = submit(*named, f"--{flag}", "k\udcff")
    assert (code, said.split(": ")[1]) == (2, flag.replace("-", "_"))


def test_a_source_with_a_nul_is_refused_by_its_field(tmp_path: Path) -> None:
    source = tmp_path / "a.txt"
    source.write_bytes(b"The tide\x00 turns.")
    code, said = submit("--source", str(source))
    assert (code, said.split(": ")[1]) == (2, "source")


@pytest.mark.parametrize(("flag", "code"), [("--site", 4), ("--as", 5)])
def test_a_name_that_nobody_can_have_is_unknown(tmp_path: Path, flag: str, code: int) -> None:
    draft = tmp_path / "a.md"
    draft.write_text("# A\n")
    named = ("--content", str(draft), "--target-path", "content/a.md")
    assert submit(*named, flag, "blog\udcff")[0] == code
