"""A program for a race: a queue that redelivers after a moment, and a provider that takes longer.

Leaves in ``marks`` below the data folder: ``call-N`` for each call of the provider, ``begun-N`` and
``ended-N`` for each delivery of a job, the latter with whether there was something to do. The
provider answers once ``go`` is there.
"""

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "publisher.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django_q.cluster import Cluster  # noqa: E402
from django_q.conf import Conf  # noqa: E402

from publisher import wiring  # noqa: E402
from publisher.adapters.providers.standin import StandIn  # noqa: E402
from publisher.engine import worker  # noqa: E402
from publisher.ports import DraftResult, Source  # noqa: E402
from tests.support.waiting import until  # noqa: E402

RETRY_SECONDS = 2
MARKS = Path(settings.DATA_DIR) / "marks"
_advance = worker.advance


def mark(name: str, text: str = "") -> None:
    """Leave the next numbered mark of this name; complete as soon as it can be seen."""
    number = len(list(MARKS.glob(f"{name}-*")))
    hidden = MARKS / f".{name}-{os.getpid()}"
    hidden.write_text(text)
    hidden.rename(MARKS / f"{name}-{number}")


class Slow(StandIn):
    """Answers when it is allowed to."""

    def draft(
        self, sources: Sequence[Source], *, topic: str | None, title: str | None
    ) -> DraftResult:
        """The stand-in's draft, late."""
        mark("call")
        until((MARKS / "go").exists, seconds=90, what="leave to answer")
        return super().draft(sources, topic=topic, title=title)


def advance(job_id: str, **options: Any) -> bool:
    """The worker's own, between two marks."""
    mark("begun")
    done = _advance(job_id, **options)
    mark("ended", str(done))
    return done


def main() -> None:
    """Run the cluster until SIGTERM."""
    MARKS.mkdir(exist_ok=True)
    Conf.RETRY = RETRY_SECONDS
    with mock.patch.object(wiring, "StandIn", Slow), mock.patch.object(worker, "advance", advance):
        Cluster().start()
        signal.pause()


if __name__ == "__main__":
    main()
