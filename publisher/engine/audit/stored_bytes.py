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
    """Row by row, in batches, as the database has them: by their names, which are random, costs more."""
    storage = storages["artifacts"]
    rows = Artifact.objects.order_by().values_list("pk", "size")
    for name, size in rows.iterator(chunk_size=BATCH):
        try:
            if deep:
                artifacts.load(name)
            else:
                _measure(storage, name, size)
        except ArtifactDamaged as damage:
            is_there = storage.exists(artifacts.place_of(name))
            rule = "artifact_damaged" if is_there else "artifact_missing"
            yield Breach(rule, name, damage.message)
        except OSError as error:
            message = f"The stored bytes cannot be read: {error.strerror or error}."
            yield Breach("artifact_damaged", name, message)


def _measure(storage: Storage, name: str, size: int) -> None:
    with artifacts.reading(name):
        found = _size(storage, artifacts.place_of(name))
    if found != size:
        message = f"The stored bytes are {found} long instead of {size}."
        raise ArtifactDamaged(message, artifact=name)


def _size(storage: Storage, where: str) -> int:
    if isinstance(storage, FileSystemStorage):
        # The storage's own checks of a path cost more than the question.
        return os.stat(f"{storage.location}/{where}").st_size  # noqa: PTH116
    if not storage.exists(where):
        raise FileNotFoundError
    return int(storage.size(where))
