"""Forms: what people send, checked in shape; what it means is checked by services."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_REASON = 2000


class Text(forms.CharField):
    """A text whose spaces and line ends are part of it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, widget=forms.Textarea, **options)


class EditForm(forms.Form):
    """A new version of an article."""

    text = Text(label=_("The article"), max_length=6_000_000)
    why = forms.CharField(label=_("What did you change?"), required=False, max_length=500)
    base_revision = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class OverrideForm(forms.Form):
    """A finding that shall not block, and why."""

    finding = forms.IntegerField(min_value=1)
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": _("Say why the finding may be overruled.")},
    )


class TokenForm(forms.Form):
    """A token for a program."""

    label = forms.CharField(label=_("What is it for?"), max_length=100)
    allow = forms.MultipleChoiceField(
        label=_("It may"),
        choices=[
            ("read", _("read")),
            ("submit", _("submit")),
            ("decide", _("decide")),
            ("operate", _("operate")),
        ],
    )
    days = forms.TypedChoiceField(
        label=_("It ends after"),
        coerce=int,
        choices=[(7, _("7 days")), (30, _("30 days")), (90, _("90 days")), (365, _("a year"))],
        initial=30,
    )


class SiteForm(forms.Form):
    """A repository to connect."""

    name = forms.CharField(label=_("Name"), max_length=100)
    remote = forms.CharField(label=_("Address of the repository"), max_length=2000)
    branch = forms.CharField(label=_("Branch"), required=False, max_length=250)
    articles = forms.CharField(label=_("Articles"), required=False, max_length=500)
    assets = forms.CharField(label=_("Images and other files"), required=False, max_length=500)
    live_checkout = forms.CharField(label=_("Live checkout"), required=False, max_length=2000)


class LiveForm(forms.Form):
    """A site's live checkout; an empty folder means that it has none."""

    live_checkout = forms.CharField(label=_("Folder"), required=False, max_length=2000)
    quiet_seconds = forms.IntegerField(
        label=_("Seconds that a hand edit rests first"), min_value=0, max_value=86_400
    )


class SetupForm(forms.Form):
    """The first admin's name and password."""

    name = forms.CharField(label=_("Your name here"), max_length=150, initial="admin")
    password = forms.CharField(
        label=_("Password"), widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )
