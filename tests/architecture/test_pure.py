"""What a step computes comes from its inputs: it asks for no time, chance, machine or network."""

from pathlib import Path

import pytest
from django.conf import settings

from tests.support import pure

ROOT = Path(__file__).resolve().parents[2]
CLOCK = "the clock that it was given, for the rows that it writes and not for what they say"
OWN_FOLDER = "the manifest is written into the job's workspace and read back from there"
LIMITED = "MDX is parsed in a child with little memory and time: a text that needs more is refused"
EXCEPTIONS = {
    "publisher.prepare.checkpoints asks self._run.now": CLOCK,
    "publisher.prepare.pipeline asks run.now": CLOCK,
    "publisher.prepare.steps.collect asks context.now": CLOCK,
    "publisher.prepare.steps.manifest asks os": OWN_FOLDER,
    "publisher.prepare.steps.manifest asks (root / entry.path).read_bytes": OWN_FOLDER,
    "publisher.prepare.mdx asks publisher.processes.limited": LIMITED,
    "publisher.prepare.mdx asks publisher.processes.limited.Limits": LIMITED,
    "publisher.prepare.mdx asks publisher.processes.limited.run_limited": LIMITED,
    "publisher.prepare.fonts asks Path(path).read_bytes": (
        "a site's font file: its hash goes into the result, and another one at delivery is asked about"
    ),
    "publisher.prepare.fonts asks hash()": "a key of the cache in this process",
}
"""Every question that what computes asks beside its inputs, and why it may."""
NO_INPUT = {
    "pk": "which site it is",
    "fetched_at": "whether to fetch first; the base that is found is kept",
    "head": "whether to fetch first; the base that is found is kept",
    "last_error": "whether to fetch first; the base that is found is kept",
    "indexed_commit": "where to find the base's articles; the base alone says which there are",
}
"""What prepare reads of a site beside its settings, and why no step's result depends on it."""
PLANTED = [
    ("prepare/x.py", "import time\n"),
    ("prepare/steps/x.py", "from random import random\n"),
    ("prepare/x.py", "from uuid import uuid4\n"),
    ("prepare/x.py", "import uuid\nKEY = uuid.uuid4()\n"),
    ("domain/x.py", "from datetime import datetime\nNOW = datetime.now()\n"),
    ("domain/x.py", "import os\nHOME = os.environ['HOME']\n"),
    ("domain/x.py", "import secrets\n"),
    ("domain/x.py", "import socket\n"),
    ("adapters/providers/x.py", "from urllib.request import urlopen\n"),
    ("prepare/x.py", "from django.conf import settings\n"),
    ("prepare/x.py", "from django.utils import timezone\n"),
    ("prepare/x.py", "from publisher import clock\n"),
    ("prepare/x.py", "def read(path: str) -> str:\n    return open(path).read()\n"),
]


def test_what_computes_asks_for_nothing_but_its_inputs() -> None:
    assert set(pure.questions(ROOT)) == set(EXCEPTIONS)


@pytest.mark.parametrize(("path", "text"), PLANTED)
def test_a_planted_question_is_found(tmp_path: Path, path: str, text: str) -> None:
    planted = tmp_path / "publisher" / path
    planted.parent.mkdir(parents=True)
    planted.write_text(text)
    assert list(pure.questions(tmp_path)) != []


def test_each_setting_of_a_site_that_a_step_reads_is_in_its_inputs_hash() -> None:
    read = set(pure.columns_read(ROOT)) - set(NO_INPUT)
    assert read == set(pure.columns_read(ROOT, inside="_input_hash"))


def test_the_time_zone_is_pinned() -> None:
    assert (settings.TIME_ZONE, settings.USE_TZ) == ("UTC", True)
