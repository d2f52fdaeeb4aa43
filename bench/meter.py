"""Meter: time in the repository port, and git processes, of whatever runs behind it."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from publisher.adapters.git.runner import Runner
from publisher.ports import Ports, Repository, SiteSpec

NETWORK = ("fetch", "push")


class Meter:
    """Counts calls and their milliseconds; the git processes of every repository that was opened."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.calls: Counter[str] = Counter()
        self._runners: list[Runner] = []
        self._before = 0

    def on(self, ports: Ports) -> Ports:
        """The same ports, measured."""

        def opened(spec: SiteSpec, cancelled: Callable[[], bool]) -> Repository:
            return _Measured(ports.repository(spec, cancelled), self)

        return replace(ports, repository=opened)

    def add(self, runner: Runner) -> None:
        """Count this runner's processes, too."""
        self._runners.append(runner)

    def reset(self) -> None:
        """Begin anew; runners that are still open count from here."""
        self.spent.clear()
        self.calls.clear()
        self._before = sum(runner.started for runner in self._runners)

    def processes(self) -> int:
        """Git processes since the last reset."""
        return sum(runner.started for runner in self._runners) - self._before

    def total(self, names: tuple[str, ...] = ()) -> float:
        """Milliseconds in these calls, or in all."""
        return sum(time for name, time in self.spent.items() if not names or name in names)


class _Measured:
    """Stands in front of a repository and takes the time of each call."""

    def __init__(self, repository: Any, meter: Meter) -> None:
        self._repository = repository
        self._meter = meter
        meter.add(repository.runner)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._repository, name)
        if not callable(found):
            return found

        def timed(*arguments: Any, **options: Any) -> Any:
            start = time.perf_counter()
            try:
                return found(*arguments, **options)
            finally:
                self._meter.calls[name] += 1
                self._meter.spent[name] += (time.perf_counter() - start) * 1000

        return timed
