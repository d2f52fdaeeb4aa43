"""``manage.py record-published``: record what an older database forgot, after a look at the remote."""

from typing import Any

from publisher import wiring
from publisher.engine import restored
from publisher.journal import Who
from publisher.management.acts import ActCommand
from publisher.models import Job


class Command(ActCommand):
    """Exit 5 when the remote does not hold it, in words that say what was looked at."""

    help = (
        "After a restored backup: record a job in review as published, if the remote holds its "
        "commit. Looks at the remote now, and sends nothing."
    )
    needs_reason = True

    def act(self, job: Job, caller: Who, options: dict[str, Any]) -> Job:
        """Look, and record."""
        restored.record(job, ports=wiring.ports(), who=caller, reason=options["reason"])
        return job
