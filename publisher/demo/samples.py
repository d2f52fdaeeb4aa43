"""The samples: what is submitted to the demo's site, and what is to become of it."""

from dataclasses import dataclass
from enum import Enum

from publisher.demo import magazine
from publisher.ports import Source
from publisher.services.submit import Asset, SubmitRequest


class Fate(Enum):
    """Where a sample job is brought."""

    WAITS = "waits for approval"
    PREPARED = "ends where preparing it ends: in REVIEW, or as SKIPPED"
    APPROVED = "is approved and published"
    REJECTED = "is rejected"
    CLASHES = "is approved after somebody else changed the same article"


@dataclass(frozen=True, slots=True)
class Sample:
    """One job of the demo; ``name`` is its idempotency key."""

    name: str
    fate: Fate
    title: str = ""
    target: str | None = None
    source: str = ""
    topic: str = ""
    content: str = ""
    action: str | None = None
    asset: str = ""
    asset_path: str = ""
    repeats: str = ""
    comment: str = ""

    def request(self, site: str) -> SubmitRequest:
        """The request as a program would send it."""
        return SubmitRequest(
            site=site,
            sources=self._sources(),
            content=magazine.material(self.content) if self.content else None,
            action=self.action,
            target_path=self.target,
            topic=self.topic,
            title=self.title,
            assets=(Asset(self.asset_path, magazine.material(self.asset)),) if self.asset else (),
            key=f"demo-{self.name}",
        )

    def _sources(self) -> tuple[Source, ...]:
        if self.source:
            return (Source(self.source, magazine.material(self.source).decode()),)
        if self.repeats:
            return (Source("newsletter.md", magazine.repository()[self.repeats].decode()),)
        return ()


SOUP = "content/kitchen/tuesday-soup.md"
SECOND_PERSON = ("Wen Baker", "wen@quillbrook.example")
SECOND_PERSONS_FILE = "tuesday-soup-second-person.md"
SECOND_PERSONS_MESSAGE = "Serve soup until half past two.\n\nThe school bus arrives later now.\n"

SAMPLES = (
    Sample(
        "swap-day",
        Fate.APPROVED,
        source="swap-day.txt",
        topic="Clothes swap",
        target="content/kitchen/clothes-swap.md",
        comment="Numbers checked against the list at the door.",
    ),
    Sample(
        "reading-group",
        Fate.APPROVED,
        content="yuedu-xiaozu.md",
        action="create",
        target="content/zh/yuedu-xiaozu.md",
    ),
    Sample("soup-hours", Fate.CLASHES, content="tuesday-soup.md", action="update", target=SOUP),
    Sample(
        "blenders",
        Fate.REJECTED,
        content="best-blenders.md",
        action="create",
        target="content/kitchen/best-blenders.md",
        comment="This is an advertisement. The magazine has none.",
    ),
    Sample("newsletter", Fate.PREPARED, repeats="content/repair/before-you-come.md"),
    Sample(
        "dumplings",
        Fate.PREPARED,
        content="dumpling-afternoon.mdx",
        action="create",
        target="content/kitchen/dumpling-afternoon.mdx",
    ),
    Sample(
        "bench",
        Fate.WAITS,
        source="bench-notes.txt",
        topic="A bench for the bus stop",
        title="A bench for the bus stop",
        target="content/repair/bench-for-the-bus-stop.md",
    ),
    Sample(
        "old-radio",
        Fate.WAITS,
        content="xiuli-kafei.md",
        action="update",
        target="content/zh/xiuli-kafei.md",
    ),
    Sample(
        "lamp-evening",
        Fate.WAITS,
        content="lamp-evening.md",
        action="create",
        target="content/repair/lamp-evening.md",
        asset="lamp.png",
        asset_path="public/images/lamp.png",
    ),
)
"""In the order in which they are submitted: those that wait come last, so they are the newest."""
