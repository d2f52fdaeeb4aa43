"""Tags that print: icons, times, states, hidden characters, short hashes, sizes."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.template.context import Context
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from reviews.presenters import hidden, said, words
from reviews.presenters.envelope import short
from reviews.presenters.times import in_full, on_their_clock

register = template.Library()

FAR = timedelta(days=6)


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon from the sprite; the word beside it says the same."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="#icon-{}"/></svg>', name
    )


@register.simple_tag
def state(label: words.Label) -> SafeString:
    """A state as word, icon and colour."""
    return format_html(
        '<span class="state state--{}">{}{}</span>', label.tone, icon(label.icon), label.word
    )


@register.simple_tag
def state_of(name: str) -> SafeString:
    """A job's state by its name."""
    return state(words.label(name))


@register.simple_tag(takes_context=True)
def when(context: Context, moment: datetime | None) -> SafeString | str:
    """A time as people say it, with the absolute local time and zone at hand."""
    if moment is None:
        return "—"
    now = context.get("now") or timezone.now()
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        in_full(moment),
        spoken(moment, now),
    )


@register.simple_tag
def exactly(moment: datetime | None) -> SafeString | str:
    """A time in full, local, with its zone."""
    if moment is None:
        return "—"
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(), in_full(moment))


def spoken(moment: datetime, now: datetime) -> str:
    """ "3 hours ago", "in 3 hours", or the date when that says more."""
    away = moment - now
    if away < -FAR or away > 5 * FAR:
        local = on_their_clock(moment)
        return str(date_format(local, pgettext("date alone", "j M Y")))
    if abs(away) < timedelta(minutes=1):
        return _("just now") if away <= timedelta() else _("in a moment")
    if away < timedelta():
        return _("%(length)s ago") % {"length": timesince(moment, now, depth=1)}
    return _("in %(length)s") % {"length": timeuntil(moment, now, depth=1)}


@register.simple_tag
def runs(segments: Iterable[hidden.Segment]) -> SafeString:
    """A line's text with changed words marked and hidden characters named."""
    return format_html_join("", "{}", ((_run(segment),) for segment in segments))


def _run(segment: hidden.Segment) -> SafeString:
    inner = format_html("{}", segment.text)
    if segment.codepoint:
        inner = format_html(
            '<span class="pill" title="{}">{}</span>', segment.name, segment.codepoint
        )
    if segment.mark == "ins":
        return format_html("<ins>{}</ins>", inner)
    if segment.mark == "del":
        return format_html("<del>{}</del>", inner)
    if segment.mark == "hit":
        return format_html("<mark>{}</mark>", inner)
    return inner


@register.filter
def pills(text: Any) -> SafeString:
    """A name or title on one line with hidden characters as named pills."""
    return runs(hidden.in_name(str(text).replace("\n", " ")))


@register.filter
def spelled(text: Any) -> str:
    """The same where no markup can stand: a page's title, the name of a region."""
    return hidden.visible(str(text))


@register.filter
def in_words(text: str) -> str:
    """A sentence of the engine in the reader's language."""
    return said.in_words(text)


@register.filter
def check_name(name: str) -> str:
    """What a check of a site looked at."""
    return str(words.CHECKS.get(name, name))


@register.filter
def written(reason: str) -> str:
    """A version's reason; what the program itself wrote down is in the reader's language."""
    return str(words.WRITTEN.get(reason, reason))


@register.filter
def writer(provenance: Mapping[str, Any]) -> str:
    """Who wrote a draft."""
    return words.writer(str(provenance["provider"]), str(provenance.get("model") or ""))


@register.filter
def name(job: Any) -> str:
    """What a job is called: its title, topic or path; a draft that has none yet says so."""
    own: str = job.title or job.topic or job.target_path
    if job.compensates_id:
        return _("Take back: %(name)s") % {"name": own}
    return own or _("A text without a title yet")


@register.filter
def roles(memberships: Iterable[Any]) -> str:
    """Roles by name, with the site that narrows them."""
    return ", ".join(words.role_of(held) for held in memberships)


@register.filter
def short_hash(digest: str) -> str:
    """The first digits of a hash or a commit."""
    return short(digest)
