"""The index of open effects in the spelling that SQLite can use."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0004_watch_sites"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="effect", name="effect_open"),
        migrations.AddIndex(
            model_name="effect",
            index=models.Index(
                fields=["updated_at"],
                name="effect_open",
                condition=models.Q(("status", "intent"), ("status", "unknown"), _connector="OR"),
            ),
        ),
    ]
