"""Place: a site's live checkout opened for a moment, and what in it may be sent at all."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any, cast

from publisher.live import LiveCheckout, LiveRepository, LiveState
from publisher.models import Job, LiveSight, Site
from publisher.ports import Ports
from publisher.services.site_rules import checkout_folder

Note = dict[str, Any]
KEPT = 200
"""Names of one note; a package tree that nobody ignores has more."""


@contextmanager
def opened(site: Site, ports: Ports) -> Iterator[tuple[LiveRepository, LiveCheckout]]:
    """The site's clone and its live checkout. No lock is taken here."""
    repository = cast(LiveRepository, ports.repository(site.spec, _never))
    try:
        yield repository, repository.live(site.live_checkout)
    finally:
        repository.close()


def checkout_lock(site: Site, ports: Ports) -> AbstractContextManager[None]:
    """Held while the checkout is read or moved, whichever site does it and by whichever name."""
    return ports.locks.hold("checkout", checkout_folder(site))


def roots(site: Site) -> tuple[str, ...]:
    """Patterns of what the lane may send: the site's content and the font that is made for it."""
    return (*site.roots, site.fonts) if site.fonts else site.roots


def blockers(site: Site, state: LiveState) -> list[Note]:
    """Why nothing there may be read as somebody's finished work, or moved."""
    if state.trouble:
        return [note(state.trouble)]
    found = [note("operation", names=[name]) for name in state.operations]
    if not state.branch:
        found.append(note("detached"))
    elif state.branch != site.branch:
        found.append(note("branch", names=[state.branch]))
    if not state.head:
        found.append(note("empty"))
    if state.locked_at is not None:
        since = datetime.fromtimestamp(state.locked_at, UTC)
        found.append(note("locked", names=[f"since {since:%Y-%m-%d %H:%M} UTC"]))
    return found


def standing(site: Site, repository: LiveRepository, live: LiveCheckout, state: LiveState) -> str:
    """ "" where HEAD is in the branch's history, else "ahead" or "diverged".

    Diverged is who holds what the branch held once: a commit that was fetched, or that a job
    published there, and that the branch has no more. Its history was rewritten since.
    """
    tip = repository.tip()
    if tip is None:
        return "ahead"
    if repository.resolves(state.head) and repository.is_ancestor(state.head, tip):
        return ""
    commits = live.history()
    ours = set(
        Job.objects.filter(site=site, remote_commit__in=commits).values_list(
            "remote_commit", flat=True
        )
    )
    for commit in commits:
        is_here = repository.resolves(commit)
        if is_here or commit in ours:
            return "ahead" if is_here and repository.is_ancestor(commit, tip) else "diverged"
    return "ahead"


def note(code: str, *, names: list[str] | None = None) -> Note:
    """One thing to tell on the site's page; ``names`` are paths or words of git, as many as one reads."""
    every = names or []
    kept = [name.encode("utf-8", "replace").decode() for name in every[:KEPT]]
    more = [f"… (+{len(every) - KEPT})"] if len(every) > KEPT else []
    return {"code": code, "names": kept + more}


def remember(site: Site, **columns: Any) -> None:
    """Keep for the page what was seen or done; the row is made by the first look."""
    LiveSight.objects.filter(site=site).update(**columns)


def _never() -> bool:
    return False
