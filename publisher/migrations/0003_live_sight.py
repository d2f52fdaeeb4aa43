"""What was last seen in each live checkout; no row existed before."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0002_topic_session_digest"),
    ]

    operations = [
        migrations.CreateModel(
            name="LiveSight",
            fields=[
                (
                    "site",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="live_sight",
                        serialize=False,
                        to="publisher.site",
                    ),
                ),
                ("notes", models.JSONField(default=list)),
                ("head", models.CharField(blank=True, default="", max_length=64)),
                ("looked_at", models.DateTimeField()),
                ("sent_commit", models.CharField(blank=True, default="", max_length=64)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("forwarded_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["site_id"],
            },
        ),
    ]
