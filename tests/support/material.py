"""Material: articles as people's editors write them, with every oddity of bytes that may not be lost."""

import struct
import zlib
from dataclasses import dataclass, field

BOM = b"\xef\xbb\xbf"


def png(red: int = 200) -> bytes:
    """A whole PNG of one pixel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes((0, red, 80, 40)))
    parts = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def jpeg() -> bytes:
    """The markers of a JPEG around bytes that are no text in any encoding."""
    head = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    return head + bytes(range(256)) * 3 + b"\r\n\n\r" + b"\xff\xd9"


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">\r\n'
    '  <title>茶</title>\n  <circle cx="4" cy="4" r="3"/>\n</svg>'
).encode()


@dataclass(frozen=True, slots=True)
class Piece:
    """An article for a path, and the files that go with it."""

    name: str
    path: str
    data: bytes
    assets: dict[str, bytes] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, bytes]:
        """All that shall be on the remote."""
        return {self.path: self.data, **self.assets}

    @property
    def changed(self) -> bytes:
        """The article with one word changed, and every other byte as it was."""
        before = "水".encode() if "水".encode() in self.data else b"water"
        after = "泉水".encode() if before != b"water" else b"fresh water"
        assert before in self.data
        return self.data.replace(before, after, 1)


_PLAIN = (
    '---\ntitle: "Tea for the porch"\ndate: 2026-05-02\ntags: [tea, summer]\n---\n\n'
    "## Before you start\n\nFill the jug with water and let it stand.\nTwo lemons are enough.\n\n"
    "- jug\n- lemons  \n\tand their peel\n\n> Cold nights want a shorter time.\n"
)
_TOML = (
    '+++\ntitle = "Kettle: descaling"   # kept\ndate = 2026-05-03\n\n[extra]\nnap = 11:30:00\n+++\n\n'
    "One spoon of acid in hot water.\n"
)
_MDX = (
    "---\ntitle: Small cups\n---\n\n{/* a note for editors */}\n\n"
    '<Figure src="/images/cup.png" alt={"a cup"} sizes={{ small: 1, large: 2 }}>\n\n'
    "  Pour **water** first.\n\n</Figure>\n\n<Hint />\n\nA size of {2} cups, `{not code}`.\n"
)
_FENCES = (
    "---\ntitle: Timers\n---\n\n```js {2,4-5}\nif (a < b) { return { water: `${x}` } }\n"
    "const open = '---'\n```\n\n~~~text\n---\ntitle: no front matter\n---\n```\n~~~\n\n"
    "    indented, which is no code in MDX: \\{ brace\n"
)
_TABLE = (
    "---\ntitle: Times\n---\n\n| leaf | water | minutes |\n|:-----|------:|:-------:|\n"
    "| green \\| white | 70 °C | 2 |\n| black | 95 °C | 4 |\n\n\n\nTrailing blank lines stay.\n\n\n"
)
_CHINESE = (
    "---\ntitle: 门廊上的茶\ndate: 2026-05-04\n---\n\n## 开始之前\n\n"
    "把水倒进壶里，静置十分钟。“不要太烫。”\u3000\n\n"
    "1. 壶\n2. 柠檬\n"
)
_EMOJI = (
    "---\ntitle: 🍵 and 👩‍👩‍👧\n---\n\nWater 💧, then tea 🍵: e\u0301 is not \u00e9, "
    "\U0001f1eb\U0001f1ee is a flag. More water.\n"
)
_MIXED = (
    b"---\r\ntitle: Mixed\r\nplace: porch\n---\r\n\nA line by one editor.\r\n"
    b"A line by another, with water.\n\r\n\ttab and spaces   \r\n"
)

PIECES = (
    Piece("plain", "content/posts/tea.md", _PLAIN.encode(), {"public/images/tea.png": png()}),
    Piece(
        "crlf", "content/posts/crlf.md", _PLAIN.replace("\n", "\r\n").encode(),
        {"public/images/lines.svg": SVG},
    ),
    Piece("bom", "content/posts/bom.md", BOM + _PLAIN.encode()),
    Piece("bom and crlf", "content/posts/bom-crlf.md", BOM + _PLAIN.replace("\n", "\r\n").encode()),
    Piece("no final newline", "content/posts/cut.md", _PLAIN.rstrip("\n").encode()),
    Piece("toml", "content/posts/kettle.md", _TOML.encode(), {"public/images/kettle.jpg": jpeg()}),
    Piece(
        "components", "content/posts/cups.mdx", _MDX.encode(),
        {"public/images/cup.png": png(20), "public/images/杯.svg": SVG},
    ),
    Piece("fences", "content/posts/timers.mdx", _FENCES.encode()),
    Piece("table", "content/posts/times.md", _TABLE.encode()),
    Piece("chinese", "content/zh/门廊上的茶.md", _CHINESE.encode(), {"public/茶.png": png(90)}),
    Piece(
        "emoji", "content/posts/tea-🍵.md", _EMOJI.encode(), {"public/images/🍵 cup.png": png(7)}
    ),
    Piece("mixed line ends", "content/posts/mixed.md", _MIXED),
)  # fmt: skip
