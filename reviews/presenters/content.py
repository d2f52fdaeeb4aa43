"""Content: the files of a proposal as a reader sees them, in each of the four ways to look."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from publisher.prepare import frontmatter
from reviews import cutting, sanitize, unseen
from reviews.presenters import diff, diff_rows, fields, marks, rendered_diff, texts
from reviews.presenters.fields import Field
from reviews.presenters.hidden import Segment, segments
from reviews.presenters.look import Look
from reviews.presenters.notes import NEW, Note, OfFile
from reviews.presenters.pictures import Picture
from reviews.presenters.prose_diff import Manner


@dataclass(frozen=True, slots=True)
class Numbered:
    """A line with its number and what is said at it; one that goes on in a part has its number too."""

    number: int
    segments: list[Segment]
    notes: Sequence[Note] = ()


@dataclass(frozen=True, slots=True)
class FileView:
    """One file in one way of looking; what cannot be shown says why in ``note``.

    ``is_full``: this way shows all of the file, so that who saw each of its parts has read it.
    ``leaves_out``: the file holds what this way does not show.
    ``is_plain``: this part is too long a block to be rendered.
    ``told`` stands above the text, ``fields`` is what differs in its front matter.
    """

    path: str
    index: int
    kind: str
    size: str
    parts: texts.Parts
    note: str = ""
    told: str = ""
    html: SafeString | None = None
    front_matter: list[tuple[str, str]] = field(default_factory=list)
    front_matter_note: str = ""
    fields: list[Field] = field(default_factory=list)
    blocks: list[diff.Block] | None = None
    side_by_side: bool = False
    lines: list[Numbered] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    download: str = ""
    sha256: str = ""
    base_sha256: str = ""
    way: str = ""
    is_full: bool = False
    leaves_out: bool = False
    is_plain: bool = False

    @property
    def anchors(self) -> set[str]:
        """Where links to notes may lead: those that stand under a line that is shown."""
        found = [note for line in self.lines for note in line.notes]
        found += [
            note for block in self.blocks or () for line in block.lines for note in line.notes
        ]
        return {note.anchor for note in found}


def size_of(size: int) -> str:
    """A size for people."""
    return str(filesizeformat(size))


def rendered(data: bytes, part: int) -> dict[str, Any]:
    """The draft as HTML, its front matter as a table on the first part."""
    document = frontmatter.split(data)
    pieces = _prose(document)
    where = texts.choose(part, len(pieces.parts))
    rows, note = fields.read(document)
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


def rendered_beside(before: bytes, data: bytes, part: int, budget: marks.Budget) -> dict[str, Any]:
    """The draft as HTML with what was taken out and put in marked; it counts for no reading."""
    old, new = frontmatter.split(before), frontmatter.split(data)
    cuts = [_prose(old), _prose(new)]
    if any(len(cut.parts) > 1 or cut.parts[0].is_plain for cut in cuts):
        told = _("Too long to mark what changed in the rendered text. Look under Diff.")
        return {**rendered(data, part), "told": told}
    markup = rendered_diff.of(sanitize.part(cuts[0], 1), sanitize.part(cuts[1], 1), budget)
    return {
        "way": "rendered",
        "leaves_out": cuts[1].leaves_out,
        "html": sanitize.marked(markup),
        "told": _("What was taken out is struck through, what was put in is underlined."),
        "fields": fields.changed(before, data, budget),
    }


def ways(data: bytes, *, is_prose: bool) -> tuple[str, int]:
    """The way of looking that shows all of a file, and in how many parts."""
    document = frontmatter.split(data) if is_prose else None
    if document is not None:
        rows, note = fields.read(document)
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


def raw(data: bytes, part: int, notes: OfFile | None = None) -> dict[str, Any]:
    """Each line with its number, nothing interpreted."""
    pieces = _lines(data)
    where = texts.choose(part, len(pieces))
    lines = _numbered(pieces[where.number - 1], notes or {})
    return {"parts": where, "way": "raw", "is_full": True, "lines": lines}


def _numbered(piece: texts.Piece, notes: OfFile) -> list[Numbered]:
    """Lines with numbers and hidden characters named."""
    lines = piece.text.split("\n")
    if len(lines) > 1 and lines[-1] == "":
        lines.pop()
    return [
        Numbered(number, segments(line.removesuffix("\r")), notes.get((NEW, number), ()))
        for number, line in enumerate(lines, piece.first_line)
    ]


def compared(
    rows: diff_rows.Rows,
    part: int,
    *,
    look: Look,
    proposed: str,
    budget: marks.Budget,
    notes: OfFile | None = None,
) -> dict[str, Any]:
    """The difference to what was; it may show all of what is ``proposed``.

    Where white space is looked away from, not all is shown. A difference to what somebody read
    counts only as one page: its parts are not those of the difference to another text.
    """
    where = texts.choose(part, diff.parts(rows))
    manner = Manner(words=look.words, space=look.space)
    is_whole = look.space and (look.tab == "diff" or not where.is_cut)
    return {
        "parts": where,
        "blocks": diff.blocks(
            rows,
            part=where.number,
            side_by_side=look.side,
            budget=budget,
            manner=manner,
            notes=notes,
        ),
        "side_by_side": look.side,
        "way": look.tab,
        "is_full": is_whole and diff.covers(rows, proposed),
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
