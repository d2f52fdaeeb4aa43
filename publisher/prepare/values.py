"""Values: written so that YAML and TOML alike read back exactly what was meant."""

import re

Value = str | int | bool | list[str]

_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# What YAML 1.2 does not call printable, what it takes for a line break, and the byte order mark.
_UNPRINTABLE = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def quote(value: str) -> str:
    """A double-quoted string on one line, in the escapes that YAML 1.2 and TOML share."""
    return f'"{_UNPRINTABLE.sub(_escaped, value)}"'


def key(name: str) -> str:
    """The key as both languages read it back: bare when that is safe."""
    is_plain = _PLAIN_KEY.fullmatch(name) is not None and name.lower() not in _WORDS
    return name if is_plain else quote(name)


def render(value: Value) -> str:
    """One value on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return quote(value)
    return "[" + ", ".join(quote(item) for item in value) + "]"


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    return _NAMED.get(char) or f"\\u{ord(char):04X}"
