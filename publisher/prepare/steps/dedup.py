"""dedup: is this new, a new version of one article, or said already? With the evidence."""

from publisher import artifacts
from publisher.domain.errors import LockBusy
from publisher.domain.findings import Finding, Severity
from publisher.domain.globs import match_glob
from publisher.domain.material import head_of
from publisher.models import Article
from publisher.ports import Change
from publisher.prepare import index
from publisher.prepare.context import Context, StepResult
from publisher.prepare.dedup import Candidate, Sketch, Verdict, judge

MOST_READ = 1000
"""So many articles are read here in a second or two; the index, which does so once, is waited for."""


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
    texts = [artifacts.load_text(item["artifact"]) for item in context.inputs["sources"]]
    lines = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
    # Behind an empty line a rule opens no front matter.
    return "".join(f"\n\n{text.removeprefix(head_of(text))}" for text in lines)


def _candidates(context: Context, text: str) -> list[Candidate]:
    """The articles of the base that come into question, without the one that is to be changed.

    The index helps to find them and decides nothing, since it may stand at another commit: what
    came between it and the base is read as well, and what the base lacks is left out.
    """
    target, read = context.job.target_path, context.repository.read
    between = {change.path: change.new_blob for change in _between(context)}
    found = [
        index.candidate(path, read(blob))
        for path, blob in sorted(between.items())
        if blob is not None and path != target
    ]
    near = index.nearest(context.job.site, text)
    return found + _held(context, [row for row in near if row.path not in {target, *between}])


def _between(context: Context) -> list[Change]:
    """Articles that are new or other at the base than where the index stands.

    Where the index is ahead there are none: what it lacks by now is gone from the site. Where the
    base is of a rewritten history, and the index stands in the one before, they are what differs.
    """
    site, base = context.job.site, context.base
    if not site.indexed_commit:
        raise LockBusy("The site's articles are being listed anew. It goes on once they are.")
    if _index_is_enough(context, site.indexed_commit):
        return []
    found = [
        change
        for change in context.repository.changes(site.indexed_commit, base)
        if change.new_blob is not None
        and change.is_file
        and match_glob(site.articles, change.path)
        and index.fits(change.path)
    ]
    if len(found) > MOST_READ:
        raise LockBusy(
            f"{len(found)} articles came to the site and are not listed yet. It goes on once they are."
        )
    return found


def _index_is_enough(context: Context, indexed: str) -> bool:
    """Whether the index stands at the base or beyond, at what this clone lacks, or never comes there.

    A base that was pinned before the history was rewritten is never listed: what only it holds is
    not on the site, and what is there is judged before the push.
    """
    repository, base, tip = context.repository, context.base, context.repository.tip()
    if indexed == base or not repository.resolves(indexed):
        return True
    has_left = tip is None or not repository.is_ancestor(base, tip)
    return has_left or repository.is_ancestor(base, indexed)


def _held(context: Context, rows: list[Article]) -> list[Candidate]:
    """The rows' articles as the base holds them."""
    repository, base = context.repository, context.base
    entries = repository.entries(base, [row.path for row in rows])
    found = []
    for row in rows:
        entry = entries[row.path]
        if entry is not None and entry.blob == row.blob:
            text = repository.read(row.blob).decode("utf-8", "replace")
            sketch = Sketch.from_bytes(bytes(row.sketch))
            found.append(Candidate(row.path, row.title, sketch, text))
        elif (data := repository.read_path(base, row.path)) is not None:
            found.append(index.candidate(row.path, data))
    return found


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
