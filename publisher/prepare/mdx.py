"""The MDX gate: what would break the site's build or run there, with what to write instead."""

import json
import re
from collections.abc import Sequence

from publisher.domain.findings import Finding, Severity
from publisher.prepare.frontmatter_read import split
from publisher.prepare.mdx_scan import FENCE_IT, Place, doubted, scan, short
from publisher.processes.limited import Limits, run_limited

MAX_FINDINGS = 200
_CHILD = "publisher.prepare.mdx_child"
_LIMITS = Limits(memory_bytes=1024**3, cpu_seconds=8, deadline_seconds=10.0)
_POSITION = re.compile(r"(?P<line>\d+):(?P<column>\d+): (?P<message>.*)", re.DOTALL)
_PLACE_IN_WORDS = re.compile(r" \(\d+:\d+\)")
_RULE_OF_PARSER = re.compile(r" \([a-z\-]+:[a-z\-]+\)$")
# Text without these is plain Markdown for MDX too; deep quotes are in, since builders break on them.
_SIGNIFICANT = re.compile(r"[<{]|^(?:import|export)\b|^(?:[ \t]*>){50}", re.MULTILINE)
_LARGE = 256 * 1024
_LINE_END = re.compile(r"\r\n?")


def check(path: str, text: str) -> list[Finding]:
    """Findings of an ``.mdx`` file; any other file is plain Markdown and has none.

    The text is scanned for what is not MDX or would run as code, and then, with all proposals
    put in, given to a real parser in a limited child process. ``import``, ``export`` and
    ``{expression}`` are refused, except comments, simple literals and values of attributes.
    What the scan takes for plain text is believed only once the parser takes it for that too.
    A parser takes seconds for megabytes, so large texts without any sign of MDX are not given to it.
    """
    if not path.lower().endswith(".mdx"):
        return []
    document = split(text.encode())
    body, first_line = _LINE_END.sub("\n", document.body.decode()), document.body_line
    places, is_whole = _places(body)
    findings = _findings(path, body, places, first_line)
    if not is_whole or (len(body) > _LARGE and not _SIGNIFICANT.search(body)):
        return findings
    problem = _parse(path, _fixed(body, places), first_line, has_columns=not places)
    return [*findings, problem] if problem else findings


def proposal(text: str) -> str:
    """The text with every proposal of the gate put in; front matter stays as it is.

    What begins like code of the site stays, too: only a person can say whether it is a sentence.
    """
    document = split(text.encode())
    body = document.body.decode()
    head = text[: len(text) - len(body)]
    return head + _fixed(body, [place for place in scan(body) if place.rule != "mdx_esm"])


def _places(body: str) -> tuple[list[Place], bool]:
    """What is to be told, and whether it is all that blocks; warnings take no room from that."""
    places = []
    room = {True: MAX_FINDINGS, False: MAX_FINDINGS}
    for place in scan(body):
        if room[place.is_blocking]:
            room[place.is_blocking] -= 1
            places.append(place)
        elif place.is_blocking:
            return places, False
    return places, True


def _findings(path: str, body: str, places: Sequence[Place], first_line: int) -> list[Finding]:
    findings = []
    line, counted = first_line, 0
    for place in places:
        line += body.count("\n", counted, place.start)
        counted = place.start
        findings.append(
            Finding(
                Severity.BLOCK if place.is_blocking else Severity.WARN,
                path,
                line,
                place.rule,
                place.message,
                place.advice,
                column=place.start - body.rfind("\n", 0, place.start),
            )
        )
    return findings


def _fixed(body: str, places: Sequence[Place]) -> str:
    pieces, kept = [], 0
    for place in places:
        pieces += [body[kept : place.start], place.instead]
        kept = place.end
    return "".join(pieces) + body[kept:]


def _parse(path: str, text: str, first_line: int, *, has_columns: bool) -> Finding | None:
    """What the parser says once the proposals are in; None when it is content and runs nothing.

    Proposals shift what stands behind them in a line: no column is better than a wrong one.
    """
    problem = _answer(path, text)
    if isinstance(problem, Finding):
        return problem
    if problem is not None:
        line, column, message = _position(problem, text)
        advice = "Close every tag; write \\{ and \\< for plain signs, or put the text into `code`."
        return _found(
            path, line + first_line - 1, "mdx_syntax", f"MDX: {message}.", advice,
            column=column if has_columns else None,
        )  # fmt: skip
    if (spoiled := doubted(text)) == text:
        return None
    problem = _answer(path, spoiled)
    if problem is None or isinstance(problem, Finding):
        return problem
    line, _, message = _position(problem, spoiled)
    shown = short(text.split("\n")[line - 1])
    if " esm " in message:
        rule, said, advice = "mdx_esm", f"“{shown}” would run as code of the site.", FENCE_IT
    else:
        rule, said = "mdx_expression", f"“{shown}” would run as code."
        advice = "For plain braces write \\{, or put the text into `code`."
    return _found(path, line + first_line - 1, rule, said, advice)


def _answer(path: str, text: str) -> Finding | str | None:
    """The parser's words about a text, None for content, or what became of the parser."""
    outcome = run_limited(_CHILD, text.encode(), limits=_LIMITS)
    if outcome.is_ok:
        answer: str | None = json.loads(outcome.output)
        return answer
    how = "took too long" if outcome.code is None else f"ended with {outcome.code}"
    message = f"The validator died: the MDX parser {how}."
    advice = "The text is nested too deeply or too large for MDX: make it simpler, or use .md."
    return _found(path, None, "mdx_validator_died", message, advice)


def _found(
    path: str, line: int | None, rule: str, message: str, advice: str, *, column: int | None = None
) -> Finding:
    return Finding(Severity.BLOCK, path, line, rule, message, advice, column=column)


def _position(answer: str, text: str) -> tuple[int, int, str]:
    """Line and column (in characters, where the parser counts bytes), and the words alone."""
    found = _POSITION.match(answer)
    if found is None:
        return 1, 1, answer
    number, column = int(found["line"]), int(found["column"])
    lines = text.split("\n", number)
    before = lines[number - 1].encode()[: column - 1] if number <= len(lines) else b""
    words = _PLACE_IN_WORDS.sub("", _RULE_OF_PARSER.sub("", found["message"]))
    return number, len(before.decode(errors="replace")) + 1, words
