"""Assignments: who is asked to look at a job, a person or a group. They give nobody a right."""

from django.db import models
from django.db.models import Q

from publisher.models import Job
from reviews.models.principal import Principal


class Assignment(models.Model):
    """One person, or one of the policies' groups, that a job was given to."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="assignments")
    person = models.ForeignKey(
        Principal, null=True, blank=True, on_delete=models.PROTECT, related_name="assignments"
    )
    group = models.CharField(max_length=100, blank=True, default="")
    by = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                name="assignment_person_or_group",
                condition=Q(person__isnull=False, group="") | Q(person__isnull=True) & ~Q(group=""),
            ),
            models.UniqueConstraint(
                fields=["job", "person"],
                name="assignment_once_a_person",
                condition=Q(person__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["job", "group"],
                name="assignment_once_a_group",
                condition=Q(person__isnull=True),
            ),
        ]
        indexes = [models.Index(fields=["group", "job"], name="assignment_of_group")]

    def __str__(self) -> str:
        return f"{self.job_id} to {self.person or self.group}"
