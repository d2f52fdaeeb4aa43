"""confirm: is a job's commit in the remote's own history, with both trailers and the very bytes?"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from publisher import artifacts, envelopes, nodes, statements
from publisher.artifacts import sha256_of
from publisher.domain.errors import ArtifactDamaged
from publisher.domain.manifest import Manifest
from publisher.domain.paths import shown
from publisher.domain.states import Event
from publisher.domain.trailers import bare_hex, value
from publisher.models import Effect, Job
from publisher.ports import CommitFacts, Repository

INTENTS = (Event.DELIVER.value, Event.RESUME.value, "effect_intent")
"""The events that tell of an intent, with its manifest."""
_NAMED = 3
"""Foreign paths that a message names."""


class Sighting(StrEnum):
    """What a search of the remote's history found."""

    NONE = "none"
    OURS = "ours"  # both trailers, every byte and nothing else
    FOREIGN = "foreign"  # our id on a commit that is not ours


@dataclass(frozen=True, slots=True)
class Seen:
    """The sighting and the commit it is about."""

    sighting: Sighting
    commit: CommitFacts | None = None
    why: str = ""


def search(repository: Repository, job: Job, tip: str) -> Seen:
    """Look for the job's id among the commits of base..tip of the remote's branch.

    Only the last paragraph's real trailers count, and the tree and what it changes are compared
    with the manifest: whoever may push may also write our trailers, and put files of their own
    beside our bytes (rows R7, R30, R31, invariant I6). A job that came out of a
    backup may have been published before its present base, so all of the history is searched;
    and so it is where nobody here knows the base.
    """
    prefix = job.site.trailer_prefix
    if not job.base_commit:
        return Seen(Sighting.NONE)
    foreign: Seen | None = None
    since = None if nodes.is_from_backup(job) else known_base(repository, job, tip)
    for facts in repository.commits(since, tip):
        if value(facts.trailers, f"{prefix}-Job-Id") != job.pk:
            continue
        why = mismatch(repository, job, facts)
        if not why:
            return Seen(Sighting.OURS, facts)
        foreign = Seen(Sighting.FOREIGN, facts, why)
    return foreign or Seen(Sighting.NONE)


def known_base(repository: Repository, job: Job, tip: str) -> str | None:
    """The job's base; None where a clone that was made anew lost it with a rewritten history."""
    base = job.base_commit
    return base if base == tip or repository.resolves(base) else None


def mismatch(repository: Repository, job: Job, facts: CommitFacts) -> str:
    """Why a commit with our id is not our commit; empty when it is."""
    prefix = job.site.trailer_prefix
    claimed = value(facts.trailers, f"{prefix}-Manifest-Sha256")
    if not _is_present(job, claimed) and not was_announced(job, claimed):
        return "its manifest trailer is not one of ours"
    manifest = manifest_named(job, claimed)
    why = differing(repository, facts.commit, manifest)
    if why or facts.commit == job.local_commit:
        # The id stands for all of the commit, and this one was made of the manifest alone.
        return why
    changes = repository.changes(next(iter(facts.parents), None), facts.commit)
    extra = beside((change.path for change in changes), manifest)
    return f"it also changes {extra}" if extra else ""


def _is_present(job: Job, claimed: str | None) -> bool:
    return bool(job.manifest_hash) and claimed == bare_hex(job.manifest_hash)


def was_announced(job: Job, claimed: str | None) -> bool:
    """Whether an intent of this job names this manifest (64 hex digits).

    An effect's row holds the last intent's; the events tell of those before it, which differ where
    the fonts were rebuilt for another tip.
    """
    if not claimed:
        return False
    known = {intent.manifest_hash for intent in statements.rows(Effect, job_id=job.pk)}
    if claimed in {bare_hex(name) for name in known if name}:
        return True
    told = job.events.filter(event__in=INTENTS).values_list("facts", flat=True)
    return claimed in {bare_hex(facts["manifest"]) for facts in told if facts.get("manifest")}


def manifest_named(job: Job, claimed: str | None) -> Manifest:
    """The manifest that a commit names, if it brings the bytes that people approved; else the present."""
    present = envelopes.manifest_of(job)
    if not claimed or _is_present(job, claimed):
        return present
    try:
        # A manifest is stored under its own hash.
        named = Manifest.from_json(artifacts.load(f"sha256:{claimed}"))
    except ArtifactDamaged:
        return present
    return named if named.payload_hash == present.payload_hash else present


def differing(repository: Repository, commit: str, manifest: Manifest) -> str:
    """The first path whose bytes in this commit are not the manifest's; empty when all are."""
    for entry in manifest.entries:
        data = repository.read_path(commit, entry.path)
        found = None if data is None else sha256_of(data)
        if entry.kind == "absent" and repository.entries(commit, [entry.path])[entry.path] is None:
            continue
        if found != entry.sha256 or entry.kind == "absent":
            return f"its {entry.path} is not the approved one"
    return ""


def beside(changed: Iterable[str], manifest: Manifest) -> str:
    """Which of the changed paths the manifest does not name, for a message; empty when it names all."""
    extra = sorted(set(changed).difference(manifest.paths))
    more = [f"{len(extra) - _NAMED} more"] if len(extra) > _NAMED else []
    return ", ".join([*map(shown, extra[:_NAMED]), *more])
