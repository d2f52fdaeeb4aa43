"""Pictures: what kind of picture bytes are, how large it is, and the old one beside the new one."""

from dataclasses import dataclass

KINDS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of a JPEG behind which its height and width stand."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its address, its size in bytes as words, and in pixels where that is known."""

    name: str
    address: str
    size: str
    pixels: str = ""


def type_of(data: bytes) -> str:
    """The type of a raster picture by its first bytes; "" for anything else, SVG too."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in KINDS.items() if data.startswith(magic)), "")


def pixels_of(data: bytes) -> str:
    """Width and height as people write them; "" where the bytes do not tell."""
    found = _FINDERS.get(type_of(data), lambda _data: None)(data)
    return f"{found[0]} × {found[1]}" if found else ""


def _png(data: bytes) -> tuple[int, int] | None:
    if len(data) < 24:
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def _gif(data: bytes) -> tuple[int, int] | None:
    if len(data) < 10:
        return None
    return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        if data[at + 1] in _FRAMES:
            height, width = data[at + 5 : at + 7], data[at + 7 : at + 9]
            return int.from_bytes(width, "big"), int.from_bytes(height, "big")
        at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4], "big"))
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    if len(data) < 30:
        return None
    if data[12:16] == b"VP8X":
        width, height = data[24:27], data[27:30]
        return int.from_bytes(width, "little") + 1, int.from_bytes(height, "little") + 1
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = data[26:28], data[28:30]
    return int.from_bytes(width, "little") & 0x3FFF, int.from_bytes(height, "little") & 0x3FFF


_FINDERS = {"image/png": _png, "image/gif": _gif, "image/jpeg": _jpeg, "image/webp": _webp}
