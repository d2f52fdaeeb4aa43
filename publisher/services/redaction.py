"""Redaction: credentials are taken out of what comes in before any of it is stored, and told where."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from publisher import artifacts
from publisher.artifacts import sha256_of
from publisher.domain.secrets import credentials_in, rules_in, scrub_keyed, scrub_parted
from publisher.models import Job
from publisher.models.revision import taken_out

Taken = list[dict[str, str]]
"""What was taken out: the file's path and the rule, each pair once."""


def scrub_bytes(data: bytes, known: Collection[str] = ()) -> tuple[bytes, list[str]]:
    """Text with its secrets redacted, and the rules that matched; binary data stays as it is.

    ``known``: credentials that readers of the site see already, and that stay.
    """
    try:
        text, encoding = data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        if b"\x00" in data:
            return data, []
        text, encoding = data.decode("latin-1"), "latin-1"
    rules = sorted(rules_in(text, known))
    return (scrub_parted(text, known).encode(encoding) if rules else data), rules


def store_bytes(
    data: bytes, *, path: str, kind: str, now: datetime, known: Collection[str] = ()
) -> tuple[str, Taken]:
    """Scrub and keep; returns the artifact's name and what was taken out of this path's file."""
    clean, rules = scrub_bytes(data, known)
    return artifacts.store(clean, kind=kind, now=now), _taken(path, rules)


def content_name(data: bytes, known: Collection[str] = ()) -> str:
    """The name that these bytes would get once scrubbed: tells whether an edit changes anything."""
    return sha256_of(scrub_bytes(data, known)[0])


def scrub_values(values: Mapping[str, Any] | None, *, path: str) -> tuple[Any, Taken]:
    """Values for the front matter of this path's article, and what was taken out of them."""
    if values is None:
        return None, []
    clean, rules = scrub_keyed(values)
    return clean, _taken(path, sorted(rules))


def rules_of(taken: Taken) -> list[str]:
    """The rules alone, for the history."""
    return sorted({entry["rule"] for entry in taken})


def untouched(job: Job, inputs: Mapping[str, Any], target: str, changed: Collection[str]) -> Taken:
    """What was taken out of files that an edit leaves as they are, with the article at its new path."""
    moved = [
        {**entry, "path": target if entry["path"] == job.target_path else entry["path"]}
        for entry in taken_out(inputs, job)
    ]
    return [entry for entry in moved if entry["path"] not in changed]


def known_at(job: Job, path: str) -> set[str]:
    """Credentials in what the site holds at a path, or held there before what is taken back."""
    names = [_base(each, path) for each in (job, job.compensates) if each is not None]
    return known_in(*names)


def known_in(*names: str | None) -> set[str]:
    """Credentials in these artifacts, as far as they are there."""
    loaded = [artifacts.load_whole(name) or b"" for name in names if name]
    texts = [data.decode("utf-8", "replace") for data in loaded if b"\x00" not in data]
    return {value for text in texts for value in credentials_in(text)}


def _base(job: Job, path: str) -> str | None:
    step = job.steps.filter(revision=job.revision, name="draft", state="succeeded").first()
    name: str | None = step.outputs["bases"].get(path) if step else None
    return name


def _taken(path: str, rules: list[str]) -> Taken:
    return [{"path": path, "rule": rule} for rule in rules]
