"""A font of squares, small enough to be made in a test."""

from fnmatch import fnmatch
from io import BytesIO
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from tests.support.git import git

ASCII = "".join(map(chr, range(32, 127)))
LETTERS = "中文字甲乙丙丁戊"
FONT = "public/fonts/subset.woff2"


def tiny_font(text: str) -> bytes:
    """A font of squares for these characters."""
    names = {ord(char): f"uni{ord(char):05X}" for char in sorted(set(text))}
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap(names)
    pen = TTGlyphPen(None)
    for point in ((0, 0), (0, 500), (500, 500), (500, 0)):
        (pen.moveTo if point == (0, 0) else pen.lineTo)(point)
    pen.closePath()
    square = pen.glyph()
    builder.setupGlyf(dict.fromkeys([".notdef", *names.values()], square))
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", *names.values()], (600, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable(
        {"familyName": "Tiny", "styleName": "Regular", "licenseDescription": "free"}
    )
    builder.setupOS2()
    builder.setupPost()
    made = BytesIO()
    builder.save(made)
    return made.getvalue()


def covered(data: bytes) -> set[int]:
    """The code points that a font can draw."""
    return set(TTFont(BytesIO(data)).getBestCmap())


def letters_beside(remote: Path, commit: str, *, articles: str = "content/*.md*") -> set[str]:
    """By which letters of ours the font of a commit differs from the articles of that commit.

    Read with plain git and by plain reading, so that a mistake of the product is not repeated here.
    """
    names = git(remote, "ls-tree", "-r", "-z", "--name-only", commit).decode().split("\0")
    used = set(ASCII)
    for name in names:
        if fnmatch(name, articles):
            used |= set(git(remote, "cat-file", "blob", f"{commit}:{name}").decode())
    font = git(remote, "cat-file", "blob", f"{commit}:{FONT}")
    return {chr(code) for code in covered(font)} ^ (used & set(ASCII + LETTERS))
