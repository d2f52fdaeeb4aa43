"""Forms: what people send, checked in shape; what it means is checked by services."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _


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
    reason = forms.CharField(max_length=2000)


class SubmitForm(forms.Form):
    """A source to draft from, or a ready draft; pasted or uploaded."""

    mode = forms.ChoiceField(
        choices=[("source", _("A source to write from")), ("content", _("A finished article"))],
        initial="source",
    )
    site = forms.ChoiceField(
        label=_("Site"), error_messages={"invalid_choice": _("Choose one of the sites.")}
    )
    text = Text(label=_("Text"), required=False)
    upload = forms.FileField(label=_("Or a file"), required=False)
    target_path = forms.CharField(label=_("Path"), required=False, max_length=1000)
    title = forms.CharField(label=_("Title"), required=False, max_length=200)
    topic = forms.CharField(label=_("Topic"), required=False, max_length=300)
    summary = forms.CharField(label=_("Summary"), required=False, max_length=2000)
    not_before = forms.DateTimeField(
        label=_("Not before"),
        required=False,
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"],
    )
    key = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput)

    def __init__(self, sites: list[str], *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(name, name) for name in sites]
        self.fields["site"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """``body`` becomes the bytes: those of the file, or the text with plain line ends.

        A file that was refused comes back as text, because a browser cannot give it back.
        """
        values: dict[str, Any] = super().clean() or {}
        upload = values.get("upload")
        text = values.get("text") or ""
        if isinstance(upload, UploadedFile):
            body = upload.read()
            self._keep(body)
        else:
            body = text.replace("\r\n", "\n").encode()
        if not body.strip():
            self.add_error("text", _("Paste a text or choose a file."))
        elif values.get("mode") == "source" and not _is_text(body):
            self.add_error("upload", _("A source is text in UTF-8. This file is not."))
        if values.get("mode") == "content" and not values.get("target_path"):
            self.add_error("target_path", _("Say at which path of the site the article goes."))
        values["body"] = body
        return values

    def _keep(self, body: bytes) -> None:
        if _is_text(body) and isinstance(self.data, QueryDict):
            data = self.data.copy()
            data["text"] = body.decode()
            self.data = data


def _is_text(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\x00" not in body


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


class SetupForm(forms.Form):
    """The first admin's name and password."""

    name = forms.CharField(label=_("Your name here"), max_length=150, initial="admin")
    password = forms.CharField(
        label=_("Password"), widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )
