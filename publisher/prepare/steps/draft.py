"""draft: the files that the revision proposes, byte for byte, and what they would replace."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from publisher import artifacts
from publisher.domain.findings import Finding, Severity
from publisher.domain.secrets import scrub_line
from publisher.ports import DraftResult, Source
from publisher.prepare import index, mdx
from publisher.prepare.article import render_article
from publisher.prepare.context import Context, StepResult
from publisher.prepare.dedup import share_gone
from publisher.prepare.frontmatter import FrontMatterError, is_bare, set_keys, split
from publisher.prepare.steps import naming, titled
from publisher.prepare.steps.drafted import drafted
from publisher.prepare.steps.places import Places, examine

MUCH_GOES = 0.5
"""From this share of an article on, it is told that its text goes away."""


def run(context: Context) -> StepResult:
    """A ready draft is taken as it is; from sources, the provider writes one."""
    return _ready(context) if context.is_ready_draft else _generated(context)


def _ready(context: Context) -> StepResult:
    inputs, target = context.inputs, context.job.target_path
    files = {item["path"]: item["artifact"] for item in inputs["assets"]}
    removed = list(inputs.get("removed", ()))
    places = examine(context, {target, *files, *removed})
    exists = places.bases[target] is not None
    changes_keys = inputs["set_front_matter"] is not None
    operation = inputs["action"] or ("update" if exists or changes_keys else "create")
    findings = list(places.findings)
    if context.job.compensates_id is None:  # what is back already is no fault of a revert
        findings += _misplaced(target, operation, exists=exists)
    if changes_keys and exists:
        name, trouble = _with_front_matter(context, target, places)
        findings += trouble
        files[target] = name
    elif inputs["content"]:
        files[target], trouble = titled.with_title(context, places.bases[target])
        findings += trouble
    title = context.title or _title(files, places, target)
    return _result(
        context, files=files, target=target, operation=operation, title=title, places=places,
        findings=findings, removed=removed,
    )  # fmt: skip


def _with_front_matter(context: Context, target: str, places: Places) -> tuple[str, list[Finding]]:
    """The base's bytes with only the given keys changed."""
    base = places.bases[target] or ""
    values: Mapping[str, Any] = context.inputs["set_front_matter"]
    try:
        return context.store(set_keys(artifacts.load(base), values), "content"), []
    except FrontMatterError as error:
        return base, [
            Finding(
                severity=Severity.BLOCK,
                path=target,
                line=error.line,
                rule="front_matter",
                message=error.message,
                advice="Mend the article's front matter first.",
            )
        ]


def _misplaced(target: str, operation: str, *, exists: bool) -> list[Finding]:
    if operation == "create" and exists:
        message, rule = f"There is an article at {target} already.", "target_exists"
        advice = "Choose another path, or make it a change of that article."
    elif operation != "create" and not exists:
        message, rule = f"There is no article at {target} to {operation}.", "target_missing"
        advice = "Check the path, or make it a new article."
        if operation == "delete":
            advice = "Nothing is there to remove. Give it up; a new job can name another path."
    else:
        return []
    return [
        Finding(
            severity=Severity.BLOCK, path=target, line=None, rule=rule, message=message,
            advice=advice,
        )
    ]  # fmt: skip


def _title(files: Mapping[str, str], places: Places, target: str) -> str:
    """The article's own title; for a deletion, that of what is deleted."""
    name = files.get(target) or places.bases.get(target)
    return index.title_of(artifacts.load(name)) if name else ""


def _generated(context: Context) -> StepResult:
    job = context.job
    sources = [
        Source(item["id"], artifacts.load_text(item["artifact"]))
        for item in context.inputs["sources"]
    ]
    result = drafted(context, sources, topic=job.topic or None, title=context.title or None)
    named = scrub_line(result.title)
    target = job.target_path or _judged(context)
    trouble: list[Finding] = []
    if not target:
        target, trouble = naming.new_path(context, named, f"{result.title}\n\n{result.body}")
    places = examine(context, {target})
    base = places.bases[target]
    data = _written(context, _fit_for(target, result), base)
    return _result(
        context,
        files={target: context.store(data, "content")},
        target=target,
        operation="create" if base is None else "update",
        title=index.title_of(data) or named,
        places=places,
        findings=[*places.findings, *trouble, *_gone(target, base, data)],
        model=job.provider,
        summary=result.summary,
        language=result.language,
    )


def _judged(context: Context) -> str:
    """The article that this is another version of; an appeal against the judge is an article of its own."""
    verdict = context.outputs["dedup"]["verdict"]
    is_update = verdict["kind"] == "UPDATE" and context.job.appeals_id is None
    return verdict["target"] if is_update else ""


def _gone(target: str, base: str | None, data: bytes) -> list[Finding]:
    """A source may say one part of a long article anew: the draft takes the place of all of it."""
    before = artifacts.load(base).decode("utf-8", "replace") if base else ""
    share = share_gone(before, data.decode("utf-8", "replace"))
    if share < MUCH_GOES:
        return []
    return [
        Finding(
            severity=Severity.WARN,
            path=target,
            line=None,
            rule="much_goes",
            message=f"{round(share * 100)} % of the text of {target} is not in this draft"
            " and would go away.",
            advice="Put back into the draft what shall stay, or reject it and submit it with a path"
            " of its own.",
        )
    ]


def _fit_for(target: str, result: DraftResult) -> DraftResult:
    """In MDX, the signs of plain text are written as such."""
    if not target.lower().endswith(".mdx"):
        return result
    # Behind an empty line a rule opens no front matter.
    return replace(result, body=mdx.proposal(f"\n{result.body}").removeprefix("\n"))


def _written(context: Context, result: DraftResult, base: str | None) -> bytes:
    """The article as a file; one that is there keeps what people wrote into its front matter."""
    present = artifacts.load(base) if base else b""
    if not is_bare(present):
        body = f"\n{result.body}".replace("\n", split(present).newline).encode()
        with suppress(FrontMatterError):  # a head that nobody can read is written anew
            return titled.keep_head(present, body, context.title)
    return render_article(result, date=context.job.created_at.date().isoformat())


def _result(
    context: Context,
    *,
    files: dict[str, str],
    target: str,
    operation: str,
    title: str,
    places: Places,
    findings: list[Finding],
    **provenance: Any,
) -> StepResult:
    return StepResult(
        outputs={
            "files": files,
            "target_path": target,
            "operation": operation,
            "title": title,
            "bases": places.bases,
            "lfs": places.lfs,
            **provenance,
        },
        findings=tuple(findings),
        assertions=("paths checked at the base",),
        stop=any(finding.severity is Severity.BLOCK for finding in places.findings),
    )
