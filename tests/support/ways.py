"""The lanes' ways by name; ``python -m tests.support.ways`` prints the points that each passes now.

They are what ``publisher/fault_points.py`` lists.
"""

import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import django

if __name__ == "__main__":
    django.setup()

from tests.support.further_ways import drafted_way, rescued_way
from tests.support.live_way import sync_way
from tests.support.matrix import Way, conflict_way, publish_way

WAYS: dict[str, Callable[[Path, str], AbstractContextManager[Way]]] = {
    "publish": publish_way,
    "conflict": conflict_way,
    "external_sync": sync_way,
    "drafted": drafted_way,
    "rescued": rescued_way,
}


if __name__ == "__main__":
    for lane, way_of in WAYS.items():
        with tempfile.TemporaryDirectory() as scratch, way_of(Path(scratch), "") as traced:
            print(f"{lane}:", *traced.points, sep="\n")
