"""Stored bytes: every artifact lies where it belongs, in its full size; on demand hashed again."""

import os
from collections.abc import Iterator

from django.core.files.storage import FileSystemStorage, Storage, storages

from publisher import artifacts
from publisher.domain.errors import ArtifactDamaged
from publisher.engine.audit.breach import Breach
from publisher.models import Artifact

BATCH = 5000


def check(*, deep: bool) -> Iterator[Breach]:
    """Row by row, in batches."""
    storage = storages["artifacts"]
    rows = Artifact.objects.order_by("pk").values_list("pk", "size")
    for name, size in rows.iterator(chunk_size=BATCH):
        if deep:
            yield from _hashed(name)
            continue
        found = _size(storage, name)
        if found is None:
            yield Breach("artifact_missing", name, "The stored bytes are missing.")
        elif found != size:
            message = f"The stored bytes are {found} long instead of {size}."
            yield Breach("artifact_damaged", name, message)


def _hashed(name: str) -> Iterator[Breach]:
    try:
        artifacts.load(name)
    except ArtifactDamaged as damage:
        is_there = storages["artifacts"].exists(artifacts.place_of(name))
        rule = "artifact_damaged" if is_there else "artifact_missing"
        yield Breach(rule, name, damage.message)


def _size(storage: Storage, name: str) -> int | None:
    where = artifacts.place_of(name)
    if isinstance(storage, FileSystemStorage):
        # The storage's own checks of a path cost more than the question.
        try:
            return os.stat(f"{storage.location}/{where}").st_size  # noqa: PTH116
        except FileNotFoundError:
            return None
    return int(storage.size(where)) if storage.exists(where) else None
