"""The look before any write: fetch, confirm, what arrived, what clashes."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from publisher import artifacts, envelopes, statements
from publisher.artifacts import sha256_of
from publisher.domain.envelope import digest
from publisher.domain.errors import NotYet, RemoteUnreachable
from publisher.domain.globs import match_glob
from publisher.domain.manifest import Manifest
from publisher.domain.paths import folders, twin_key
from publisher.engine import confirm, roots
from publisher.engine.confirm import Seen
from publisher.engine.run import Run
from publisher.models import Delta, Site
from publisher.ports import Change, Repository
from publisher.prepare import lfs


@dataclass(frozen=True, slots=True)
class Clash:
    """One manifest path that somebody else changed: what kind, and where it went or what is like it.

    ``cause`` is the path whose change brought it about, where that is another one.
    """

    path: str
    kind: str
    moved_to: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """What was observed at ``tip``; ``base`` is None where this clone does not know the job's."""

    tip: str
    seen: Seen
    base: str | None = None
    held: dict[str, str | None] = field(default_factory=dict)
    clashes: tuple[Clash, ...] = ()
    is_upstream: bool = False
    raw: str = ""
    """A path that the tip gives to LFS, and whose bytes here are the file itself."""
    fresh_articles: tuple[Change, ...] = ()
    delta: str = ""


def fetch(run: Run) -> str:
    """Fetch under the delivery lock and keep what was seen on the site's row.

    Raises NotYet where the site is stopped: what another repository holds settles no job.
    """
    site = run.job.site
    run.check()
    with run.ports.locks.hold("delivery", site.name):
        try:
            tip = run.repository.fetch()
        except RemoteUnreachable as error:
            note_trouble(site, error.message, run)
            raise
    roots.watch(site, run.repository, tip, built_on=run.job.local_commit)
    seen = {"head": tip, "fetched_at": run.now(), "last_error": ""}
    statements.change(Site, {"id": site.pk}, seen)
    if site.stop_reason:
        raise NotYet(site.stop_reason, until=None)
    run.fetched_tip = tip
    return tip


def note_trouble(site: Site, message: str, run: Run) -> None:
    """What is wrong with a site, for its page."""
    Site.objects.filter(pk=site.pk).update(last_error=message, last_error_at=run.now())


def take(run: Run) -> Look:
    """Fetch, then say what the remote holds as far as this job is concerned."""
    tip = fetch(run)
    return at(run, tip)


def at(run: Run, tip: str) -> Look:
    """The look at a known tip, from local objects alone."""
    job, repository = run.job, run.repository
    seen = confirm.search(repository, job, tip)
    if seen.commit is not None:
        return Look(tip, seen)
    manifest = envelopes.manifest_of(job)
    base = confirm.known_base(repository, job, tip)
    there = held(repository, tip, manifest)
    changes = _changes(run, base, tip, there)
    fresh = _unjudged(run, changes, manifest)
    return Look(
        tip=tip,
        seen=seen,
        base=base,
        held=there,
        clashes=_clashes(run, base, tip, changes, manifest),
        is_upstream=bool(changes)
        and not confirm.differing(repository, tip, Manifest(manifest.payload)),
        raw=_raw(repository, tip, manifest),
        fresh_articles=fresh,
        delta=fingerprint(fresh),
    )


def held(repository: Repository, commit: str, manifest: Manifest) -> dict[str, str | None]:
    """What each approved path holds at a commit: its SHA-256, None where it is absent."""
    found: dict[str, str | None] = {}
    for entry in manifest.payload:
        data = repository.read_path(commit, entry.path)
        found[entry.path] = None if data is None else sha256_of(data)
    return found


def _raw(repository: Repository, tip: str, manifest: Manifest) -> str:
    """The first file, derived ones included, that would lie raw under a path of LFS; "" if none.

    The gate asked that of the base, and whoever changes .gitattributes since changes none of ours.
    """
    written = {entry.path: entry.sha256 for entry in manifest.entries if entry.sha256}
    on_lfs = sorted(repository.lfs_paths(tip, written))
    return next((p for p in on_lfs if not lfs.is_pointer(artifacts.load(written[p]))), "")


def _changes(run: Run, base: str | None, tip: str, there: Mapping[str, str | None]) -> list[Change]:
    """What came since the base.

    Where nobody here knows the base, that is all that the tip holds, but for the job's own paths:
    what those held, the approved envelope tells.
    """
    repository = run.repository
    if base is not None:
        return [] if base == tip else repository.changes(base, tip)
    bases = envelopes.bases_of(run.job)
    found = [change for change in repository.changes(None, tip) if change.path not in there]
    for path, entry in repository.entries(tip, there).items():
        before, now = bases.get(path), there[path]
        if before != now or (entry is not None and now is None):
            blob = entry.blob if entry else None
            found.append(Change(path, before, blob, is_file=now is not None))
    return found


def fingerprint(changes: tuple[Change, ...]) -> str:
    """The delta's name: the changed article paths and their new blobs."""
    if not changes:
        return ""
    return digest([[change.path, change.new_blob] for change in changes])


def _unjudged(run: Run, changes: list[Change], manifest: Manifest) -> tuple[Change, ...]:
    """Articles of others that changed since the base and were not judged for this text (row R25)."""
    ours = set(manifest.paths)
    articles = run.job.site.articles
    judged = {
        (path, blob)
        for delta in statements.rows(Delta, job_id=run.job.pk, revision=run.job.revision)
        for path, blob in delta.evidence
    }
    return tuple(
        change
        for change in sorted(changes, key=lambda change: change.path)
        if change.new_blob is not None
        and change.is_file
        and change.path not in ours
        and (change.path, change.new_blob) not in judged
        and match_glob(articles, change.path)
    )


def _clashes(
    run: Run, base: str | None, tip: str, changes: list[Change], manifest: Manifest
) -> tuple[Clash, ...]:
    # A flipped executable bit changes no byte, and a replay keeps the file's mode.
    changed = {
        change.path: change
        for change in changes
        if change.new_blob != change.old_blob or not change.is_file
    }
    found = [
        _clash(entry.path, changed[entry.path], changes)
        for entry in manifest.payload
        if entry.path in changed
    ]
    found += [
        Clash(entry.path, "directory_moved")
        for entry in manifest.payload
        if entry.path not in changed and _folder_is_gone(run, base, tip, entry.path)
    ]
    for others in (_in_the_way(changes, manifest), _twins(run, base, tip, changes, manifest)):
        known = {clash.path for clash in found}
        found += [clash for clash in others if clash.path not in known]
    return tuple(found)


def _in_the_way(changes: list[Change], manifest: Manifest) -> list[Clash]:
    """What arrived where a folder of ours belongs, or below a path that is a file of ours."""
    arrived = {change.path for change in changes if change.new_blob is not None}
    inside = {folder: path for path in arrived for folder in folders(path)}
    return [
        Clash(entry.path, "in_the_way", cause=cause)
        for entry in manifest.payload
        if entry.sha256
        for cause in [*arrived.intersection(folders(entry.path)), inside.get(entry.path, "")][:1]
        if cause
    ]


def _twins(
    run: Run, base: str | None, tip: str, changes: list[Change], manifest: Manifest
) -> list[Clash]:
    """New paths that some system takes for another one which arrived, down to a folder's name."""
    arrived: dict[str, set[str]] = defaultdict(set)
    for change in changes:
        if change.old_blob is None:
            for step in (*folders(change.path), change.path):
                arrived[twin_key(step)].add(step)
    found = []
    for entry in manifest.payload:
        for step in (*folders(entry.path), entry.path) if entry.sha256 else ():
            like_it = arrived.get(twin_key(step), set()) - {step}
            # What stood side by side at the base was not made by either of the two. Without the
            # base, what stands at the tip already is not made by this one.
            asked = [step, *like_it] if base else [step]
            there = run.repository.entries(base or tip, asked) if like_it else {}
            if like_it and not any(there.values()):
                twin = min(like_it) + entry.path.removeprefix(step)
                found.append(Clash(entry.path, "twin", twin, cause=twin))
                break
    return found


def _clash(path: str, change: Change, changes: list[Change]) -> Clash:
    if change.old_blob is None:
        return Clash(path, "add_add")
    if change.new_blob is not None:
        return Clash(path, "content")
    for other in changes:
        if other.old_blob is None and other.new_blob == change.old_blob:
            return Clash(path, "target_moved", other.path)
    return Clash(path, "modify_delete")


def _folder_is_gone(run: Run, base: str | None, tip: str, path: str) -> bool:
    """A create whose parent folder had files at the base and has none at the tip."""
    chain = folders(path)
    if not chain or base in (None, tip):
        return False
    folder = chain[-1]
    return bool(run.repository.names(base, folder)) and not run.repository.names(tip, folder)
