"""Saved: a person's own views of the inbox, kept and forgotten."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from reviews import inbox_filters
from reviews.permissions import caller_of
from reviews.services import views as saved
from reviews.views.common import needs_right
from reviews.views.inbox import PAGE


@needs_right("login")
def keep(request: HttpRequest) -> HttpResponseBase:
    """Keep the filters that were sent along, and show what they leave."""
    if request.method != "POST":
        return redirect("inbox")
    chosen = inbox_filters.read(request.POST)
    name = request.POST.get("name", "")
    view = saved.keep(caller_of(request), page=PAGE, name=name, query=chosen.query)
    messages.success(request, _("The view “%(name)s” is kept.") % {"name": view.name})
    return HttpResponseRedirect(reverse("inbox") + chosen.address())


@needs_right("login")
def forget(request: HttpRequest, view_id: int) -> HttpResponseBase:
    """Forget one; what it showed stays where it is."""
    if request.method == "POST":
        view = saved.remove(caller_of(request), view_id)
        messages.success(request, _("The view “%(name)s” is forgotten.") % {"name": view.name})
    return redirect("inbox")
