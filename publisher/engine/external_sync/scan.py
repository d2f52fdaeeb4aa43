"""Scan: find hand edits that have been left alone for the quiet time, and register them once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from unicodedata import normalize

from django.db.models import QuerySet

from publisher import spoiled, wakeup
from publisher.domain.errors import ImprimaturError
from publisher.domain.keys import outbox_id
from publisher.domain.paths import is_nameable, match_glob
from publisher.engine.external_sync import removals
from publisher.engine.external_sync.forward import bring
from publisher.engine.external_sync.place import (
    Note,
    blockers,
    checkout_lock,
    note,
    opened,
    roots,
    standing,
)
from publisher.engine.external_sync.quiet import FRESH, Quiet
from publisher.live import Edit, LiveCheckout, LiveRepository, LiveState
from publisher.models import LiveSight, Outbox, Site
from publisher.ports import Ports
from publisher.selectors_live import KIND

Files = dict[str, list[str | None]]


@dataclass(slots=True)
class Found:
    """What one scan saw: files to send as [blob before, blob now], and what stays where it is.

    ``turn`` is how many messages from this HEAD of this checkout were done when it looked, ``sent``
    what they sent, path by path.
    """

    turn: int = 0
    sent: Mapping[str, str | None] = field(default_factory=dict)
    quiet: Quiet | None = None
    files: Files = field(default_factory=dict)
    left: dict[str, list[str]] = field(default_factory=dict)

    def leave(self, code: str, path: str) -> None:
        """Keep a path for the page; it is not sent."""
        self.files.pop(path, None)
        self.left.setdefault(code, []).append(path)

    def staying(self, own: Mapping[str, str | None]) -> set[str | None]:
        """What the paths hold upstream whose removal may be what is not sent now."""
        codes = (FRESH, removals.TREE, removals.MOST)
        paths = [path for code in codes for path in self.left.get(code, ())]
        return {blob for path in paths for blob in (own[path], self.sent.get(path))} - {None}


def scan(site: Site, ports: Ports) -> bool:
    """Look once, under the checkout lock; whether something new was registered. No network.

    What keeps it from looking is raised, and told on the site's page in place of what was seen.
    """
    now = ports.clock.now()
    with (
        opened(site, ports) as (repository, live),
        checkout_lock(site, ports),
    ):
        try:
            state, found, notes = _look(site, ports, repository, live, now)
        except (ImprimaturError, OSError) as trouble:
            _keep(site, notes=[note("unreadable", names=[spoiled.why(trouble)])], looked_at=now)
            raise
    _keep(site, notes=notes, looked_at=now, head=state.head)
    return bool(found.files) and _register(site, state, found, now)


def _look(
    site: Site, ports: Ports, repository: LiveRepository, live: LiveCheckout, now: datetime
) -> tuple[LiveState, Found, list[Note]]:
    """What is there to send and to tell; a checkout with nothing to send is brought forward."""
    state = live.state()
    notes = blockers(site, state)
    away = "" if notes else standing(site, repository, live, state)
    if away:
        notes.append(note(away))
    found = Found()
    if not notes:
        found = _find(site, live, repository, state, now)
        why = "" if found.files else bring(site, ports, repository, live, state)
        notes += [note(f"behind_{why}")] if why else []
    notes += _left(found)
    if state.has_stash:
        notes.append(note("stash"))
    return state, found, notes


def _find(
    site: Site, live: LiveCheckout, repository: LiveRepository, state: LiveState, now: datetime
) -> Found:
    done = _done(site, state)
    quiet = Quiet(site, live, now)
    sent = _sent(done)
    found = Found(len(done), sent, quiet)
    edits = live.edits()
    rested: set[str] = set()
    for edit in edits:
        why = _why_left(site, edit, quiet)
        if why:
            found.leave(why, edit.path)
        else:
            rested.add(edit.path)
    # What equals HEAD again after it was sent is no edit to git, and was undone by somebody.
    undone = sent.keys() - {edit.path for edit in edits}
    asked = {*rested, *undone, *found.left.get(FRESH, ())}
    own = {
        path: entry.blob if entry else None
        for path, entry in repository.entries(state.head, asked).items()
    }
    for path, content in live.contents(rested | undone).items():
        base = sent.get(path, own[path])
        # What its own commit does not hold either was never there: an older copy removes nothing.
        is_known = content.blob is not None or own[path] is not None
        if content.held:
            found.leave(content.held, path)
        elif content.blob != base and is_known:
            if path in rested or quiet.has(path):
                found.files[path] = [base, content.blob]
            else:
                found.leave(FRESH, path)
    for path in removals.suspect(site, repository, state.head, found.files):
        found.leave(removals.MOST, path)
    for path in removals.moved(found.files, found.staying(own)):
        found.leave(removals.MOVED, path)
    return found


def _why_left(site: Site, edit: Edit, quiet: Quiet) -> str:
    """The code under which an edit stays where it is; "" for one that has rested."""
    if edit.is_staged:
        return "staged"
    if not is_nameable(edit.path, roots=roots(site)):
        path = normalize("NFC", edit.path)
        is_inside = any(match_glob(normalize("NFC", root), path) for root in roots(site))
        return "unnameable" if is_inside else "unrelated"
    return "" if quiet.has(edit.path) else FRESH


def _left(found: Found) -> list[Note]:
    return [
        found.quiet.note(paths)
        if code == FRESH and found.quiet
        else note(code, names=sorted(paths))
        for code, paths in sorted(found.left.items())
    ]


def _sent(done: list[Outbox]) -> dict[str, str | None]:
    """What was sent from there before, path by path: the newest is what stands upstream."""
    sent: dict[str, str | None] = {}
    for message in done:
        sent |= {path: after for path, (_, after) in message.payload["files"].items()}
    return sent


def _done(site: Site, state: LiveState) -> list[Outbox]:
    """From there alone: another checkout at the same commit holds other files."""
    return list(_from_there(site, state).filter(done_at__isnull=False).order_by("done_at", "pk"))


def _is_waiting(site: Site, state: LiveState, found: Found) -> bool:
    """Whether this is all that is left of an open message, which sent the rest and tells a clash."""
    return any(
        {p: pair for p, pair in row.payload["files"].items() if found.sent.get(p) != pair[1]}
        == found.files
        for row in _from_there(site, state).filter(done_at__isnull=True)
    )


def _from_there(site: Site, state: LiveState) -> QuerySet[Outbox]:
    """Messages from this very HEAD of this very checkout, for the branch that the site has."""
    rows = Outbox.objects.filter(kind=KIND, payload__site=site.pk, payload__branch=site.branch)
    return rows.filter(payload__head=state.head, payload__checkout=state.identity)


def _register(site: Site, state: LiveState, found: Found, now: datetime) -> bool:
    """Insert or ignore: the same edits from the same HEAD are one message, however often found.

    ``turn`` tells an edit that was made, sent, undone, sent and made again from the first one. It
    is that of the look: whoever was overtaken since then registers what is registered already.
    """
    if _is_waiting(site, state, found):
        return False
    payload = {
        "site": site.pk,
        "branch": site.branch,
        "checkout": state.identity,
        "head": state.head,
        "turn": found.turn,
        "files": found.files,
    }
    _, created = Outbox.objects.get_or_create(
        pk=f"{KIND}:{outbox_id(payload)}",
        defaults={"kind": KIND, "payload": payload, "due_at": now, "created_at": now},
    )
    if created:
        wakeup.deliver()
    return created


def _keep(site: Site, **seen: Any) -> None:
    LiveSight.objects.update_or_create(site=site, defaults=seen)
