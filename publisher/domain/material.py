"""Material: where the front matter of a source ends, told from text between two rules."""

import re

_FENCED = re.compile(
    r"\ufeff?(?:---[ \t]*\n(?P<yaml>.*?)^---|\+\+\+[ \t]*\n(?P<toml>.*?)^\+\+\+)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_NAME = r"(?:[\w.\-]+|\"[^\"\n]+\"|'[^'\n]+')"
_KEY = rf"{_NAME}:(?:[ \t]|$)"
_FIRST_KEY = re.compile(rf"(?:[ \t]*\n)*+(?:#[^\n]*\n)*+{_KEY}", re.MULTILINE)
_USUAL = (
    "title|subtitle|date|published|updated|lastmod|description|summary|excerpt|tags|categories|"
    "category|keywords|draft|authors?|slug|layout|permalink|aliases|lang|language|weight|标题|日期|"
    "描述|摘要|标签|分类|作者"
)
_USUAL_KEY = re.compile(rf"^([\"']?)({_USUAL})\1:(?:[ \t]|$)", re.MULTILINE | re.IGNORECASE)
# What stands at the margin: a comment, an item, the end of a list, or a key.
_AT_THE_MARGIN = re.compile(rf"#|-(?:[ \t]|$)|[\]}}]|{_KEY}|[ \t]|$")
_FIRST_OF_TOML = re.compile(rf"(?:[ \t]*(?:#[^\n]*)?\n)*+[ \t]*(?:\[|{_NAME}[ \t]*=|\Z)")


def head_of(text: str) -> str:
    """The front matter that a text with "\\n" for line ends begins with, fences included, or "".

    A rule above prose opens none: every line at the margin must be one of a set of keys, and one
    of them a key that sites use. "Note: …" or "Date: …" alone is prose, and in doubt no word of it is lost.
    """
    fenced = _FENCED.match(text)
    if fenced is None:
        return ""
    is_head = _is_toml(fenced["toml"]) if fenced["yaml"] is None else _is_yaml(fenced["yaml"])
    return fenced[0] if is_head else ""


def _is_toml(raw: str) -> bool:
    return _FIRST_OF_TOML.match(raw) is not None


def _is_yaml(raw: str) -> bool:
    if _FIRST_KEY.match(raw) is None or not _has_usual_keys(raw):
        return not raw.strip()
    return all(map(_AT_THE_MARGIN.match, raw.split("\n")))


def _has_usual_keys(raw: str) -> bool:
    """One as sites write it, or two that begin in capitals, as one alone may begin a sentence."""
    keys = {found[2] for found in _USUAL_KEY.finditer(raw)}
    return any(key == key.lower() for key in keys) or len(keys) > 1
