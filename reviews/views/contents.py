"""Contents: the texts of a review page in the way of looking that its address asks for."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest

from publisher import selectors as engine
from reviews.permissions import caller_of
from reviews.presenters import findings as finding_views
from reviews.presenters import look as looks
from reviews.presenters import notes as noting
from reviews.presenters import since
from reviews.presenters.content import FileView
from reviews.presenters.findings import FindingView
from reviews.services import reading
from reviews.views.files import file_views, line_address, page_of, source_view


def of(
    request: HttpRequest, found: Any, files: Sequence[Any], checks: list[FindingView]
) -> dict[str, Any]:
    """The texts, in the way of looking that was asked for."""
    sources = _sources(found.job, found.revision)
    earlier = _earlier(request, found) if files else {}
    names = [
        name
        for name in looks.TABS
        if (name != "source" or sources) and (name != "since" or earlier)
    ]
    usual = "since" if _has_changed(earlier.get("seen"), files) else "rendered"
    look = looks.of(request.GET, names, list(earlier), usual)
    base = earlier.get(look.base)
    page = page_of(request, found.job, look, earlier=base, notes=noting.of_findings(checks))
    views = [] if look.tab == "source" else file_views(page, files)
    is_change = any(file.base_sha256 and file.sha256 != file.base_sha256 for file in files)
    return {
        "look": look,
        "tabs": looks.tabs(look, names),
        "toggles": looks.toggles(look, list(earlier), is_change=is_change),
        "since": since.heading(look.base, revision=base.revision, at=base.at)
        if base and look.tab == "since"
        else "",
        "files": views,
        "sources": _source_views(request, sources) if look.tab == "source" else [],
        "findings": finding_views.placed(checks, lambda one: _line_of(one, files, views)),
    }


def _has_changed(seen: reading.Earlier | None, files: Sequence[Any]) -> bool:
    """Whether a text is another one than its reader saw; the same texts are shown to be read anew."""
    texts = [file for file in files if file.sha256 and not file.is_binary]
    return seen is not None and any(seen.texts.get(file.path) != file.sha256 for file in texts)


def _earlier(request: HttpRequest, found: Any) -> dict[str, reading.Earlier]:
    """What this version can be compared with, by name: what its reader saw, what was approved."""
    bases = {
        "seen": reading.last_look(found, caller_of(request).principal),
        "approved": reading.approved_before(found),
    }
    return {name: base for name, base in bases.items() if base is not None}


def _line_of(one: FindingView, files: Sequence[Any], views: Sequence[FileView]) -> str:
    """Where the line of a finding is shown: on this page if it is, or raw."""
    anchor = noting.anchor(one.id)
    if any(anchor in view.anchors for view in views):
        return f"#{anchor}"
    for index, file in enumerate(files, 1):
        if file.path == one.path and one.line and file.sha256 and not file.is_binary:
            return line_address(file, index, one.line, anchor)
    return ""


def _sources(job: Any, revision: int) -> list[dict[str, Any]]:
    rows = [row for row in engine.revisions(job) if row.number == revision]
    return rows[0].inputs.get("sources") or [] if rows else []


def _source_views(request: HttpRequest, sources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    part = _number(request.GET.get("part", ""))
    return [{"id": source["id"], **source_view(source["artifact"], part)} for source in sources]


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 7 else 1
