"""Delegations: who decides in whose place, and from when to when."""

from django.db import models
from django.db.models import F, Q

from reviews.models.principal import Principal


class Delegation(models.Model):
    """For a time the delegate's answers have the weight of the giver's, in one scope.

    ``by`` is the name of who set it up. A row says for ever who could decide when: only its end is
    written later, and nothing removes it (triggers see to that).
    """

    scope = models.SlugField(max_length=100)
    giver = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="delegations")
    delegate = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="+")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    why = models.TextField(blank=True, default="")
    by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.CharField(max_length=150, blank=True, default="")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(name="delegation_to_another", condition=~Q(giver=F("delegate"))),
            models.CheckConstraint(
                name="delegation_ends_later", condition=Q(ends_at__gt=F("starts_at"))
            ),
        ]
        indexes = [models.Index(fields=["delegate", "ends_at"], name="delegation_of_delegate")]

    def __str__(self) -> str:
        return f"{self.delegate} for {self.giver} in {self.scope}"
