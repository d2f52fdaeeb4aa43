"""``manage.py state_diagram``: write or check ``docs/state_machine.md``."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from publisher.management.diagram import page


class Command(BaseCommand):
    """With --check, exit 1 when the page is out of date."""

    help = "Write docs/state_machine.md from the state table, or check it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Write or check."""
        parser.add_argument("--check", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare or write."""
        path = settings.BASE_DIR / "docs" / "state_machine.md"
        text = page()
        if not options["check"]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            self.stdout.write(f"Wrote {path.name}.")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            self.stderr.write("docs/state_machine.md is out of date. Run state_diagram.")
            sys.exit(1)
