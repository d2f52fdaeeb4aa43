"""The outbox: delivers messages at least once; their consumers are idempotent."""

from collections.abc import Callable, Mapping
from datetime import timedelta

import structlog
from django.db import OperationalError

from publisher import selectors
from publisher.domain.errors import ImprimaturError
from publisher.engine import external_sync, restored, sites
from publisher.models import Outbox, Site
from publisher.ports import Ports
from publisher.services.restored import KIND as RECORD_PUBLISHED

log = structlog.get_logger(__name__)

CLAIM_SECONDS = 600
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
}


def deliver_due(ports: Ports) -> int:
    """Deliver what is due; returns how many messages were taken.

    One that a busy database refuses stays due, or falls due again when its claim is over.
    """
    taken = 0
    for message in selectors.due_messages(ports.clock.now()):
        try:
            if _claim(message, ports):
                taken += 1
                _deliver(message, ports)
        except OperationalError as busy:
            log.warning("message_missed", message=message.pk, reason=str(busy))
    return taken


def _claim(message: Outbox, ports: Ports) -> bool:
    """Push the due time forward by compare-and-swap, so that one worker at a time delivers it."""
    later = ports.clock.now() + timedelta(seconds=CLAIM_SECONDS)
    claimed = Outbox.objects.filter(
        pk=message.pk, done_at__isnull=True, tries=message.tries, due_at=message.due_at
    ).update(due_at=later, tries=message.tries + 1)
    return claimed == 1


def _deliver(message: Outbox, ports: Ports) -> None:
    mine = Outbox.objects.filter(pk=message.pk, tries=message.tries + 1)
    reason = _consume(message, ports)
    if reason:
        delay = RETRY_SECONDS[min(message.tries, len(RETRY_SECONDS) - 1)]
        due = ports.clock.now() + timedelta(seconds=delay)
        mine.update(due_at=due, last_error=reason)
        return
    mine.update(done_at=ports.clock.now(), last_error="")


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
