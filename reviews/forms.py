"""Forms: what people send, checked in shape; what it means is checked by services."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_REASON = 2000
LOCAL = {"type": "datetime-local"}


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


class DelegationForm(forms.Form):
    """Who stands in for whom, and until when; ``place`` is a space and whose weight is lent."""

    place = forms.ChoiceField(label=_("In the place of"))
    delegate = forms.ChoiceField(label=_("Who decides"))
    starts_at = forms.DateTimeField(
        label=_("From"), required=False, widget=forms.DateTimeInput(attrs=LOCAL)
    )
    ends_at = forms.DateTimeField(label=_("Until"), widget=forms.DateTimeInput(attrs=LOCAL))
    why = forms.CharField(label=_("Why?"), required=False, max_length=500)

    def __init__(self, *args: Any, places: Mapping[str, Mapping[str, list[str]]], **options: Any):
        super().__init__(*args, **options)
        self._places = {
            f"{scope}:{name}": (scope, name)
            for scope, found in places.items()
            for name in found["givers"]
        }
        shown = {
            key: f"{name} ({scope})" if len(places) > 1 else name
            for key, (scope, name) in self._places.items()
        }
        names = sorted({name for found in places.values() for name in found["delegates"]})
        alone = names if len(shown) > 1 else [one for one in names if one not in shown.values()]
        place, delegate = self.fields["place"], self.fields["delegate"]
        place.choices = list(shown.items())  # type: ignore[attr-defined]
        delegate.choices = [(name, name) for name in alone]  # type: ignore[attr-defined]
        first = next(iter(self._places.values()), ("", ""))[1]
        self.initial["delegate"] = next((name for name in alone if name != first), "")

    def clean_place(self) -> tuple[str, str]:
        """The space, and whose weight."""
        return self._places[self.cleaned_data["place"]]


class SetupForm(forms.Form):
    """The first admin's name and password."""

    name = forms.CharField(label=_("Your name here"), max_length=150, initial="admin")
    password = forms.CharField(
        label=_("Password"), widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )
