"""Files: the bytes of a proposal, loaded and made into what the review page prints."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from publisher import artifacts
from publisher.domain.errors import ArtifactDamaged
from reviews.presenters import content, diff_rows, fields, marks, pictures, since, texts
from reviews.presenters import notes as noting
from reviews.presenters.content import FileView
from reviews.presenters.look import Look
from reviews.services.reading import Earlier

ONE = texts.Parts(1, 1)


@dataclass(frozen=True, slots=True)
class Page:
    """What all files of a page share: the look, its base, the notes, and what marks may cost."""

    job: Any
    look: Look
    budget: marks.Budget
    asked_file: str = ""
    asked_part: int = 1
    earlier: Earlier | None = None
    notes: noting.Notes = field(default_factory=dict)


def page_of(
    request: HttpRequest, job: Any, look: Look, *, earlier: Earlier | None, notes: noting.Notes
) -> Page:
    """The page that an address asks for; ``?file=&part=`` pages one of its files."""
    asked = request.GET.get("part", "1")
    number = int(asked) if asked.isdecimal() and len(asked) < 7 else 1
    file = request.GET.get("file", "")
    return Page(job, look, marks.Budget(), file, number, earlier, notes)


def file_views(page: Page, files: Sequence[Any]) -> list[FileView]:
    """Each file in the way of looking that was asked for, and those that are proposed no longer."""
    found = []
    for index, file in enumerate(files, 1):
        is_asked = page.asked_file == str(index) or (len(files) == 1 and not page.asked_file)
        found.append(_view(page, file, index, page.asked_part if is_asked else 1))
    return [*found, *_gone(page, files)]


def _view(page: Page, file: Any, index: int, part: int) -> FileView:
    values: dict[str, Any] = {"parts": ONE}
    try:
        values |= _looked_at(page, file, part)
    except ArtifactDamaged:
        values["note"] = content.unshown("damaged")
    return FileView(
        path=file.path,
        index=index,
        kind=file.kind,
        size=content.size_of(file.size),
        download=file_address(page.job, file.sha256) if file.sha256 else "",
        sha256=file.sha256,
        **values,
    )


def _gone(page: Page, files: Sequence[Any]) -> list[FileView]:
    """Texts that somebody read, or that were approved, and that are no longer part of it."""
    if page.look.tab != "since" or page.earlier is None:
        return []
    paths = sorted(page.earlier.texts.keys() - {file.path for file in files})
    note = since.gone(page.look.base)
    return [
        FileView(path, index, "gone", "", ONE, note=note)
        for index, path in enumerate(paths, len(files) + 1)
    ]


def _looked_at(page: Page, file: Any, part: int) -> dict[str, Any]:
    tab = page.look.tab
    if file.kind == "absent" and (file.is_binary or tab != "diff"):
        why = "gone" if file.is_binary else "absent"
        return {"note": content.unshown(why), "way": "named", "is_full": True}
    if file.is_binary:
        return _binary(page, file)
    notes = noting.of_file(page.notes, file.path)
    if tab == "diff":
        return _compared(page, file, part, notes)
    if tab == "since":
        return _since(page, file, part, notes)
    if tab == "raw" or not is_prose(file.path):
        return content.raw(artifacts.load(file.sha256), part, notes)
    return _rendered(page, file, part)


def _rendered(page: Page, file: Any, part: int) -> dict[str, Any]:
    data = artifacts.load(file.sha256)
    before = artifacts.load_whole(file.base_sha256) if file.base_sha256 else None
    if before is None:
        return content.rendered(data, part)
    if page.look.marks:
        return content.rendered_beside(before, data, part, page.budget)
    return content.rendered(data, part) | _fields(page, file, before, data, part)


def _binary(page: Page, file: Any) -> dict[str, Any]:
    data = artifacts.load(file.sha256) if file.sha256 else b""
    if not pictures.type_of(data):
        return {"note": content.unshown("derived" if file.kind == "derived" else "binary")}
    names = [file.base_sha256, file.sha256] if file.base_sha256 != file.sha256 else [file.sha256]
    shown = [
        pictures.Picture(
            "new" if name == file.sha256 else "old",
            file_address(page.job, name) + "?show=1",
            content.size_of(len(found)),
            pictures.pixels_of(found),
        )
        for name in names
        if name and (found := artifacts.load_whole(name)) and pictures.type_of(found)
    ]
    return {"note": content.unshown("picture"), "pictures": shown}


def _since(page: Page, file: Any, part: int, notes: noting.OfFile) -> dict[str, Any]:
    """The text beside what this person read of it, or what was approved."""
    base = page.look.base
    name = page.earlier.texts.get(file.path, "") if page.earlier else ""
    before = artifacts.load_whole(name) if name else None
    if name and before is None:
        return {"note": since.damaged()}
    data = artifacts.load(file.sha256)
    old = before.decode("utf-8", "replace") if before is not None else None
    new = data.decode("utf-8", "replace")
    told = since.told(base, before=old, now=new)
    if old == new:
        return {"note": told}
    rows = since.rows(old, new)
    found = content.compared(
        rows, part, look=page.look, proposed=new, budget=page.budget, notes=notes
    )
    return {**found, "told": told, "base_sha256": name} | _fields(page, file, before, data, part)


def _fields(page: Page, file: Any, before: bytes | None, now: bytes, part: int) -> dict[str, Any]:
    """What differs in the front matter, above the first part of a text."""
    if before is None or part != 1 or not is_prose(file.path):
        return {}
    return {"fields": fields.changed(before, now, page.budget)}


def _compared(page: Page, file: Any, part: int, notes: noting.OfFile) -> dict[str, Any]:
    if file.diff:
        rows = diff_rows.parse(artifacts.load_text(file.diff))
    elif file.kind == "absent":
        rows = diff_rows.whole(artifacts.load_text(file.base_sha256), "removed")
    elif not file.base_sha256:
        rows = diff_rows.whole(artifacts.load_text(file.sha256), "added")
    elif file.base_sha256 == file.sha256:
        rows = diff_rows.parse("")
    else:
        return {"parts": ONE, "note": content.unshown("no_diff")}
    data = artifacts.load(file.sha256) if file.sha256 else b""
    proposed = data.decode("utf-8", "replace")
    found = content.compared(
        rows, part, look=page.look, proposed=proposed, budget=page.budget, notes=notes
    )
    before = artifacts.load_whole(file.base_sha256) if file.diff else None
    return {**found, "base_sha256": file.base_sha256} | _fields(page, file, before, data, part)


def source_view(name: str, part: int) -> dict[str, Any]:
    """A source as it was given, each line with its number."""
    data = artifacts.load_whole(name)
    if data is None:
        return {"parts": ONE, "note": content.unshown("damaged")}
    return content.raw(data, part)


def way_to_read(file: Any, view: FileView | None) -> tuple[str, int]:
    """How a text can be read in full, and in how many parts: as it is looked at now, if it can."""
    if view is not None and view.is_full:
        return view.way, view.parts.count
    if file.kind == "absent":
        return "rendered", 1
    data = artifacts.load_whole(file.sha256)
    return ("raw", 1) if data is None else content.ways(data, is_prose=is_prose(file.path))


def line_address(file: Any, index: int, line: int, anchor: str) -> str:
    """Where a line of a text is shown whatever else is: raw, in the part that holds it."""
    data = artifacts.load_whole(file.sha256) if file.sha256 else None
    part = texts.part_of(data.decode("utf-8", "replace"), line) if data is not None else 1
    return f"{Look(tab='raw').query()}&file={index}&part={part}#{anchor}"


def is_prose(path: str) -> bool:
    """Whether a text is for readers, and rendered as such."""
    return path.lower().endswith((".md", ".mdx", ".markdown", ".txt"))


def file_address(job: Any, name: str) -> str:
    """Where the bytes of this name are downloaded, whole."""
    return reverse("job_file", args=[job.pk, name.removeprefix("sha256:")])
