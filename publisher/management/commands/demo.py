"""``manage.py demo``: a site, people and jobs to try everything on."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from publisher import nodes, wiring
from publisher.demo import accounts
from publisher.demo.story import Story
from publisher.domain.states import Actor
from publisher.engine.foreground import Foreground
from publisher.management.console import ConsoleCommand, who


class Command(ConsoleCommand):
    """Run twice, it changes nothing; interrupted, it is completed by the next run."""

    help = (
        "Make the demo: a repository below the data folder, the site demo, five people, and sample "
        "jobs that stand in every queue. A second run changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Whether to begin anew."""
        super().add_arguments(parser)
        parser.add_argument(
            "--reset",
            action="store_true",
            help="begin anew: cancel the demo's open jobs, take its site out of use and make a new "
            "one with a new repository. Nothing is deleted: the old jobs, their events and the old "
            "repository stay, and so do people and their password.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Tell the story, then say how to log in."""
        story = Story(
            data_dir=settings.DATA_DIR,
            ports=wiring.ports(),
            make_remote=wiring.make_remote,
            add_commit=wiring.add_commit,
            advance=_advance,
            say=self._say,
        )
        with self.refusals():
            if options["reset"]:
                story.begin_anew(who(options, Actor.OPERATOR))
            is_new = self._tell(story)
        if options["verbosity"] > 0:
            file = accounts.login_file(settings.DATA_DIR)
            told = file.read_text().rstrip() if is_new else f"The demo is there. Log in: {file}"
            self.show(options, {"site": "demo", "login": str(file)}, told)

    def _tell(self, story: Story) -> bool:
        """Bring about what is missing; True when the password is new."""
        if story.is_told():
            return False
        is_new = accounts.ensure(settings.DATA_DIR, settings.DEMO_PASSWORD)
        story.tell()
        return is_new

    def _say(self, text: str) -> None:
        print(f"[imprimatur] {text}", file=sys.stderr, flush=True)


def _advance(job_id: str) -> None:
    seconds = settings.IMPRIMATUR_LEASE_SECONDS
    ports = wiring.ports()
    Foreground(
        ports=ports,
        owner=wiring.owner(),
        node=nodes.writer(wiring.node(), ports.clock.now()),
        heartbeat=wiring.heartbeat(seconds),
        lease_seconds=seconds,
        only=job_id,
    ).until_idle()
