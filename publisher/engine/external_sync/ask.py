"""Ask: have a live checkout looked at by the outbox; every reason to look is only a hint."""

from datetime import datetime

from django.db.models import Q

from publisher import spoiled
from publisher.domain.states import State
from publisher.models import Job, Outbox, Site

LOOK = "live_look"


def ask(site: Site, *, now: datetime, due_at: datetime) -> None:
    """One message a site. A look that failed before keeps its own time for the next try."""
    _, created = Outbox.objects.get_or_create(
        pk=f"{LOOK}:{site.pk}",
        defaults={
            "kind": LOOK, "payload": {"site": site.pk}, "due_at": due_at, "created_at": now,
        },
    )  # fmt: skip
    if not created:
        rows = Outbox.objects.filter(pk=f"{LOOK}:{site.pk}")
        rows.filter(Q(done_at__isnull=False) | Q(tries=0)).update(
            due_at=due_at, done_at=None, tries=0
        )


def ask_after_publications(site: Site, now: datetime) -> None:
    """A checkout that was last looked at before the site's newest publication is behind."""
    sight = getattr(site, "live_sight", None)
    published = Job.objects.filter(site=site, state=State.PUBLISHED.value)
    if sight is not None and sight.looked_at <= now:
        published = published.filter(finished_at__gt=sight.looked_at)
    if published.exists():
        ask(site, now=now, due_at=now)


def watched() -> list[Site]:
    """Sites in use that have a live checkout."""
    rows = Site.objects.select_related("live_sight").filter(removed_at__isnull=True)
    return spoiled.readable(rows.exclude(live_checkout="").order_by("pk"))
