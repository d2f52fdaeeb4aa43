"""Secret values: whether a value looks drawn by chance, whatever word stands before it."""

import re

_PIECE = re.compile(r"[A-Za-z0-9]{8,}")
_NUMBER = re.compile(r"[0-9]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NUMBER_IN_WORD = re.compile(r"[0-9](?=[a-z])")
_UNSPOKEN = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}", re.IGNORECASE)

_FEW_NUMBERS = 2
_LONG_NUMBER = 7
_LETTERS_A_WORD = 3


def looks_drawn(value: str) -> bool:
    """Whether some piece of the value is no name that people write: letters and digits mixed up.

    ``Windows11``, ``oauth2client`` and ``rfc7519-json-web-token`` are names; so is what stands
    among Chinese characters, and anything shorter than eight letters and digits in a row.
    """
    return any(_is_drawn(piece) for piece in _PIECE.findall(value))


def _is_drawn(piece: str) -> bool:
    numbers = _NUMBER.findall(piece)
    words = _WORD.findall(piece)
    letters = sum(map(len, words))
    if len(words) > _LETTERS_A_WORD and len(words) * _LETTERS_A_WORD > letters:
        return True  # chopped into capitals: no words are as short as that
    if not numbers or not words:
        return False
    if len(numbers) > _FEW_NUMBERS or max(map(len, numbers)) >= _LONG_NUMBER:
        return True
    if len(numbers) == _FEW_NUMBERS and _NUMBER_IN_WORD.search(piece):
        return True
    return _UNSPOKEN.search(piece) is not None
