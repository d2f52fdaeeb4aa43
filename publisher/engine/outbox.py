"""The outbox: delivers messages at least once; their consumers are idempotent."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

import structlog
from django.db import OperationalError, transaction

from publisher import leases, selectors
from publisher.domain.errors import ImprimaturError
from publisher.engine import external_sync, restored, search_fill, sites
from publisher.engine.run import Beat, HeartbeatOf
from publisher.leases import Delivery
from publisher.models import Outbox, Site
from publisher.ports import Ports, Repository, SiteSpec
from publisher.services.restored import KIND as RECORD_PUBLISHED

log = structlog.get_logger(__name__)

RETRY_SECONDS = (2, 10, 60, 300)


def _fetch_site(message: Outbox, ports: Ports) -> None:
    sites.refresh(_site(message), ports)


def _check_site(message: Outbox, ports: Ports) -> None:
    sites.check(_site(message), ports)


def _scan_live(message: Outbox, ports: Ports) -> None:
    external_sync.scan(_site(message), ports)


def _site(message: Outbox) -> Site:
    return Site.objects.get(pk=message.payload["site"])


CONSUMERS: Mapping[str, Callable[[Outbox, Ports], None]] = {
    "site_fetch": _fetch_site,
    "site_check": _check_site,
    "live_look": _scan_live,
    external_sync.KIND: external_sync.send,
    RECORD_PUBLISHED: restored.consume,
    search_fill.KIND: search_fill.consume,
}


def deliver_due(ports: Ports, *, owner: str, heartbeat: HeartbeatOf, lease_seconds: float) -> int:
    """Deliver what is due; returns how many messages were taken.

    One that a busy database refuses stays due, or is due again when its lease is over.
    """
    taken = 0
    for message in selectors.due_messages(ports.clock.now()):
        try:
            if _is_held_up(message, ports):
                continue
            held = leases.take_message(
                message, owner=owner, now=ports.clock.now(), seconds=lease_seconds
            )
            if held is not None:
                taken += 1
                with heartbeat(held) as beat:
                    _deliver(message, held, _stopped_by(beat, ports))
        except OperationalError as busy:
            log.warning("message_missed", message=message.pk, reason=str(busy))
        except Exception:
            # One row that nobody can work with must stop neither the worker nor the others.
            log.exception("message_missed", message=message.pk)
    return taken


def _is_held_up(message: Outbox, ports: Ports) -> bool:
    """Whether it would only wait for a remote for which another worker here waits in vain."""
    if message.kind == external_sync.LOOK:
        return False  # looks at a folder of this machine
    try:
        named = message.payload.get("site") or (message.job.site_id if message.job else 0)
        site = Site.objects.filter(pk=named).first()
    except (AttributeError, TypeError, ValueError, OverflowError):
        return False  # its delivery says that it makes no sense
    return site is not None and sites.is_silent(site, ports, pushes=True)


def _stopped_by(beat: Beat, ports: Ports) -> Ports:
    """The same ports; git stops as well once the message is somebody else's."""

    def repository(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
        return ports.repository(spec, lambda: beat.lost or cancelled())

    return replace(ports, repository=repository)


def _deliver(message: Outbox, held: Delivery, ports: Ports) -> None:
    """One that was asked for again meanwhile has another due time by now, and keeps it."""
    reason = _consume(message, ports)
    now = ports.clock.now()
    ended: dict[str, object] = {"last_error": reason}
    if reason:
        delay = RETRY_SECONDS[min(message.tries, len(RETRY_SECONDS) - 1)]
        ended["due_at"] = now + timedelta(seconds=delay)
    else:
        ended["done_at"] = now
    with transaction.atomic():
        mine = Outbox.objects.filter(pk=held.message_id, owner=held.owner)
        mine.filter(due_at=message.due_at).update(**ended)
        leases.release(held)


def _consume(message: Outbox, ports: Ports) -> str:
    """Why the message has to come again; "" when it is done."""
    try:
        CONSUMERS[message.kind](message, ports)
    except OperationalError:
        raise
    except (ImprimaturError, OSError) as error:
        log.warning("message_failed", message=message.pk, reason=str(error))
        return str(error) or type(error).__name__
    except Exception as error:
        # A defect of one message must stop neither the worker nor the other messages.
        log.exception("message_crashed", message=message.pk)
        return f"Unexpected {type(error).__name__}."
    return ""
