"""The duplicate judge and the index of sketches."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.prepare.dedup import (
    Candidate,
    Sketch,
    SketchIndex,
    judge,
    rank,
    recheck,
    sketch,
)

ENGLISH = (
    "The harbour crane stopped at noon because a cable had worn through. Two engineers replaced "
    "it within three hours, and the first ship was unloaded by four. Nobody was hurt. The port "
    "will now inspect every cable each month, and the log of those inspections is public. "
    "Shipping companies were told the same evening and no cargo was lost or damaged in the stop. "
)
CHINESE = (
    "中午十二点，港口的起重机因为钢缆磨损停止了工作。两名工程师用三个小时换好了钢缆，下午四点第一艘船完成卸货。"
    "没有人员受伤。港口决定以后每个月检查一次所有钢缆，检查记录对外公开。当天晚上航运公司收到了通知，没有货物受损。"
)
CHINESE_OTHER = (
    "图书馆从下个月起延长开放时间，周末也会开到晚上九点。读者可以在网上预约座位，自习区新增了四十个插座。"
    "儿童阅览室的规定不变，仍然需要家长陪同。馆长说，这次调整来自去年秋天的读者问卷，夜间的需求最为集中。"
)
LINKS = "\n".join(f"* [x](/guide/part-{n}) and `call_{n}()` {{/*section-{n}*/}}" for n in range(6))


def candidate(name: str, text: str, *, title: str = "", keeps_text: bool = True) -> Candidate:
    return Candidate(name, title, sketch(text), text if keeps_text else None)


def changed(text: str, share: float, seed: int = 1) -> str:
    chance = random.Random(seed)
    words = text.split(" ") if " " in text else list(text)
    join = " " if " " in text else ""
    return join.join(
        ("else" if join else "变") if chance.random() < share else word for word in words
    )


@pytest.mark.parametrize("keeps_text", [True, False])
@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_the_same_text_in_another_dress_is_skipped(text: str, keeps_text: bool) -> None:
    dressed = "---\ntitle: other\n---\n\n**" + text.upper().replace(", ", ",\n").replace(
        "。", "。\n"
    )
    verdict = judge(
        dressed, title=None, candidates=[candidate("a.md", text, keeps_text=keeps_text)]
    )
    assert (verdict.kind, verdict.target) == ("SKIP", "a.md")


@pytest.mark.parametrize(("text", "title"), [(ENGLISH, "The crane"), (CHINESE, "起重机")])
def test_the_same_text_below_the_articles_title_is_skipped(text: str, title: str) -> None:
    known = [candidate("a.md", f"---\ntitle: {title}\n---\n\n{text}", title=title)]
    assert judge(f"# {title}\n\n{text}", title=None, candidates=known).kind == "SKIP"
    assert judge(f"# Not so\n\n{text}", title=None, candidates=known).kind == "UPDATE"


@pytest.mark.parametrize("keeps_text", [True, False])
@pytest.mark.parametrize("text", [ENGLISH, CHINESE])
def test_an_edited_text_is_an_update_of_the_right_article(text: str, keeps_text: bool) -> None:
    known = [
        candidate("other.md", CHINESE_OTHER, keeps_text=keeps_text),
        candidate("mine.md", text, keeps_text=keeps_text),
    ]
    verdict = judge(changed(text, 0.08), title=None, candidates=known)
    assert (verdict.kind, verdict.target) == ("UPDATE", "mine.md")


def test_one_other_number_is_an_update_and_no_duplicate() -> None:
    text = (ENGLISH + changed(ENGLISH, 0.9, seed=2)) * 2 + " The fee is 40 dollars."
    known = [candidate("a.md", text)]
    assert judge(text.replace("40", "45"), title=None, candidates=known).kind == "UPDATE"
    assert judge(text, title=None, candidates=known).kind == "SKIP"


@pytest.mark.parametrize("keeps_text", [True, False])
@pytest.mark.parametrize(
    ("text", "wrong", "right"), [(ENGLISH, "Two", "Six"), (CHINESE, "三个小时", "半个小时")]
)
def test_one_other_word_is_an_update_and_no_duplicate(
    text: str, wrong: str, right: str, keeps_text: bool
) -> None:
    long = text + "".join(f"{changed(text, 0.9, seed=seed)}\n" for seed in range(20))
    known = [candidate("a.md", long, keeps_text=keeps_text)]
    corrected = long.replace(wrong, right, 1)
    assert judge(corrected, title=None, candidates=known).kind == "UPDATE"
    assert recheck(corrected, title=None, candidates=known) == "KEEP"
    assert judge(long, title=None, candidates=known).kind == "SKIP"


@pytest.mark.parametrize("keeps_text", [True, False])
def test_another_link_is_an_update_and_no_duplicate(keeps_text: bool) -> None:
    text = ENGLISH + "".join(f"[log](https://example.invalid/{n}) " for n in range(30))
    known = [candidate("a", text, keeps_text=keeps_text)]
    assert judge(text.replace("/17", "/71"), title=None, candidates=known).kind == "UPDATE"
    assert judge(text, title=None, candidates=known).kind == "SKIP"


def test_another_text_is_new() -> None:
    verdict = judge(
        CHINESE_OTHER, title="开放时间", candidates=[candidate("a.md", CHINESE, title="港口")]
    )
    assert (verdict.kind, verdict.target) == ("NEW", None)


def test_without_candidates_everything_is_new() -> None:
    assert judge("", title=None, candidates=[]).kind == "NEW"


def test_a_translation_is_an_update_by_its_links_ids_and_code() -> None:
    known = [candidate("a.md", CHINESE + "\n" + LINKS)]
    verdict = judge(ENGLISH + "\n" + LINKS, title="Crane", candidates=known)
    assert (verdict.kind, verdict.target) == ("UPDATE", "a.md")
    assert verdict.evidence[0].shared_passages


def test_a_short_text_in_a_long_one_is_an_update() -> None:
    long = (
        ENGLISH
        + changed(ENGLISH, 1, seed=3)
        + "".join(f"Line {n} says {n * 7}. " for n in range(200))
    )
    assert judge(ENGLISH, title=None, candidates=[candidate("long.md", long)]).target == "long.md"


def test_evidence_quotes_the_sentences_that_both_have() -> None:
    text = "Another beginning, which nobody knows. " + ENGLISH
    verdict = judge(text, title=None, candidates=[candidate("a.md", ENGLISH, title="Crane")])
    (evidence,) = verdict.evidence
    assert (evidence.path, evidence.title) == ("a.md", "Crane")
    assert all(passage in ENGLISH for passage in evidence.shared_passages)
    assert len(evidence.shared_passages) == 3


def test_recheck_answers_skip_or_keep_only() -> None:
    known = [candidate("a.md", ENGLISH)]
    assert recheck(ENGLISH, title=None, candidates=known) == "SKIP"
    assert recheck(changed(ENGLISH, 0.08), title=None, candidates=known) == "KEEP"
    assert recheck(CHINESE, title=None, candidates=known) == "KEEP"


@given(st.text(max_size=200))
def test_a_sketch_survives_its_stored_form(text: str) -> None:
    assert Sketch.from_bytes(sketch(text).to_bytes()) == sketch(text)


@pytest.mark.parametrize("damage", [b"", b"\x01", b"\xff" + sketch(ENGLISH).to_bytes()[1:]])
def test_another_version_or_damage_is_refused(damage: bytes) -> None:
    with pytest.raises(ValueError, match="sketch"):
        Sketch.from_bytes(damage)


def test_a_sketch_is_the_same_on_every_machine() -> None:
    # Stored sketches are compared with new ones: a change here needs a new VERSION.
    lowest = (926045674, 1288867557, 1852575613, 1964687424, 1986524642, 2097071276, 4229051131)
    assert sketch("Crane 中午十二点 7").lowest == lowest


def test_the_index_finds_changed_texts_among_many() -> None:
    chance = random.Random(5)
    words = [f"w{n}" for n in range(3000)]
    texts = {f"{n}.md": " ".join(chance.choices(words, k=200)) for n in range(400)}
    index = SketchIndex({name: sketch(text) for name, text in texts.items()})
    names = sorted(texts)[:60]
    hits = sum(name in index.rank(sketch(changed(texts[name], 0.1))) for name in names)
    assert hits == len(names)


def test_the_index_replaces_and_forgets_names() -> None:
    index = SketchIndex({"a": sketch(ENGLISH), "b": sketch(CHINESE)})
    index.add("a", sketch(CHINESE_OTHER))
    assert index.rank(sketch(ENGLISH)) == []
    assert index.rank(sketch(CHINESE_OTHER)) == ["a"]
    index.discard("a")
    assert (index.rank(sketch(CHINESE_OTHER)), len(index)) == ([], 1)


def test_a_hash_that_everybody_shares_finds_nobody_in_particular() -> None:
    same = "all articles end with this very same paragraph of words about licences"
    sketches = {f"{n}": sketch(f"{same} {n} unique{n} words{n} only{n}") for n in range(200)}
    assert rank(sketch(f"{same} other"), sketches) == []
    assert rank(sketches["7"], sketches)[0] == "7"
