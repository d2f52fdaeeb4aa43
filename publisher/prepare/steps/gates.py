"""The gates: quality, secrets, front matter with MDX; each returns findings and changes nothing."""

from dataclasses import replace

from publisher import artifacts
from publisher.domain.findings import Finding, Severity
from publisher.prepare import frontmatter, hidden, lfs, mdx, quality, secrets
from publisher.prepare.context import Context, StepResult


def quality_gate(context: Context) -> StepResult:
    """Style, hidden characters and large-file paths. A ready draft's style is its author's own."""
    findings: list[Finding] = []
    draft = context.outputs["draft"]
    for path, name in sorted(context.files.items()):
        is_new, on_lfs = name != draft["bases"].get(path), path in draft["lfs"]
        findings += lfs.check(path, artifacts.load(name), lfs=on_lfs, is_new=is_new)
    for path, data in context.texts():
        text = data.decode("utf-8", "replace")
        if path == context.target_path:
            found = quality.check(path, text, title=context.outputs["draft"]["title"] or None)
            findings += _advice_only(found) if context.is_ready_draft else found
        findings += hidden.check(path, text)
    return _result(findings)


def _advice_only(findings: list[Finding]) -> list[Finding]:
    return [
        replace(finding, severity=Severity.WARN) if finding.severity is Severity.BLOCK else finding
        for finding in findings
    ]


def secrets_gate(context: Context) -> StepResult:
    """What was redacted at the door blocks this revision; the rest is scanned once more.

    A credential that the published article already holds is not ours to hide: it is a warning.
    """
    findings = [
        Finding(
            severity=Severity.BLOCK,
            path=context.target_path,
            line=None,
            rule="secret",
            message=f"The submitted text held what looks like a credential ({rule}).",
            advice="It was not stored. Take it out and revoke it, then submit a new revision.",
        )
        for rule in context.inputs["redacted"]
    ]
    bases = context.outputs["draft"]["bases"]
    for path, data in context.texts():
        found = secrets.check(path, data.decode("utf-8", "replace"))
        known = bases.get(path)
        if found and known and secrets.check(path, artifacts.load_text(known)):
            found = [replace(finding, severity=Severity.WARN) for finding in found]
        findings += found
    return _result(findings)


def frontmatter_gate(context: Context) -> StepResult:
    """Front matter that does not parse or lacks what the site requires; MDX that breaks the build."""
    required = context.job.site.required_front_matter
    findings: list[Finding] = []
    for path, data in context.texts():
        if path != context.target_path:
            continue
        findings += frontmatter.check(path, data, required=required)
        findings += mdx.check(path, data.decode("utf-8", "replace"))
    return _result(findings)


def _result(findings: list[Finding]) -> StepResult:
    blocks = sum(finding.severity is Severity.BLOCK for finding in findings)
    return StepResult(
        outputs={"findings": len(findings), "blocks": blocks}, findings=tuple(findings)
    )
