"""Findings as a reader sees them: what, where, what to do, and whether it can be overruled."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from reviews.presenters import said, words
from reviews.presenters.words import Label


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding; ``is_open`` means that it still blocks."""

    id: int
    label: Label
    message: str
    advice: str
    rule: str
    path: str
    line: int | None
    overridden_by: str
    overridden_why: str
    is_open: bool
    can_override: bool
    is_beyond_overruling: bool
    address: str = ""


def present(findings: list[Any], *, never: frozenset[str], may_override: bool) -> list[FindingView]:
    """All findings, blocking ones first; ``never`` names the rules that nobody may overrule."""
    return [
        FindingView(
            id=row.pk,
            label=words.of(words.SEVERITIES, row.severity),
            message=said.in_words(row.message),
            advice=said.in_words(row.advice),
            rule=row.rule,
            path=row.path,
            line=row.line,
            overridden_by=row.overridden_by,
            overridden_why=row.overridden_why,
            is_open=row.severity == "block" and row.overridden_at is None,
            can_override=may_override
            and row.severity == "block"
            and row.overridden_at is None
            and row.rule not in never,
            is_beyond_overruling=row.rule in never,
        )
        for row in sorted(findings, key=lambda row: row.severity != "block")
    ]


def placed(found: list[FindingView], address: Callable[[FindingView], str]) -> list[FindingView]:
    """The findings with where each is shown in the text; "" for one that is at no line of it."""
    return [replace(one, address=address(one)) for one in found]
