"""The submit form: a source, a finished article with its files, or an article to remove."""

from pathlib import PurePosixPath
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from publisher.domain.retries import DEFAULT_LIMITS as LIMITS
from reviews.forms import Text
from reviews.services.work import Asset

ROWS = 3
"""How many places for files the page has; each takes several."""


class Files(forms.ClearableFileInput):
    """A place for several files."""

    allow_multiple_selected = True

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[Any]:
        """All files of this place, or none."""
        return files.getlist(name) if isinstance(files, MultiValueDict) else []


class FilesField(forms.Field):
    """Several files; each is checked by its size before it is read."""

    widget = Files

    def clean(self, value: list[Any]) -> list[Any]:
        """The files; ValidationError names one that is too large."""
        for upload in value:
            if (upload.size or 0) > LIMITS.asset_bytes:
                text = _now("The file %(name)s is over 10 MiB. Make it smaller.")
                raise forms.ValidationError(text % {"name": upload.name})
        return value


class SubmitForm(forms.Form):
    """What a person submits, pasted or uploaded; ``body`` and ``assets`` come out of cleaning."""

    mode = forms.ChoiceField(
        choices=[
            ("source", _("A source to write from")),
            ("content", _("A finished article")),
            ("delete", _("An article to remove")),
        ],
        initial="source",
    )
    site = forms.ChoiceField(
        label=_("Site"), error_messages={"invalid_choice": _("Choose one of the sites.")}
    )
    text = Text(label=_("Text"), required=False)
    upload = forms.FileField(label=_("Or a file"), required=False)
    target_path = forms.CharField(label=_("Path"), required=False, max_length=1000)
    action = forms.ChoiceField(
        label=_("What is it?"),
        required=False,
        choices=[
            ("", _("New, or a change when the path holds an article already")),
            ("create", _("A new article")),
            ("update", _("A change of a published article")),
        ],
    )
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
        for row in range(ROWS):
            self.fields[f"files_{row}"] = FilesField(label=_("Files"), required=False)
            self.fields[f"place_{row}"] = forms.CharField(
                label=_("Their path"), required=False, max_length=1000
            )

    @property
    def rows(self) -> list[tuple[Any, Any]]:
        """The places for files: the files' field and their path's."""
        return [(self[f"files_{row}"], self[f"place_{row}"]) for row in range(ROWS)]

    @property
    def had_files(self) -> bool:
        """Whether files came along, which a browser does not give back after a refusal."""
        return "files_lost" in self.data or any(
            upload.name for name in self.files for upload in self.files.getlist(name)
        )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        """``body`` becomes the bytes: those of the file, or the text with plain line ends.

        A file that was refused comes back as text, because a browser cannot give it back.
        """
        values: dict[str, Any] = super().clean() or {}
        mode = values.get("mode")
        body = self._body(values)
        if mode == "delete":
            self._refuse_delete(values)
        elif not body.strip() and "text" not in self.errors:
            self.add_error("text", _("Paste a text or choose a file."))
        elif mode == "source" and not _is_text(body):
            self.add_error("upload", _("A source is text in UTF-8. This file is not."))
        if mode == "content" and not values.get("target_path"):
            self.add_error("target_path", _("Say at which path of the site the article goes."))
        if "files_lost" in self.data:
            self.add_error(None, _("Choose your files again: the login came between."))
        values["body"] = body
        uploads = [one for row in range(ROWS) for one in values.get(f"files_{row}") or []]
        if sum(upload.size or 0 for upload in uploads) > LIMITS.request_bytes:
            self.add_error("files_0", _("The files are over 16 MiB together. Send fewer."))
        values["assets"] = [] if self.errors else self._assets(values)
        return values

    def begin_anew(self, key: str) -> None:
        """What was sent before and changed since is told, and goes under another key next time."""
        self._show("key", key)
        text = _("This form was sent before and became a job. Send it once more for a new one.")
        self.add_error(None, text)

    def place_of(self, path: str) -> str:
        """The field of the row that a refused asset came from; "" for none."""
        for row, asset in self._placed(self.cleaned_data):
            if asset.path == path:
                return f"place_{row}"
        return ""

    def _refuse_delete(self, values: dict[str, Any]) -> None:
        if not values.get("target_path"):
            self.add_error("target_path", _("Say the path of the article to remove."))
        if any(values.get(f"files_{row}") for row in range(ROWS)):
            self.add_error("files_0", _("Files go with an article. Removing one takes none."))

    def _body(self, values: dict[str, Any]) -> bytes:
        upload = values.get("upload")
        if not isinstance(upload, UploadedFile):
            return (values.get("text") or "").replace("\r\n", "\n").encode()
        if (upload.size or 0) > LIMITS.text_bytes:
            self.add_error("upload", _("The file is over 5 MiB. Make it smaller."))
            return b" too large"
        body: bytes = upload.read()
        if _is_text(body):
            self._show("text", body.decode())
        return body

    def _show(self, name: str, value: str) -> None:
        """Have the page show this in the field, not what was sent."""
        if isinstance(self.data, QueryDict):
            data = self.data.copy()
            data[name] = value
            self.data = data

    def _assets(self, values: dict[str, Any]) -> list[Asset]:
        assets = [asset for _row, asset in self._placed(values)]
        if assets and values.get("mode") == "source":
            self.add_error("files_0", _("Files go with a finished article, not with a source."))
        return assets

    def _placed(self, values: dict[str, Any]) -> list[tuple[int, Asset]]:
        """Each file where it shall go; no path means next to the article."""
        found = []
        for row in range(ROWS):
            uploads = values.get(f"files_{row}") or []
            place = values.get(f"place_{row}") or ""
            article = PurePosixPath(values.get("target_path") or "").parent
            for upload in uploads:
                path = place or f"{article}/".removeprefix("./") + str(upload.name)
                if place and (place.endswith("/") or len(uploads) > 1):
                    path = f"{place.rstrip('/')}/{upload.name}"
                upload.seek(0)
                found.append((row, Asset(path, upload.read())))
        return found


def _is_text(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\x00" not in body
