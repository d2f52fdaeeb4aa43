"""Letters that an article writes as references or escapes count for the fonts: list all anew."""

from django.db import migrations


def index_anew(apps, schema_editor):
    """The next refresh of a site reads its whole branch again."""
    apps.get_model("publisher", "Site").objects.update(indexed_commit="")


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0012_site_watched_at"),
    ]

    operations = [
        migrations.RunPython(index_anew, migrations.RunPython.noop),
    ]
