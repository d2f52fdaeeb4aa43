"""Messages are held by a lease like jobs; a claim no longer moves the time at which one is due."""

from datetime import timedelta

from django.db import migrations, models
from django.db.models import F

MOVED_BY = timedelta(seconds=600)


def give_due_times_back(apps, schema_editor):
    """What is done keeps the time at which it was due: ``verify`` compares the work with it."""
    done = apps.get_model("publisher", "Outbox").objects.filter(done_at__isnull=False, tries__gte=1)
    done.update(due_at=F("due_at") - MOVED_BY)


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0006_sweep_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="outbox",
            name="owner",
            field=models.CharField(blank=True, default="", max_length=200),
        ),
        migrations.AddField(
            model_name="outbox",
            name="lease_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(give_due_times_back, migrations.RunPython.noop),
    ]
