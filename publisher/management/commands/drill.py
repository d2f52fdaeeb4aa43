"""``manage.py drill``: the recovery experiments, for real, in a scratch folder."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from publisher.management.console import INVALID, ConsoleCommand
from publisher.processes.drills.experiments import EXPERIMENTS
from publisher.processes.drills.run import Result, run


class Command(ConsoleCommand):
    """Exit 0 when every promise was kept, 1 when one was not. Nothing of yours is touched."""

    help = "Run the recovery experiments in a scratch folder, with processes that really end."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which experiments."""
        super().add_arguments(parser)
        names = ", ".join(experiment.name for experiment in EXPERIMENTS)
        parser.add_argument("name", nargs="*", metavar="NAME", help=names)
        parser.add_argument("--all", action="store_true", help="every experiment (the default)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run them, and print a line a promise."""
        asked = set() if options["all"] else set(options["name"])
        known = {experiment.name: experiment for experiment in EXPERIMENTS}
        if unknown := sorted(asked - set(known)):
            message = f"There is no drill {unknown[0]}. There are: {', '.join(known)}."
            self.leave(INVALID, message)
        folder = Path(tempfile.mkdtemp(prefix="imprimatur-drill-"))
        chosen = [known[name] for name in known if not asked or name in asked]
        results = []
        for result in run(folder, chosen):
            results.append(result)
            if not options["json"]:
                self._tell(result)
        passed = all(result.passed for result in results)
        document = {"passed": passed, "folder": str(folder), "drills": [_facts(r) for r in results]}
        kept = sum(result.passed for result in results)
        summary = f"{kept} of {len(results)} promises kept. Snapshots: {folder / 'snapshots'}"
        self.show(options, document, summary)
        if not passed:
            sys.exit(1)

    def _tell(self, result: Result) -> None:
        self.stdout.write(f"{'pass' if result.passed else 'FAIL'}  {result.name}: {result.promise}")
        for broken in result.broken:
            self.stdout.write(f"      {broken}")
        self.stdout.flush()


def _facts(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "promise": result.promise,
        "passed": result.passed,
        "broken": list(result.broken),
        "snapshot": str(result.snapshot),
    }
