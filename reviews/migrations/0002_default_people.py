"""What ``migrate`` alone gives: a scope, who runs this installation, and a rule of approval."""

from django.db import migrations
from django.utils import timezone

OPERATOR = "local-operator"
SCOPE = "default"
ROLES = ("admin", "operator")
RULES = {
    "approvals": 1,
    "groups": [],
    "editor_counts": False,
    "validity_seconds": 86400,
    "wait_seconds": 604800,
    "one_person": False,
    "require_shown": False,
    "hold_seconds": 0,
}


def add(apps, schema_editor):
    """Add what is not there; an installation that has its own people keeps them."""
    principals = apps.get_model("reviews", "Principal")
    memberships = apps.get_model("reviews", "Membership")
    policies = apps.get_model("reviews", "Policy")
    now = timezone.now()
    operator, _ = principals.objects.get_or_create(
        name=OPERATOR, defaults={"kind": "person", "created_at": now}
    )
    for role in ROLES:
        memberships.objects.get_or_create(principal=operator, scope=SCOPE, site=None, role=role)
    if not policies.objects.filter(scope=SCOPE).exists():
        policies.objects.create(
            scope=SCOPE,
            action="*",
            version=1,
            rules=RULES,
            who=OPERATOR,
            why="the rule of a new installation",
            created_at=now,
        )


class Migration(migrations.Migration):
    """Going back keeps the rows: jobs and decisions may name them."""

    dependencies = [("reviews", "0001_initial")]

    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
