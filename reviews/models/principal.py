"""Principals: the people and programs that act here; memberships say where and as what."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models import Q

from publisher.models import Site
from publisher.models.fields import one_of


class Kind(StrEnum):
    """A person may decide; an agent never can, whatever role it was given."""

    PERSON = "person"
    AGENT = "agent"


class Role(StrEnum):
    """What a principal is in a scope."""

    SUBMITTER = "submitter"
    REVIEWER = "reviewer"
    OPERATOR = "operator"
    AUDITOR = "auditor"
    ADMIN = "admin"


class Principal(models.Model):
    """Somebody who acts; ``name`` is what jobs, events and decisions remember."""

    name = models.CharField(max_length=150, unique=True)
    kind = models.CharField(max_length=20, default=Kind.PERSON.value)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="principal",
    )
    disabled_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [one_of("principal_kind_known", "kind", Kind)]

    def __str__(self) -> str:
        return self.name

    @property
    def is_agent(self) -> bool:
        """Whether this is a program."""
        return self.kind != Kind.PERSON.value

    @property
    def is_active(self) -> bool:
        """Whether it may act at all now."""
        return self.disabled_at is None and (self.user is None or self.user.is_active)


class Membership(models.Model):
    """One role in one scope; ``site`` narrows it to one site. ``groups`` are a policy's groups."""

    principal = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="memberships")
    scope = models.SlugField(max_length=100)
    site = models.ForeignKey(
        Site, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    role = models.CharField(max_length=20)
    groups = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["principal", "scope", "role"]
        constraints = [
            one_of("membership_role_known", "role", Role),
            models.UniqueConstraint(
                fields=["principal", "scope", "role"],
                name="membership_once_a_scope",
                condition=Q(site__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["principal", "scope", "site", "role"],
                name="membership_once_a_site",
                condition=Q(site__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.principal} {self.role} in {self.scope}"
