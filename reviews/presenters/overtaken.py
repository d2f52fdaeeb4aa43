"""Overtaken: what is said to somebody who reads a request while it changes under them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from publisher.domain.envelope import differences
from reviews.presenters import approval as presenter
from reviews.presenters import envelope, words
from reviews.presenters.times import in_full


@dataclass(frozen=True, slots=True)
class Overtaken:
    """``ended`` and ``button`` are empty while the request on the page can still be decided."""

    sentence: str
    ended: str
    button: str
    newer: Any | None
    link: str
    changes: Sequence[envelope.Change]


def of(found: Any, newest: Any | None, *, when: str) -> Overtaken:
    """The banner for this request; ``newest`` is the newest one of its job."""
    newer = newest if newest is not None and newest.pk != found.pk else None
    ended = button = ""
    if found.status != "pending":
        ended = presenter.told(found, found.job, when)
        replaced = found.status == "superseded" and not _is_same(found, newer)
        button = _("Replaced by a newer version") if replaced else _("No longer open")
    changes = envelope.changes(differences(found.envelope, newer.envelope)) if newer else []
    return Overtaken(_sentence(found, newer), ended, button, newer, _link(found, newer), changes)


def _is_same(found: Any, newer: Any | None) -> bool:
    """Whether the later request is about the very version that this one was about."""
    return newer is not None and newer.revision == found.revision


def _link(found: Any, newer: Any | None) -> str:
    if newer is None:
        return _("Show it as it is now")
    return _("Go to the later request") if _is_same(found, newer) else _("Read the newer version")


def _sentence(found: Any, newer: Any | None) -> str:
    if newer is not None and _is_same(found, newer):
        text = _("The same version was asked about again on %(at)s. Your comment is kept.")
        return text % {"at": in_full(newer.opened_at)}
    if newer is not None:
        text = _("A newer version arrived on %(at)s. Your comment is kept.")
        return text % {"at": in_full(newer.opened_at)}
    at = in_full(found.closed_at or found.job.updated_at)
    if found.status == "superseded":
        text = _("This version was replaced on %(at)s; the new one is being prepared.")
        return text % {"at": at} + " " + _("Your comment is kept.")
    text = _("Something changed here on %(at)s, while you read.") % {"at": at}
    return f"{text} {words.of(words.APPROVALS, found.status).meaning}"
