"""Manifests: every file that a job's manifest names is among the artifacts; read on demand alone."""

from collections.abc import Iterable, Iterator
from itertools import islice

from publisher import artifacts
from publisher.domain.errors import ArtifactDamaged, ImprimaturError
from publisher.domain.manifest import Manifest
from publisher.engine.audit.breach import Breach
from publisher.models import Artifact, Job

BATCH = 500


def check(site: str = "") -> Iterator[Breach]:
    """Manifest by manifest, in batches."""
    jobs = Job.objects.exclude(manifest_artifact="").order_by("pk")
    jobs = jobs.filter(site__name=site) if site else jobs
    rows = jobs.values_list("pk", "manifest_artifact").iterator(chunk_size=BATCH)
    while batch := list(islice(rows, BATCH)):
        yield from _check(batch)


def _check(batch: Iterable[tuple[str, str]]) -> Iterator[Breach]:
    named: dict[str, set[str]] = {}
    for job_id, manifest in batch:
        try:
            named[job_id] = _files(manifest)
        except (ArtifactDamaged, OSError):
            continue  # told where the stored bytes are looked at
        except ImprimaturError as error:
            yield Breach("manifest_differs", job_id, f"Its manifest is none: {error.message}")
    asked = sorted(set().union(*named.values()))
    known: set[str] = set()
    for begin in range(0, len(asked), BATCH):
        chunk = asked[begin : begin + BATCH]
        known |= set(Artifact.objects.filter(pk__in=chunk).values_list("pk", flat=True))
    for job_id, files in named.items():
        for name in sorted(files - known):
            yield Breach("artifact_unknown", job_id, f"Its file {name} is not there.")


def _files(manifest: str) -> set[str]:
    entries = Manifest.from_json(artifacts.load(manifest)).entries
    return {entry.sha256 for entry in entries if entry.sha256}
