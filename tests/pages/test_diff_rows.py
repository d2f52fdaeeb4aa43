"""Diff rows: what the stored text says, words marked, folds, and sizes that a page can hold."""

from difflib import Match, SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviews.presenters import diff, diff_rows, hidden, marks, paragraphs, prose_diff, texts
from tests.support.growth import no_explosion


def text_of(line: prose_diff.Line) -> str:
    return "".join(segment.text for segment in line.segments)


def test_lines_keep_their_numbers_and_signs() -> None:
    rows = diff_rows.parse("@@ -4,3 +4,4 @@\n same\n-old\n+new\n+more\n last\n")
    assert [(row.kind, row.old, row.new, row.text) for row in rows] == [
        ("gap", None, None, "3"),
        ("same", 4, 4, "same"),
        ("removed", 5, None, "old"),
        ("added", None, 5, "new"),
        ("added", None, 6, "more"),
        ("same", 6, 7, "last"),
    ]


def test_lines_that_look_like_headers_are_lines() -> None:
    rows = diff_rows.parse(
        "@@ -1,2 +1,2 @@\n---- dashes\n++++ pluses\n \\ no\n\\ No newline at end\n"
    )
    assert [(row.kind, row.text) for row in rows] == [
        ("removed", "--- dashes"),
        ("added", "+++ pluses"),
        ("same", "\\ no"),
    ]


def test_the_first_lines_count_however_they_begin() -> None:
    rows = diff_rows.parse("@@ -1 +1 @@\n--- draft, do not publish --\n+++ now final ++\n")
    assert [(row.kind, row.text) for row in rows] == [
        ("removed", "-- draft, do not publish --"),
        ("added", "++ now final ++"),
    ]


def test_changed_words_are_marked() -> None:
    left, right = marks.compare("for three days", "for five days", marks.Budget()) or ([], [])
    assert [text for text, changed in left if changed] == ["three"]
    assert [text for text, changed in right if changed] == ["five"]


def test_chinese_is_marked_by_character() -> None:
    left, right = marks.compare("社区中心的大厅", "社区中心的小厅", marks.Budget()) or ([], [])
    assert [text for text, changed in left if changed] == ["大"]
    assert [text for text, changed in right if changed] == ["小"]


def test_lines_that_share_little_are_left_unmarked() -> None:
    assert marks.compare("alpha beta gamma", "一二三四五六七", marks.Budget()) is None


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_marks_lose_no_character(old: str, new: str) -> None:
    found = marks.compare(old, new, marks.Budget())
    if found is not None:
        assert "".join(text for text, _changed in found[0]) == old.removesuffix("\r")
        assert "".join(text for text, _changed in found[1]) == new.removesuffix("\r")


HARD = f"-{'的一' * 600}\n+{'的' * 1_200}\n"
"""Few words that come again and again: each search takes 721,200 comparisons, and there are 600."""


def test_all_lines_of_a_page_share_what_it_may_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []
    search = SequenceMatcher.find_longest_match

    def counted(self: SequenceMatcher[str], *run: int) -> Match:
        searches.append(run)
        return search(self, *run)

    monkeypatch.setattr(SequenceMatcher, "find_longest_match", counted)
    rows = diff_rows.parse(
        "@@ -1,9 +1,9 @@\n" + f"{HARD} same\n" * 8 + "-for three days\n+for five days\n"
    )
    page = marks.Budget(3_000_000)
    for number in range(3):
        (block,) = diff.blocks(rows, budget=page)
        marked = [segment.text for line in block.lines for segment in line.segments if segment.mark]
        assert marked == ["three", "five"], number
    assert len([start for start, end, *_news in searches if end - start > 1_000]) == 4


def test_long_unchanged_runs_fold_and_short_ones_do_not() -> None:
    long = "@@ -1,21 +1,22 @@\n" + " a\n" * 20 + "+b\n" + " c\n"
    kinds = [(block.kind, block.count) for block in diff.blocks(diff_rows.parse(long))]
    assert kinds == [("fold", 17), ("lines", 5)]
    short = "@@ -1,6 +1,7 @@\n" + " a\n" * 6 + "+b\n"
    assert [block.kind for block in diff.blocks(diff_rows.parse(short))] == ["lines"]


def test_blocks_hold_every_line_once() -> None:
    text = "@@ -1,60 +1,60 @@\n" + "".join(
        f"-old {n}\n+new {n}\n" if n % 20 == 0 else f" line {n}\n" for n in range(60)
    )
    rows = diff_rows.parse(text)
    found = [text_of(line) for block in diff.blocks(rows) for line in block.lines]
    assert sorted(found) == sorted(row.text for row in rows)


def test_side_by_side_pairs_replaced_lines() -> None:
    rows = diff_rows.parse("@@ -1,2 +1,1 @@\n-one\n-two\n+three\n")
    pairs = diff.blocks(rows, side_by_side=True)[0].pairs
    assert len(pairs) == 2
    assert pairs[1].right is None


def test_a_line_of_a_million_characters_is_cut_with_its_rest_counted() -> None:
    with no_explosion():
        text = f"@@ -1 +1 @@\n-{'y' * 1_000_000}\n+{'x' * 1_000_000}\n"
        lines = diff.blocks(diff_rows.parse(text))[0].lines
        assert [line.cut for line in lines] == [1_000_000 - paragraphs.LINE_CHARACTERS] * 2


def test_a_huge_diff_is_shown_in_parts() -> None:
    with no_explosion():
        text = "@@ -1,200000 +1,200000 @@\n" + "".join(
            f"-line {n}\n+LINE {n}\n" for n in range(200_000)
        )
        rows = diff_rows.parse(text)
        assert diff.parts(rows) == -(-400_000 // diff.ROWS_A_PART)
        shown = sum(block.count for block in diff.blocks(rows, part=7))
        assert shown == diff.ROWS_A_PART


@given(st.text(alphabet="ab\n\r中", max_size=300))
@settings(max_examples=150, deadline=None)
def test_pieces_are_the_text_again(text: str) -> None:
    assert "".join(piece.text for piece in texts.pieces(text)) == text


def test_pieces_cut_a_long_line_and_count_lines_on() -> None:
    found = texts.pieces("a\n" + "x" * 1_000_000 + "\nend\n")
    assert max(len(piece.text) for piece in found) <= texts.PART_CHARACTERS
    assert found[-1].first_line in (2, 3)


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_an_edit_of_nothing_gives_the_same_bytes(data: bytes) -> None:
    shown = texts.editable(data)
    # What the HTML standard makes of a text area's value before it is sent.
    posted = shown.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    assert texts.edited(posted, data) == data


def test_an_edit_keeps_the_files_line_ends_and_mark() -> None:
    original = "\ufeffone\r\ntwo\r\n".encode()
    assert texts.edited("one\r\n2\r\n", original) == "\ufeffone\r\n2\r\n".encode()
    assert texts.edited("one\r\n2\r\n", b"one\ntwo\n") == b"one\n2\n"


def test_hidden_characters_are_named_and_plain_arabic_is_not() -> None:
    found = hidden.segments("account \u202e654321\u202c")
    assert [segment.codepoint for segment in found if segment.codepoint] == ["U+202E", "U+202C"]
    assert [segment.text for segment in hidden.segments("مرحبا بالعالم")] == ["مرحبا بالعالم"]
    assert "U+0430" in [
        segment.codepoint for segment in hidden.segments("https://ex\u0430mple.org")
    ]


def test_more_hidden_characters_than_one_scan_finds_are_all_named() -> None:
    found = hidden.segments("\u200b" * 1_200)
    assert sum(1 for segment in found if segment.codepoint) == 1_200
    assert not any(segment.text for segment in found)
