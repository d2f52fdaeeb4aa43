"""Rows in the tables of other apps, with something secret wherever it might be kept."""

from axes.models import AccessAttempt, AccessAttemptExpiration, AccessFailureLog, AccessLog
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django_q.models import OrmQ, Schedule, Task

from publisher import clock


def plant(secret: str) -> None:
    """One row or more in each of them; logins, rights and kinds of content are there before."""
    now = clock.now()
    user = get_user_model().objects.get(username="root")
    LogEntry.objects.create(user=user, object_repr="a row", action_flag=CHANGE)
    Group.objects.create(name="a group")
    OrmQ.objects.create(key="imprimatur", payload=secret, lock=now)
    asked = {"func": "os.getcwd", "args": (secret,), "kwargs": {"key": secret}}
    Schedule.objects.create(name="a schedule", **{**asked, "args": secret, "kwargs": secret})
    for number, success in enumerate((True, False)):
        Task.objects.create(
            id=f"{number:032}", name="a task", result=secret, started=now, stopped=now,
            success=success, **asked,
        )  # fmt: skip
    attempt = {
        "user_agent": "a browser", "ip_address": "192.0.2.1", "username": "ada",
        "http_accept": "text/html", "path_info": "/login/",
    }  # fmt: skip
    tried = AccessAttempt.objects.create(
        **attempt, get_data=secret, post_data=secret, failures_since_start=1
    )
    AccessAttemptExpiration.objects.create(access_attempt=tried, expires_at=now)
    AccessFailureLog.objects.create(**attempt)
    AccessLog.objects.create(**attempt, session_hash=secret)
