"""collect: pin the base commit, verify the inputs, make the job's own workspace."""

import structlog

from publisher import artifacts, statements
from publisher.domain.errors import RepositoryError, RepositoryUnsafe
from publisher.domain.findings import OF_THE_SITE, Severity
from publisher.engine import roots
from publisher.models import Finding, Site
from publisher.prepare.context import Context, StepResult
from publisher.prepare.steps import taken_back

log = structlog.get_logger(__name__)


def run(context: Context) -> StepResult:
    """The base is the site's tip now, or the pinned one: what was edited, or a conflict settled on."""
    job = context.job
    is_let_go = _is_let_go(context)
    pinned = "" if is_let_go else _still_there(context, job.base_commit)
    base = pinned or taken_back.base(context, _newest(context, anew=is_let_go))
    sources = context.inputs["sources"]
    for source in sources:
        artifacts.load(source["artifact"])
    if context.inputs["content"]:
        artifacts.load(context.inputs["content"])
    context.repository.make_workspace(job.pk, base)
    findings = taken_back.findings(context, base)
    if job.base_commit and not pinned:
        findings += taken_back.missed(context, base)
    return StepResult(
        outputs={"base_commit": base, "sources": sources},
        findings=findings,
        assertions=("inputs verified by hash", "workspace made from the base"),
    )


def _is_let_go(context: Context) -> bool:
    """Whether the pinned base held what alone blocks this revision: people changed the site since."""
    job = context.job
    if not job.base_commit:
        return False
    blocks = Finding.objects.filter(
        step__job=job,
        step__revision=job.revision,
        severity=Severity.BLOCK.value,
        overridden_at__isnull=True,
    )
    rules = set(blocks.values_list("rule", flat=True))
    return bool(rules) and rules <= OF_THE_SITE


def _still_there(context: Context, pinned: str) -> str:
    """The pinned base; "" where there is none, or a rewritten history has it no more.

    Another machine may have seen it first, so the remote is asked, and waited for: what people
    looked at is never exchanged for what happens to lie here.
    """
    if pinned and not context.repository.resolves(pinned):
        _fetch(context)
        return pinned if context.repository.resolves(pinned) else ""
    return pinned


def _newest(context: Context, *, anew: bool) -> str:
    """A short look at the remote, so that the draft starts from what readers see.

    It may fail: what was fetched last is a good base too, since the commit is compared with the
    remote again before anything leaves. A site whose last look failed is not waited for, unless
    a person asks for another look.
    """
    site, job = context.job.site, context.job
    is_old = site.fetched_at is None or site.fetched_at < job.created_at
    # Another machine's fetch brought nothing into the clone that is here.
    if anew or ((is_old or context.repository.tip() != site.head) and not site.last_error):
        try:
            return _fetch(context)
        except RepositoryError as error:
            log.info("prepare_without_fetch", job_id=job.pk, reason=error.message)
            seen = {"last_error": error.message, "last_error_at": context.now()}
            statements.change(Site, {"id": site.pk}, seen)
    tip = context.repository.tip()
    if tip is None:
        raise RepositoryUnsafe("The site's clone has no branch. Check the site.")
    return tip


def _fetch(context: Context) -> str:
    """The remote's tip, kept on the site's row; a site whose repository was replaced is stopped."""
    site = context.job.site
    tip = context.repository.fetch()
    roots.watch(site, context.repository, tip)
    site.head, site.fetched_at = tip, context.now()
    statements.change(Site, {"id": site.pk}, {"head": tip, "fetched_at": site.fetched_at})
    return tip
