"""Account: log in, log out, and the first admin's one-time link."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher.domain.errors import InvalidInput
from reviews import interrupted, setup_link
from reviews.forms import SetupForm
from reviews.permissions import public
from reviews.presenters import said, words
from reviews.views.common import open_to_all, show


def _resumed(request: HttpRequest, kept: dict[str, Any]) -> HttpResponse:
    decision = words.DECIDES.get(kept["decision"], "")
    return show(request, "registration/resumed.html", {**kept, "decision": decision})


class Login(LoginView):
    """The login; a form that came before it goes on to a page from where it is sent."""

    template_name = "registration/login.html"
    redirect_authenticated_user = True
    extra_context = {"links": []}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Who logged in elsewhere meanwhile keeps the form as well."""
        if request.user.is_authenticated and (kept := interrupted.resumed(request)):
            return _resumed(request, kept)
        return super().dispatch(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """After a wrong password the form is still there."""
        return {**super().get_context_data(**kwargs), **interrupted.carried(self.request)}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Log in, and show what waits to be sent."""
        response = super().form_valid(form)
        kept = interrupted.resumed(self.request)
        return _resumed(self.request, kept) if kept else response


login = public(Login.as_view())
logout = public(LogoutView.as_view())


@open_to_all
def setup(request: HttpRequest, token: str) -> HttpResponseBase:
    """Name and password of the first admin; the link works once."""
    setup_link.check(token)
    form = SetupForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            setup_link.redeem(
                token,
                name=form.cleaned_data["name"],
                password=form.cleaned_data["password"],
            )
        except InvalidInput as refusal:
            name = refusal.field if refusal.field in form.fields else None
            form.add_error(name, said.in_words(refusal.message))
        else:
            messages.success(request, _("Your account is ready. Log in now."))
            return redirect("login")
    status = 422 if form.errors else 200
    return show(request, "registration/setup.html", {"form": form}, status=status)
