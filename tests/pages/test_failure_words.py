"""Each code with which the product stops a job has words, and says what a person does about it."""

import re

import pytest

from publisher.adapters.git import runner
from publisher.domain import errors
from publisher.engine import fence
from publisher.prepare import fonts
from reviews.presenters import failures
from tests.support.sentences import ROOT

CODE = re.compile(r'(?:\bcode=|"failure_code": |\.(?:fail|refuse)\(\w+, )"([a-z_]+)"')
EITHER = re.compile(r'\bcode = "([a-z_]+)" if .* else "([a-z_]+)"')
FOLDERS = ("publisher/engine", "publisher/prepare", "reviews/services")
RAISED = (
    errors.ArtifactDamaged, errors.InvalidInput, errors.UnsafePath, fence.OutOfTime,
    fonts.FontUnusable, runner.Interrupted,
)  # fmt: skip


def family(kind: type[errors.ImprimaturError]) -> set[str]:
    return {kind.code}.union(*map(family, kind.__subclasses__()))


def written() -> set[str]:
    """Codes that stand in the source where a job is stopped."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    texts = [path.read_text("utf-8") for path in paths]
    chosen = {code for text in texts for both in EITHER.findall(text) for code in both}
    return chosen | {code for text in texts for code in CODE.findall(text)}


def raised() -> set[str]:
    """Codes of what a worker meets and cannot answer."""
    adapters = family(errors.AdapterError)
    return adapters | {kind.code for kind in RAISED}


def test_the_codes_are_found() -> None:
    assert {"crash_loop", "deadline", "foreign_commit", "fonts", "duplicate"} <= written()


@pytest.mark.parametrize("code", sorted(written() | raised()))
def test_a_code_has_words_and_a_way_on(code: str) -> None:
    reason, what_to_do = failures.of(code)
    assert str(reason)
    assert str(what_to_do)
