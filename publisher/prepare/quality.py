"""The quality gate: what a reader would stumble over. It warns and never blocks."""

import re
from collections.abc import Iterator

from publisher.domain.findings import Finding, Severity
from publisher.prepare.frontmatter_read import split

SHORT = 200
LONG_LINE = 5_000
NEEDS_HEADING = 3_000
_REPEATED = 80
_MOST = 20

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S|<h[1-6]\b")
_PLACEHOLDER = re.compile(
    r"(?i:\blorem ipsum\b)|\bTO-?DO\b(?![-_])|\bFIX"
    r"ME\b|\bTBD\b|\bXXX\b"
    r"|\[(?:insert|your)\b[^\]\n]{0,60}\](?!\()|待补充|待完善|此处填写|占位文字"
)
_CODE_SPAN = re.compile(r"`[^`\n]*`")


def check(path: str, text: str, *, title: str | None) -> list[Finding]:
    """Findings about the whole and about its lines; ``title`` is the one from the front matter."""
    document = split(text.encode(errors="replace"))
    body = document.body.decode()
    return [*_of_whole(path, body, title), *_of_lines(path, body, document.body_line)]


def _of_whole(path: str, body: str, title: str | None) -> Iterator[Finding]:
    if not body.strip():
        yield _warn(path, None, "empty_body", "There is no text.", "Write the article.")
        return
    if not (title or "").strip() and not re.match(r"\s*#[ \t]+\S", body):
        yield _warn(path, 1, "no_title", "There is no title.", "Add a title to the front matter.")
    letters = sum(map(len, body.split()))
    has_heading = any(_HEADING.match(line) for line in body.splitlines())
    if letters > NEEDS_HEADING and not has_heading:
        advice = "Divide the text by headings (## …)."
        yield Finding(
            Severity.INFO, path, None, "no_heading", "A long text has no heading.", advice
        )
    if letters < SHORT:
        message = f"The text is very short ({letters} characters)."
        yield Finding(
            Severity.INFO, path, None, "very_short", message, "Check that nothing is missing."
        )


def _of_lines(path: str, body: str, first_line: int) -> list[Finding]:
    findings: list[Finding] = []
    seen: dict[str, int] = {}
    fence, fence_line = "", 0
    for number, line in enumerate(body.split("\n"), start=first_line):
        mark = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if mark and not fence:
            fence, fence_line = mark[1], number
        elif mark and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
        elif not fence and len(findings) < _MOST:
            findings += _of_line(path, line, number, seen)
    if fence:
        message = "This code block is never closed; all that follows is shown as code."
        findings.append(
            _warn(path, fence_line, "open_fence", message, f"Close it by a line {fence}.")
        )
    return findings


def _of_line(path: str, line: str, number: int, seen: dict[str, int]) -> Iterator[Finding]:
    if len(line) > LONG_LINE:
        message = f"This line has {len(line)} characters."
        advice = "Break it into paragraphs: differences in it are hard to review."
        yield _warn(path, number, "long_line", message, advice)
    bare = line.strip()
    found = _PLACEHOLDER.search(_CODE_SPAN.sub("", line[:LONG_LINE]))
    if found is not None:
        message = f"“{found[0]}” reads like a placeholder."
        yield _warn(path, number, "placeholder", message, "Write what belongs there.")
    if len(bare) >= _REPEATED and not bare.startswith(("|", "<", "[", "!")):
        first = seen.setdefault(bare, number)
        if first != number:
            message = f"This paragraph stands in line {first} already."
            yield _warn(path, number, "repeated_paragraph", message, "Delete one of the two.")


def _warn(path: str, line: int | None, rule: str, message: str, advice: str) -> Finding:
    return Finding(Severity.WARN, path, line, rule, message, advice)
