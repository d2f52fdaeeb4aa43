"""Jobs are found by what they say, and each filter of their list by an index of its own."""

from django.db import migrations, models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils import timezone

SQLITE = """
CREATE VIRTUAL TABLE publisher_searchwords USING fts5(
    words, content=publisher_searchtext, content_rowid=id, detail=none, tokenize=ascii
)
"""
POSTGRESQL = """
ALTER TABLE publisher_searchtext ADD COLUMN vector tsvector
    GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED;
CREATE INDEX publisher_searchwords ON publisher_searchtext USING gin (vector);
"""


def index_words(apps, schema_editor):
    """The words are cut already, so neither database has to know a language."""
    is_sqlite = schema_editor.connection.vendor == "sqlite"
    schema_editor.execute(SQLITE if is_sqlite else POSTGRESQL, params=None)


def drop_words(apps, schema_editor):
    """The column and the triggers go with their table."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TABLE publisher_searchwords", params=None)


def ask_for_texts(apps, schema_editor):
    """Workers read the texts of the jobs that are there; a database without jobs asks for nothing."""
    if apps.get_model("publisher", "Job").objects.exists():
        now = timezone.now()
        apps.get_model("publisher", "Outbox").objects.get_or_create(
            id="search_fill", defaults={"kind": "search_fill", "due_at": now, "created_at": now}
        )


def forget_texts(apps, schema_editor):
    """The release before does not know this message."""
    apps.get_model("publisher", "Outbox").objects.filter(id="search_fill").delete()


def by_beginning(column):
    """An index of a hash, in the order of its letters."""
    return migrations.AddIndex(
        model_name="job",
        index=models.Index(
            fields=[column], name=f"job_{column}", opclasses=["varchar_pattern_ops"]
        ),
    )


def by_scope(column):
    """An index of a filter, newest first."""
    return migrations.AddIndex(
        model_name="job",
        index=models.Index(fields=["scope", column, "-id"], name=f"job_by_scope_{column}"),
    )


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0013_letters_by_reference"),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchText",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "job",
                    models.OneToOneField(
                        on_delete=models.PROTECT, related_name="search_text", to="publisher.job"
                    ),
                ),
                ("text", models.TextField()),
                ("words", models.TextField()),
            ],
            options={"ordering": ["-id"]},
        ),
        migrations.RunPython(index_words, drop_words),
        by_scope("state"),
        by_scope("kind"),
        by_scope("operation"),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                F("scope"), Lower("requester"), F("id").desc(), name="job_by_requester"
            ),
        ),
        by_beginning("local_commit"),
        by_beginning("remote_commit"),
        by_beginning("manifest_hash"),
        by_beginning("target_sha256"),
        migrations.AddIndex(
            model_name="jobevent",
            index=models.Index(
                Lower("actor_name"),
                F("job").desc(),
                name="event_by_person",
                # In the spelling that SQLite can use.
                condition=Q(event="approve") | Q(event="revise") | Q(event="submit"),
            ),
        ),
        migrations.RunPython(ask_for_texts, forget_texts),
    ]
