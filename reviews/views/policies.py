"""Policies: which rules hold where, in words; admins try out others, and set them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import clock
from publisher.domain.errors import Clash, InvalidInput, NotFound
from reviews import policy_form, selectors
from reviews.permissions import Caller, caller_of, require
from reviews.policy_form import PolicyForm
from reviews.presenters import policies as presenter
from reviews.presenters import said, trials
from reviews.rules import DEFAULT, from_json
from reviews.services import policies as service
from reviews.services import policy_trial
from reviews.views import reach
from reviews.views.common import needs_right, show


@needs_right("read")
def policies(request: HttpRequest) -> HttpResponse:
    """Each policy in reach with its history, the narrowest last; where an admin may set others."""
    caller = caller_of(request)
    scopes = [scope for scope in sorted(caller.scopes) if caller.may("admin", scope)]
    context = {
        "rows": [
            _row(caller, versions)
            for versions in selectors.policy_versions(caller)
            if caller.may("read", versions[0].scope, versions[0].site)
        ],
        "built_in": presenter.sentences(DEFAULT),
        "scopes": scopes,
        "sites": [site for site in reach.sites(caller) if site.scope in scopes],
        "actions": presenter.ACTIONS.items(),
    }
    return show(request, "reviews/policies.html", context)


def _row(caller: Caller, versions: list[Any]) -> dict[str, Any]:
    newest, *earlier = versions
    return {
        "row": newest,
        "action": presenter.ACTIONS.get(newest.action, newest.action),
        "sentences": presenter.sentences(from_json(newest.rules)),
        "earlier": [
            {"row": row, "sentences": presenter.sentences(from_json(row.rules))} for row in earlier
        ],
        "may_change": caller.may("admin", newest.scope),
    }


@needs_right("admin")
def change(request: HttpRequest) -> HttpResponseBase:
    """The form of one place's rules; what is tried out is told above it, and nothing is set."""
    place = _place(request)
    groups = selectors.groups_in(place["scope"])
    if request.method != "POST":
        rules, _version = service.effective(**place)
        before = service.newest(**place)
        version = before.version if before else 0
        return _form(request, place, policy_form.filled(rules, groups, version=version))
    form = PolicyForm(request.POST, groups=groups)
    if not form.is_valid():
        return _form(request, place, form, status=422)
    try:
        if request.POST.get("step") != "set":
            trial = policy_trial.run(caller=caller_of(request), rules=form.rules(), **place)
            return _form(request, place, form, trial=trial)
        _set(request, place, form)
    except InvalidInput as refusal:
        form.refuse(refusal.field, said.in_words(refusal.message))
        return _form(request, place, form, status=422)
    except Clash as refusal:
        form.add_error(None, said.in_words(refusal.message))
        return _form(request, place, form, status=409)
    messages.success(request, _("The rules hold from now on, for open requests as well."))
    return redirect("policies")


def _set(request: HttpRequest, place: dict[str, Any], form: PolicyForm) -> None:
    service.put(
        caller=caller_of(request),
        rules=form.rules(),
        why=form.cleaned_data["why"],
        after=form.cleaned_data["after"],
        now=clock.now(),
        **place,
    )


def _place(request: HttpRequest) -> dict[str, Any]:
    """Where the rules are for, as the address says: "site" holds a site's name, or "" for the space."""
    caller, name = caller_of(request), request.GET.get("site", "")
    site = reach.site(request, name) if name else None
    scope = site.scope if site else request.GET.get("scope", "")
    action = request.GET.get("action", "*")
    if scope not in caller.scopes or action not in presenter.ACTIONS:
        raise NotFound("There is nothing here that you may see.")
    require(caller, "admin", scope)
    return {"scope": scope, "site": site, "action": action}


def _form(
    request: HttpRequest,
    place: dict[str, Any],
    form: PolicyForm,
    *,
    trial: Any = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        **place,
        "form": form,
        "flags": [form[flag] for flag in policy_form.FLAGS],
        "what": presenter.ACTIONS[place["action"]],
        "trial": trial,
        "trial_says": trials.sentence(trial) if trial else "",
        "trial_groups": trials.groups(trial) if trial else [],
        "now_rules": presenter.sentences(service.effective(**place)[0]),
        "then_rules": presenter.sentences(trial.after) if trial else [],
    }
    return show(request, "reviews/policy_change.html", context, status=status)
