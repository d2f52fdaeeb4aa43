"""Said: a sentence that the engine or a service gave in English, in the reader's language.

The engine, the API and the database keep English. A page takes such a sentence apart by the
template that made it, translates the template through gettext, and puts the values back in.
A sentence without a template stays as it is, so that nothing is ever lost.
"""

import re
from dataclasses import dataclass
from functools import cache

from django.utils.translation import get_language, gettext

from reviews.presenters.said.findings import FINDINGS
from reviews.presenters.said.policies import POLICIES
from reviews.presenters.said.refusals import REFUSALS
from reviews.presenters.said.rights import RIGHTS
from reviews.presenters.said.troubles import TROUBLES

DEEPEST = 3
"""How far a value that is a sentence itself is translated too."""

_PLACE = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True, slots=True)
class Template:
    """One known sentence: the fixed parts around its values."""

    msgid: str
    parts: tuple[str, ...]
    names: tuple[str, ...]

    def values_of(self, text: str) -> dict[str, str] | None:
        """What stands at each place, or None when the text was not made by this template.

        Fixed parts are looked for from left to right, once, so that a hostile text costs little.
        """
        first, last = self.parts[0], self.parts[-1]
        if not self.names:
            return {} if text == first else None
        if not text.startswith(first) or not text.endswith(last):
            return None
        here, end, values = len(first), len(text) - len(last), {}
        for name, part in zip(self.names, self.parts[1:-1], strict=False):
            found = text.find(part, here, end)
            if found < 0:
                return None
            values[name], here = text[here:found], found + len(part)
        if here > end:
            return None
        return {**values, self.names[-1]: text[here:end]}


@cache
def templates() -> tuple[Template, ...]:
    """All templates, the one with the most fixed text first."""
    made = [_template(msgid) for msgid in (*FINDINGS, *POLICIES, *REFUSALS, *RIGHTS, *TROUBLES)]
    return tuple(sorted(made, key=lambda one: -sum(map(len, one.parts))))


def find(text: str) -> tuple[Template, dict[str, str]] | None:
    """The template that made this sentence, with its values."""
    for template in templates():
        values = template.values_of(text)
        if values is not None:
            return template, values
    return None


def in_words(text: str, *, depth: int = 0) -> str:
    """The sentence in the language of the page; English and unknown ones stay as they are."""
    language = get_language() or "en"
    if language.startswith("en") or not text or depth > DEEPEST:
        return text
    found = find(text)
    if found is None:
        return _each(text, depth) if depth and ", " in text else text
    template, values = found
    spoken = {name: in_words(value, depth=depth + 1) for name, value in values.items()}
    return gettext(template.msgid) % spoken if spoken else gettext(template.msgid)


def _each(text: str, depth: int) -> str:
    """A value that is a list: each of its parts."""
    return ", ".join(in_words(part, depth=depth + 1) for part in text.split(", "))


def _template(msgid: str) -> Template:
    pieces = _PLACE.split(msgid)
    names = tuple(pieces[1::2])
    fixed = pieces[::2]
    return Template(
        msgid, tuple(part.replace("%%", "%") if names else part for part in fixed), names
    )
