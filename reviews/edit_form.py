"""The edit form of REVIEW: an article's text and, where that is in question, its place."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from reviews.forms import EditForm

AS_WHAT = [("create", _("A new article")), ("update", _("A change of a published article"))]


class PlacedForm(EditForm):
    """A new version, at its old place or at another one."""

    target_path = forms.CharField(label=_("Path"), required=False, max_length=1000)
    action = forms.ChoiceField(label=_("What is it?"), required=False, choices=AS_WHAT)

    def __init__(self, *args: Any, path_needed: bool, text_needed: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self._path_needed = path_needed
        self.fields["text"].required = text_needed

    def clean_target_path(self) -> str:
        """The path; a job without one needs it."""
        path: str = self.cleaned_data["target_path"]
        if self._path_needed and not path:
            raise forms.ValidationError(_now("Say at which path of the site the article goes."))
        return path
