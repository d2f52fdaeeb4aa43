"""Content: the files of a proposal as a reader sees them, in each of the four ways to look."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from publisher.prepare import frontmatter
from reviews import cutting, sanitize, unseen
from reviews.presenters import diff, marks, said, texts
from reviews.presenters.hidden import Segment, segments

TABS = ("rendered", "diff", "raw", "source")
PICTURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


@dataclass(frozen=True, slots=True)
class FileView:
    """One file in one way of looking; what cannot be shown says why in ``note``.

    ``is_full``: this way shows all of the file, so that who saw each of its parts has read it.
    ``leaves_out``: the file holds what this way does not show.
    ``is_plain``: this part is too long a block to be rendered.
    """

    path: str
    index: int
    kind: str
    size: str
    parts: texts.Parts
    note: str = ""
    html: SafeString | None = None
    front_matter: list[tuple[str, str]] = field(default_factory=list)
    front_matter_note: str = ""
    blocks: list[diff.Block] = field(default_factory=list)
    side_by_side: bool = False
    lines: list[tuple[int | None, list[Segment]]] = field(default_factory=list)
    picture: str = ""
    download: str = ""
    sha256: str = ""
    way: str = ""
    is_full: bool = False
    leaves_out: bool = False
    is_plain: bool = False


def picture_type(data: bytes) -> str:
    """The type of a raster picture by its first bytes; "" for anything else, SVG too."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in PICTURES.items() if data.startswith(magic)), "")


def size_of(size: int) -> str:
    """A size for people."""
    return str(filesizeformat(size))


def rendered(data: bytes, part: int) -> dict[str, Any]:
    """The draft as HTML, its front matter as a table on the first part."""
    document = frontmatter.split(data)
    pieces = _prose(document)
    where = texts.choose(part, len(pieces.parts))
    rows, note = _front_matter(document)
    leaves_out = _leaves_out(document, pieces, rows)
    found: dict[str, Any] = {
        "parts": where,
        "way": "rendered",
        "is_full": not note and not leaves_out,
        "leaves_out": leaves_out,
        "html": sanitize.part(pieces, where.number),
        "is_plain": pieces.parts[where.number - 1].is_plain,
    }
    if where.number == 1:
        found |= {"front_matter": rows, "front_matter_note": note}
    return found


def ways(data: bytes, *, is_prose: bool) -> tuple[str, int]:
    """The way of looking that shows all of a file, and in how many parts."""
    document = frontmatter.split(data) if is_prose else None
    if document is not None:
        rows, note = _front_matter(document)
        pieces = _prose(document)
        if not note and not _leaves_out(document, pieces, rows):
            return "rendered", len(pieces.parts)
    return "raw", len(_lines(data))


def _leaves_out(
    document: frontmatter.Document, pieces: cutting.Cut, rows: list[tuple[str, str]]
) -> bool:
    """Whether the file holds comments, unused definitions or the like, which are not rendered."""
    if pieces.leaves_out:
        return True
    shown = "\n".join(f"{name} {value}" for name, value in rows)
    return unseen.in_front_matter(document.raw.decode("utf-8", "replace"), shown)


def _prose(document: frontmatter.Document) -> cutting.Cut:
    return sanitize.parts(document.body.decode("utf-8", "replace"))


def _lines(data: bytes) -> list[texts.Piece]:
    return texts.pieces(data.decode("utf-8", "replace"))


def _front_matter(document: frontmatter.Document) -> tuple[list[tuple[str, str]], str]:
    """Its rows, or why there are none to show."""
    if document.style == "none":
        return [], ""
    try:
        return table(frontmatter.parse(document)), ""
    except frontmatter.FrontMatterError as error:
        return [], said.in_words(error.message)


def table(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Front matter as rows of a name and a value."""
    return [(str(name), _cell(value)) for name, value in values.items()]


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_cell(item) for item in value)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_cell(item)}" for name, item in value.items())
    return "" if value is None else str(value)


def raw(data: bytes, part: int) -> dict[str, Any]:
    """Each line with its number, nothing interpreted."""
    pieces = _lines(data)
    where = texts.choose(part, len(pieces))
    lines = numbered(pieces[where.number - 1])
    return {"parts": where, "way": "raw", "is_full": True, "lines": lines}


def numbered(piece: texts.Piece) -> list[tuple[int | None, list[Segment]]]:
    """Lines with numbers and hidden characters named."""
    lines = piece.text.split("\n")
    if len(lines) > 1 and lines[-1] == "":
        lines.pop()
    return [
        (number, segments(line.removesuffix("\r")))
        for number, line in enumerate(lines, piece.first_line)
    ]


def compared(
    rows: list[diff.Raw],
    part: int,
    *,
    side_by_side: bool,
    proposed: str,
    budget: marks.Budget,
) -> dict[str, Any]:
    """The difference to what is published; it may show all of what is ``proposed``."""
    where = texts.choose(part, diff.parts(rows))
    return {
        "parts": where,
        "blocks": diff.blocks(rows, part=where.number, side_by_side=side_by_side, budget=budget),
        "side_by_side": side_by_side,
        "way": "diff",
        "is_full": diff.covers(rows, proposed),
    }


def unshown(why: str) -> str:
    """Why a file is named and not shown."""
    reasons = {
        "binary": _("This file is not text. It is named here and published as it is."),
        "picture": _("This picture is published as it is."),
        "no_diff": _("Too large to compare here. Read it in full under Raw."),
        "absent": _("This file is removed. What it held is under Diff."),
        "gone": _("This file is removed. It is not text, so what it held is not shown."),
        "damaged": _("The stored bytes are missing or damaged, so there is nothing to show."),
        "derived": _("Built along from the article; its bytes follow from it."),
    }
    return reasons[why]
