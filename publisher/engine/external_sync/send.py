"""Send: push one registered set of hand edits, at least once and never over anybody's change."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from publisher.domain.errors import ImprimaturError, RepositoryError
from publisher.domain.keys import outbox_id
from publisher.domain.paths import check_path
from publisher.domain.states import Lane
from publisher.engine.external_sync.forward import forward
from publisher.engine.external_sync.place import blockers, checkout_lock, opened, remember, roots
from publisher.engine.roots import watch
from publisher.live import Content, LiveCheckout, LiveRepository
from publisher.models import Outbox, Site
from publisher.ports import CommitPlan, Ports
from publisher.selectors_live import AUTHOR, KIND

REF = "refs/imprimatur/external-sync"


class LiveClash(ImprimaturError):
    """The remote changed the same files; a person has to say which text stays."""

    code = "live_clash"


class LiveBusy(ImprimaturError):
    """Somebody's git is at work in the live checkout; nothing is read until it is over."""

    code = "live_busy"


class _Superseded(ImprimaturError):
    """The files or the site changed meanwhile; the next scan registers what there is to send then."""

    code = "superseded"


def send(message: Outbox, ports: Ports) -> None:
    """One try. Raising leaves the message for a later one, with every lock free meanwhile."""
    try:
        site = _admitting(message)
        with (
            opened(site, ports) as (repository, live),
            ports.locks.hold("delivery", site.name),
        ):
            clashes = _send(site, message, ports, repository, live)
    except _Superseded:
        message.delete()
        return
    forward(site, ports)
    if clashes:
        names = ", ".join(sorted(clashes))
        raise LiveClash(f"Somebody changed the same files on the remote: {names}.")


def _admitting(message: Outbox) -> Site:
    """The site's row as it is now. Raises where nothing may leave, or where it is set elsewhere."""
    site = Site.objects.get(pk=message.payload["site"])
    if (
        site.removed_at is not None
        or not site.live_checkout
        or (message.payload["branch"] != site.branch)
    ):
        raise _Superseded("The site has another checkout.")
    if Lane.PUBLISH.value in site.paused_lanes:
        why = site.stop_reason or "The site is paused. Hand edits wait until it is resumed."
        raise RepositoryError(why)
    return site


def _send(
    site: Site, message: Outbox, ports: Ports, repository: LiveRepository, live: LiveCheckout
) -> list[str]:
    """Whoever calls holds the delivery lock. Returns the paths that the remote changed as well."""
    files: Mapping[str, list[str | None]] = message.payload["files"]
    tip = repository.fetch()
    watch(site, repository, tip)
    if site.stop_reason:
        raise RepositoryError(site.stop_reason)
    there = {
        path: entry.blob if entry else None
        for path, entry in repository.entries(tip, files).items()
    }
    open_paths = [path for path, (_, after) in files.items() if there[path] != after]
    clashes = [path for path in open_paths if there[path] != files[path][0]]
    free = sorted(set(open_paths) - set(clashes))
    if open_paths:
        _keep_sent(message, files.keys() - open_paths, ports)
        contents = _read(site, message, ports, live, open_paths)
        if free:
            with ports.locks.hold("repository", site.name):
                plan = _plan(site, {path: contents[path] for path in free}, message.created_at)
                commit = repository.build_commits(tip, [plan])[0]
            # Waiting, fetching and reading took minutes, in which a person may have stopped it.
            if _admitting(message).live_checkout != site.live_checkout:
                raise _Superseded("The site has another checkout.")
            repository.push(commit, lease=tip)
            if clashes:
                _keep_sent(message, files.keys() - clashes, ports)
            remember(site, sent_commit=commit, sent_at=ports.clock.now())
            repository.fetch()
    return clashes


def _keep_sent(message: Outbox, paths: Iterable[str], ports: Ports) -> None:
    """Of a message that is not done yet: what of it stands upstream, as a message that is done.

    Later edits of these files go on from there, however long the others clash. A crash before this
    loses nothing: the next try finds the same files upstream.
    """
    files = {path: message.payload["files"][path] for path in sorted(paths)}
    if files:
        payload = {**message.payload, "files": files}
        now = ports.clock.now()
        Outbox.objects.update_or_create(
            pk=f"{KIND}:{outbox_id(payload)}",
            defaults={"done_at": now},
            create_defaults={
                "kind": KIND, "payload": payload, "due_at": now, "created_at": now, "done_at": now,
            },
        )  # fmt: skip


def _read(
    site: Site, message: Outbox, ports: Ports, live: LiveCheckout, paths: list[str]
) -> dict[str, Content]:
    """The bytes that were registered, or nothing: the checkout lock is held for the reading alone."""
    with checkout_lock(site, ports):
        state = live.state()
        found = blockers(site, state)
        if found:
            raise LiveBusy("The live checkout cannot be read now. The site's page says why.")
        if state.identity != message.payload.get("checkout", state.identity):
            raise _Superseded("The site has another checkout.")
        if state.head != message.payload["head"]:
            raise _Superseded("The checkout is at another commit.")
        contents = live.contents(paths)
    for path, content in contents.items():
        if content.held or content.blob != message.payload["files"][path][1]:
            raise _Superseded("The files were edited again.")
        check_path(path, field="live_checkout", roots=roots(site))
    return contents


def _plan(site: Site, contents: Mapping[str, Content], date: datetime) -> CommitPlan:
    """A commit that says where it comes from, and never poses as a job's: it has no trailers."""
    count = len(contents)
    lines = "\n".join(f"  {path}" for path in sorted(contents))
    text = (
        f"external sync: {count} file{'' if count == 1 else 's'}\n\n{lines}\n\n"
        "Edited by hand in the live checkout of this site.\n"
    )
    files = {path: content.data for path, content in contents.items()}
    return CommitPlan(files, text, date, REF, None, {}, AUTHOR)
