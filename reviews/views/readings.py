"""Readings: what an answer of the review page shows to who may decide, and what is left to read."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.http import HttpRequest

from publisher import clock
from reviews.permissions import Caller
from reviews.presenters import shown_text
from reviews.presenters.approval import Unread
from reviews.presenters.content import FileView
from reviews.services import reading
from reviews.services.reading import Piece
from reviews.views.files import way_to_read


def unread(
    request: HttpRequest, found: Any, caller: Caller, files: Sequence[Any], views: list[FileView]
) -> list[Unread]:
    """The parts that this person has not seen in full yet, once this answer is before them."""
    pieces = [
        Piece(
            view.path,
            view.sha256,
            view.way,
            view.parts.number,
            view.parts.count,
            view.base_sha256,
            shown_text.digest(view),
        )
        for view in views
        if view.is_full
    ]
    if _is_read(request):
        names = reading.note(found, caller.principal, pieces, clock.now())
    else:
        names = reading.names_of(found, caller.principal)
    done = reading.read_of(found, names)
    return list(_left(found, files, views, names, done))


def _left(
    found: Any, files: Sequence[Any], views: list[FileView], names: set[str], done: set[str]
) -> Iterator[Unread]:
    looks = {view.path: view for view in views}
    proposed = {file.path: (index, file) for index, file in enumerate(files, 1)}
    for part in found.parts:
        if part["id"] in done:
            continue
        look = looks.get(part["path"])
        is_picture = look is not None and bool(look.pictures)
        if part.get("why") == "hidden":
            yield Unread(part)
            continue
        index, file = proposed.get(part["path"], (0, None))
        if file is None or file.is_binary:
            yield Unread(part, is_picture=is_picture)
            continue
        way, count = way_to_read(file, look)
        numbers = reading.missing(found, Piece(file.path, file.sha256, way, 1, count), names)
        number = numbers[0] if numbers else 1
        side = "&side=1" if way == "diff" and look is not None and look.side_by_side else ""
        address = f"?tab={way}{side}&file={index}&part={number}#file-{index}"
        yield Unread(part, len(numbers), count, address)


def _is_read(request: HttpRequest) -> bool:
    """Whether somebody has the answer before them: a browser that loads ahead says so."""
    purpose = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
    return request.method == "GET" and not purpose.lower().startswith(("prefetch", "prerender"))
