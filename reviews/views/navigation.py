"""Navigation: what the frame of a page shows to this caller."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from publisher import clock
from publisher.domain.errors import NotAllowed
from reviews.inbox import Inbox, Waiting
from reviews.inbox_filters import NOTHING, Filters
from reviews.permissions import Caller, caller_of


@dataclass(frozen=True, slots=True)
class Link:
    """One entry; ``current`` goes into aria-current. Without a ``count`` it never tells one."""

    word: str
    href: str
    current: str
    count: Waiting | None = None


def frame(request: HttpRequest) -> dict[str, Any]:
    """The navigation, or an empty one for who is not logged in, and the moment of the page."""
    caller = _caller(request)
    if caller is None:
        return {
            "links": [],
            "own_links": [],
            "caller_name": "",
            "waiting": None,
            "now": clock.now(),
        }
    box = inbox_of(request)
    told = box.waiting
    links = [
        _link(request, name, word, told if name == "inbox" else None)
        for name, word, right in _entries()
        if caller.may_somewhere(right)
    ]
    return {
        "links": links,
        "own_links": [_link(request, "me", caller.name)],
        "caller_name": caller.name,
        "may_submit": caller.may_somewhere("submit"),
        "waiting": told,
        "now": box.now,
    }


def inbox_of(request: HttpRequest, chosen: Filters = NOTHING) -> Inbox:
    """The caller's inbox at the moment of this request, read once for page and frame."""
    known = getattr(request, "inbox", None)
    if not isinstance(known, Inbox):
        known = Inbox(caller_of(request), now=clock.now(), chosen=chosen)
        request.inbox = known  # type: ignore[attr-defined]
    return known


def _entries() -> tuple[tuple[str, str, str], ...]:
    return (
        ("inbox", _("Inbox"), "read"),
        ("jobs", _("Jobs"), "read"),
        ("conflicts", _("Conflicts"), "read"),
        ("sites", _("Sites"), "read"),
        ("effects", _("Effects"), "operate"),
        ("people", _("People"), "read"),
        ("audit", _("Audit"), "audit"),
        ("health", _("Health"), "read"),
    )


def _link(request: HttpRequest, name: str, word: str, count: Waiting | None = None) -> Link:
    href = reverse(name)
    here = request.path == href or (href != "/" and request.path.startswith(href))
    return Link(word, href, ("page" if request.path == href else "true") if here else "", count)


def _caller(request: HttpRequest) -> Caller | None:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return None
    try:
        return caller_of(request)
    except NotAllowed:
        return None
