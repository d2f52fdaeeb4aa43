"""Room for the reviewers' side: risk, deputies, a password shown again, what was shown, and for whom."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q


def _key():
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def _link(to, related_name="+", **options):
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, related_name=related_name, to=to, **options
    )


DELEGATION = migrations.CreateModel(
    name="Delegation",
    fields=[
        ("id", _key()),
        ("scope", models.SlugField(max_length=100)),
        ("giver", _link("reviews.principal", "delegations")),
        ("delegate", _link("reviews.principal")),
        ("starts_at", models.DateTimeField()),
        ("ends_at", models.DateTimeField()),
        ("why", models.TextField(blank=True, default="")),
        ("by", models.CharField(max_length=150)),
        ("created_at", models.DateTimeField()),
        ("ended_at", models.DateTimeField(blank=True, null=True)),
        ("ended_by", models.CharField(blank=True, default="", max_length=150)),
    ],
    options={
        "ordering": ["-id"],
        "indexes": [
            models.Index(fields=["delegate", "ends_at"], name="delegation_of_delegate"),
        ],
        "constraints": [
            models.CheckConstraint(condition=~Q(giver=F("delegate")), name="delegation_to_another"),
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at")), name="delegation_ends_later"
            ),
        ],
    },
)
ASSIGNMENT = migrations.CreateModel(
    name="Assignment",
    fields=[
        ("id", _key()),
        ("job", _link("publisher.job", "assignments")),
        ("person", _link("reviews.principal", "assignments", blank=True, null=True)),
        ("group", models.CharField(blank=True, default="", max_length=100)),
        ("by", _link("reviews.principal")),
        ("at", models.DateTimeField()),
    ],
    options={
        "ordering": ["id"],
        "indexes": [models.Index(fields=["group", "job"], name="assignment_of_group")],
        "constraints": [
            models.CheckConstraint(
                condition=Q(person__isnull=False, group="") | Q(person__isnull=True) & ~Q(group=""),
                name="assignment_person_or_group",
            ),
            models.UniqueConstraint(
                condition=Q(person__isnull=False),
                fields=("job", "person"),
                name="assignment_once_a_person",
            ),
            models.UniqueConstraint(
                condition=Q(person__isnull=True),
                fields=("job", "group"),
                name="assignment_once_a_group",
            ),
        ],
    },
)
RISK = [
    migrations.AddField(
        model_name="approval",
        name="risk",
        field=models.CharField(db_default="routine", default="routine", max_length=20),
    ),
    migrations.AddIndex(
        model_name="approval",
        index=models.Index(
            condition=Q(status="pending"), fields=["risk", "opened_at"], name="approval_by_risk"
        ),
    ),
    migrations.AddConstraint(
        model_name="approval",
        constraint=models.CheckConstraint(
            condition=Q(risk__in=["routine", "risky"]), name="approval_risk_known"
        ),
    ),
]
DECIDED = [
    migrations.AddField(
        model_name="decision",
        name="on_behalf_of",
        field=_link("reviews.principal", blank=True, null=True),
    ),
    migrations.AddField(
        model_name="decision",
        name="reauthenticated_at",
        field=models.DateTimeField(blank=True, null=True),
    ),
]
SHOWN = [
    migrations.AddField(
        model_name="shown",
        name=name,
        field=models.CharField(blank=True, db_default="", default="", max_length=length),
    )
    for name, length in (("view", 20), ("base_sha256", 71), ("content_sha256", 71))
]


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0013_letters_by_reference"),
        ("reviews", "0002_default_people"),
    ]

    operations = [DELEGATION, ASSIGNMENT, *RISK, *DECIDED, *SHOWN]
