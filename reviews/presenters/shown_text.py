"""Shown text: what a page says of a file, as one text. The page prints these, the record names them.

The template puts each of them into an element marked ``data-shown``; a test compares both.
"""

import hashlib
from collections.abc import Iterable, Iterator

from reviews.presenters import diff
from reviews.presenters.content import FileView
from reviews.presenters.hidden import Segment, in_name


def pieces(view: FileView) -> Iterator[str]:
    """Each thing that is shown, in the order of the page."""
    if view.note:
        yield view.note
        return
    if view.front_matter_note:
        yield _said(view.front_matter_note)
    for name, value in view.front_matter:
        yield _said(name)
        yield _said(value)
    if view.html is not None:
        yield str(view.html)
    for line in view.lines:
        yield _text(line.segments)
    for block in view.blocks or ():
        yield from _block(view, block)


def _block(view: FileView, block: diff.Block) -> Iterator[str]:
    if not view.side_by_side:
        yield from (_text(line.segments) for line in block.lines)
        return
    for pair in block.pairs:
        yield from (_text(line.segments) for line in (pair.left, pair.right) if line)


def _said(text: str) -> str:
    return _text(in_name(text.replace("\n", " ")))


def _text(found: Iterable[Segment]) -> str:
    return "".join(segment.text or segment.codepoint for segment in found)


def digest(view: FileView) -> str:
    """The name of all that is shown of a file in this part and way of looking."""
    told = "\0".join([view.path, view.way, *pieces(view)])
    return f"sha256:{hashlib.sha256(told.encode('utf-8', 'replace')).hexdigest()}"
