"""The documents: what they name exists."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from publisher.domain.states import State
from publisher.env import Environment

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BOOTSTRAP = {"test"}
LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?!https?://|#)([^)#]+)")
COMMAND = re.compile(r"python3 manage\.py ([a-z][a-z_-]*)")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_each_link_to_a_file_leads_somewhere(document: Path) -> None:
    links = LINK.findall(document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_each_command_that_a_document_names_exists(document: Path) -> None:
    named = set(COMMAND.findall(document.read_text()))
    assert named - set(get_commands()) - BOOTSTRAP == set()


def test_the_readme_explains_each_variable_that_the_program_reads() -> None:
    rows = [
        line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| `")
    ]
    explained = {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row.split("|")[1])}
    assert explained == {name.upper() for name in Environment.model_fields}


def test_operations_explains_each_state_of_a_job() -> None:
    text = (ROOT / "docs" / "operations.md").read_text()
    assert [state for state in State if not re.search(rf"\b{state.value}\b", text)] == []
