"""Places: whether a draft's paths may be written at the base, and what they hold there."""

from collections.abc import Iterable
from dataclasses import dataclass

from publisher.domain.findings import Finding, Severity
from publisher.domain.paths import folders, is_nameable, twins, unnameable_twin
from publisher.domain.secrets import scrub_line
from publisher.ports import TreeEntry
from publisher.prepare.context import Context

REGULAR = ("100644", "100755")
FOLDER = "040000"
LINK = "120000"


@dataclass(frozen=True, slots=True)
class Places:
    """What was found: base bytes' artifacts by path (None where absent), and what blocks."""

    bases: dict[str, str | None]
    lfs: list[str]
    findings: tuple[Finding, ...]


def examine(context: Context, paths: Iterable[str]) -> Places:
    """Look each path up at the base; a link, a twin or a file in the way blocks."""
    wanted = sorted(paths)
    repository, base = context.repository, context.base
    above = {folder for path in wanted for folder in folders(path)}
    entries = repository.entries(base, [*wanted, *sorted(above)])
    bases: dict[str, str | None] = {}
    findings: list[Finding] = []
    for path in wanted:
        entry = entries[path]
        if blocked := _blocked(context, path, entries):
            findings.append(blocked)
            bases[path] = None
        elif entry is None:
            bases[path] = None
        else:
            bases[path] = context.store(repository.read(entry.blob), "base")
    lfs = sorted(repository.lfs_paths(base, wanted))
    return Places(bases, lfs, tuple(findings))


def _blocked(context: Context, path: str, entries: dict[str, TreeEntry | None]) -> Finding | None:
    entry = entries[path]
    if entry is not None and entry.mode not in REGULAR:
        if entry.mode == LINK:
            text = context.repository.read(entry.blob).decode(errors="replace")
            target = scrub_line(text)
            message = f"In the repository {path} is a symbolic link to {target}."
            return _block(path, "path_symlink", message)
        kind = "a folder" if entry.mode == FOLDER else "a submodule"
        return _block(path, "path_symlink", f"{path} is {kind} in the repository.")
    for folder in folders(path):
        above = entries[folder]
        if above is not None and above.mode != FOLDER:
            return _block(path, "path_symlink", f"{folder} is not a folder in the repository.")
    return _twin(context, path, entries) if entry is None else None


def _twin(context: Context, path: str, entries: dict[str, TreeEntry | None]) -> Finding | None:
    """A new name that some systems take for an existing one, at the first level that is new."""
    chain = [*folders(path), path]
    parent = ""
    for step in chain:
        if entries[step] is not None:
            parent = step
            continue
        names = [found.path for found in context.repository.names(context.base, parent)]
        if same := twins(step, names):
            site, way = context.job.site, same[0] + path[len(step) :]
            if not is_nameable(way, roots=(site.articles, site.assets)):
                message = unnameable_twin(same[0], step)
                return _block(path, "path_twin", message, advice="Choose another path.")
            return _block(
                path, "path_twin",
                f"The repository has {same[0]}, which other systems take for {step}.",
            )  # fmt: skip
        return None
    return None


_ADVICE = (
    "Choose another path, or the existing one. Where the site is changed instead, an operator "
    "chooses “Try again now”."
)


def _block(path: str, rule: str, message: str, *, advice: str = _ADVICE) -> Finding:
    return Finding(
        severity=Severity.BLOCK,
        path=path,
        line=None,
        rule=rule,
        message=message,
        advice=advice,
    )
