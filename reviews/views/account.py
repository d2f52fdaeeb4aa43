"""Account: log in, log out, and the first admin's one-time link."""

from django.contrib import messages
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher.domain.errors import InvalidInput
from reviews import setup_link
from reviews.forms import SetupForm
from reviews.permissions import public
from reviews.presenters import said
from reviews.views.common import open_to_all, show

login = public(
    LoginView.as_view(
        template_name="registration/login.html",
        redirect_authenticated_user=True,
        extra_context={"links": []},
    )
)
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
