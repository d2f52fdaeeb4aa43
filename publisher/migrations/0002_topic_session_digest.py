"""A session's digest tells topics apart; no version wrote a row of this table before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("publisher", "0001_initial")]

    operations = [
        migrations.RemoveConstraint("topiccursor", "topic_session_once"),
        migrations.AddField(
            "topiccursor",
            "session_digest",
            models.CharField(default="", max_length=64),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            "topiccursor",
            models.UniqueConstraint(fields=("site", "session_digest"), name="topic_session_once"),
        ),
    ]
