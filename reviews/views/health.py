"""Health: whether work is done, for people; programs ask /readyz."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from publisher import clock, selectors_live
from publisher import selectors as engine
from publisher.processes.doctor.examine import examine
from reviews.api.health import SILENT, failing_probes, is_alive
from reviews.permissions import caller_of
from reviews.presenters import live, sites, words
from reviews.views import reach
from reviews.views.common import needs_right, show

LATE = timedelta(seconds=60)


@needs_right("read")
def health(request: HttpRequest) -> HttpResponse:
    """Probes, processes, how much waits where, and what a start would look at."""
    caller = caller_of(request)
    now = clock.now()
    oldest = engine.oldest_due(now)
    failing = failing_probes() + (["queue"] if oldest and now - oldest > LATE else [])
    troubles = {
        "database": _("The database does not answer as it should."),
        "migrations": _(
            "The database is of another release than what runs here: see migrations below."
        ),
        "disk": _("The disk is nearly full: make room."),
        "worker": _("No worker has shown itself for a minute: start one."),
        "queue": _("Work has been due for more than a minute: look at the workers."),
    }
    context = {
        "troubles": [troubles.get(name, name) for name in failing],
        "nodes": [
            {
                "row": node,
                "part": words.PARTS.get(node.role, node.role),
                "is_silent": not is_alive(node.heartbeat_at, now, silence=_silence(node.role)),
            }
            for node in _shown(engine.nodes(), now)
        ],
        "counts": [
            {"state": state, "label": words.label(state), "count": count}
            for state, count in engine.count_by_state(caller.within("read")).items()
        ],
        "stuck": _stuck(request, now),
        "stops": [stop for site in reach.sites(caller) if (stop := sites.stop(site))],
        "oldest": oldest,
        "checks": examine(),
        "now": now,
    }
    return show(request, "reviews/health.html", context)


def _silence(role: str) -> timedelta:
    """After how long a part is called silent; the sweep shows itself once a round."""
    if role != "sweep":
        return SILENT
    return SILENT + timedelta(seconds=max(60, settings.IMPRIMATUR_RECONCILE_SECONDS))


def _shown(nodes: list[Any], now: datetime) -> list[Any]:
    """Processes, newest sign first; of the sweep the last round, whichever machine made it."""
    sweeps = [node for node in nodes if node.role == "sweep"]
    last = min(sweeps, key=lambda node: abs(now - node.heartbeat_at), default=None)
    return [node for node in nodes if node.role != "sweep" or node is last]


def _stuck(request: HttpRequest, now: datetime) -> list[live.Stuck]:
    """Messages about sites within the caller's reach."""
    names = {site.pk: site.name for site in reach.sites(caller_of(request))}
    return [
        live.stuck(row, site=names[site], next_try=selectors_live.next_try(row))
        for row, site in selectors_live.stuck_messages(now, sites=names)
    ]
