"""Stored states and verdicts are known ones: the database itself says so."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("publisher", "0008_places"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="delta",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict__in", ["SKIP", "KEEP"])), name="delta_verdict_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "resume_state__in",
                        [
                            "",
                            "RECEIVED",
                            "PREPARING",
                            "WAITING_APPROVAL",
                            "REVIEW",
                            "READY_TO_COMMIT",
                            "READY_TO_DISPATCH",
                            "RECHECK_CANDIDATES",
                            "LOCAL_COMMITTING",
                            "LOCAL_COMMITTED",
                            "RECOVERING",
                            "PUSHING",
                            "DISPATCHING",
                            "RECONCILING",
                            "RETRY_WAIT",
                            "CONFLICT",
                            "SKIPPED",
                            "REJECTED",
                            "PUBLISHED",
                            "EFFECT_CONFIRMED",
                            "FAILED",
                            "CANCELLED",
                        ],
                    )
                ),
                name="job_resume_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "recheck_origin__in",
                        [
                            "",
                            "RECEIVED",
                            "PREPARING",
                            "WAITING_APPROVAL",
                            "REVIEW",
                            "READY_TO_COMMIT",
                            "READY_TO_DISPATCH",
                            "RECHECK_CANDIDATES",
                            "LOCAL_COMMITTING",
                            "LOCAL_COMMITTED",
                            "RECOVERING",
                            "PUSHING",
                            "DISPATCHING",
                            "RECONCILING",
                            "RETRY_WAIT",
                            "CONFLICT",
                            "SKIPPED",
                            "REJECTED",
                            "PUBLISHED",
                            "EFFECT_CONFIRMED",
                            "FAILED",
                            "CANCELLED",
                        ],
                    )
                ),
                name="job_recheck_origin_known",
            ),
        ),
    ]
