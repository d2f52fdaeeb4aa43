"""Addresses: a URL taken apart, but only where every reader of it would take it apart alike."""

import re
from urllib.parse import SplitResult, urlsplit

_AT = re.compile(r"[@\ufe6b\uff20]|%40")
_PLACE = re.compile(
    r"(?P<host>[^\s/?#@%:\\\[\]]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?", re.ASCII
)
_END = re.compile(r"[/?#]")


class Unsound(ValueError):
    """The address names no host, or a port that is none; ``part`` says which."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


def sound(text: str) -> SplitResult:
    """The URL's parts; Unsound where its host or port could be read as something else.

    ``urlsplit`` takes ``https://bot:SECRET/x@host`` for host "bot" with the port "SECRET".
    """
    place = place_of(text).rpartition("@")[2]
    found = _PLACE.fullmatch(place)
    if found is None:
        host, colon, _port = place.rpartition(":")
        raise Unsound("port" if colon and _PLACE.fullmatch(host) else "host")
    if found["host"].startswith("-"):
        raise Unsound("host")
    if found["port"] and not 1 <= int(found["port"]) <= 65535:
        raise Unsound("port")
    try:
        return urlsplit(text)
    except ValueError:
        raise Unsound("host") from None


def holds_at(text: str) -> bool:
    """Whether an "@" stands in the text, in any spelling that some reader takes for one."""
    return _AT.search(text) is not None


def after_at(text: str) -> str:
    """What follows the last of them; the whole text where there is none."""
    return _AT.split(text)[-1]


def place_of(text: str) -> str:
    """What stands between the scheme and the path, as it is written."""
    return _END.split(text.partition("://")[2], maxsplit=1)[0]
