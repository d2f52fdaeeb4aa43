"""resolve: a person settles a conflict; the result is a new revision that is checked and approved again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from publisher import artifacts, selectors
from publisher.domain.errors import ArtifactDamaged, InvalidInput, MarkersLeft, Moved, WrongState
from publisher.domain.paths import check_side_by_side, shown
from publisher.domain.states import Event, State
from publisher.journal import Who
from publisher.models import Conflict, Job
from publisher.services import acts
from publisher.services.places import refuse_unfit
from publisher.services.redaction import Taken, known_at, known_in, store_bytes
from publisher.services.requests import check_asset, check_text, checked_path
from publisher.services.revise import add_revision, given, removals
from publisher.services.texts import check_readable

CHOICES = (
    "ours", "theirs", "both", "content", "delete", "keep", "follow_rename", "new_path",
)  # fmt: skip
_MARKERS = (b"<<<<<<< ", b"||||||| ", b"=======", b">>>>>>> ")


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person wants for one file of a conflict."""

    path: str
    choice: str
    content: bytes | None = None
    new_path: str | None = None


def marker_lines(data: bytes) -> list[int]:
    """Lines (1-based) that look like conflict markers, where an opening and a closing one are there."""
    found = []
    kinds = set()
    for number, line in enumerate(data.split(b"\n"), 1):
        bare = line.rstrip(b"\r")
        for marker in _MARKERS:
            if bare.startswith(marker) and (marker != b"=======" or bare == marker):
                found.append(number)
                kinds.add(marker)
    return found if {_MARKERS[0], _MARKERS[3]} & kinds else []


def keeps_published(files: Sequence[Choice]) -> bool:
    """Whether these choices leave everything as it is published: the job is given up by them."""
    return bool(files) and all(choice.choice in ("theirs", "keep") for choice in files)


def resolve(
    conflict: Conflict,
    *,
    files: Sequence[Choice],
    ours_sha256: str,
    theirs_sha256: str,
    who: Who,
    now: datetime,
) -> Job:
    """Settle a conflict by one choice a file.

    The new revision is prepared from the very tip that the person saw, so a later change by
    somebody else becomes a conflict again and is never written over. Raises Moved when either
    side is no longer what was shown, MarkersLeft, InvalidInput, TooLarge, UnsafePath.
    """
    job = conflict.job
    _check_current(conflict, ours_sha256, theirs_sha256)
    chosen = _by_path(conflict, files)
    if keeps_published(files):
        return acts.skip(job, who=who, now=now, reason="kept what is published")
    inputs, changes = _outcome(job, conflict, chosen, now)
    with transaction.atomic():
        add_revision(
            job, inputs, who=who, now=now, why="conflict resolved", event=Event.RESOLVE,
            base_commit=conflict.tip, **changes,
        )  # fmt: skip
        Conflict.objects.filter(pk=conflict.pk).update(
            settled_at=now, settled_by=who.name, settled_how="resolved"
        )
    return job


def _check_current(conflict: Conflict, ours_sha256: str, theirs_sha256: str) -> None:
    _check_open(conflict)
    if (ours_sha256, theirs_sha256) != (conflict.ours_sha256, conflict.theirs_sha256):
        raise Moved(
            "One of the versions changed meanwhile. Your text is kept: look again.",
            ours_sha256=conflict.ours_sha256,
            theirs_sha256=conflict.theirs_sha256,
        )


def _check_open(conflict: Conflict) -> None:
    """WrongState for what somebody else settled, even when its job waits in another conflict."""
    if conflict.settled_at is not None or conflict.job.state != State.CONFLICT.value:
        raise WrongState("This conflict is settled already.", state=conflict.job.state)


def _by_path(conflict: Conflict, files: Sequence[Choice]) -> dict[str, Choice]:
    chosen = {choice.path: choice for choice in files}
    if len(chosen) != len(files):
        paths = [choice.path for choice in files]
        doubled = next(path for path in paths if paths.count(path) > 1)
        raise InvalidInput("files", f"{shown(doubled)} is named twice. Send it once.")
    if unknown := sorted(chosen.keys() - {entry["path"] for entry in conflict.files}):
        raise InvalidInput("files", f"{shown(unknown[0])} is no file of this conflict.")
    for entry in conflict.files:
        choice = chosen.get(entry["path"])
        if choice is None:
            raise InvalidInput("files", f"Nothing was chosen for {entry['path']}.")
        if choice.choice not in CHOICES:
            raise InvalidInput("files", f"Unknown choice. Known: {', '.join(CHOICES)}.")
        if choice.content is not None and (lines := marker_lines(choice.content)):
            raise MarkersLeft(choice.path, lines)
    return chosen


def _outcome(
    job: Job, conflict: Conflict, chosen: dict[str, Choice], now: datetime
) -> tuple[dict[str, Any], dict[str, Any]]:
    entries = {entry["path"]: entry for entry in conflict.files}
    results = {path: _result(job, entry, chosen[path]) for path, entry in entries.items()}
    names, redacted = _stored(job, entries, chosen, results, now)
    gone = {
        path
        for path, (_to, data) in results.items()
        if data is None and entries[path].get("theirs")
    }
    target = results[job.target_path][0] if job.target_path in results else job.target_path
    before = job.revisions.get(number=job.revision).inputs
    deleted = target not in names
    inputs = {
        "sources": before["sources"],
        "content": names.get(target),
        "assets": [
            {"path": path, "artifact": name}
            for path, name in sorted(names.items())
            if path != target
        ],
        "action": "delete" if deleted else None,
        "set_front_matter": None,
        "redacted": redacted,
        "edited": True,
        **given(job),
        **({"path": target} if target != job.target_path else {}),
        **removals(before, names, gone - {target}),
    }
    return inputs, {"target_path": target, "operation": "delete" if deleted else ""}


def _stored(
    job: Job,
    entries: Mapping[str, dict[str, Any]],
    chosen: Mapping[str, Choice],
    results: Mapping[str, tuple[str, bytes | None]],
    now: datetime,
) -> tuple[dict[str, str], Taken]:
    """The draft's files with what was chosen in their place, and what was taken out of them."""
    field = "new_path" if any(one.choice == "new_path" for one in chosen.values()) else "files"
    names = {path: name for path, name in selectors.draft_files(job).items() if path not in results}
    written = {path: (to, data) for path, (to, data) in results.items() if data is not None}
    paths = [*names, *(to for to, _data in written.values())]
    if len(set(paths)) != len(paths):
        raise InvalidInput(field, "The same path is named twice.")
    check_side_by_side(set(paths), field=field)
    redacted: Taken = []
    for path, (to, data) in written.items():
        known = known_at(job, path) | known_in(entries[path].get("theirs"))
        names[to], taken = store_bytes(data, path=to, kind="content", now=now, known=known)
        redacted += taken
    return names, redacted


def _result(job: Job, entry: dict[str, Any], choice: Choice) -> tuple[str, bytes | None]:
    """Where the file goes and its bytes; None removes it. Refuses what no submit may hold either."""
    path, is_article = entry["path"], entry["path"] == job.target_path
    roots = (job.site.articles,) if is_article else (job.site.assets,)
    if entry.get("instead") and choice.choice != "new_path":
        raise InvalidInput(
            "files",
            f"What stands at {shown(path)} is no file any more, so it is neither replaced nor "
            "taken. Choose a new path, or give the conflict up.",
        )
    if choice.choice == "new_path":
        path = checked_path(choice.new_path or "", field="new_path", roots=roots)
        refuse_unfit(path, job.site, field="new_path")
    elif choice.choice == "follow_rename":
        if not entry.get("moved_to"):
            raise InvalidInput("files", f"Nobody moved {path}.")
        path = checked_path(entry["moved_to"], field="files", roots=roots)
    data = _bytes(entry, choice)
    if data is not None and (choice.content is not None or choice.choice == "both"):
        if is_article:
            check_text(len(data), field="content")
            check_readable(choice.content or b"", field="content")
        else:
            check_asset(path, data, field="content")
    return path, data


def _bytes(entry: dict[str, Any], choice: Choice) -> bytes | None:
    if choice.choice == "delete":
        return None
    if choice.choice in ("theirs", "keep"):
        return _load(entry, "theirs")
    if choice.choice == "both":
        theirs, ours = _load(entry, "theirs"), _load(entry, "ours")
        return (theirs or b"").rstrip(b"\n") + b"\n\n" + (ours or b"")
    if choice.choice == "content":
        if choice.content is None:
            raise InvalidInput("content", "Write the text that shall be published.")
        return choice.content
    moves = choice.choice in ("follow_rename", "new_path")
    return choice.content if moves and choice.content else _load(entry, "ours")


def _load(entry: dict[str, Any], side: str) -> bytes | None:
    """The stored bytes of a version that is needed; what is damaged cannot be chosen."""
    try:
        return artifacts.load(entry[side]) if entry.get(side) else None
    except ArtifactDamaged:
        raise InvalidInput(
            "files",
            f"The stored text of {shown(entry['path'])} is damaged. "
            "Choose another way, or ask an operator to put the file back or to give the conflict up.",
        ) from None


def give_up(conflict: Conflict, *, who: Who, now: datetime, reason: str) -> Job:
    """Publish nothing; what is on the site stays. WrongState when it is settled already."""
    _check_open(conflict)
    return acts.skip(conflict.job, who=who, now=now, reason=reason)
