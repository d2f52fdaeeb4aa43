"""Delegations: who decides in whose place, set up by who leaves for a while or by an admin."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import clock
from publisher.domain.errors import InvalidInput
from reviews.forms import DelegationForm
from reviews.permissions import Caller, caller_of
from reviews.presenters import said
from reviews.services import delegations as service
from reviews.services import people
from reviews.views.common import needs_right, show


@needs_right("read")
def delegations(request: HttpRequest) -> HttpResponseBase:
    """Who stands in for whom in the caller's spaces, and the form for another one."""
    caller = caller_of(request)
    places = _places(caller)
    if request.method != "POST":
        return _page(request, places, DelegationForm(places=places))
    form = DelegationForm(request.POST, places=places)
    if not form.is_valid():
        return _page(request, places, form, status=422)
    try:
        made = _give(caller, form.cleaned_data)
    except InvalidInput as refusal:
        field = refusal.field if refusal.field in form.fields else None
        form.add_error(field, said.in_words(refusal.message))
        return _page(request, places, form, status=422)
    text = _("%(delegate)s can decide in the place of %(giver)s.")
    messages.success(request, text % {"delegate": made.delegate.name, "giver": made.giver.name})
    return redirect("delegations")


def _give(caller: Caller, sent: dict[str, Any]) -> Any:
    now = clock.now()
    scope, giver = sent["place"]
    starts_at: datetime | None = sent["starts_at"]
    return service.give(
        people.find(giver),
        delegate=people.find(sent["delegate"]),
        scope=scope,
        starts_at=starts_at or now,
        ends_at=sent["ends_at"],
        why=sent["why"],
        caller=caller,
        now=now,
    )


@needs_right("read")
def end(request: HttpRequest, delegation_id: int) -> HttpResponseBase:
    """End one now."""
    if request.method == "POST":
        service.end(delegation_id, caller=caller_of(request), now=clock.now())
        messages.success(request, _("It ended. What was answered until now keeps its weight."))
    return redirect("delegations")


def _places(caller: Caller) -> dict[str, dict[str, list[str]]]:
    """By space whose weight the caller may lend, and who could stand in there."""
    found = {}
    for scope in sorted(caller.scopes):
        names = [person.name for person in service.reviewers(scope)]
        is_admin = caller.may("admin", scope)
        givers = [name for name in names if is_admin or name == caller.name]
        if givers and len(names) > 1:
            found[scope] = {"givers": givers, "delegates": names}
    return found


def _page(
    request: HttpRequest, places: dict[str, Any], form: DelegationForm, *, status: int = 200
) -> HttpResponse:
    caller, now = caller_of(request), clock.now()
    context = {
        "form": form,
        "may_give": bool(places),
        "present": [
            {"row": row, "has_begun": row.starts_at <= now, "may_end": _may_end(caller, row)}
            for row in service.present(caller.scopes, now=now)
        ],
        "past": service.past(caller.scopes, now=now),
        "many": len(caller.scopes) > 1,
    }
    return show(request, "reviews/delegations.html", context, status=status)


def _may_end(caller: Caller, row: Any) -> bool:
    return caller.name in (row.giver.name, row.delegate.name) or caller.may("admin", row.scope)
