"""Wake-up hints: tell the queue that a job may be due. Losing one is harmless, the sweep finds the job."""

from datetime import datetime

from django.db import transaction
from django_q.tasks import async_task


def hint(job_id: str, *, due_at: datetime, now: datetime) -> None:
    """Ask for a worker's attention once the transaction is committed; not before the job is due."""
    if due_at > now:
        return

    # A function with a name, no partial: Django tells by that name that it failed.
    def advance() -> None:
        async_task("publisher.tasks.advance", job_id, task_name=f"advance {job_id}")

    transaction.on_commit(advance, robust=True)


def deliver() -> None:
    """Ask for the outbox to be looked at once the transaction is committed."""
    transaction.on_commit(_deliver, robust=True)


def _deliver() -> None:
    async_task("publisher.tasks.deliver", task_name="deliver")
