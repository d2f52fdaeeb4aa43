"""An index for what the sweep asks of jobs that wait for people."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0010_delta_revision"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                fields=["updated_at"],
                name="job_with_people",
                # In the spelling that SQLite can use.
                condition=Q(state="CONFLICT") | Q(state="REVIEW") | Q(state="WAITING_APPROVAL"),
            ),
        ),
    ]
