"""Each layer imports what its row lists and nothing beside it; the rows are those of the design."""

from pathlib import Path

import pytest

from tests.support import layers

ROOT = Path(__file__).resolve().parents[2]
PLANTED = [
    ("publisher/domain/x.py", "import yaml\n"),
    ("publisher/ports_x.py", "from django.db import models\n"),
    ("publisher/models/x.py", "from publisher.clock import now\n"),
    ("publisher/models/site.py", "from publisher.ports import Ports\n"),
    ("publisher/journal.py", "import requests\n"),
    ("publisher/services/x.py", "from publisher.processes import kernel\n"),
    ("publisher/services/x.py", "import django_q.tasks\n"),
    ("publisher/engine/x.py", "from publisher.processes import kernel\n"),
    ("publisher/engine/x.py", "from fontTools import subset\n"),
    ("publisher/adapters/x.py", "from publisher.services import sites\n"),
    ("publisher/adapters/x.py", "from django.db import connection\n"),
    ("publisher/wiring.py", "from publisher.management import console\n"),
    ("publisher/env.py", "from publisher.models import Job\n"),
    ("publisher/processes/x.py", "from publisher.adapters import clock\n"),
    ("publisher/surprise.py", "from publisher.domain import states\n"),
    ("reviews/models/x.py", "from publisher import journal\n"),
    ("reviews/services/x.py", "from reviews.views import inbox\n"),
    ("reviews/services/x.py", "from publisher.processes import kernel\n"),
    ("reviews/presenters/x.py", "from publisher import artifacts\n"),
    ("reviews/presenters/x.py", "from reviews.services import work\n"),
    ("reviews/views/x.py", "from publisher import leases\n"),
    ("reviews/views/x.py", "import requests\n"),
    ("reviews/surprise.py", "import ninja\n"),
]


def test_each_module_imports_what_its_layer_may() -> None:
    assert layers.beyond_layers(ROOT) == []


def test_each_exception_is_needed() -> None:
    assert layers.idle_exceptions(ROOT) == set()


@pytest.mark.parametrize(("path", "text"), PLANTED)
def test_a_planted_import_is_found(tmp_path: Path, path: str, text: str) -> None:
    planted = tmp_path / path
    planted.parent.mkdir(parents=True)
    planted.write_text(text)
    (found,) = {each.split()[0] for each in layers.beyond_layers(tmp_path)}
    assert found == ".".join(planted.relative_to(tmp_path).with_suffix("").parts)


def test_what_a_row_lists_is_no_breach(tmp_path: Path) -> None:
    allowed = tmp_path / "publisher" / "engine" / "worker.py"
    allowed.parent.mkdir(parents=True)
    allowed.write_text("import json\nimport structlog\nfrom publisher import journal, ports\n")
    assert layers.beyond_layers(tmp_path) == []
