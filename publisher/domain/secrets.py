"""Secrets: find credentials in a text and take them out; linear in the text, whatever it holds."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from publisher.domain.secret_rules import RULES, Rule
from publisher.domain.secret_values import looks_drawn
from publisher.domain.trailers import breaks, one_line

_MARK = re.compile(r"\[REDACTED:(?P<rule>[a-z\-]{1,40})\]")


@dataclass(frozen=True, slots=True)
class SecretHit:
    """Where a credential stands (``text[start:end]``, ``line`` from 1), and its rule; no value."""

    rule: str
    start: int
    end: int
    line: int


def scan_secrets(text: str) -> list[SecretHit]:
    """Credentials in the text, in order and without overlaps.

    Anchors are found by plain search and a pattern is tried only there, so that a hostile
    text costs what its length costs.
    """
    return _hits(text, sorted(_spans(text)))


def scan_parted(text: str, known: Collection[str] = ()) -> list[SecretHit]:
    """The same with those that a line break parts from the word that tells them, where they stand.

    The word on another line may speak of something else ("the password:" and a list of steps), so
    that there the value must look like a secret by itself. Those that are ``known`` are left out.
    """
    spans = sorted(_spans(text))
    taken = _joined(spans)
    for start, end, rule in _parted_spans(text):
        at = bisect_left(taken, (end,))
        if at == 0 or taken[at - 1][1] <= start:  # else it is told already, by narrower borders
            spans.append((start, end, rule))
    hits = _hits(text, sorted(spans))
    return [hit for hit in hits if text[hit.start : hit.end] not in known] if known else hits


def credentials_in(text: str) -> set[str]:
    """The credentials themselves, to know them again elsewhere; never to be stored."""
    return {text[hit.start : hit.end] for hit in scan_parted(text)}


def marks_in(text: str) -> list[SecretHit]:
    """The marks that stand for credentials which were taken out."""
    return _hits(text, [(*mark.span(), mark["rule"]) for mark in _MARK.finditer(text)])


def _parted_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """What the text shows once its breaks are spaces, by its places in the text itself."""
    pieces: list[str] = []
    starts, origins = [0], [0]
    length = kept = 0
    for start, end in breaks(text):
        pieces += (text[kept:start], " ")
        length += start - kept + 1
        starts.append(length)
        origins.append(end)
        kept = end
    if not pieces:
        return

    def line_of(place: int) -> int:
        return bisect_right(starts, place) - 1

    for rule, match in _matches("".join(pieces) + text[kept:]):
        start, end = _hidden(match)
        first, last = line_of(start), line_of(end - 1)
        if rule.is_told and line_of(match.start()) < last and not looks_drawn(_value(match)):
            continue
        if rule.name == "cookie" and first < last:  # its further parts are those of its line
            stop = origins[first] + starts[first + 1] - 1 - starts[first]
        else:
            stop = origins[last] + end - starts[last]
        yield origins[first] + start - starts[first], stop, rule.name


def _hits(text: str, spans: list[tuple[int, int, str]]) -> list[SecretHit]:
    hits: list[SecretHit] = []
    line, counted = 1, 0
    for start, end, rule in _joined(spans):
        line += text.count("\n", counted, start)
        counted = start
        hits.append(SecretHit(rule, start, end, line))
    return hits


def scrub_text(text: str) -> str:
    """The text with each credential replaced by ``[REDACTED:rule]``; stable when done twice."""
    return _scrubbed(text, scan_secrets)


def scrub_parted(text: str, known: Collection[str] = ()) -> str:
    """The same, with those that a line break parts from the word that tells them; not the ``known``."""
    return _scrubbed(text, partial(scan_parted, known=known))


def _scrubbed(text: str, scan: Callable[[str], list[SecretHit]]) -> str:
    while hits := scan(text):
        # Taking one out can bare the next one, which had no border before: look until none is left.
        pieces: list[str] = []
        kept = 0
        for hit in hits:
            pieces += (text[kept : hit.start], f"[REDACTED:{hit.rule}]")
            kept = hit.end
        text = "".join(pieces) + text[kept:]
    return text


def scrub_line(text: str, limit: int = 200) -> str:
    """The text as one line of at most ``limit`` characters, and no credential in it.

    A line break can part a credential from the word that tells it, and folding joins the two again:
    so it is looked for before and after.
    """
    line = scrub_text(_folded(scrub_text(text)))
    while (cut := one_line(line, limit)) != line:
        line = scrub_text(cut)
    return line


def rules_in(text: str, known: Collection[str] = ()) -> set[str]:
    """The rules of what ``scrub_parted`` takes out."""
    return {hit.rule for hit in scan_parted(text, known)}


def scrub_keyed(values: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """JSON values by their keys without their secrets, and the rules of what was taken out.

    A text is looked at alone and as it is written into a file, where its key may tell what it is:
    ``api_key: "text"``. What only the key tells is taken out whole.
    """
    rules: set[str] = set()

    def scrubbed(key: str, text: str) -> str:
        clean = scrub_parted(text)
        told = rules_in(f'{key}: "{clean}"') | rules_in(f"{key}: {clean}")
        rules.update(rules_in(text), told)
        return f"[REDACTED:{min(told)}]" if told else clean

    clean = {
        scrubbed("", key): scrub_value(value, text=partial(scrubbed, key))
        for key, value in values.items()
    }
    return clean, rules


def _folded(text: str) -> str:
    return one_line(text, limit=len(text))


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    for rule, match in _matches(text):
        yield *_hidden(match), rule.name


def _matches(text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
    # Only U+0130 grows when lower-cased; without it both texts share their indexes.
    folded = text.replace("\u0130", "i").lower()
    for rule in RULES:
        haystack = folded if rule.is_folded else text
        for anchor in rule.anchors:
            if anchor in haystack:  # nearly never, and a call for each would be dear
                yield from _matches_of(rule, anchor, haystack, text)


def _matches_of(
    rule: Rule, anchor: str, haystack: str, text: str
) -> Iterator[tuple[Rule, re.Match[str]]]:
    position = haystack.find(anchor)
    while position >= 0:
        match = rule.pattern.match(text, position)
        following = position + len(anchor)
        if match is not None:
            # What was looked at once is not looked at again, accepted or not: this keeps it linear.
            following = max(following, match.end())
            if rule.accepts is None or rule.accepts(match):
                start, end = _hidden(match)
                if not _MARK.fullmatch(text, start, end) and "[REDACTED:" not in text[start:end]:
                    yield rule, match
        position = haystack.find(anchor, following)


def _hidden(match: re.Match[str]) -> tuple[int, int]:
    for name in ("s", "bare"):
        if name in match.re.groupindex and match[name] is not None:
            return match.span(name)
    return match.span()


def _value(match: re.Match[str]) -> str:
    if "value" in match.re.groupindex:
        return match["value"]
    start, end = _hidden(match)
    return match.string[start:end]


def _joined(spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    joined: list[tuple[int, int, str]] = []
    for start, end, rule in spans:
        if joined and start < joined[-1][1]:
            first, last, name = joined[-1]
            joined[-1] = (first, max(last, end), name)
        else:
            joined.append((start, end, rule))
    return joined


def _as_it_is(value: object) -> object:
    return value


def scrub_value(
    value: Any,
    *,
    text: Callable[[str], str] = scrub_text,
    other: Callable[[object], object] = _as_it_is,
) -> Any:
    """Text of any depth in a JSON value without its secrets; keys too.

    ``text`` scrubs one; ``other`` answers for what is neither text nor a collection.
    """
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return {
            text(str(key)): scrub_value(item, text=text, other=other) for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [scrub_value(item, text=text, other=other) for item in value]
    return other(value)
