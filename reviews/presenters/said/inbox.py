"""Sentences for translation: why a job was not given to somebody, or a view not kept."""

from django.utils.translation import gettext_noop as _

INBOX: tuple[str, ...] = (
    _("It waits for nobody now, so it can be given to nobody."),
    _("Name one person or one group."),
    _("%(name)s could do nothing about this job."),
    _("This job is no longer given to them."),
    _("Give the view a name of 1 to %(most)s characters."),
    _("Choose a filter first: this would be everything."),
    _("You have %(most)s views. Remove one first."),
    _("There is no such view of yours."),
)
