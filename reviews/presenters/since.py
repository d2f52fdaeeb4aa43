"""Since: what became of a text that somebody read, or that was approved, before this version."""

from datetime import datetime

from django.utils.translation import gettext as _

from reviews.presenters import diff_rows, line_diff
from reviews.presenters.diff_rows import Rows
from reviews.presenters.times import in_full


def rows(before: str | None, now: str) -> Rows:
    """What differs between a text as it was and as it is; all of it where there was none."""
    if before is None:
        return diff_rows.whole(now, "added")
    return diff_rows.parse(line_diff.unified(before, now))


def heading(base: str, *, revision: int, at: datetime) -> str:
    """What the differences of a page are counted from."""
    values = {"n": revision, "when": in_full(at)}
    if base == "approved":
        return _("What changed since version %(n)s was approved (%(when)s).") % values
    return _("What changed since you read version %(n)s (%(when)s).") % values


def told(base: str, *, before: str | None, now: str) -> str:
    """What is to be said of one file: that it is new to the reader, or that nothing changed."""
    if before is None:
        if base == "approved":
            return _("This file was not part of what was approved.")
        return _("You have not read this file in full yet.")
    if before == now:
        if base == "approved":
            return _("Nothing changed in this file since it was approved.")
        return _("Nothing changed in this file since you read it.")
    return ""


def gone(base: str) -> str:
    """What is said of a file that is no longer proposed."""
    if base == "approved":
        return _("This file was approved, and is no longer part of it.")
    return _("You read this file, and it is no longer part of it.")


def damaged() -> str:
    """Why there is nothing to compare with."""
    return _("The text from then is no longer stored. Read this one in full.")
