"""Wrong hashes: who tried to decide by a hash that never belonged to the job, and when."""

from django.db import models

from publisher.models import Job
from publisher.models.fields import hash_field
from reviews.models.principal import Principal


class WrongHash(models.Model):
    """One try, at whatever door; many in a short time keep its sender from deciding for a while."""

    actor = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="+")
    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="+")
    reviewed_hash = hash_field()
    door = models.CharField(max_length=20)
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "wrong hashes"
        indexes = [models.Index(fields=["actor", "at"], name="wrong_hash_by_actor")]

    def __str__(self) -> str:
        return f"{self.actor} at {self.job_id}"
