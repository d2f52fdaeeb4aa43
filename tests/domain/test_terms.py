"""A text and a question are cut alike, so that what was written is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.domain.terms import Term, terms_of, words_of


def holds(text: str, question: str) -> bool:
    """What both databases do with it."""
    words = words_of(text, most_bytes=1000).split()
    return all(
        any(word.startswith(term.word) if term.begins else word == term.word for word in words)
        for term in terms_of(question)
    )


@pytest.mark.parametrize(
    "question",
    [
        "harbour",
        "HARB",
        "Harbour crane",
        "修理",
        "理",
        "修理咖啡馆",
        "content/posts/a-b",
        "２０２６",
        "café",
    ],
)
def test_a_word_the_begin_of_one_and_any_run_of_unspaced_letters_are_found(question: str) -> None:
    text = "The harbours crane. 周末修理咖啡馆 content/posts/a-b.md 2026 Café"
    assert terms_of(question)
    assert holds(text, question)


@pytest.mark.parametrize("question", ["理修", "rane", "ha", "港口"])
def test_the_end_of_a_word_or_other_letters_are_not(question: str) -> None:
    assert not holds("The harbours crane. 周末修理咖啡馆", question)


def test_signs_alone_ask_for_nothing() -> None:
    assert terms_of("' \" * : & | ! ( ) % _ \\ \0") == ()


@given(st.text(max_size=60))
def test_no_word_holds_what_a_database_would_take_for_a_sign(text: str) -> None:
    for word in [*words_of(text, most_bytes=1000).split(), *(term.word for term in terms_of(text))]:
        assert not set(word) & set("'\"\\:*&|!() \0")


@given(st.text(alphabet="ab 修理咖啡\nแทй-", min_size=1, max_size=40), st.data())
def test_every_line_of_a_text_finds_it(text: str, data: st.DataObject) -> None:
    assert holds(text, data.draw(st.sampled_from(text.split("\n"))))


def test_a_text_of_too_many_words_is_kept_as_far_as_they_go() -> None:
    assert words_of("one two one three", most_bytes=8) == "one two"


def test_a_long_question_is_asked_with_its_first_words() -> None:
    assert terms_of("a1 " * 3 + " ".join(f"b{n}" for n in range(50)))[:2] == (
        Term("a1"),
        Term("b0"),
    )
