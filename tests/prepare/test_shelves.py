"""Shelves: a text goes to its own language, and there to what it speaks of."""

import pytest

from publisher.prepare.shelves import nearest

SHELVES = {
    "kitchen": ["The soup simmers with leeks and salt.", "Sharpen the knives before the onions."],
    "repair": ["The toaster needs a new wire.", "Bring the lamp, the cable and a screwdriver."],
    "zh": [
        "共享厨房周二供应热汤，请自带碗。",
        "修理咖啡馆每月一次。",
        "种子抽屉春天打开。",
        "请安静。",
    ],
}


@pytest.mark.parametrize(
    ("text", "shelf"),
    [
        ("A soup of onions, cooked with salt.", "kitchen"),
        ("My lamp has a broken cable and wire.", "repair"),
        ("厨房里有热汤。", "zh"),
        ("A soup（汤）of onions, cooked with salt and leeks.", "kitchen"),
        ("关于 Python 的 list 与 dict：修理种子抽屉。", "zh"),
    ],
)
def test_a_text_goes_where_its_words_are(text: str, shelf: str) -> None:
    assert nearest(text, SHELVES) == shelf


def test_another_language_in_the_same_script_is_told_by_its_words() -> None:
    shelves = {
        "de": ["Der Brunnen auf dem Markt ist wieder offen und das Wasser ist kalt."] * 9,
        "en": ["The well on the square is open again and the water is cold."],
    }
    assert nearest("The bakery is closed and the bread is gone.", shelves) == "en"
    assert nearest("Die Bäckerei ist zu und das Brot ist aus.", shelves) == "de"


def test_the_fullest_shelf_of_another_script_is_never_taken() -> None:
    assert nearest("An English text.", {"zh": SHELVES["zh"], "zh/more": SHELVES["zh"]}) is None


def test_of_equals_the_fuller_shelf_wins() -> None:
    shelves = {"a": ["One."], "b": ["One.", "One."], "c": ["One."]}
    assert nearest("Nothing of that.", shelves) == "b"


def test_no_shelves_hold_nothing() -> None:
    assert nearest("A text.", {}) is None
