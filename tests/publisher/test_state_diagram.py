"""The page about the state machine says what the table says."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings


def test_the_page_is_up_to_date() -> None:
    call_command("state_diagram", check=True)


def test_a_page_that_differs_is_found(tmp_path: Path) -> None:
    with override_settings(BASE_DIR=tmp_path):
        call_command("state_diagram")
        call_command("state_diagram", check=True)
        page = tmp_path / "docs" / "state_machine.md"
        page.write_text(page.read_text().replace("RECEIVED", "ARRIVED", 1))
        with pytest.raises(SystemExit):
            call_command("state_diagram", check=True)
