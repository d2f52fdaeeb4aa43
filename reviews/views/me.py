"""Me: language, time zone, and the tokens of one's own programs."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import clock
from publisher.domain.errors import InvalidInput
from reviews.forms import TokenForm
from reviews.permissions import caller_of
from reviews.presenters import said
from reviews.services import people, tokens
from reviews.views import preferences
from reviews.views.common import needs_right, show


@needs_right("login")
def me(request: HttpRequest) -> HttpResponse:
    """The page."""
    return _page(request, TokenForm())


def _page(
    request: HttpRequest, form: TokenForm, *, secret: str = "", status: int = 200
) -> HttpResponse:
    caller = caller_of(request)
    context = {
        "caller": caller,
        "memberships": caller.memberships,
        "groups": people.groups_of(caller.memberships),
        "zones": preferences.known_zones(),
        "zone": str(preferences.zone_of(request)),
        "tokens": tokens.of(caller.principal, caller=caller),
        "form": form,
        "secret": secret,
    }
    return show(request, "reviews/me.html", context, status=status)


@needs_right("login")
def zone(request: HttpRequest) -> HttpResponseBase:
    """Remember the time zone."""
    response = redirect("me")
    name = request.POST.get("zone", "")
    if request.method == "POST" and name in preferences.known_zones():
        preferences.keep_zone(response, name)
        messages.success(request, _("Times are now shown for %(zone)s.") % {"zone": name})
    return response


@needs_right("login")
def make_token(request: HttpRequest) -> HttpResponseBase:
    """Make a token. Its secret is in this one answer only, so there is nothing to redirect to."""
    if request.method != "POST":
        return redirect("me")
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    caller = caller_of(request)
    now = clock.now()
    try:
        _token, secret = tokens.create(
            caller.principal,
            allow=form.cleaned_data["allow"],
            caller=caller,
            now=now,
            expires_at=now + timedelta(days=form.cleaned_data["days"]),
            label=form.cleaned_data["label"],
        )
    except InvalidInput as refusal:
        form.add_error("allow", said.in_words(refusal.message))
        return _page(request, form, status=422)
    return _page(request, TokenForm(), secret=secret)


@needs_right("login")
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponseBase:
    """End a token now."""
    if request.method == "POST":
        tokens.revoke(token_id, caller=caller_of(request), now=clock.now())
        messages.success(request, _("The token ended. Programs that used it are shut out."))
    return redirect("me")
