"""Articles whose bytes break parsers, pages or builds."""

import tracemalloc
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from publisher import artifacts, selectors
from publisher.domain.errors import TooLarge
from publisher.domain.states import State
from publisher.models import Finding, Job
from publisher.services.revise import revise
from publisher.services.submit import Asset
from reviews.presenters.diff import blocks
from reviews.presenters.diff_rows import parse
from tests.support.git import blob, second_person
from tests.support.growth import no_explosion
from tests.support.journey import ADA, FRESH, FRESH_TEXT, TARGET, Journey, begin, fresh, told

BOM = b"\xef\xbb\xbf"


def _found(job: Job) -> list[Finding]:
    return selectors.findings(fresh(job))


def _title(article: bytes) -> object:
    """The title as any reader of YAML gets it."""
    return YAML(typ="safe", pure=True).load(article.split(b"---\n")[1])["title"]


def _diff(job: Job) -> list[str]:
    proposal = selectors.proposal(fresh(job))
    assert proposal is not None
    (file,) = proposal.files
    text = artifacts.load(file.diff).decode()
    return [line for line in text.splitlines() if line[:1] in "+-"]


def test_a_byte_order_mark_does_not_hide_the_front_matter(journey: Journey) -> None:
    second_person(
        journey.remote, {TARGET: BOM + b'---\ntitle: "Hello"\n---\n\nFirst line.\n'}, "bom"
    )
    job = journey.approved(
        BOM + b'---\ntitle: "Hello again"\n---\n\nFirst line, new.\n', TARGET, action="update"
    )
    assert fresh(job).title == "Hello again"
    assert "-First line." in _diff(job)
    assert "+First line, new." in _diff(job)
    assert not [line for line in _diff(job) if "\ufeff" in line]  # it is on both sides
    assert [found.rule for found in _found(job) if "bom" in found.rule.lower()], _found(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_a_byte_order_mark_that_arrives_is_shown_in_the_diff(journey: Journey) -> None:
    bare = b'---\ntitle: "Hello"\n---\n\nFirst line.\n'
    second_person(journey.remote, {TARGET: bare}, "without")
    job = journey.approved(BOM + bare, TARGET, action="update")
    assert _diff(job) == ["----", "+\ufeff---"]
    (block,) = blocks(parse("@@ -1 +1 @@\n" + "\n".join(_diff(job))))
    (added,) = [line for line in block.lines if line.kind == "added"]
    assert added.segments[0].codepoint == "U+FEFF"


DATES = (
    b"---\n# kept comment\ndate: 2015-07-03T22:05:10-03:00\nday: 2026-03-29\nnap: 11:30\n"
    b"start: 07:05\nquoted: '2019-09-09T09:09:09+00:00'\ntitle: \"Old\"   # trailing comment\n"
    b"zeta: 1\nalpha: [b, a]\n---\n\nBody.\n"
)


def test_setting_one_key_changes_one_line(journey: Journey) -> None:
    second_person(journey.remote, {TARGET: DATES}, "dates")
    job = journey.approved(path=TARGET, action="update", set_front_matter={"title": "New"})
    removed, added = _diff(job)
    assert removed == '-title: "Old"   # trailing comment'
    assert added.startswith("+title: ")
    assert added.endswith("# trailing comment")
    journey.work()
    data = blob(journey.remote, TARGET)
    assert _title(data) == "New"
    assert data.replace(added[1:].encode(), removed[1:].encode()) == DATES
    journey.is_sound(job)


def _bomb() -> list[str]:
    """Nine levels of nine aliases."""
    levels = [
        f"a{level}: &a{level} [" + ",".join([f"*a{level - 1}"] * 9) + "]" for level in range(1, 9)
    ]
    return ["a0: &a0 [x,x,x,x,x,x,x,x,x]", *levels]


def test_an_alias_bomb_is_refused_fast_and_small(journey: Journey) -> None:
    bomb = ("---\ntitle: bomb\n" + "\n".join(_bomb()) + "\n---\n\nBody.\n").encode()
    job = journey.submit(bomb, "content/posts/bomb.mdx", action="create")
    tracemalloc.start()
    try:
        journey.work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert fresh(job).state == State.REVIEW, told(job)
    assert peak < 64 * 2**20
    assert any("alias" in found.message.lower() for found in _found(job))
    journey.is_sound(job)


BRACES = (
    b'---\ntitle: "b"\n---\n\n- Pick {one cup/two cups/a pot} per guest.\n\n'
    b"if a < b then <1 ms, see <https://example.invalid>.\n\n"
    b"$\\frac{1}{\\sigma}$ <br> <!-- note -->\n"
)
FENCED = b'---\ntitle: "f"\n---\n\n`{a}` and `a < b`\n\n```js\nif (a < b) { return {x: 1} }\n```\n'


def test_text_that_is_not_mdx_stops_with_its_places(journey: Journey) -> None:
    job = journey.submit(BRACES, "content/posts/braces.mdx", action="create")
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    blocking = [found for found in _found(job) if found.severity == "block"]
    assert all(found.line and found.column and found.advice for found in blocking)
    assert {found.line for found in blocking} >= {5, 7, 9}
    journey.is_sound(job)


def test_the_same_text_in_code_passes(journey: Journey) -> None:
    job = journey.published(FENCED, "content/posts/fenced.mdx", action="create")
    journey.is_sound(job)


HEADER = b'---\ntitle: "big"\n---\n\n'


def test_texts_over_the_limit_are_refused_at_submit(journey: Journey) -> None:
    five = HEADER + (b"word " * 20 + b"\n") * 52000
    with pytest.raises(TooLarge) as refusal:
        journey.submit(five + b"x" * (5 * 2**20), FRESH, action="create")
    assert refusal.value.facts["field"] == "content"


def test_assets_over_the_limit_are_refused_at_submit(journey: Journey) -> None:
    asset = Asset("public/asset.bin", bytes(30 * 2**20))
    with pytest.raises(TooLarge) as refusal:
        journey.submit(FRESH_TEXT, FRESH, action="create", assets=(asset,))
    assert refusal.value.facts["limit"] == 10 * 2**20


@pytest.mark.parametrize(
    "text",
    [
        HEADER + b"x" * 1_000_000 + b"\n",
        HEADER + b"".join(b"LINE %d\n" % number for number in range(200_000)),
    ],
    ids=["one long line", "many lines"],
)
def test_long_lines_and_many_changes_are_prepared(journey: Journey, text: bytes) -> None:
    many = HEADER + b"".join(b"line %d\n" % number for number in range(200_000))
    second_person(journey.remote, {TARGET: many}, "many lines")
    with no_explosion():
        job = journey.published(text, TARGET, action="update")
    assert blob(journey.remote, TARGET) == text
    journey.is_sound(job)


def test_scripts_in_a_draft_are_text_to_every_gate(journey: Journey) -> None:
    text = (
        b"---\ntitle: \"</title><script>alert('t')</script>\"\n"
        b"tags: [\"<img src=x onerror=alert('tag')>\"]\n---\n\n"
        b"<script>alert(1)</script> <img src=x onerror=alert(2)> <svg onload=alert(3)>\n\n"
        b'[a](javascript:alert(5)) <javascript:alert(9)>\n\n# h {#"><img src=x>}\n'
    )
    job = journey.submit(
        text,
        "content/posts/xss.mdx",
        action="create",
        title="<b onmouseover=alert(17)>t</b>",
        key='c63"><script>alert(18)</script>',
    )
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert fresh(job).title == "<b onmouseover=alert(17)>t</b>"
    journey.is_sound(job)


def test_other_peoples_broken_articles_stop_no_job(journey: Journey) -> None:
    bomb = ("---\ntitle: bomb\n" + "\n".join(_bomb()) + "\n---\n\nBody.\n").encode()
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    broken = {
        "content/posts/bomb.mdx": bomb,
        "content/posts/latin.mdx": b"---\ntitle: \xe9\n---\n\xff\xfe\x00",
        "content/posts/open.mdx": b"---\ntitle: [never closed\n",
        "content/posts/empty.mdx": b"",
    }
    second_person(journey.remote, broken, "broken articles")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    later = journey.published(FRESH_TEXT, "content/posts/later.mdx", action="create")
    journey.is_sound(job, later)


EVIL = b"---\ntitle: [open\n---\n\nexport const x = 1;\n\n{fetch('//x')} <script>\n"
BESIDE = "content/posts/beside.mdx"


@pytest.fixture
def overlapping(db: None, tmp_path: Path) -> Journey:
    """A site whose files beside articles lie where its articles do."""
    return begin(tmp_path, articles="content/**", assets="content/**")


@pytest.mark.parametrize("data", [EVIL, EVIL + b"\x00"], ids=["text", "nul"])
def test_an_article_that_goes_along_as_an_asset_is_looked_at_as_one(
    overlapping: Journey, data: bytes
) -> None:
    assets = (Asset(BESIDE, data), Asset("content/posts/raw.json", b"{ export }\n"))
    job = overlapping.submit(FRESH_TEXT, FRESH, action="create", assets=assets)
    overlapping.work()
    assert fresh(job).state == State.REVIEW, told(job)
    found = {(one.path, one.rule) for one in selectors.findings(job) if one.severity == "block"}
    assert {(BESIDE, "front_matter_yaml"), (BESIDE, "mdx_esm")} <= found
    assert {path for path, _ in found} == {BESIDE}


def test_an_article_that_an_edit_brings_along_is_looked_at_as_one(overlapping: Journey) -> None:
    job = overlapping.submit(FRESH_TEXT, FRESH, action="create")
    overlapping.work()
    revise(fresh(job), files={BESIDE: EVIL}, base_revision=1, who=ADA, now=overlapping.now())
    overlapping.work()
    assert fresh(job).state == State.REVIEW, told(job)
