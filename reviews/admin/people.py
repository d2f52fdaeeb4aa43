"""People, their tokens and policies. Digests are shown nowhere."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from publisher.admin import ReadOnly
from reviews import models


class Distinct(ReadOnly):
    """Rows that are reached through several memberships are listed once."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Each row once."""
        return super().get_queryset(request).distinct()


@admin.register(models.Principal)
class PrincipalAdmin(Distinct):
    """People and programs."""

    scope_path = "memberships__scope"
    list_display = ("name", "kind", "disabled_at", "created_at")
    list_filter = ("kind",)
    search_fields = ("name",)


@admin.register(models.Membership)
class MembershipAdmin(ReadOnly):
    """Roles."""

    scope_path = "scope"
    list_display = ("principal", "scope", "site", "role")
    list_filter = ("role",)
    list_select_related = ("principal", "site")


@admin.register(models.Token)
class TokenAdmin(Distinct):
    """Tokens, without what could be used."""

    scope_path = "principal__memberships__scope"
    exclude = ("digest",)
    list_display = ("prefix", "principal", "label", "expires_at", "last_used_at", "revoked_at")
    list_select_related = ("principal",)


@admin.register(models.Policy)
class PolicyAdmin(ReadOnly):
    """Versions of policies."""

    scope_path = "scope"
    list_display = ("scope", "site", "action", "version", "who", "created_at")
    list_select_related = ("site",)


@admin.register(models.Delegation)
class DelegationAdmin(ReadOnly):
    """Who decides in whose place."""

    scope_path = "scope"
    list_display = ("giver", "delegate", "scope", "starts_at", "ends_at", "ended_at")
    list_select_related = ("giver", "delegate")


@admin.register(models.View)
class ViewAdmin(ReadOnly):
    """Saved filters, which belong to nobody else."""

    list_display = ("principal", "name", "page")
    list_select_related = ("principal",)
