"""The gates: quality, secrets, front matter with MDX; each returns findings and changes nothing."""

from dataclasses import replace

from publisher import artifacts, envelopes
from publisher.domain.findings import Finding, Severity
from publisher.models.revision import taken_out
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
    """What was redacted at the door blocks this revision; the rest is scanned once more."""
    taken: dict[str, set[str]] = {path: set() for path in context.files}
    for entry in taken_out(context.inputs, context.job):
        taken.setdefault(entry["path"], set()).add(entry["rule"])
    texts = {path: data.decode("utf-8", "replace") for path, data in context.texts()}
    findings: list[Finding] = []
    for path, rules in sorted(taken.items()):
        public = _public(context, path) if path in texts else []
        findings += secrets.check(path, texts.get(path, ""), public=public, taken=rules)
    return _result(findings)


def _public(context: Context, path: str) -> list[str]:
    """What readers see at a path, or saw before what is taken back."""
    held = [context.outputs["draft"]["bases"].get(path)]
    if context.job.compensates is not None:
        held.append(envelopes.bases_of(context.job.compensates).get(path))
    return [artifacts.load_text(name) for name in held if name]


def frontmatter_gate(context: Context) -> StepResult:
    """Front matter that does not parse or lacks what the site requires; MDX that breaks the build."""
    required = context.job.site.required_front_matter
    findings: list[Finding] = []
    for path, data in context.texts():
        if not context.is_article(path):
            continue
        findings += frontmatter.check(path, data, required=required)
        findings += mdx.check(path, data.decode("utf-8", "replace"))
    return _result(findings)


def _result(findings: list[Finding]) -> StepResult:
    blocks = sum(finding.severity is Severity.BLOCK for finding in findings)
    return StepResult(
        outputs={"findings": len(findings), "blocks": blocks}, findings=tuple(findings)
    )
