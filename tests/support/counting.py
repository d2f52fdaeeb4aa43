"""Counting: a provider that counts how often it was asked for a draft."""

from collections.abc import Sequence
from dataclasses import replace

from publisher.ports import DraftResult, Ports, Provider, Source
from publisher.wiring import never


class Counting:
    """Asks the real one, and counts."""

    def __init__(self, real: Provider) -> None:
        self.real = real
        self.asked = 0

    def draft(
        self, sources: Sequence[Source], *, topic: str | None, title: str | None
    ) -> DraftResult:
        """Ask the real one."""
        self.asked += 1
        return self.real.draft(sources, topic=topic, title=title)


def watched(ports: Ports) -> tuple[Ports, Counting]:
    """The ports with such a provider in place of the one that needs no network."""
    counting = Counting(ports.provider("standin", never))
    return replace(ports, provider=lambda _name, _cancelled: counting), counting
