"""The index knows all files of a branch, and each path's key, which its twins share."""

import django.db.models.deletion
from django.db import migrations, models


def index_anew(apps, schema_editor):
    """The next refresh of a site reads its whole branch again."""
    apps.get_model("publisher", "Site").objects.update(indexed_commit="")


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0007_message_leases"),
    ]

    operations = [
        migrations.CreateModel(
            name="OtherFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("path", models.CharField(max_length=1000)),
                ("place_key", models.BinaryField(default=b"")),
                ("is_regular", models.BooleanField()),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="other_files",
                        to="publisher.site",
                    ),
                ),
            ],
            options={"ordering": ["site", "path"]},
        ),
        migrations.AddIndex(
            model_name="otherfile",
            index=models.Index(fields=["site", "place_key"], name="other_file_by_place"),
        ),
        migrations.AddConstraint(
            model_name="otherfile",
            constraint=models.UniqueConstraint(fields=("site", "path"), name="other_file_once"),
        ),
        migrations.AddField(
            model_name="article",
            name="place_key",
            field=models.BinaryField(default=b""),
        ),
        migrations.AddIndex(
            model_name="article",
            index=models.Index(fields=["site", "place_key"], name="article_by_place"),
        ),
        migrations.RunPython(index_anew, migrations.RunPython.noop),
    ]
