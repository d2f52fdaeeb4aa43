"""``manage.py work``: the engine in the foreground, without a queue."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from publisher import faults, nodes, spoiled, wiring
from publisher.domain.errors import InvalidInput
from publisher.engine.foreground import Foreground
from publisher.env import LEASE_SECONDS
from publisher.management.console import ConsoleCommand
from publisher.processes.doctor.glance import glance

SHORTEST_LEASE = 0.1


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

    def _lease_seconds(self, options: dict[str, Any]) -> float:
        """Trials want shorter ones than the variable allows; one that is over at once is taken for ever."""
        seconds: float | None = options["lease_seconds"]
        if seconds is None:
            return float(settings.IMPRIMATUR_LEASE_SECONDS)
        longest = LEASE_SECONDS[1]
        with self.refusals():
            if not SHORTEST_LEASE <= seconds <= longest:
                raise InvalidInput("lease_seconds", f"Give {SHORTEST_LEASE} to {longest} seconds.")
        return seconds

    def handle(self, *args: Any, **options: Any) -> None:
        """Work, and print how many jobs and messages were worked on."""
        glance()
        seconds = self._lease_seconds(options)
        if options["job"]:
            self.job(options)  # one that nobody knows is no work done
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
        with spoiled.left_out() as unread:
            done = work.until_idle() if options["until_idle"] else work.once()
        for name in (*unread, *(f"Job {job_id}" for job_id in work.given_up())):
            self.stderr.write(
                f"{name} cannot be worked on and was left: verify says what is wrong."
            )
        if missed := faults.missed():
            self.stderr.write(f"The fault point {missed} was not passed.")
        self.show(options, {"worked": done}, f"Worked on {done}.")
