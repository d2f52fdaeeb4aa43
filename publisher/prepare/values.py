"""Values: written so that YAML and TOML alike read back exactly what was meant."""

import re

from publisher.domain.front_matter import Scalar, Value

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
    if isinstance(value, str | int | float):
        return _scalar(value)
    return "[" + ", ".join(_scalar(item) for item in value) + "]"


def _scalar(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        # Older readers of YAML take 1e+16 for a text; with a point it is a number everywhere.
        mantissa, sign, exponent = repr(value).partition("e")
        return (mantissa if "." in mantissa else f"{mantissa}.0") + sign + exponent
    return str(value) if isinstance(value, int) else quote(value)


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    return _NAMED.get(char) or f"\\u{ord(char):04X}"
