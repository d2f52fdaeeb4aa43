"""Indexes for what the sweep asks, so that it costs the same however many jobs are finished."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0005_open_effects"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                fields=["available_at"],
                name="job_claimable",
                # In the spelling that SQLite can use.
                condition=(
                    Q(state="DISPATCHING")
                    | Q(state="LOCAL_COMMITTED")
                    | Q(state="LOCAL_COMMITTING")
                    | Q(state="PREPARING")
                    | Q(state="PUSHING")
                    | Q(state="READY_TO_COMMIT")
                    | Q(state="READY_TO_DISPATCH")
                    | Q(state="RECEIVED")
                    | Q(state="RECHECK_CANDIDATES")
                    | Q(state="RECOVERING")
                    | Q(state="RETRY_WAIT")
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                fields=["site", "finished_at"],
                name="job_published",
                condition=Q(state="PUBLISHED"),
            ),
        ),
        migrations.AddIndex(
            model_name="seal",
            index=models.Index(fields=["last_event"], name="seal_by_event"),
        ),
    ]
