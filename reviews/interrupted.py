"""Interrupted: a form that came without a login goes along through the login and is sent after it.

Nothing of it is stored: the login page carries it in hidden fields, and so does the page after the
login, from where a person sends it. So nobody without an account can fill the database.
"""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

MARK = "kept."
"""Begins the name of each field that goes along."""
ADDRESS = "kept_for"
FILES_LOST = "files_lost"
LONGEST = 6 * 1024 * 1024
_MACHINE = frozenset({
    "mode", "site", "key", "action", "decision", "reviewed_hash", "request_id", "base_revision",
    "scope", "zone", "language", "allow", "days", "next", "username", ADDRESS,
})  # fmt: skip
_CHOSEN = ("choice-", "ours_", "theirs_", "acknowledged", "finding")
_NEVER = ("csrfmiddlewaretoken", "password", FILES_LOST)

Fields = list[tuple[str, str]]


def of(request: HttpRequest) -> Fields:
    """The fields of a form that holds something typed; empty when nothing would be lost."""
    if request.method != "POST":
        return []
    found = [
        (name, str(value))
        for name, values in request.POST.lists()
        for value in values
        if not _is_secret(name)
    ]
    if (
        not any(_is_typed(*field) for field in found)
        or sum(len(value) for _name, value in found) > LONGEST
    ):
        return []
    return [*found, (FILES_LOST, "yes")] if request.FILES else found


def typed(request: HttpRequest) -> Fields:
    """What a person typed into the form that was sent, for a page that hands it back."""
    if request.method != "POST":
        return []
    named = [
        (name.removeprefix(MARK), str(value).replace("\x00", ""))
        for name, values in request.POST.lists()
        for value in values
    ]
    found = [field for field in named if _is_typed(*field)]
    return found if sum(len(value) for _name, value in found) <= LONGEST else []


def to_login(request: HttpRequest, fields: Fields) -> HttpResponse:
    """The login page with the form in it."""
    context = {
        "links": [],
        "form": AuthenticationForm(request),
        "next": request.get_full_path(),
        "kept": [(MARK + name, value) for name, value in fields],
        "kept_for": request.get_full_path(),
    }
    response = render(request, "registration/login.html", context, status=403)
    response["Cache-Control"] = "no-store, private"
    return response


def carried(request: HttpRequest) -> dict[str, Any]:
    """What the login page carries: its fields as they came, for one more try."""
    address = request.POST.get(ADDRESS, "")
    if not _is_ours(request, address):
        return {}
    fields = [
        (name, str(value))
        for name, values in request.POST.lists()
        for value in values
        if name.startswith(MARK)
    ]
    return {"kept": fields, "kept_for": address} if fields else {}


def resumed(request: HttpRequest) -> dict[str, Any]:
    """What the page after the login shows and sends: hidden fields and typed texts."""
    found = carried(request)
    if not found:
        return {}
    fields = [(name.removeprefix(MARK), value) for name, value in found["kept"]]
    texts = [(name, value) for name, value in fields if _is_typed(name, value)]
    decision = dict(fields).get("decision", "")
    return {"address": found["kept_for"], "fields": fields, "texts": texts, "decision": decision}


def _is_typed(name: str, value: str) -> bool:
    """Whether a person wrote it; what a page put in or was ticked is made again."""
    is_made = name in _MACHINE or name.startswith(_CHOSEN) or _is_secret(name)
    return bool(value.strip()) and not is_made


def _is_secret(name: str) -> bool:
    """What goes nowhere: no page shows a password again, and each makes its own token."""
    return any(word in name for word in _NEVER)


def _is_ours(request: HttpRequest, address: str) -> bool:
    return address.startswith("/") and url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
