"""collect: pin the base commit, verify the inputs, make the job's own workspace."""

import structlog

from publisher import artifacts, statements
from publisher.domain.errors import RepositoryError, RepositoryUnsafe
from publisher.models import Site
from publisher.prepare.context import Context, StepResult
from publisher.prepare.steps import taken_back

log = structlog.get_logger(__name__)


def run(context: Context) -> StepResult:
    """The base is the site's tip now, or the one that a person settled a conflict on."""
    job = context.job
    base = job.base_commit or taken_back.base(context, _newest(context))
    sources = context.inputs["sources"]
    for source in sources:
        artifacts.load(source["artifact"])
    if context.inputs["content"]:
        artifacts.load(context.inputs["content"])
    context.repository.make_workspace(job.pk, base)
    return StepResult(
        outputs={"base_commit": base, "sources": sources},
        findings=taken_back.findings(context, base),
        assertions=("inputs verified by hash", "workspace made from the base"),
    )


def _newest(context: Context) -> str:
    """A short look at the remote, so that the draft starts from what readers see.

    It may fail: what was fetched last is a good base too, since the commit is compared with the
    remote again before anything leaves. A site whose last look failed is not waited for.
    """
    site, job = context.job.site, context.job
    tip = None
    is_old = site.fetched_at is None or site.fetched_at < job.created_at
    if is_old and not site.last_error:
        try:
            tip = context.repository.fetch()
        except RepositoryError as error:
            log.info("prepare_without_fetch", job_id=job.pk, reason=error.message)
            seen = {"last_error": error.message, "last_error_at": context.now()}
        else:
            seen = {"head": tip, "fetched_at": context.now()}
        statements.change(Site, {"id": site.pk}, seen)
    tip = tip or context.repository.tip()
    if tip is None:
        raise RepositoryUnsafe("The site's clone has no branch. Check the site.")
    return tip
