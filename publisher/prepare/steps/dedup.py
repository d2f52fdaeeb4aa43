"""dedup: is this new, a new version of one article, or said already? With the evidence."""

from dataclasses import replace

from publisher import artifacts
from publisher.domain.findings import Finding, Severity
from publisher.models import Article
from publisher.prepare import index
from publisher.prepare.context import Context, StepResult
from publisher.prepare.dedup import Candidate, Verdict, judge


def run(context: Context) -> StepResult:
    """A ready draft is never skipped: there the verdict is a finding."""
    text = _text(context)
    if not text:
        return StepResult(outputs={"verdict": {"kind": "NEW", "target": None, "evidence": []}})
    verdict = judge(text, title=context.title or None, candidates=_candidates(context, text))
    outputs = {"verdict": index.evidence_of(verdict)}
    if context.is_ready_draft:
        return StepResult(outputs=outputs, findings=_findings(context, verdict))
    if verdict.kind == "SKIP" and context.job.appeals_id is None:
        return StepResult(
            outputs=outputs, skip=f"{verdict.target} says the same already.", stop=True
        )
    return StepResult(outputs=outputs)


def _text(context: Context) -> str:
    if context.inputs["content"]:
        return artifacts.load_text(context.inputs["content"])
    return "\n\n".join(artifacts.load_text(item["artifact"]) for item in context.inputs["sources"])


def _candidates(context: Context, text: str) -> list[Candidate]:
    """The nearest articles with their texts, without the one that the draft is meant to change."""
    job = context.job
    near = [
        candidate
        for candidate in index.candidates(job.site, text)
        if candidate.path != job.target_path
    ]
    paths = [candidate.path for candidate in near]
    blobs = dict(Article.objects.filter(site=job.site, path__in=paths).values_list("path", "blob"))
    return [
        replace(
            candidate,
            text=context.repository.read(blobs[candidate.path]).decode("utf-8", "replace"),
        )
        for candidate in near
    ]


def _findings(context: Context, verdict: Verdict) -> tuple[Finding, ...]:
    if verdict.kind == "NEW" or verdict.target is None:
        return ()
    said = "says the same" if verdict.kind == "SKIP" else "looks like another version of this"
    return (
        Finding(
            severity=Severity.WARN,
            path=context.job.target_path,
            line=None,
            rule="duplicate",
            message=f"{verdict.target} {said} ({round(verdict.score * 100)} % alike).",
            advice="Compare both, and reject this draft if one of them is enough.",
        ),
    )
