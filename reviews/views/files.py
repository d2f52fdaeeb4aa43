"""Files: the bytes of a proposal, loaded and made into what the review page prints."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from publisher import artifacts
from publisher.domain.errors import ArtifactDamaged
from reviews.presenters import content, diff, marks, texts
from reviews.presenters.content import FileView

ONE = texts.Parts(1, 1)


def file_views(request: HttpRequest, job: Any, files: Sequence[Any], tab: str) -> list[FileView]:
    """Each file in the way of looking that was asked for; ``?file=&part=`` pages one of them."""
    asked_file = request.GET.get("file", "")
    asked = request.GET.get("part", "1")
    number = int(asked) if asked.isdecimal() and len(asked) < 7 else 1
    side = request.GET.get("side") == "1"
    budget = marks.Budget()
    found = []
    for index, file in enumerate(files, 1):
        part = number if asked_file == str(index) or (len(files) == 1 and not asked_file) else 1
        found.append(_view(job, file, index, tab, part, side, budget))
    return found


def _view(
    job: Any, file: Any, index: int, tab: str, part: int, side: bool, budget: marks.Budget
) -> FileView:
    values: dict[str, Any] = {"parts": ONE}
    try:
        values |= _looked_at(job, file, tab, part, side, budget)
    except ArtifactDamaged:
        values["note"] = content.unshown("damaged")
    download = file_address(job, file.sha256) if file.sha256 else ""
    return FileView(
        path=file.path,
        index=index,
        kind=file.kind,
        size=content.size_of(file.size),
        download=download,
        sha256=file.sha256,
        **values,
    )


def _looked_at(
    job: Any, file: Any, tab: str, part: int, side: bool, budget: marks.Budget
) -> dict[str, Any]:
    if file.kind == "absent" and (file.is_binary or tab != "diff"):
        why = "gone" if file.is_binary else "absent"
        return {"note": content.unshown(why), "way": "named", "is_full": True}
    if file.is_binary:
        if file.sha256 and content.picture_type(artifacts.load(file.sha256)):
            picture = file_address(job, file.sha256) + "?show=1"
            return {"note": content.unshown("picture"), "picture": picture}
        return {"note": content.unshown("derived" if file.kind == "derived" else "binary")}
    if tab == "diff":
        return _compared(file, part, side, budget)
    if tab == "raw" or not _is_prose(file.path):
        return content.raw(artifacts.load(file.sha256), part)
    return content.rendered(artifacts.load(file.sha256), part)


def source_view(name: str, part: int) -> dict[str, Any]:
    """A source as it was given, each line with its number."""
    data = artifacts.load_whole(name)
    if data is None:
        return {"parts": ONE, "note": content.unshown("damaged")}
    return content.raw(data, part)


def way_to_read(file: Any, look: FileView | None) -> tuple[str, int]:
    """How a text can be read in full, and in how many parts: as it is looked at now, if it can."""
    if look is not None and look.is_full:
        return look.way, look.parts.count
    if file.kind == "absent":
        return "rendered", 1
    data = artifacts.load_whole(file.sha256)
    return ("raw", 1) if data is None else content.ways(data, is_prose=_is_prose(file.path))


def _compared(file: Any, part: int, side: bool, budget: marks.Budget) -> dict[str, Any]:
    if file.diff:
        rows = diff.parse(artifacts.load_text(file.diff))
    elif file.kind == "absent":
        rows = diff.whole(artifacts.load_text(file.base_sha256), "removed")
    elif not file.base_sha256:
        rows = diff.whole(artifacts.load_text(file.sha256), "added")
    elif file.base_sha256 == file.sha256:
        rows = []
    else:
        return {"parts": ONE, "note": content.unshown("no_diff")}
    proposed = artifacts.load_text(file.sha256) if file.sha256 else ""
    return content.compared(rows, part, side_by_side=side, proposed=proposed, budget=budget)


def _is_prose(path: str) -> bool:
    return path.lower().endswith((".md", ".mdx", ".markdown", ".txt"))


def file_address(job: Any, name: str) -> str:
    """Where the bytes of this name are downloaded, whole."""
    return reverse("job_file", args=[job.pk, name.removeprefix("sha256:")])
