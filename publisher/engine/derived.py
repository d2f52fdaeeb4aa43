"""Derived files follow the tip: the fonts are cut again for all articles there and this one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from publisher import artifacts, envelopes
from publisher.artifacts import Kept
from publisher.domain.errors import ImprimaturError
from publisher.domain.globs import match_glob
from publisher.domain.manifest import Entry, Manifest
from publisher.domain.paths import folders
from publisher.domain.states import Event, State
from publisher.engine import effects
from publisher.engine.run import Run
from publisher.models import Job
from publisher.models.step import StepState
from publisher.prepare import fonts, glyphs


class Followed(StrEnum):
    """What the job's derived files are now, as far as one tip is concerned."""

    AS_THEY_WERE = "as they were"
    REBUILT = "rebuilt"
    STUCK = "stuck"  # the job went to people


class InTheWay(ImprimaturError):
    """Something at the tip stands where a derived file belongs."""

    code = "derived_in_the_way"


def follow(run: Run, tip: str, *, ahead: Sequence[Job] = ()) -> Followed:
    """Make the manifest's derived entries those for ``tip``; call it before building a commit there.

    ``ahead`` are the jobs whose commits stand between the tip and this one, in one push.

    People approved the content entries and how the rest is made of them, so that a rebuild asks
    nobody: the payload hash and the binding hash stay, the manifest hash changes. When it cannot
    be done the job goes to REVIEW, and neither the article nor the fonts leave.
    """
    place = (tip, *(job.pk for job in ahead))
    if not run.job.site.fonts or run.fields.get("followed") == place:
        return Followed.AS_THEY_WERE
    try:
        manifest = envelopes.manifest_of(run.job)
        made = _made_for(run, manifest, tip, [envelopes.manifest_of(job) for job in ahead])
        if made is not None:
            _keep(run, manifest, *made, tip)
    except (fonts.FontUnusable, InTheWay) as trouble:
        if run.state is State.LOCAL_COMMITTING:
            # No move leads from here to people; it is tried once more from where one does.
            raise
        _ask_people(run, trouble, tip)
        return Followed.STUCK
    run.fields["followed"] = place
    return Followed.AS_THEY_WERE if made is None else Followed.REBUILT


def _made_for(
    run: Run, manifest: Manifest, tip: str, ahead: Sequence[Manifest]
) -> tuple[bytes, str] | None:
    """The fonts for all articles there and this one, and how they were made; None: as they are."""
    site = run.job.site
    entry = manifest.get(site.fonts)
    if entry is None or entry.kind != "derived" or entry.sha256 is None:
        return None
    _require_room(run, tip, entry.path)
    source = fonts.source(site.font_source)
    used = _used(run, (*ahead, manifest), tip)
    if fonts.drawn(artifacts.load(entry.sha256)) == used & source.drawn:
        return None
    return source.subset(used), source.config


def _used(run: Run, manifests: Sequence[Manifest], tip: str) -> frozenset[int]:
    """Jobs of one push touch no path of each other."""
    job = run.job
    payload = [entry for manifest in manifests for entry in manifest.payload]
    ours = [
        artifacts.load(entry.sha256)
        for entry in payload
        if entry.sha256
        and (entry.path == job.target_path or match_glob(job.site.articles, entry.path))
    ]
    replaced = {entry.path for entry in payload}
    return glyphs.union(run.repository, job.site, tip, ours=ours, replaced=replaced)


def _require_room(run: Run, tip: str, path: str) -> None:
    """A link or a folder at the path, or a file where its folder belongs, is never written over."""
    above = folders(path)
    for place, entry in run.repository.entries(tip, [path, *above]).items():
        fits = entry is None or (
            entry.mode == "040000" if place in above else entry.mode.startswith("100")
        )
        if not fits:
            raise InTheWay(f"The fonts cannot be written: something else stands at {place}.")


def _keep(run: Run, manifest: Manifest, data: bytes, config: str, tip: str) -> None:
    """Name the new manifest on the job's row. A commit is built only from what is recorded."""
    path = run.job.site.fonts
    name = artifacts.write(data)
    stored = {name: Kept(len(data), "font")}
    entries = [
        replace(entry, sha256=name, size=len(data)) if entry.path == path else entry
        for entry in manifest.entries
    ]
    made = Manifest(tuple[Entry, ...](entries))
    document = made.to_json()
    artifact = artifacts.write(document)
    stored[artifact] = Kept(len(document), "manifest")

    def guard(fresh: Job) -> Mapping[str, Any]:
        artifacts.register(stored, run.now())
        _bind_tools(fresh, config)
        return {"manifest_hash": made.manifest_hash, "manifest_artifact": artifact}

    run.note(
        "fonts_rebuilt", guard=guard, tip=tip, path=path, manifest=made.manifest_hash,
        replaces=manifest.manifest_hash,
    )  # fmt: skip


def _bind_tools(fresh: Job, config: str) -> None:
    """Another font file or tool than people approved changes the envelope: the fence asks them anew."""
    step = fresh.steps.get(revision=fresh.revision, name="fonts", state=StepState.SUCCEEDED.value)
    if step.outputs["config_hash"] != config:
        step.outputs = {**step.outputs, "config_hash": config}
        step.save(update_fields=["outputs"])


def _ask_people(run: Run, trouble: ImprimaturError, tip: str) -> None:
    run.record(
        Event.REFUSE,
        guard=effects.absent(run, effects.left(tip), tip=tip),
        reason=trouble.message,
        changes={
            "failure_class": "NEEDS_HUMAN",
            "failure_code": "fonts",
            "failure_message": trouble.message,
        },
        code="fonts",
    )
