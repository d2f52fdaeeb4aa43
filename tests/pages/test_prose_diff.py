"""Prose: paragraphs beside what became of them, words and sentences marked, moves told."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews import sanitize
from reviews.presenters import diff, diff_rows, line_diff, marks, prose_diff, rendered_diff
from reviews.presenters.prose_diff import Line, Manner, Pair
from tests.support.growth import calls_of

LIBRARY = "The library on Mill Street has lent books for ninety years."
DRILL = "Anyone with a card may take a drill for three days, and bring it back clean."
FLOOR = "Eleven drills and a pasta maker wait for you on the lower floor."


def rows(old: str, new: str) -> diff_rows.Rows:
    return diff_rows.parse(line_diff.unified(old, new))


def pairs(old: str, new: str, manner: Manner | None = None) -> list[Pair]:
    run = list(rows(old, new))
    moves = prose_diff.moves(run)
    return prose_diff.pairs(run, marks.Budget(), manner or Manner(), moves)


def said(line: Line | None) -> str:
    if line is None:
        return ""
    return "".join(f"[{one.text}]" if one.mark else one.text for one in line.segments)


def lines(old: str, new: str, manner: Manner | None = None) -> list[str]:
    found = prose_diff.lines(pairs(old, new, manner))
    return [f"{line.sign}{said(line)}" for line in found if line.kind != "same"]


def test_a_paragraph_more_in_front_leaves_the_others_beside_theirs() -> None:
    new = "Something else begins.\n\n" + LIBRARY.replace("on", "in", 1) + "\n\n" + FLOOR + "\n"
    assert lines(f"{LIBRARY}\n\n{FLOOR}\n", new) == [
        "+Something else begins.",
        "+",
        "−The library [on] Mill Street has lent books for ninety years.",
        "+The library [in] Mill Street has lent books for ninety years.",
    ]


def test_side_by_side_a_new_paragraph_has_nothing_beside_it() -> None:
    new = "Something else begins.\n\n" + DRILL.replace("three", "five") + "\n"
    found = [(said(pair.left), said(pair.right)) for pair in pairs(f"{DRILL}\n", new)]
    assert found[0] == ("", "Something else begins.")
    assert found[-1] == (DRILL.replace("three", "[three]"), DRILL.replace("three", "[five]"))


def test_lines_that_were_broken_anew_differ_in_no_word() -> None:
    old = "one two three four\nfive six seven eight\nnine ten\n"
    new = "one two three four five\nsix seven eight nine\nten\n"
    marked = [line for line in lines(old, new) if "[" in line]
    assert marked == []
    assert len(lines(old, new)) == 6


def test_a_word_more_is_marked_though_all_lines_were_broken_anew() -> None:
    old = "one two three four\nfive six seven eight\nnine ten\n"
    new = "one two three four five\nsix really seven eight\nnine ten\n"
    assert "".join(line for line in lines(old, new) if "[" in line) == "+six [really ]seven eight"


def test_a_sentence_that_was_written_anew_is_marked_as_one() -> None:
    old = "Stay here a while. We go to the old mill by the river tomorrow at noon. All come along."
    new = (
        "Stay here a while. They sold the big house in a hurry last winter, sadly. All come along."
    )
    marked = [one for one in pairs(f"{old}\n", f"{new}\n")[0].left.segments if one.mark]  # type: ignore[union-attr]
    assert len(marked) == 1
    assert "Stay" not in marked[0].text


def test_words_with_accents_are_words() -> None:
    left, right = marks.compare("ein Käfer kam", "ein Kälber kam", marks.Budget()) or ([], [])
    assert [text for text, changed in left if changed] == ["Käfer"]
    assert [text for text, changed in right if changed] == ["Kälber"]


def test_what_moved_says_from_where_and_where_to() -> None:
    old = f"{DRILL}\n\n{LIBRARY}\n\n{FLOOR}\n"
    new = f"{LIBRARY}\n\n{FLOOR}\n\n{DRILL}\n"
    found = {line.kind: line.moved for line in prose_diff.lines(pairs(old, new)) if line.moved}
    assert found == {"removed": 5, "added": 1}


def test_without_word_marks_nothing_is_marked() -> None:
    old, new = f"{DRILL}\n", DRILL.replace("three", "five") + "\n"
    assert not [line for line in lines(old, new, Manner(words=False)) if "[" in line]


def test_white_space_alone_is_the_same_where_it_is_looked_away_from() -> None:
    old, new = "one  two\n\nthree\n", "one two\n\nthree four\n"
    assert lines(old, new, Manner(space=False)) == ["−three", "+three[ four]"]
    assert "−one[  ]two" in lines(old, new)


def test_joined_words_are_no_white_space() -> None:
    assert len(lines("a b\n", "ab\n", Manner(space=False))) == 2


def test_a_look_alike_letter_is_named_in_a_word_that_a_mark_cuts() -> None:
    new = "Pay at https://ex\u0430mple.org/ today.\n"
    found = prose_diff.lines(pairs("Pay at https://example.org/ today.\n", new))
    assert [one.codepoint for line in found for one in line.segments if one.codepoint] == ["U+0430"]


TEXT = st.lists(st.sampled_from(["", "a b c", "a b d", "x", "a b c\u202e", "中文字"]), max_size=9)


@given(TEXT, TEXT, st.booleans(), st.booleans())
@settings(max_examples=250, deadline=None)
def test_each_line_of_both_texts_is_shown_once(
    old: list[str], new: list[str], words: bool, space: bool
) -> None:
    texts = ["".join(f"{line}\n" for line in side) for side in (old, new)]
    run = [row for row in rows(*texts) if row.kind != "gap"]
    found = prose_diff.pairs(run, marks.Budget(), Manner(words, space), prose_diff.moves(run))
    left = [pair.left.old for pair in found if pair.left and pair.left.old]
    right = [pair.right.new for pair in found if pair.right and pair.right.new]
    assert left == [row.old for row in run if row.old]
    assert right == [row.new for row in run if row.new]
    for pair in found:
        for line, at, side in ((pair.left, "old", old), (pair.right, "new", new)):
            number = getattr(line, at) if line else None
            if number:
                text = "".join(one.text or "\u202e" for one in line.segments)  # type: ignore[union-attr]
                assert text == side[number - 1] or not space
    below = prose_diff.lines(found)
    assert [line.new for line in below if line.new] == right
    assert [line.old for line in below if line.kind == "removed"] == [
        number
        for number in left
        if number in {one.left.old for one in found if one.is_change and one.left}
    ]


def test_what_a_part_costs_does_not_grow_with_the_lines_outside_of_it() -> None:
    def part(lines: int) -> int:
        old = "".join(f"-line {number}\n" for number in range(lines))
        new = "".join(f"+LINE {number}\n" for number in range(lines))
        text = f"@@ -1,{lines} +1,{lines} @@\n{old}{new}"
        proposed = "".join(f"LINE {number}\n" for number in range(lines))

        def work() -> None:
            found = diff_rows.parse(text)
            assert diff.covers(found, proposed)
            assert len(diff.blocks(found)[0].lines) == diff.ROWS_A_PART

        return calls_of(work)

    assert part(30_000) < 1.2 * part(3_000)


def test_a_rendered_article_has_its_changes_in_place() -> None:
    old = f"# Tools\n\n{DRILL}\n\n- one\n- two\n\nGone for good.\n"
    new = f"# Tools\n\n{DRILL.replace('three', 'five')}\n\n- one\n- two and more\n\n> Brand new, all of it.\n"
    found = rendered(old, new)
    assert "<del>three</del><ins>five</ins> days" in found
    assert "<li>two <ins>and more</ins></li>" in found
    assert "<p><del>Gone for good.</del></p>" in found
    assert "<p><ins>Brand new, all of it.</ins></p>" in found
    assert "<h1>Tools</h1>" in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 | 3 |\n| 4 | 5 |\n"),
        ("**a** b\n", "a **b** <script>alert(1)</script>\n"),
        ("[a](https://a.example) text here\n", "[a](javascript:alert(1)) text here\n"),
        ("x\n", ""),
    ],
)
def test_marks_leave_the_markup_as_clean_as_it_was(old: str, new: str) -> None:
    found = rendered(old, new)
    assert sanitize.clean(found) == found
    assert "<script" not in found
    assert "javascript:" not in found.split("href=")[-1].split(">")[0]
    without = found.replace("<ins>", "").replace("</ins>", "")
    assert "<del>" in without or not old.strip() or "a" in without


def rendered(old: str, new: str) -> str:
    before, after = (str(sanitize.markdown(text)) for text in (old, new))
    return str(sanitize.marked(rendered_diff.of(before, after, marks.Budget())))
