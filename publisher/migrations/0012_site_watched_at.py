"""A site remembers when its publications were last looked for."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0011_jobs_with_people"),
    ]

    operations = [
        migrations.AddField(
            model_name="site",
            name="watched_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
