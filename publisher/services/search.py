"""search: keeps beside each job what people look for, in the transaction that changes it.

Everything here was scrubbed before: it is read from the job's columns and from stored artifacts.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from publisher import artifacts
from publisher.domain.terms import words_of
from publisher.models import Job, SearchText
from publisher.models.search import last_place_of, place_of

CHARACTERS = 200_000
"""As much of a text is looked through; a longer one is found by its beginning."""
SHOWN_CHARACTERS = 20_000
WORD_BYTES = 500_000
"""PostgreSQL takes a megabyte of different words a row."""


def text_of(job: Job, inputs: Mapping[str, Any], *by: str) -> str:
    """What can be looked for of this version; it reads stored files, so before any transaction."""
    named = [inputs.get("title") or job.title, inputs.get("path") or job.target_path]
    sources = inputs.get("sources") or ()
    files = [inputs["content"]] if inputs.get("content") else [one["artifact"] for one in sources]
    assets = [one["path"] for one in inputs.get("assets") or ()]
    return _text([*named, job.topic, job.requester, *by], files, [job.summary, *assets])


def text_of_draft(job: Job, outputs: Mapping[str, Any]) -> str:
    """The same of a draft that was written here."""
    target = outputs["target_path"]
    files = [name for path, name in outputs["files"].items() if path == target]
    others = [path for path in outputs["files"] if path != target]
    named = [outputs["title"], target, job.topic, job.requester]
    return _text(named, files, [job.summary, *others])


def keep(job: Job, text: str) -> None:
    """Write what the job is found by, in the caller's transaction; what it was found by before goes."""
    kept = columns_of(text)
    if not SearchText.objects.filter(job_id=job.pk).update(**kept):
        SearchText.objects.create(pk=_free_place(job.pk), job_id=job.pk, **kept)


def columns_of(text: str) -> dict[str, str]:
    """The text as it is kept."""
    return {"text": text[:SHOWN_CHARACTERS], "words": words_of(text, most_bytes=WORD_BYTES)}


def _text(named: Iterable[str], files: Iterable[str], others: Iterable[str]) -> str:
    bodies = (artifacts.load_whole(name) or b"" for name in files)
    texts = [data[: 4 * CHARACTERS].decode("utf-8", "replace") for data in bodies]
    head = "\n".join(dict.fromkeys(part for part in (*named, *others) if part))
    return "\n\n".join([head, *texts]).replace("\0", "")[:CHARACTERS]


def _free_place(job_id: str) -> int:
    place, last = place_of(job_id), last_place_of(job_id)
    near = SearchText.objects.filter(pk__range=(place, last))
    taken = set(near.values_list("pk", flat=True))
    return next((free for free in range(place, last) if free not in taken), last)
