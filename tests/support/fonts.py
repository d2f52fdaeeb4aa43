"""A font of squares, small enough to be made in a test."""

from io import BytesIO

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont


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
