"""What was last watched of a site's branch, why it was stopped, and how far the seals looked."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0003_live_sight"),
    ]

    operations = [
        migrations.AddField(
            model_name="site",
            name="stop_reason",
            field=models.TextField(blank=True, default=""),
        ),
        migrations.AddField(
            model_name="site",
            name="watched_head",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="seal",
            name="last_event",
            field=models.PositiveBigIntegerField(default=0),
        ),
    ]
