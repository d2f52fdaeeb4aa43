"""Sites: connect a repository, change its rules, pause and resume it, ask for a look at it."""

from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from publisher import journal, leases, selectors, statements, wakeup
from publisher.domain.errors import InvalidInput, StaleWorker, WrongState
from publisher.domain.remotes import check_remote
from publisher.domain.states import TERMINAL, Lane
from publisher.journal import Who
from publisher.models import Effect, Job, Outbox, Site
from publisher.models.site import CloneState
from publisher.services import acts, site_rules
from publisher.services.texts import check_readable

CHANGEABLE = (
    "branch", "articles", "assets", "fonts", "font_source", "live_checkout", "quiet_seconds",
    "trailer_prefix", "token_file", "required_front_matter",
)  # fmt: skip


def add(*, name: str, remote: str, scope: str, now: datetime, **values: Any) -> Site:
    """Connect a repository; its clone is made in the background.

    ``values`` may hold the columns in CHANGEABLE. Raises InvalidInput with the field's name.
    """
    if not name or not name.replace("-", "").replace("_", "").isalnum() or not name.isascii():
        raise InvalidInput("name", "Use letters, digits and hyphens for the site's name.")
    check_readable(remote, field="remote")
    site_rules.check_scope(scope)
    address = check_remote(
        remote,
        protocols=settings.IMPRIMATUR_GIT_PROTOCOLS,
        hosts=settings.IMPRIMATUR_GIT_HOSTS,
    )
    site = Site(name=name, remote=address, scope=scope, created_at=now)
    site_rules.check_length(site, ("name", "remote", "scope"))
    _set(site, values)
    site_rules.check_remote_place(site)
    try:
        with transaction.atomic():
            site.save(force_insert=True)
    except IntegrityError:
        raise InvalidInput("name", f"There is a site named {name} already.") from None
    request(site, "site_fetch", now=now)
    return site


def change(site: Site, *, now: datetime, **values: Any) -> Site:
    """Change a site's rules; open approvals are judged anew at the fence."""
    names = [name for name in values if name in CHANGEABLE]
    changed = _set(site, values)
    if "articles" in changed:
        site.indexed_commit = ""  # the index holds what the pattern before matched
        names.append("indexed_commit")
    with transaction.atomic():
        before = statements.locked(Site, site.pk)  # as the fence does, before it writes an intent
        _keep_sent(site)
        if "trailer_prefix" in changed:
            _keep_prefix(before)
        if "branch" in changed:
            site.watched_at = None  # all that was published is looked for on this one
            names.append("watched_at")
        site.save(update_fields=names)
    request(site, "site_fetch", now=now)
    return site


def _keep_sent(site: Site) -> None:
    """What may be on its way to a branch can be looked for on that one alone."""
    still_open = Effect.objects.filter(job__site=site, status__in=acts.OPEN)
    sent = still_open.exclude(target__branch=site.branch).order_by("pk").first()
    if sent is not None:
        raise InvalidInput(
            "branch",
            f"Job {sent.job_id} may have been sent to the branch {sent.target['branch']}, where it "
            "is looked for. Set another branch once its page tells what came of it.",
        )


def _keep_prefix(site: Site) -> None:
    """Whatever was sent is found again by its trailers, on the way and years later."""
    if Effect.objects.filter(job__site=site).exists():
        raise InvalidInput(
            "trailer_prefix",
            f"This site's commits are known by the prefix {site.trailer_prefix}, so it stays. To use "
            "another one, remove the site and connect the repository anew.",
        )


def _set(site: Site, values: dict[str, Any]) -> set[str]:
    """Take the values over where they can work; returns the names of those that are new."""
    changed = set()
    for name, value in values.items():
        if name not in CHANGEABLE:
            raise InvalidInput(name, f"A site has no setting {name}.")
        if value is not None and value != getattr(site, name):
            setattr(site, name, value)
            changed.add(name)
    site_rules.check(site, changed)
    return changed


def pause(site: Site, *, lane: str = Lane.PUBLISH.value) -> None:
    """Hold back a lane at the fence; prepare and approval go on."""
    with transaction.atomic():
        fresh = statements.locked(Site, site.pk)
        if lane not in fresh.paused_lanes:
            fresh.paused_lanes = [*fresh.paused_lanes, lane]
            fresh.save(update_fields=["paused_lanes"])
    site.paused_lanes = fresh.paused_lanes


def resume(site: Site, *, who: Who, now: datetime, lane: str = Lane.PUBLISH.value) -> None:
    """Let a lane go on, and at once what it held.

    A site that was stopped for its repository takes the present one as its own. WrongState where
    it was stopped since ``site`` was read: nobody has seen why.
    """
    names = ("paused_lanes", "stop_reason", "root_commit")
    with transaction.atomic():
        fresh = statements.locked(Site, site.pk)
        if fresh.stop_reason not in ("", site.stop_reason):
            raise WrongState(
                f"The site was stopped meanwhile. {fresh.stop_reason} If that is right, resume it "
                "again."
            )
        fresh.paused_lanes = [held for held in fresh.paused_lanes if held != lane]
        if fresh.stop_reason:
            fresh.stop_reason, fresh.root_commit = "", ""
        fresh.save(update_fields=names)
    for name in names:
        setattr(site, name, getattr(fresh, name))
    due, anew = {"available_at": now}, partial(leases.without_idle_time, now=now)
    for job in selectors.held(site, lane, now):
        with suppress(StaleWorker):  # whoever was faster is at it already
            journal.note(job, "released", who=who, now=now, guard=anew, changes=due)
            wakeup.hint(job.pk, due_at=now, now=now)


def remove(site: Site, *, now: datetime) -> None:
    """Take a site out of use; its jobs and their history stay, and its name is free.

    WrongState while jobs are open: nothing would work on them, or it would still publish there.
    """
    mark = f"-removed-{site.pk}"
    kept = site.name[: site_rules.longest("name") - len(mark)]
    with transaction.atomic():
        statements.locked(Site, site.pk)
        count = Job.objects.filter(site=site).exclude(state__in=list(TERMINAL)).count()
        if count:
            raise WrongState(
                f"Jobs of this site are still open: {count}. Let them finish or cancel them, then "
                "remove it.",
                open=count,
            )
        Site.objects.filter(pk=site.pk).update(removed_at=now, name=kept + mark)


def retry_clone(site: Site, *, now: datetime) -> None:
    """Try the first clone again after its cause was mended."""
    Site.objects.filter(pk=site.pk).update(clone_state=CloneState.PENDING.value, last_error="")
    request(site, "site_fetch", now=now)


def request(site: Site, kind: str, *, now: datetime) -> None:
    """Ask a worker for ``site_fetch`` or ``site_check``; the result appears on the site's page."""
    message, created = Outbox.objects.get_or_create(
        pk=f"{kind}:{site.pk}",
        defaults={
            "kind": kind,
            "payload": {"site": site.pk},
            "due_at": now,
            "created_at": now,
        },
    )
    if not created:
        Outbox.objects.filter(pk=message.pk).update(due_at=now, done_at=None, tries=0)
    wakeup.deliver()


def discard(site: Site) -> bool:
    """Undo ``add`` of a site whose repository could not be reached; False where somebody uses it.

    Others see it from its first moment: a job, a role or a policy may be there by now.
    """
    try:
        with transaction.atomic():
            statements.locked(Site, site.pk)  # no job begins between the look and the end
            Outbox.objects.filter(
                pk__in=[f"site_fetch:{site.pk}", f"site_check:{site.pk}"]
            ).delete()
            Site.objects.filter(pk=site.pk).delete()
    except ProtectedError:
        return False
    return True
