"""Material: where the front matter of a source ends, told from text between two rules."""

import re

_FENCED = re.compile(
    r"\ufeff?(?:---[ \t]*\n(?P<yaml>.*?)^---|\+\+\+[ \t]*\n(?P<toml>.*?)^\+\+\+)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_NAME = r"(?:[\w.\-]+|\"[^\"\n]+\"|'[^'\n]+')"
_KEY = rf"{_NAME}:(?:[ \t]|$)"
_FIRST_KEY = re.compile(rf"(?P<gap>(?:[ \t]*\n)*+)(?:#[^\n]*\n)*+(?P<key>{_KEY})", re.MULTILINE)
# What stands at the margin: a comment, an item, the end of a list, or a key.
_AT_THE_MARGIN = re.compile(rf"#|-(?:[ \t]|$)|[\]}}]|{_KEY}|[ \t]|$")
_FIRST_OF_TOML = re.compile(rf"(?:[ \t]*(?:#[^\n]*)?\n)*+[ \t]*(?:\[|{_NAME}[ \t]*=|\Z)")
_LOWER = re.compile(r"[\"']?[a-z]")


def head_of(text: str) -> str:
    """The front matter that a text with "\\n" for line ends begins with, fences included, or "".

    A rule above prose opens none: every line at the margin must be one of a set of keys. Below an
    empty line "Note: …" is prose as well, and only "note: …" is a key.
    """
    fenced = _FENCED.match(text)
    if fenced is None:
        return ""
    is_head = _is_toml(fenced["toml"]) if fenced["yaml"] is None else _is_yaml(fenced["yaml"])
    return fenced[0] if is_head else ""


def _is_toml(raw: str) -> bool:
    return _FIRST_OF_TOML.match(raw) is not None


def _is_yaml(raw: str) -> bool:
    first = _FIRST_KEY.match(raw)
    if first is None or (first["gap"] and not _LOWER.match(first["key"])):
        return not raw.strip()
    return all(map(_AT_THE_MARGIN.match, raw.split("\n")))
