"""Requests, decisions and what was read: to be looked at, never to be changed."""

from django.contrib import admin

from publisher.admin import ReadOnly
from reviews import models


@admin.register(models.Approval)
class ApprovalAdmin(ReadOnly):
    """Requests for approval."""

    scope_path = "job__scope"
    list_display = ("id", "job_id", "revision", "status", "risk", "binding_hash", "opened_at")
    list_filter = ("status", "risk")
    search_fields = ("job__id", "binding_hash")


@admin.register(models.Decision)
class DecisionAdmin(ReadOnly):
    """Decisions."""

    scope_path = "approval__job__scope"
    list_display = ("id", "approval_id", "actor", "decision", "door", "at")
    list_filter = ("decision", "door")
    list_select_related = ("actor",)


@admin.register(models.Assignment)
class AssignmentAdmin(ReadOnly):
    """Who was asked to look at a job."""

    scope_path = "job__scope"
    list_display = ("job_id", "person", "group", "by", "at")
    list_select_related = ("person", "by")


@admin.register(models.Shown)
class ShownAdmin(ReadOnly):
    """Parts that were shown."""

    plural = "shown parts"
    scope_path = "approval__job__scope"
    list_display = ("approval_id", "actor", "part", "at")
    list_select_related = ("actor",)


@admin.register(models.Comment)
class CommentAdmin(ReadOnly):
    """Comments."""

    scope_path = "job__scope"
    list_display = ("job_id", "author", "path", "line", "created_at")
    list_select_related = ("author",)


@admin.register(models.Resolution)
class ResolutionAdmin(ReadOnly):
    """Choices in conflicts."""

    scope_path = "conflict__job__scope"
    list_display = ("conflict_id", "author", "created_at")
    list_select_related = ("author",)


@admin.register(models.Claim)
class ClaimAdmin(ReadOnly):
    """Soft locks; they belong to no scope."""

    list_display = ("subject", "holder", "until")
    list_select_related = ("holder",)


@admin.register(models.Notice)
class NoticeAdmin(ReadOnly):
    """Messages to people about jobs."""

    scope_path = "job__scope"
    list_display = ("principal", "channel", "created_at", "read_at")
    list_select_related = ("principal",)
