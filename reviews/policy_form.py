"""The form of a policy: each rule as a field, lengths of time in the unit that people would say."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from reviews.rules import MOST_APPROVALS, Rules

UNITS = [
    (1, _("seconds")),
    (60, _("minutes")),
    (3600, _("hours")),
    (86_400, _("days")),
]
LENGTHS = ("validity", "wait", "hold", "password")
"""Rules that are a length of time; each is a number and a unit."""
FLAGS = ("editor_counts", "one_person", "require_shown")


def _number(label: Any, most: int) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=0, max_value=most)


class PolicyForm(forms.Form):
    """All rules of one policy, and why they change."""

    approvals = _number(_("How many have to approve"), MOST_APPROVALS)
    editor_counts = forms.BooleanField(
        label=_("Who edited the text may give one of several approvals"), required=False
    )
    one_person = forms.BooleanField(
        label=_("For people who work alone: the author may approve, and the history says so"),
        required=False,
    )
    require_shown = forms.BooleanField(
        label=_("Each part has to be shown or acknowledged first, at every door"), required=False
    )
    risk = forms.ChoiceField(
        label=_("How risky is it?"),
        required=False,
        choices=[
            ("", _("As the action says of itself")),
            ("routine", _("Routine")),
            ("risky", _("Risky: held for 30 seconds at least")),
        ],
    )
    why = forms.CharField(label=_("Why do the rules change?"), required=False, max_length=2000)
    after = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, groups: Iterable[str], **options: Any) -> None:
        super().__init__(*args, **options)
        self.groups = {f"group_{n}": name for n, name in enumerate(groups)}
        for field, name in self.groups.items():
            self.fields[field] = forms.IntegerField(
                label=name, min_value=0, max_value=MOST_APPROVALS, required=False
            )
        for length in LENGTHS:
            self.fields[f"{length}_number"] = _number("", 999_999_999)
            self.fields[f"{length}_unit"] = forms.TypedChoiceField(coerce=int, choices=UNITS)

    @property
    def group_fields(self) -> list[forms.BoundField]:
        """One number a group."""
        return [self[field] for field in self.groups]

    @property
    def lengths(self) -> dict[str, dict[str, forms.BoundField]]:
        """Number and unit of each length of time."""
        return {
            length: {"number": self[f"{length}_number"], "unit": self[f"{length}_unit"]}
            for length in LENGTHS
        }

    def rules(self) -> dict[str, Any]:
        """The rules that were sent, each by its name."""
        sent = self.cleaned_data
        groups = [name for field, name in self.groups.items() for _n in range(sent[field] or 0)]
        lengths = {
            f"{length}_seconds": sent[f"{length}_number"] * sent[f"{length}_unit"]
            for length in LENGTHS
        }
        flags = {flag: sent[flag] for flag in FLAGS}
        plain = {"approvals": sent["approvals"], "risk": sent["risk"], "groups": groups}
        return {**plain, **flags, **lengths}

    def refuse(self, field: str, message: str) -> None:
        """Put what a service refused beside the field that it names."""
        name = field.removesuffix("_seconds")
        place = f"{name}_number" if name in LENGTHS else field
        self.add_error(place if place in self.fields else None, message)


def filled(rules: Rules, groups: Iterable[str], *, version: int) -> PolicyForm:
    """The form with the rules that hold."""
    form = PolicyForm(groups=groups)
    values: dict[str, Any] = {**asdict(rules), "after": version}
    for length in LENGTHS:
        number, unit = parted(values[f"{length}_seconds"])
        values |= {f"{length}_number": number, f"{length}_unit": unit}
    values |= {field: rules.groups.count(name) for field, name in form.groups.items()}
    form.initial = _known(form, values)
    return form


def parted(seconds: int) -> tuple[int, int]:
    """A length of time as a number and the largest unit of which it is a whole number."""
    unit = max(unit for unit, _word in UNITS if unit == 1 or (seconds and seconds % unit == 0))
    return seconds // unit, unit


def _known(form: PolicyForm, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in form.fields}
