"""The stand-in provider on twenty real-looking sources, and on what nobody would call a source."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from publisher.adapters.providers.standin import StandIn
from publisher.domain.errors import ProviderError
from publisher.domain.findings import Severity
from publisher.domain.material import head_of
from publisher.ports import DraftResult, Source
from publisher.prepare import frontmatter, hidden, lfs, mdx, quality, secrets
from publisher.prepare.article import render_article
from publisher.wiring import never
from tests.support.growth import no_explosion

SOURCES = sorted((Path(__file__).parent / "sources").glob("*/*.md"))
NAMES = [f"{path.parent.name}/{path.stem}" for path in SOURCES]
SHAPES = (Path(__file__).parent / "sources" / "shapes.txt").read_text().split("\f\n")
"""Forty real articles: their marks, tags, fences and repetitions, with one word for each line."""
each_source = pytest.mark.parametrize("path", SOURCES, ids=NAMES)


def drafted(path: Path) -> DraftResult:
    return StandIn(never).draft([Source("s", path.read_text())], topic=None, title=None)


def expected(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(path.with_suffix(".json").read_text())
    return facts


def letters(text: str) -> str:
    """Letters and digits alone, in order."""
    return "".join(char for char in text.casefold() if char.isalnum())


def ends_a_line(line: str, source: str) -> bool:
    """Whether this is a line of the source, or one whose beginning stands above as a heading."""
    lines = (" ".join(one.split()) for one in re.split(r"[\r\n]", source))
    return any(one.endswith(" ".join(line.split())) for one in lines)


def squeezed(text: str) -> str:
    """Without inline marks, addresses and white space."""
    return re.sub(r"[*`\s]|\]\([^)]*\)|\[", "", text)


def test_there_are_ten_sources_of_each_language() -> None:
    assert [name[:2] for name in NAMES] == ["en"] * 10 + ["zh"] * 10


@each_source
def test_title_and_headings_are_those_a_person_expects(path: Path) -> None:
    draft = drafted(path)
    assert draft.title == expected(path)["title"]
    assert list(draft.headings) == expected(path)["headings"]


@each_source
def test_every_fact_is_in_the_article(path: Path) -> None:
    article = render_article(drafted(path), date="2026-05-01").decode()
    assert [fact for fact in expected(path)["facts"] if fact not in article] == []


@each_source
def test_every_sentence_of_body_and_summary_is_from_the_source(path: Path) -> None:
    draft, source = drafted(path), path.read_text()
    prose = [line for line in draft.body.split("\n") if not line.startswith("#")]
    assert [line for line in prose if not ends_a_line(line, source)] == []
    sentences = [one for one in re.split(r"(?<=[。！？])|(?<=[.!?])\s", draft.summary) if one]
    assert sentences
    assert [one for one in sentences if squeezed(one) not in squeezed(source)] == []


@each_source
def test_every_sentence_of_the_source_is_said_once_and_in_its_place(path: Path) -> None:
    draft, source = drafted(path), path.read_text()
    assert letters(draft.title + draft.body) == letters(_without_courtesies(source))


def _without_courtesies(source: str) -> str:
    paragraphs = source.strip().split("\n\n")
    return "\n\n".join(
        one for one in paragraphs if not one.startswith(("Hi all", "Thanks", "大家好", "谢谢"))
    )


@each_source
def test_the_summary_is_not_the_title_and_no_heading_is_said_again(path: Path) -> None:
    draft = drafted(path)
    assert not draft.summary.startswith(draft.title)
    prose = "\n".join(line for line in draft.body.split("\n") if not line.startswith("#"))
    assert [one for one in draft.headings if letters(one) in map(letters, prose.split("."))] == []


@each_source
def test_an_article_begins_with_text_or_with_a_heading_of_its_source(path: Path) -> None:
    draft, source = drafted(path), path.read_text()
    first = draft.body.split("\n")[0]
    assert not first.startswith("#") or first in source


@each_source
def test_the_articles_structure_is_the_sources(path: Path) -> None:
    draft, source = drafted(path), path.read_text()
    for kind in (r"^\|.*", r"^\d+\. .*", r"^- .*", r"^> .*", r"^```.*", r"\]\([^)]*\)"):
        assert re.findall(kind, draft.body, re.MULTILINE) == re.findall(kind, source, re.MULTILINE)


@each_source
def test_summary_tags_and_language_are_of_use(path: Path) -> None:
    draft, language = drafted(path), path.parent.name
    assert draft.language == language
    assert 20 <= len(draft.summary) <= 260
    assert 3 <= len(draft.tags) <= 5
    source = path.read_text().lower()
    assert [tag for tag in draft.tags if tag not in source] == []
    assert 2 <= len(draft.headings) <= 6


@each_source
@pytest.mark.parametrize("ending", ["md", "mdx"])
def test_the_article_passes_every_gate(path: Path, ending: str) -> None:
    draft = drafted(path)
    data = render_article(draft, date="2026-05-01")
    text, name = data.decode(), f"content/posts/a.{ending}"
    findings = [
        *frontmatter.check(name, data, required=("title", "date", "summary", "tags")),
        *mdx.check(name, text),
        *quality.check(name, text, title=draft.title),
        *hidden.check(name, text),
        *secrets.check(name, text),
        *lfs.check(name, data, lfs=False),
    ]
    assert findings == []


@each_source
def test_the_same_source_gives_the_same_article(path: Path) -> None:
    assert drafted(path) == drafted(path)


@pytest.mark.parametrize("source", SHAPES, ids=range(len(SHAPES)))
def test_a_real_article_keeps_every_line_as_a_source(source: str) -> None:
    said = letters(source.removeprefix(head_of(source)))
    draft = draft_of(source)
    assert said in (letters(draft.body), letters(draft.title + draft.body))


# --- what a person or program asks for -------------------------------------------------------------

TEXT = (
    "The pump stopped at noon. A spare part arrived by boat.\n\nThe pump runs again since Friday.\n"
)


def draft_of(*texts: str, topic: str | None = None, title: str | None = None) -> DraftResult:
    sources = [Source(str(number), text) for number, text in enumerate(texts)]
    return StandIn(never).draft(sources, topic=topic, title=title)


def test_the_title_asked_for_wins_over_the_sources_own() -> None:
    assert draft_of("# Own\n\n" + TEXT, title=" My\n title: *x* ").title == "My title: x"


def test_the_sources_own_title_wins_over_the_topic() -> None:
    assert draft_of("# Own\n\n" + TEXT, topic="Pumps").title == "Own"


@pytest.mark.parametrize("front", ["---\ntitle: 'Mine'\n---\n", '+++\ntitle = "Mine" # x\n+++\n'])
def test_the_title_of_the_sources_front_matter_is_kept(front: str) -> None:
    assert draft_of(front + "# Other\n\n" + TEXT).title == "Mine"


def test_definitions_of_links_are_no_title() -> None:
    assert draft_of("[a]: https://example.invalid\n\n" + TEXT).title == "The pump stopped at noon"


def test_the_topic_is_the_title_of_a_source_without_one() -> None:
    assert draft_of(TEXT, topic="Pumps").title == "Pumps"


def test_without_any_title_the_first_words_that_fit_stand_above() -> None:
    assert draft_of(TEXT).title == "The pump stopped at noon"


def test_two_sources_become_one_article_that_says_nothing_twice() -> None:
    body = draft_of("# A\n\n" + TEXT, "## B\n\n" + TEXT + "\nNew words here.\n").body
    assert body.count("The pump runs again since Friday.") == 1
    assert "New words here." in body


PUMP = "# Pump\n\nOpen the valve.\n\n"


@pytest.mark.parametrize(
    "text",
    [
        PUMP + "---\n\nThe director resigned.\n\n---\n\nThe next meeting is on 6 July.\n",
        "---\n\nThe director resigned.\n\n---\n\nThe next meeting is on 6 July.\n",
        "---\nAgenda: budget.\nThe budget is 42,000 euros.\n---\n\nNobody leaves.\n",
        "---\nNote: we move on Friday.\n---\nThe rest.\n",
        "---\nAgenda:\n- one\n- two\n---\nThe rest.\n",
        "---\n\nnote: we move on Friday.\n---\nThe rest.\n",
        "---\n# A heading\n---\n\nNobody leaves.\n",
        "---\n- Bring tea.\n- Bring cake.\n---\n\nNobody leaves.\n",
        "Budget\n---\n\nThe budget is 42,000 euros.\n\nStaff\n---\n\nNobody leaves.\n",
        PUMP + "```yaml\n---\ntitle: My post\n---\n```\n\n+++\nThis as well.\n+++\n",
        PUMP + "```sh\nmake\n```\n\nOnce more:\n\n```sh\nmake\n```\n",
        PUMP + "<Note>\n\nGloves.\n\n</Note>\n\nThen:\n\n<Note>\n\nGoggles.\n\n</Note>\n",
        PUMP + "Is it open?\n\nYes.\n\nIs it free?\n\nYes.\n",
        PUMP + "## Sunday\n\n## Monday\n\nClosed.\n\n## Pump\n\nAgain.\n\nPump\n\n## The end\n",
        "一、图书馆周一闭馆\n\n二、泳池六月开放\n\n三、请自带毛巾\n\n完。\n",
        "# Roof\n\nDear readers: the library is closed.\n\nThanks to Anna the café is open.\n",
        "# Vote\n\nRegards, the council voted no.\n\nThanks,\nThe Library Is Closed\n",
        "选举\n\n谢谢大家支持选举\n\n投票结束。\n\n谢谢您的伞\n",
        "# See [the report](https://example.invalid/r)\n\nIt is long.\n",
    ],
)
def test_no_word_of_a_source_is_lost(text: str) -> None:
    draft = draft_of(text)
    assert Counter(letters(text)) - Counter(letters(draft.title + draft.body)) == Counter()


def test_a_short_answer_of_a_second_source_stays() -> None:
    body = draft_of("# A\n\nIs it open?\n\nYes.\n", "# B\n\nIs it free?\n\nYes.\n").body
    assert body.count("Yes.") == 2


def test_a_rule_is_no_title() -> None:
    assert draft_of("---\n\n" + TEXT).title == "The pump stopped at noon"


@pytest.mark.parametrize(
    "head",
    [
        "---\n---\n",
        "---\n# a comment\ntitle: x\ntags:\n- a\nlist: [\n  b\n]\ntext: >\n  more\n---\n",
        "---\n\nslug: x\n---\n",
        "---\nNote: x\n'draft': true\n---\n",
        '---\n标题: x\n"a key": y\n---\n',
        "---\nTitle: x\nDate: 2024-01-02\n---\n",
        "+++\n\n# a comment\n[extra]\nx = 1\n+++\n",
        "+++\nx = 1\n+++",
    ],
)
def test_front_matter_is_told_from_text_between_rules(head: str) -> None:
    text = head if head.endswith("+") else f"{head}\nThe pump.\n\n---\n\nThe valve.\n"
    assert head_of(text) == head
    assert head_of(f"\n{text}") == ""


def test_headings_start_at_the_second_level_and_keep_their_order() -> None:
    draft = draft_of("# T\n\n#### Deep\n\none\n\n##### Deeper\n\ntwo\n")
    assert re.findall(r"^#+ .*", draft.body, re.MULTILINE) == ["## Deep", "### Deeper"]


def test_a_heading_without_text_becomes_a_line() -> None:
    draft = draft_of("# T\n\n## Empty\n\n## Full\n\nwords\n")
    assert (draft.headings, draft.body) == (("Full",), "Empty\n\n## Full\n\nwords\n")


def test_front_matter_and_courtesies_are_left_out() -> None:
    draft = draft_of("---\ntitle: x\n---\nHi all,\n\n" + TEXT + "\nThanks,\nCarla\n")
    assert "title: x" not in draft.body
    assert "Hi all" not in draft.body
    assert "Carla" not in draft.body


def test_a_code_block_that_is_never_closed_is_closed() -> None:
    assert draft_of("# T\n\n```sh\nmake\n").body.endswith("```sh\nmake\n```\n")


def test_windows_line_ends_make_no_difference() -> None:
    text = "# T\n\n" + TEXT + "\n- a\n- b\n"
    assert draft_of(text.replace("\n", "\r\n")) == draft_of(text)


@pytest.mark.parametrize("text", ["", " \n\n", "# Only a title\n", "---\ntitle: x\n---\n"])
def test_a_source_without_text_is_refused_for_good(text: str) -> None:
    with pytest.raises(ProviderError) as caught:
        draft_of(text)
    assert caught.value.permanent


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        (
            TEXT,
            "The pump stopped at noon",
            "A spare part arrived by boat.\n\nThe pump runs again since Friday.\n",
        ),
        (
            "The pool opens on 1 June\nBring a towel. It is cold.\n",
            "The pool opens on 1 June",
            "Bring a towel. It is cold.\n",
        ),
        ("The pool opens.\n\nBring a towel.\n", "The pool opens", "Bring a towel.\n"),
        ("The pool opens on Monday.\n", "The pool opens on Monday", "The pool opens on Monday.\n"),
        ("泳池六月一日开放。请自带毛巾。\n", "泳池六月一日开放", "请自带毛巾。\n"),
        (
            "泳池六月一日开放\n请自带毛巾。水温十九度。\n",
            "泳池六月一日开放",
            "请自带毛巾。水温十九度。\n",
        ),
    ],
)
def test_a_sentence_that_became_the_title_is_not_said_again(
    text: str, title: str, body: str
) -> None:
    draft = draft_of(text)
    assert (draft.title, draft.body) == (title, body)


def test_a_short_text_has_no_headings() -> None:
    assert (
        draft_of(
            "One is here.\n\nTwo is here. It stays.\n\nThree. Yes.\n\nFour is here. So.\n"
        ).headings
        == ()
    )


LONG = "And this is what is to be said about it, at some length and with all its circumstances."


@pytest.mark.parametrize(
    "first",
    [
        "See [the report](https://example.invalid/r) for all of it.",
        "He called it “enough.”",
        "A clause that nobody ended",
        "So.",
        "The letter came from Mr. Brown, who had kept it, and " + LONG,
    ],
)
def test_a_sentence_that_would_lose_something_stays_where_it_is(first: str) -> None:
    text = "\n\n".join(
        f"{opening} {LONG} {LONG}" for opening in ("Begin here.", first, first + " Too.", LONG)
    )
    assert "letter came from Mr" not in "".join(draft_of(text, title="T").headings)
    assert draft_of(text, title="T").body.count(first) == 2


def test_a_titled_note_keeps_its_first_line_and_leaves_it_out_of_the_summary() -> None:
    draft = draft_of("Notes from the library, 5 May\n\n" + TEXT, title="A bench")
    assert draft.body.startswith("Notes from the library, 5 May\n\nThe pump stopped")
    assert (
        draft.summary
        == "The pump stopped at noon. A spare part arrived by boat. The pump runs again since Friday."
    )


def test_a_summary_says_nothing_twice() -> None:
    assert draft_of("It rains. " * 3 + "It stops.", title="Rain").summary == "It rains. It stops."


_pieces = st.sampled_from(
    [
        "# A",
        "## 标题",
        "word word.",
        "中文句子。还有一句。",
        "- a",
        "1. b",
        "```",
        "~~~",
        "|a|b|",
        "> q",
        "===",
        "---",
        "",
    ]
)


@settings(max_examples=200)
@given(st.lists(st.one_of(_pieces, st.text(max_size=30)), max_size=14))
@example(["A title. And more.", "===", "A title. And more."])
@example(["A", "A", "# A"])
@example(["A", "A", "## B"])
def test_any_text_becomes_an_article_of_its_own_lines_or_is_refused(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    try:
        draft = draft_of(text)
    except ProviderError:
        return
    prose = [line for line in re.split(r"[\r\n]", draft.body) if not line.startswith("#")]
    strange = [line for line in prose if not ends_a_line(line, text + "\n")]
    assert [line for line in strange if set(line) - set("`~")] == []
    assert draft.title
    assert draft.summary or not draft.body.strip()
    said = text.replace("\r\n", "\n").replace("\r", "\n")
    said = said.removeprefix(head_of(said))
    assert Counter(letters(said)) - Counter(letters(draft.title + draft.body)) == Counter()
    found = frontmatter.check("a.md", render_article(draft, date="2026-01-01"), required=())
    assert [one for one in found if one.severity is Severity.BLOCK] == []


@pytest.mark.parametrize("word", ["and so on ", "等等"])
def test_a_sentence_without_an_end_in_sight_is_cut_in_the_summary(word: str) -> None:
    draft = draft_of("The list of what they said: " + word * 5_000 + "done.")
    assert len(draft.summary) <= 400
    assert draft.summary.endswith("…")
    assert draft.body.count(word.strip()) == 5_000


def test_a_text_of_code_alone_has_a_summary() -> None:
    draft = draft_of("# A\n```\n```\n```\n---\n# A")
    assert draft.summary in ("A", "# A")


@pytest.mark.parametrize("piece", ["word ", "句子。", "# a\n", "- a\n", "a\n\n", "```\n", "x", "["])
def test_a_mebibyte_costs_what_its_length_costs(piece: str) -> None:
    text = "Begin here.\n\n" + piece * (1024 * 1024 // len(piece.encode()))
    with no_explosion():
        draft_of(text)


def test_a_draft_that_nobody_waits_for_any_more_is_not_made() -> None:
    with pytest.raises(ProviderError, match="stopped"):
        StandIn(lambda: True).draft([Source("a", "The tide turns.")], topic=None, title=None)
