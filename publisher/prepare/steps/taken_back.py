"""taken_back: the commit that a revert starts from, and what others changed since the publication."""

from collections.abc import Mapping

from publisher import statements
from publisher.artifacts import sha256_of
from publisher.domain.errors import RepositoryError, RepositoryUnsafe
from publisher.domain.findings import Finding, Severity
from publisher.models import Step
from publisher.prepare.context import Context


def base(context: Context, newest: str) -> str:
    """The newest commit while it holds what was published, or already what was there before.

    Else the published commit itself: against that base the look before the push finds who changed
    the path, and people choose between the three versions.
    """
    published = context.job.compensates
    if published is None:
        return newest
    wanted = _published(context), _before(context)
    if any(_differing(context, newest, held) == [] for held in wanted):
        return newest
    if not _is_in_history(context, published.remote_commit, newest):
        raise RepositoryUnsafe(
            "The site's history no longer holds the commit that is to be taken back, "
            "and its files were changed."
        )
    return published.remote_commit


def findings(context: Context, base: str) -> tuple[Finding, ...]:
    """A warning for each path that others changed; nothing for what is no revert."""
    published, newest = context.job.compensates, context.repository.tip()
    if published is None or base != published.remote_commit or newest in (None, base):
        return ()
    return tuple(
        Finding(
            severity=Severity.WARN,
            path=path,
            line=None,
            rule="changed_since",
            message=f"{path} was changed on the site after it was published.",
            advice="Approve only to choose between the versions: the later change is kept safe.",
        )
        for path in _differing(context, newest or base, _published(context))
    )


def missed(context: Context, base: str) -> tuple[Finding, ...]:
    """What others changed since a text was written, where it goes on from another version.

    With the version that it began from, the look before the push would find it.
    """
    job = context.job
    drafts = statements.rows(Step, job_id=job.pk, name="draft")
    before = max(drafts, key=lambda step: step.revision, default=None)
    if before is None or job.compensates is not None or not context.is_ready_draft:
        return ()
    is_rewritten = context.repository.resolves(job.base_commit) and not _is_in_history(
        context, job.base_commit, base
    )
    held = dict(before.outputs["bases"])
    if context.inputs["set_front_matter"] is not None:
        held.pop(job.target_path, None)  # its keys are set in whatever text is there
    advice = "Compare both texts and edit this one: as it is, it would replace theirs."
    if context.inputs["action"] == "delete":
        advice = (
            "Look at what is there now: as it is, this would remove it. Overrule, or give it up."
        )
    return tuple(
        Finding(
            severity=Severity.BLOCK,
            path=path,
            line=None,
            rule="changed_since",
            message=f"{path} was changed on the site, whose history was rewritten meanwhile."
            if is_rewritten
            else f"{path} was changed on the site since this text was written.",
            advice=advice,
        )
        for path in _differing(context, base, held)
    )


def _published(context: Context) -> Mapping[str, str | None]:
    held: Mapping[str, str | None] = context.inputs.get("published", {})
    return held


def _before(context: Context) -> Mapping[str, str | None]:
    inputs = context.inputs
    held: dict[str, str | None] = dict.fromkeys(inputs.get("removed", ()))
    held |= {item["path"]: item["artifact"] for item in inputs["assets"]}
    return {**held, context.job.target_path: inputs["content"]}


def _differing(context: Context, commit: str, held: Mapping[str, str | None]) -> list[str]:
    """Those of the paths that hold other bytes at a commit."""
    found = []
    for path, name in sorted(held.items()):
        data = context.repository.read_path(commit, path)
        if (None if data is None else sha256_of(data)) != name:
            found.append(path)
    return found


def _is_in_history(context: Context, commit: str, tip: str) -> bool:
    try:
        return context.repository.is_ancestor(commit, tip)
    except RepositoryError:
        return False
