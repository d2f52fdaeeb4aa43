"""submit: once per key, refused by the field's name, and without the secrets that were handed in."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction

from publisher import artifacts
from publisher.domain.errors import InvalidInput, KeyReused, NotFound, TooLarge, UnsafePath
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Article, Artifact, Job, OtherFile, Revision, Site
from publisher.ports import Source
from publisher.services import submit as service
from publisher.services.submit import Asset, SubmitRequest, Submitted, submit
from tests.support import jobs
from tests.support.jobs import NOW

pytestmark = pytest.mark.django_db
ADA = Who(Actor.SUBMITTER, "ada")
PATH = "content/posts/tides.md"
DRAFT = SubmitRequest("blog", content=b"# Tides\n", target_path=PATH)
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3iL6"


@pytest.fixture(autouse=True)
def _site() -> None:
    jobs.site()


def hand_in(request: SubmitRequest = DRAFT, **fields: Any) -> Submitted:
    return submit(dataclasses.replace(request, **fields), who=ADA, scope="default", now=NOW)


def test_a_request_becomes_a_job_with_its_first_revision() -> None:
    done = hand_in()
    assert done.created
    job = Job.objects.get()
    assert (job.state, job.requester, job.target_path) == ("RECEIVED", "ada", PATH)
    revision = job.revisions.get()
    assert (revision.number, revision.author) == (1, "ada")
    assert artifacts.load(revision.content) == b"# Tides\n"


def test_the_same_key_and_request_give_the_same_job() -> None:
    first, again = hand_in(key="k1"), hand_in(key="k1")
    assert (first.created, again.created) == (True, False)
    assert first.job.pk == again.job.pk
    assert (Job.objects.count(), Revision.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    "other",
    [
        {"content": b"# Other\n"},
        {"target_path": "content/posts/other.md"},
        {"action": "create"},
        {"title": "Other"},
        {"summary": "Other"},
        {"topic": "Other"},
        {"not_before": NOW},
        {"assets": (Asset("public/a.png", b"a"),)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_key_belongs_to_one_request(other: dict[str, Any]) -> None:
    first = hand_in(key="k1")
    with pytest.raises(KeyReused) as refused:
        hand_in(key="k1", **other)
    assert refused.value.facts["job_id"] == first.job.pk
    assert Job.objects.count() == 1


def _other_folders() -> None:
    Site.objects.update(articles="notes/**/*.md", assets="files/**")


def _a_twin() -> None:
    Article.objects.create(site=jobs.site(), path="content/Posts/other.md", blob="a" * 40)


def _a_link() -> None:
    OtherFile.objects.create(site=jobs.site(), path="public", is_regular=False)


@pytest.mark.parametrize("change", [_other_folders, _a_twin, _a_link], ids=lambda way: way.__name__)
def test_a_repeat_has_its_answer_whatever_became_of_the_site(change: Callable[[], None]) -> None:
    whole: dict[str, Any] = {"key": "k1", "assets": (Asset("public/a.png", b"a"),)}
    first = hand_in(**whole)
    change()
    again = hand_in(**whole)
    assert (again.created, again.job.pk) == (False, first.job.pk)
    with pytest.raises(KeyReused):
        hand_in(**whole, content=b"# Other\n")
    with pytest.raises(InvalidInput):
        hand_in(**{**whole, "key": "k2"})


def test_without_a_key_each_request_is_a_job_of_its_own() -> None:
    assert hand_in().job.pk != hand_in().job.pk


@pytest.mark.parametrize("key", ["", " ", "\t\n"], ids=repr)
def test_an_empty_key_is_none_and_is_refused(key: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        hand_in(key=key)
    assert refused.value.field == "key"


def test_the_same_key_on_another_site_is_another_key() -> None:
    jobs.site("news")
    assert hand_in(key="k1").job.pk != hand_in(key="k1", site="news").job.pk


def test_keys_that_look_alike_once_redacted_do_not_collide() -> None:
    one, two = (f"token={SECRET[:-1]}{end}" for end in "ab")
    assert hand_in(key=one).job.pk != hand_in(key=two).job.pk


class _Late:
    """The look-up of somebody whose rival commits between the look and the write."""

    def __init__(self, rival: SubmitRequest) -> None:
        self.rival = rival
        self.looks = 0
        self.real = service._known

    def __call__(self, *arguments: Any) -> Job | None:
        self.looks += 1
        if self.looks > 1:
            return self.real(*arguments)
        submit_real = service._known
        service._known = self.real
        try:
            hand_in(self.rival)
        finally:
            service._known = submit_real
        return None


def test_of_two_submits_at_once_one_makes_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    request = dataclasses.replace(DRAFT, key="k1")
    late = _Late(request)
    monkeypatch.setattr(service, "_known", late)
    done = hand_in(request)
    assert (done.created, late.looks) == (False, 2)
    assert done.job.pk == Job.objects.get().pk


def test_of_two_different_submits_at_once_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    late = _Late(dataclasses.replace(DRAFT, key="k1", title="Other"))
    monkeypatch.setattr(service, "_known", late)
    with pytest.raises(KeyReused):
        hand_in(key="k1")
    assert Job.objects.count() == 1


def test_the_database_keeps_a_key_once_a_site() -> None:
    job = hand_in(key="k1").job
    other = hand_in().job
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.filter(pk=other.pk).update(key_digest=job.key_digest)


def every_text() -> str:
    """Everything that any table holds, and all stored bytes."""
    rows = [
        str(list(model._default_manager.values())) for model in apps.get_models() if _is_ours(model)
    ]
    stored = [artifacts.load(artifact.pk).decode("latin-1") for artifact in Artifact.objects.all()]
    return "\n".join([*rows, *stored])


def _is_ours(model: Any) -> bool:
    return model._meta.app_label in ("publisher", "reviews", "django_q")


@pytest.mark.parametrize(
    "fields",
    [
        {"content": f"# Tides\n\n{SECRET}\n".encode()},
        {"title": f"See {SECRET}"},
        {"topic": f"See {SECRET}"},
        {"summary": f"See {SECRET}"},
        {"key": SECRET},
        {"assets": (Asset("public/a.txt", SECRET.encode()),)},
        {"content": None, "target_path": None, "sources": (Source("s1", f"See {SECRET} now."),)},
        {"content": None, "target_path": None, "sources": (Source(SECRET, "Some text."),)},
        {"content": None, "set_front_matter": {"title": SECRET}},
        {"content": None, "set_front_matter": {"tags": ["a", SECRET]}},
    ],
    ids=lambda fields: list(fields)[-1],
)
def test_a_secret_is_kept_nowhere(fields: dict[str, Any]) -> None:
    hand_in(**fields)
    assert SECRET not in every_text()


@pytest.mark.parametrize(
    "value", ["hunter2X9k", ["a", "hunter2X9k"], 'hunter2"hunter2X9k'], ids=str
)
@pytest.mark.parametrize("key", ["api_key", "密码"])
def test_a_secret_that_only_its_key_tells_is_kept_nowhere(key: str, value: Any) -> None:
    job = hand_in(content=None, set_front_matter={key: value}).job
    assert "hunter2" not in every_text()
    assert [entry["rule"] for entry in job.revisions.get().inputs["redacted"]] == ["password"]


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\u2028", "\u0085"], ids=ascii)
@pytest.mark.parametrize("field", ["title", "topic", "key"])
def test_a_secret_that_a_line_break_parts_is_kept_nowhere(field: str, line_break: str) -> None:
    told: dict[str, Any] = {field: f"password:{line_break}hunter2hunter2X9k"}
    hand_in(**told)
    assert "hunter2" not in every_text()


@pytest.mark.parametrize(
    "parted", ["password:\nhunter2X9k", "Authorization: Bearer\nabcdEFGH12345678ijklMNOP"]
)
@pytest.mark.parametrize("field", ["summary", "set_front_matter"])
def test_a_secret_that_a_line_break_parts_is_in_no_front_matter(field: str, parted: str) -> None:
    told: dict[str, Any] = {"summary": parted}
    if field == "set_front_matter":
        told = {"content": None, field: {"note": parted, "list": [parted]}}
    hand_in(**told)
    assert "hunter2" not in every_text()
    assert "abcdEFGH" not in every_text()


@pytest.mark.parametrize("field", ["content", "sources", "assets"])
def test_a_secret_that_a_line_break_parts_is_taken_out_of_a_text(field: str) -> None:
    text = "# A\n\nThe password:\nhunter2X9kZZ\n\nMore.\n"
    told: dict[str, dict[str, Any]] = {
        "content": {"content": text.encode()},
        "sources": {"content": None, "target_path": None, "sources": (Source("s", text),)},
        "assets": {"assets": (Asset("public/a.txt", text.encode()),)},
    }
    job = hand_in(**told[field]).job
    path = {"content": job.target_path, "assets": "public/a.txt"}.get(field)
    assert "hunter2" not in every_text()
    taken = [{"path": path, "rule": "password"}] if path else []
    assert job.revisions.get().inputs["redacted"] == taken


def test_a_summary_keeps_its_lines() -> None:
    assert hand_in(summary="One.\nTwo.").job.summary == "One.\nTwo."


def test_a_memory_scope_whose_secret_a_line_break_parts_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        hand_in(memory_scope="password:\nhunter2hunter2X9k")
    assert refused.value.facts["field"] == "memory_scope"


def test_a_long_topic_is_kept_whole() -> None:
    assert hand_in(topic="t" * 300).job.topic == "t" * 300


def test_the_scan_for_secrets_can_find_one() -> None:
    job = hand_in().job
    Job.objects.filter(pk=job.pk).update(title=SECRET)
    assert SECRET in every_text()


@pytest.mark.parametrize(
    "path",
    [
        "../content/a.md", "/content/a.md", "content/../../a.md", "content//a.md", "content/./a.md",
        ".git/config", "content/.git/a.md", "content/.GIT/a.md", "content/git~1/a.md",
        "content\\a.md", "C:/content/a.md", "content/a\n.md", "content/a\x00.md", "content/con.md",
        "content/a.md/", "content/.gitattributes", "content/\u202ea.md", "other/a.md", "content/a.txt",
        "content/" + "a" * 300 + ".md",
    ],
)  # fmt: skip
def test_a_hostile_path_is_refused_by_its_field(path: str) -> None:
    with pytest.raises(UnsafePath) as refused:
        hand_in(target_path=path)
    assert refused.value.field == "target_path"
    assert (Job.objects.count(), Artifact.objects.count()) == (0, 0)


@pytest.mark.parametrize("path", ["../a.png", "public/../a", ".git/hooks/x", "content/a.md"])
def test_a_hostile_path_of_an_asset_is_refused_by_its_field(path: str) -> None:
    with pytest.raises(UnsafePath) as refused:
        hand_in(assets=(Asset(path, b"x"),))
    assert refused.value.field == "assets"
    assert Artifact.objects.count() == 0


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "other/v1"}, "kind"),
        ({"provider": "unknown"}, "provider"),
        ({"action": "burn"}, "action"),
        ({"content": None}, "content"),
        ({"target_path": None}, "target_path"),
        ({"sources": (Source("s", "text"),)}, "content"),
        ({"content": None, "sources": (Source("s", " "),)}, "source"),
        ({"content": None, "sources": (Source("s", "a"), Source("s", "b"))}, "sources"),
        ({"content": None, "sources": (Source("s", "a"),), "action": "create"}, "action"),
        ({"assets": (Asset("public/a", b""), Asset("public/a", b"x"))}, "assets"),
        ({"assets": (Asset("public/A.png", b""), Asset("public/a.png", b""))}, "assets"),
        ({"assets": (Asset("public/Ä/x", b""), Asset("public/ä/x", b""))}, "assets"),
        ({"assets": (Asset("public/a", b""), Asset("public/a/b", b""))}, "assets"),
        ({"title": "x" * 201}, "title"),
        ({"topic": "x" * 301}, "topic"),
        ({"summary": "x" * 2001}, "summary"),
        ({"key": "x" * 301}, "key"),
        ({"memory_scope": "x" * 101}, "memory_scope"),
        ({"memory_scope": SECRET}, "memory_scope"),
        ({"not_before": datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))}, "not_before"),
        ({"not_before": datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))}, "not_before"),
        ({"not_before": datetime.max.replace(tzinfo=UTC)}, "not_before"),
        ({"not_before": NOW + timedelta(days=3661)}, "not_before"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        hand_in(**fields)
    assert refused.value.field == field
    assert (Job.objects.count(), Artifact.objects.count()) == (0, 0)


NO_TEXTS = ["a\x00b", "half \ud800"]


@pytest.mark.parametrize("text", NO_TEXTS, ids=["nul", "surrogate"])
@pytest.mark.parametrize("field", ["title", "topic", "summary", "key", "memory_scope"])
def test_what_is_no_readable_text_is_refused_by_its_field(field: str, text: str) -> None:
    fields: dict[str, Any] = {field: text}
    with pytest.raises(InvalidInput) as refused:
        hand_in(**fields)
    assert refused.value.field == field
    assert Job.objects.count() == 0


@pytest.mark.parametrize("text", NO_TEXTS, ids=["nul", "surrogate"])
def test_a_source_that_is_no_readable_text_is_refused(text: str) -> None:
    for source, field in ((Source("s", text), "source"), (Source(text, "text"), "sources")):
        with pytest.raises(InvalidInput) as refused:
            hand_in(content=None, target_path=None, sources=(source,))
        assert refused.value.field == field
    assert Artifact.objects.count() == 0


@pytest.mark.parametrize(
    "values",
    [
        {"a": "b\x00"},
        {"a\x00": 1},
        {"a": ["half \ud800"]},
        {"a": float("nan")},
        {"a": {"b": "\x00"}},
    ],
    ids=["nul", "key", "surrogate", "number", "deep"],
)
def test_front_matter_that_no_job_can_keep_is_refused_by_its_field(values: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        hand_in(content=None, action="update", set_front_matter=values)
    assert refused.value.field == "set_front_matter"


@pytest.mark.parametrize(
    "values",
    [{}, {"a": None}, {"a": {"b": 1}}, {"t": "x", "a": [1, None]}, {"a": [["b"]]}],
    ids=str,
)
def test_front_matter_that_no_line_can_hold_is_refused_by_its_key(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        hand_in(content=None, set_front_matter=values)
    assert refused.value.field == "set_front_matter"
    assert not values or "“a”" in refused.value.message
    assert not Job.objects.exists()


@pytest.mark.parametrize("value", ["x", 1, 1.5, True, [], ["x", 1, 2.5, False]], ids=str)
def test_front_matter_that_a_line_can_hold_is_taken(value: Any) -> None:
    inputs = hand_in(content=None, set_front_matter={"a": value}).job.revisions.get().inputs
    assert inputs["set_front_matter"] == {"a": value}


def test_an_article_with_a_nul_is_refused_and_an_asset_with_one_is_taken() -> None:
    with pytest.raises(InvalidInput) as refused:
        hand_in(content=b"# Tides\x00\n")
    assert refused.value.field == "content"
    assert hand_in(assets=(Asset("public/a.bin", b"\x00\x01"),)).created


@pytest.mark.parametrize("moment", [datetime(1970, 1, 1, tzinfo=UTC), NOW + timedelta(days=3650)])
def test_a_past_time_is_due_and_a_far_one_is_kept(moment: datetime) -> None:
    assert hand_in(not_before=moment).job.not_before == moment


@pytest.mark.parametrize(
    "fields",
    [
        {"content": b"x" * (5 * 2**20 + 1)},
        {"assets": (Asset("public/a", b"x" * (10 * 2**20 + 1)),)},
        {"assets": tuple(Asset(f"public/{n}", b"x") for n in range(21))},
    ],
    ids=["text", "asset", "many assets"],
)
def test_what_is_too_large_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(TooLarge):
        hand_in(**fields)
    assert Artifact.objects.count() == 0


@pytest.mark.parametrize(
    "paths", [("public/zz", "public/ZZ/a.png"), ("public/Qq/a.png", "public/qQ/b.png")], ids=str
)
def test_assets_that_share_a_folder_on_some_systems_are_refused(paths: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput) as refused:
        hand_in(assets=tuple(Asset(path, b"x") for path in paths))
    assert refused.value.field == "assets"


@pytest.mark.parametrize(
    "path",
    [
        "public/fonts/a.woff2", "public/fonts/A.woff2", "public/fonts/a.woff2/x.png",
        "public/fonts", "public/Fonts/x.png",
    ],
)  # fmt: skip
def test_a_file_where_the_font_is_made_is_refused_by_its_field(path: str) -> None:
    Site.objects.update(fonts="public/fonts/a.woff2", font_source="/srv/a.ttf")
    with pytest.raises(InvalidInput) as refused:
        hand_in(assets=(Asset(path, b"x"),))
    assert (refused.value.field, refused.value.facts["path"]) == ("assets", path)
    assert "the font file that is made for this site" in refused.value.message
    assert hand_in(assets=(Asset("public/fonts/b.png", b"x"),)).created


def test_a_name_that_other_systems_take_for_an_existing_one_is_refused() -> None:
    Article.objects.create(site=jobs.site(), path="content/posts/Tides.md", blob="a" * 40)
    with pytest.raises(InvalidInput) as refused:
        hand_in()
    assert refused.value.facts["twin"] == "content/posts/Tides.md"


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("content/posts/café.md", "content/posts/CAFÉ.md"),
        ("content/posts/café.md", "content/posts/ｃａｆé.md"),
        ("content/posts/CAFÉ.md", "content/posts/café.md"),
        ("content/posts/cafe\u0301.md", "content/posts/café.md"),
        ("content/posts/cafe.md", "content/posts/ＣＡＦＥ.md"),
        ("content/kitchen/a.md", "content/Kitchen/new.md"),
        ("content/É/deep/a.md", "content/é/other/new.md"),
    ],
)
def test_a_twin_in_any_script_or_of_a_folder_is_refused_by_its_field(there: str, new: str) -> None:
    Article.objects.create(site=jobs.site(), path="content/posts/other.md", blob="a" * 40)
    Article.objects.create(site=jobs.site(), path=there, blob="a" * 40)
    with pytest.raises(InvalidInput) as refused:
        hand_in(target_path=new)
    assert refused.value.field == "target_path"
    assert there.startswith(refused.value.facts["twin"])


@pytest.mark.parametrize(
    "new",
    ["content/posts/Tides.md", "content/posts/new.md", "content/new/Tides.md", "content/x.md"],
)
def test_what_is_nobodys_twin_is_taken(new: str) -> None:
    for there in ("content/posts/Tides.md", "content/posts/tides.md", "content/Posts/a.md"):
        Article.objects.create(site=jobs.site(), path=there, blob="a" * 40)
    assert hand_in(target_path=new).created


def test_an_asset_in_the_twin_of_an_articles_folder_is_refused() -> None:
    site = jobs.site()
    site.assets = "**"
    site.save(update_fields=["assets"])
    Article.objects.create(site=site, path="content/kitchen/a.md", blob="a" * 40)
    with pytest.raises(InvalidInput) as refused:
        hand_in(assets=(Asset("content/Kitchen/a.png", b"x"),))
    assert refused.value.field == "assets"
    assert refused.value.facts["path"] == "content/Kitchen/a.png"


def test_a_site_of_another_scope_is_not_found() -> None:
    jobs.site("secret", scope="elsewhere")
    with pytest.raises(NotFound):
        hand_in(site="secret")


def test_a_check_stores_nothing() -> None:
    service.check(DRAFT, scope="default", now=NOW)
    hostile = dataclasses.replace(DRAFT, target_path="../a.md")
    with pytest.raises(UnsafePath):
        service.check(hostile, scope="default", now=NOW)
    assert (Job.objects.count(), Artifact.objects.count()) == (0, 0)
