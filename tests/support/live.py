"""Live checkouts of the tests: a normal clone that somebody edits, and what nobody may touch in it."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from publisher.engine import external_sync
from publisher.models import LiveSight, Outbox, Site
from tests.support.git import git
from tests.support.journey import Journey


@dataclass
class Live:
    """A live checkout of a journey's site."""

    journey: Journey
    place: Path

    def write(self, path: str, data: bytes) -> None:
        """Somebody saves a file."""
        target = self.place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def read(self, path: str) -> bytes:
        """A file on the disk."""
        return (self.place / path).read_bytes()

    def git(self, *arguments: str) -> str:
        """Somebody works with git there."""
        return git(self.place, *arguments).decode()

    def head(self) -> str:
        """The commit that is checked out."""
        return self.git("rev-parse", "HEAD").strip()

    def status(self) -> str:
        """What git tells a person there."""
        return self.git("status", "--porcelain", "--untracked-files=all")

    def scan(self) -> bool:
        """One scan, as the sweep makes it."""
        return external_sync.scan(self.site(), self.journey.ports)

    def sync(self) -> None:
        """A scan, and one delivery of what it registered."""
        self.scan()
        self.journey.deliver()

    def again(self) -> None:
        """Let the next try of every waiting message come."""
        Outbox.objects.filter(done_at__isnull=True).update(
            due_at=self.journey.now(), owner="", lease_until=None
        )
        self.journey.deliver()

    def site(self) -> Site:
        """The site's row as it is."""
        return Site.objects.get(pk=self.journey.site.pk)

    def messages(self) -> list[Outbox]:
        """The lane's messages, oldest first."""
        return list(Outbox.objects.filter(kind=external_sync.KIND).order_by("created_at"))

    def notes(self) -> dict[str, list[str]]:
        """What the last look left, and why."""
        sight = LiveSight.objects.get(site=self.journey.site)
        return {note["code"]: note["names"] for note in sight.notes}

    def picture(self) -> dict[str, str]:
        """Every file there with its digest, git's own ones too."""
        return {
            str(path.relative_to(self.place)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.place.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }


def make_live(journey: Journey, *, quiet_seconds: int = 0) -> Live:
    """Clone the site's remote into a folder that people edit, and tell the site of it."""
    place = journey.folder / "live"
    git(journey.folder, "clone", "-q", str(journey.remote), str(place))
    Site.objects.filter(pk=journey.site.pk).update(
        live_checkout=str(place), quiet_seconds=quiet_seconds
    )
    journey.site.refresh_from_db()
    return Live(journey, place)
