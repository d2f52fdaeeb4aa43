"""``manage.py work``: the engine in the foreground, without a queue."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from publisher import faults, nodes, wiring
from publisher.engine.foreground import Foreground
from publisher.management.console import ConsoleCommand


class Command(ConsoleCommand):
    """Advances what is due; with --until-idle, until nothing falls due within a minute."""

    help = "Run the engine in the foreground."

    def add_arguments(self, parser: CommandParser) -> None:
        """How long, and on what."""
        super().add_arguments(parser)
        parser.add_argument("--until-idle", action="store_true")
        parser.add_argument("--once", action="store_true")
        parser.add_argument("--job", default="")
        parser.add_argument("--lease-seconds", type=float)
        parser.add_argument(
            "--fault", metavar="POINT[:N][=ACTION]", help="exit (or pause, error, full) there"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Work, and print how many jobs and messages were worked on."""
        seconds = options["lease_seconds"] or settings.IMPRIMATUR_LEASE_SECONDS
        if options["fault"]:
            with self.refusals():
                faults.install(options["fault"])
        ports = wiring.ports()
        work = Foreground(
            ports=ports,
            owner=wiring.owner(),
            node=nodes.writer(wiring.node(), ports.clock.now()),
            heartbeat=wiring.heartbeat(seconds),
            lease_seconds=seconds,
            only=options["job"],
        )
        done = work.until_idle() if options["until_idle"] else work.once()
        if missed := faults.missed():
            self.stderr.write(f"The fault point {missed} was not passed.")
        self.show(options, {"worked": done}, f"Worked on {done}.")
