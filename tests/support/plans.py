"""A program that prints, as JSON, how the database would answer each question of the sweep."""

import json
import os
from datetime import UTC, datetime

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "publisher.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Q, QuerySet  # noqa: E402

from publisher.leases import due_rows  # noqa: E402
from publisher.models import Effect, Job, JobEvent, Outbox  # noqa: E402
from reviews.models import Approval  # noqa: E402

NOW = datetime(2026, 5, 3, tzinfo=UTC)


def questions() -> dict[str, QuerySet]:  # type: ignore[type-arg]
    """What the reconcilers ask, by name."""
    return {
        "due": due_rows(NOW).order_by("available_at")[:200],
        "probes": Effect.objects.filter(Q(status="intent") | Q(status="unknown")).order_by(),
        "messages": Outbox.objects.filter(done_at__isnull=True, due_at__lte=NOW).order_by("due_at"),
        "expiry": Approval.objects.filter(status="pending", wait_until__lte=NOW).order_by(
            "wait_until"
        ),
        "seals": JobEvent.objects.filter(pk__gt=1_000).order_by(),
        "visibility": Job.objects.filter(site=1, state="PUBLISHED", target_path__in=["a", "b"])
        .order_by("finished_at"),
    }  # fmt: skip


def main() -> None:
    """Migrate the empty database, and explain."""
    call_command("migrate", verbosity=0)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # Over empty tables a whole read is the cheapest; what counts is what could be used.
            cursor.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
    print(json.dumps({name: rows.explain() for name, rows in questions().items()}))


if __name__ == "__main__":
    main()
