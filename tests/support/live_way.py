"""The way of a hand edit: a live checkout that people edit, from the watcher's word to the remote."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support import crash
from tests.support.crash import ARTICLE, EDITED, PATH, Installation
from tests.support.git import blob, git, head, make_remote, second_person
from tests.support.matrix import Stage, Way

NEW, GONE, THEIRS = "content/posts/new.md", "content/posts/gone.md", "README.md"
ADDED, MINE = b"---\ntitle: New\n---\n\nBy hand.\n", b"# somebody is at it\n"
FORWARDED, LEFT = "the checkout is at the tip", "the checkout is as it was"


@dataclass
class LiveWay(Way):
    """Edits of three files; a file that is nobody's business lies beside them.

    Whoever comes after a death is the sweep, once the dead one's claim on the message is over.
    """

    traced_how: str = "--once"

    @property
    def place(self) -> Path:
        """The checkout that people edit."""
        return self.here.home / "live" / "checkout"

    def bound(self) -> str:
        """Nobody approves a hand edit."""
        return ""

    def do(self, act: str) -> None:
        """What people do between two stages."""
        if act == "crowd":
            # Somebody changes here what changes on the remote too, so that nothing may be forwarded.
            self.here.restore("registered")
            (self.place / THEIRS).write_bytes(MINE)
            second_person(self.here.remote, {THEIRS: b"# theirs\n"}, "theirs")

    def check(self, stage: Stage) -> None:
        """Sent once, nothing else moved, and a further look finds nothing to do."""
        tip = head(self.here.remote)
        self._was_sent_once()
        (site,) = json.loads(self.here.command("external-sync", "--json"))["sites"]
        assert [bool(message["done_at"]) for message in site["messages"]] == [True], site
        assert head(self.here.remote) == tip
        assert self.here.broken(before=self.before) == []
        assert not (self.place / ".git" / "index.lock").exists()
        if stage.end == LEFT:
            kept = self.here.home / stage.name / "checkout"
            assert picture(self.place) == picture(kept)
        else:
            self._is_at(tip)

    def _was_sent_once(self) -> None:
        remote, base = self.here.remote, self.before[0]
        sent = git(
            remote, "log", "--format=%H", "--author=Imprimatur external sync", f"{base}..main"
        ).decode()
        (commit,) = sent.split()
        changed = git(remote, "diff", "--name-status", "--no-renames", f"{commit}^", commit)
        assert sorted(changed.decode().split("\n")) == [
            "", f"A\t{NEW}", f"D\t{GONE}", f"M\t{PATH}",
        ]  # fmt: skip
        assert (blob(remote, PATH), blob(remote, NEW)) == (EDITED, ADDED)

    def _is_at(self, tip: str) -> None:
        assert git(self.place, "rev-parse", "HEAD").decode().strip() == tip
        assert git(self.place, "symbolic-ref", "HEAD").decode().strip() == "refs/heads/main"
        assert git(self.place, "status", "--porcelain").decode() == "?? notes.txt\n"
        assert (self.place / "notes.txt").read_bytes() == MINE

    def _work(self, lease: float) -> None:
        ended = self._wait(self._start("rescuer", "reconcile", is_later=True))
        assert ended == 0, (ended, self._errors("rescuer"))


def picture(place: Path) -> dict[str, str]:
    """Every file with its digest, git's own ones too."""
    return {
        str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(place.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def edit(here: Installation) -> None:
    """Somebody clones the site, edits one file, adds one and removes one, and keeps notes."""
    place = here.home / "live" / "checkout"
    git(here.home, "clone", "-q", str(here.remote), str(place))
    (place / PATH).write_bytes(EDITED)
    (place / NEW).write_bytes(ADDED)
    (place / GONE).unlink()
    (place / "notes.txt").write_bytes(MINE)


@contextmanager
def sync_way(home: Path, database: str = "") -> Iterator[LiveWay]:
    """Hand edits from the watcher's word to the remote's branch, and what others pushed meanwhile."""
    with crash.warmed(home, database) as here:
        here.remote.parent.mkdir(parents=True)
        make_remote(here.remote, {PATH: ARTICLE, GONE: ARTICLE, THEIRS: b"# blog\n"})
        here.migrate()
        here.command("site", "add", "blog", "--remote", str(here.remote))
        here.work()
        edit(here)
        place = here.home / "live" / "checkout"
        here.command("site", "set", "blog", "--live-checkout", str(place), "--quiet-seconds", "0")
        here.work()
        here.command("watch")
        stages = [
            Stage("edited", FORWARDED),
            Stage("registered", FORWARDED, "crowd"),
            Stage("crowded", LEFT),
        ]
        way = LiveWay(here, "", stages)
        way.trace()
        yield way
