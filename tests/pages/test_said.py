"""Said: whatever a gate, the engine or a service says in English, a Chinese page says in Chinese."""

import re
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from django.test import Client
from django.utils import translation

from publisher.domain.errors import UnsafePath
from publisher.domain.paths import check_path
from publisher.models import Finding
from reviews.presenters import said, timeline
from tests.support import jobs, sentences
from tests.support.page_rows import Rows

Login = Callable[[str], Client]


def test_each_sentence_below_the_pages_is_known() -> None:
    found = sentences.said()
    assert len(found) > 200
    unknown = [(place, text) for place, text in found if said.find(text) is None]
    assert unknown == []


def test_no_sentence_without_values_is_taken_for_a_general_one() -> None:
    texts = [text for _, text in sentences.said() if sentences.SAMPLE not in text]
    found = [(text, known[1]) for text in texts if (known := said.find(text)) is not None]
    in_english = [text for text, values in found for value in values.values() if value[0].isalpha()]
    assert in_english == []


def test_each_known_sentence_has_a_chinese_text_with_the_same_values() -> None:
    with translation.override("zh-hans"):
        for template in said.templates():
            chinese = translation.gettext(template.msgid)
            assert chinese != template.msgid
            places = re.findall(r"%\((\w+)\)s", chinese)
            assert sorted(places) == sorted(template.names), template.msgid


def test_each_known_sentence_is_found_as_itself() -> None:
    for template in said.templates():
        values = {name: f"<{number}>" for number, name in enumerate(template.names)}
        text = template.msgid % values if values else template.msgid
        assert said.find(text) == (template, values), template.msgid


def test_english_stays_as_it_was_said() -> None:
    with translation.override("en"):
        assert said.in_words("There is no site moon that you may see.") == (
            "There is no site moon that you may see."
        )


def test_an_unknown_sentence_is_shown_as_it_is() -> None:
    with translation.override("zh-hans"):
        assert said.in_words("remote: hook declined\nAsk Ada.") == "remote: hook declined\nAsk Ada."


@pytest.mark.parametrize(
    "path", ["/etc/a.md", "content/../a.md", "content/a\\b.md", "content/.git/a.md", "other/a.md",
             "content/a\u200b.md", "content/con.md", "content/a /b.md", "-a.md", "a//b.md",
             "x" * 300 + ".md", "content/e\u0301.md", "content/a\n.md", "content/.gitmodules"],
)  # fmt: skip
def test_each_refused_path_is_explained_without_english(path: str) -> None:
    with pytest.raises(UnsafePath) as refused:
        check_path(path, field="target_path", roots=("content/**/*.md",))
    with translation.override("zh-hans"):
        text = said.in_words(refused.value.message)
    assert text.startswith("路径“")
    assert re.search(r"”[^a-z]{2}", text), text


def test_the_roles_in_a_refusal_are_named_in_chinese() -> None:
    with translation.override("zh-hans"):
        text = said.in_words(
            "You need another role for this (admin, operator). An admin can give it to you."
        )
    assert text == "这需要另一个角色（管理员, 操作员）。管理员可以授予您。"


@pytest.mark.parametrize(
    ("actor", "shown"), [("worker", "站点已暂停。"), ("reviewer", "The site is paused.")]
)
def test_a_persons_own_words_are_never_translated(actor: str, shown: str) -> None:
    event = SimpleNamespace(
        seq=1, event="hold", actor=actor, actor_name="rui", facts={}, at=jobs.NOW,
        reason="The site is paused.",
    )  # fmt: skip
    with translation.override("zh-hans"):
        assert timeline.entry(event).reason == shown


def test_a_value_built_to_confuse_comes_through_whole() -> None:
    value = '" And %(path)s 5 more. %' * 10_000
    with translation.override("zh-hans"):
        assert value in said.in_words(f"There is no site {value} that you may see.")


def test_a_finding_stays_english_in_the_database_and_is_chinese_on_the_page(
    rows: Rows, at: Login
) -> None:
    step = rows.review.steps.first()
    assert step is not None
    Finding.objects.create(
        step=step, severity="block", path="content/a.md", line=3,
        rule="front_matter_required", message="The front matter lacks “date”.",
        advice="Add a line “date: …”; this site requires it.",
    )  # fmt: skip
    client = at("rui")
    client.cookies["django_language"] = "zh-hans"
    page = client.get(f"/jobs/{rows.review.pk}/review/").content.decode()
    assert "头信息缺少“date”。" in page
    assert "请加一行“date: …”；本站点要求有它。" in page


def test_a_refusal_is_chinese_on_the_page_and_english_in_the_api(rows: Rows, at: Login) -> None:
    client = at("ada")
    client.cookies["django_language"] = "zh-hans"
    page = client.get(f"/jobs/{jobs.NOW:%Y}/").content.decode()
    assert "没有您可以查看的任务" in page
    answer = client.get(f"/api/v1/jobs/{jobs.NOW:%Y}", headers={"accept-language": "zh-hans"})
    assert "that you may see" in answer.json()["detail"]


@pytest.mark.parametrize("turn", ["first", "second"])
def test_a_chinese_page_leaves_the_next_test_in_english(db: None, turn: str) -> None:
    assert translation.get_language() == "en", turn
    page = Client().get("/login/", headers={"accept-language": "zh-hans"})
    assert 'lang="zh' in page.content.decode()
