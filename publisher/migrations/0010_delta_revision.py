"""What was judged for one text of a job was not judged for its next."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0009_known_values"),
    ]

    operations = [
        migrations.AddField(
            model_name="delta",
            name="revision",
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.RemoveConstraint(model_name="delta", name="delta_judged_once"),
        migrations.AddConstraint(
            model_name="delta",
            constraint=models.UniqueConstraint(
                fields=("job", "revision", "fingerprint"), name="delta_judged_once"
            ),
        ),
    ]
