"""The rules of the house, each kept by the product and each able to find a planted breach."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import rules

ROOT = Path(__file__).resolve().parents[2]
Check = Callable[[Path], list[str]]
LONG_FUNCTION = "def act() -> None:\n" + "    print()\n" * 40

PLANTED: list[tuple[Check, str, str]] = [
    (rules.crossed_layers, "publisher/engine/x.py", "from publisher.adapters import git\n"),
    (rules.crossed_layers, "publisher/prepare/x.py", "import django_q\n"),
    (rules.crossed_layers, "publisher/models/x.py", "from publisher import journal\n"),
    (rules.crossed_layers, "publisher/services/x.py", "from publisher.engine.worker import y\n"),
    (rules.crossed_layers, "publisher/adapters/x.py", "from publisher.models import Job\n"),
    (rules.crossed_layers, "publisher/admin.py", "import reviews.models\n"),
    (rules.crossed_layers, "reviews/models/x.py", "from reviews import services\n"),
    (rules.crossed_layers, "reviews/services/x.py", "import git\n"),
    (rules.crossed_layers, "reviews/presenters/x.py", "from django.db import models\n"),
    (rules.crossed_layers, "reviews/views/x.py", "from publisher import journal\n"),
    (rules.impure_domain, "publisher/domain/x.py", "from django.utils import timezone\n"),
    (rules.impure_domain, "publisher/domain/x.py", "from publisher import ports\n"),
    (rules.wired_elsewhere, "publisher/engine/x.py", "from publisher import wiring\n"),
    (rules.processes_elsewhere, "publisher/prepare/x.py", "import subprocess\n"),
    (rules.processes_elsewhere, "publisher/adapters/git/y.py", "from git import Repo\n"),
    (rules.errors_caught_elsewhere, "reviews/x.py", "try:\n    a()\nexcept Exception:\n    b()\n"),
    (rules.errors_caught_elsewhere, "publisher/engine/x.py", "try:\n    a()\nexcept:\n    b()\n"),
    (rules.environment_elsewhere, "reviews/x.py", "import os\nHOME = os.environ['HOME']\n"),
    (rules.environment_elsewhere, "reviews/x.py", "from os import environ\n"),
    (rules.imports_inside_functions, "reviews/x.py", "def act():\n    import os\n"),
    (rules.long_functions, "reviews/x.py", LONG_FUNCTION),
    (rules.long_files, "publisher/x.py", "\n" * 301),
    (rules.long_files, "tests/x.py", "\n" * 501),
    (rules.long_files, "templates/x.html", "\n" * 151),
    (rules.long_files, "templates/reviews/partials/x.html", "\n" * 61),
    (rules.long_files, "static/x.js", "\n" * 121),
    (rules.long_files, "static/x.css", "\n" * 301),
    (rules.sleeps, "x.py", "import time\ntime.sleep(1)\n"),
    (rules.sleeps, "x.py", "from time import sleep\n"),
    (rules.unsafe_templates, "x.html", "{{ text|safe }}"),
    (rules.unsafe_templates, "x.html", '<p class="a" style="color: red">'),
    (rules.unsafe_templates, "x.html", '<button onclick="act()">'),
    (rules.unsafe_templates, "x.html", "<script>act()</script>"),
    (rules.careless_migrations, "reviews/migrations/0002_auto_20260101.py", ""),
    (rules.careless_migrations, "reviews/migrations/0002_a_and_more.py", ""),
    (rules.careless_migrations, "reviews/migrations/0002_a.py", "field(choices=[])\n"),
    (rules.careless_migrations, "reviews/migrations/0002_a.py", "import reviews.services\n"),
]
KEPT: list[tuple[Check, str]] = [
    (rules.crossed_layers, ""),
    (rules.impure_domain, ""),
    (rules.wired_elsewhere, ""),
    (rules.processes_elsewhere, ""),
    (rules.errors_caught_elsewhere, ""),
    (rules.environment_elsewhere, ""),
    (rules.imports_inside_functions, ""),
    (rules.long_functions, ""),
    (rules.long_files, ""),
    (rules.sleeps, "tests"),
    (rules.unsafe_templates, "templates"),
    (rules.careless_migrations, ""),
]


def name_of(value: object) -> str:
    return getattr(value, "__name__", str(value)[:30])


@pytest.mark.parametrize(("check", "folder"), KEPT, ids=name_of)
def test_the_product_keeps_the_rule(check: Check, folder: str) -> None:
    assert check(ROOT / folder) == []


@pytest.mark.parametrize(("check", "path", "text"), PLANTED, ids=name_of)
def test_the_rule_finds_a_planted_breach(
    tmp_path: Path, check: Check, path: str, text: str
) -> None:
    planted = tmp_path / path
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text(text)
    assert check(tmp_path) != []


def test_what_a_layer_may_import_is_not_called_a_breach(tmp_path: Path) -> None:
    allowed = tmp_path / "publisher" / "engine" / "worker.py"
    allowed.parent.mkdir(parents=True)
    allowed.write_text("import json\nfrom publisher import journal, ports\n")
    for check, folder in KEPT:
        assert check(tmp_path / folder) == []
