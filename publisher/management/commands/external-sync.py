"""``manage.py external-sync``: look for hand edits in live checkouts, and send them, once."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from publisher import selectors, tasks, wiring
from publisher.domain.errors import ImprimaturError
from publisher.domain.states import Actor
from publisher.engine import external_sync
from publisher.management.console import INVALID, ConsoleCommand, may_see, reached_site, who
from publisher.selectors_live import LiveReport


class Command(ConsoleCommand):
    """One scan of each live checkout, then one try of what is due."""

    help = "Send the hand edits of live checkouts, and say what stays there and why."

    def add_arguments(self, parser: CommandParser) -> None:
        """One site, or all that have a live checkout."""
        super().add_arguments(parser)
        parser.add_argument("--site", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        """Scan, send, tell."""
        with self.refusals():
            self._run(options)

    def _run(self, options: dict[str, Any]) -> None:
        ports = wiring.ports()
        name, by = options["site"], who(options, Actor.OPERATOR).name
        chosen = [reached_site(name, by)] if name else selectors.sites(scopes=None)
        chosen = [site for site in chosen if may_see(by, site.scope, site)]
        rows = [site for site in chosen if site.live_checkout]
        if name and not rows:
            self.leave(INVALID, f"The site {name} has no live checkout.")
        troubles = []
        for site in rows:
            try:
                external_sync.scan(site, ports)
            except (ImprimaturError, OSError) as trouble:
                troubles.append(f"{site.name}: {trouble}")
        tasks.deliver()
        told = [external_sync.report(site) for site in rows]
        lines = [line for row in told for line in _lines(row)]
        self.show(
            options, {"sites": [asdict(row) for row in told], "failed": troubles}, *lines, *troubles
        )


def _lines(row: LiveReport) -> list[str]:
    lines = [f"{row.site}: {row.live_checkout}"]
    lines += [f"  {note['code']}  {' '.join(note['names'])}".rstrip() for note in row.notes]
    for message in row.messages:
        state = "sent" if message.done_at else f"waits, next try {message.next_try}"
        lines.append(f"  {', '.join(message.paths)}: {state} {message.last_error}".rstrip())
    return lines
