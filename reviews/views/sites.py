"""Sites: how each one is, and what an operator can do about it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from publisher import clock, selectors_live
from publisher import selectors_jobs as lists
from publisher.domain.errors import InvalidInput, NotFound
from publisher.domain.remotes import holds_login
from reviews import selectors
from reviews.forms import LiveForm, SiteForm
from reviews.permissions import Caller, caller_of, require
from reviews.presenters import live, said, words
from reviews.presenters import sites as presenter
from reviews.services import work
from reviews.views import reach
from reviews.views.common import mark_of, needs_right, show

ADDED = ("branch", "articles", "assets", "live_checkout")
LIVE = ("live_checkout", "quiet_seconds")
TOLD = (
    "clone_state", "clone_progress", "branch", "head", "fetched_at", "last_error", "last_error_at",
    "stop_reason", "paused_lanes", "check_report",
)  # fmt: skip
"""What the worker and other people change of a site while somebody looks at its page."""


@needs_right("read")
def sites(request: HttpRequest) -> HttpResponse:
    """All sites within reach."""
    caller = caller_of(request)
    rows = [presenter.present(row, selectors.shown_remote(row)) for row in reach.sites(caller)]
    context = {"rows": rows, "may_add": bool(_scopes(caller))}
    return show(request, "reviews/sites.html", context)


@needs_right("read")
def site(request: HttpRequest, name: str) -> HttpResponse:
    """One site: its head, its last fetch, and what is wrong in plain words."""
    return _site(request, reach.site(request, name))


@needs_right("read")
def live_part(request: HttpRequest, name: str) -> HttpResponse:
    """The parts of a site's page that move by themselves; 204 while none did."""
    found = reach.site(request, name)
    context = _told(request, found)
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    was_paused = request.GET.get("paused", "") == "yes"
    more = {"now": clock.now(), "was_paused": was_paused}
    return render(request, "reviews/partials/site_live.html", {**context, **more})


def _site(request: HttpRequest, found: Any, form: LiveForm | None = None) -> HttpResponse:
    context = {
        **_told(request, found),
        "was_paused": bool(found.paused_lanes),
        "may_operate": caller_of(request).may("operate", found.scope, found),
        "live_form": form or LiveForm(initial={name: getattr(found, name) for name in LIVE}),
    }
    return show(request, "reviews/site.html", context, status=422 if form else 200)


def _told(request: HttpRequest, found: Any) -> dict[str, Any]:
    """How the site is, what lies in its live checkout, and its last jobs."""
    jobs = lists.jobs(caller_of(request).within("read"), site=found.name, limit=5).items
    report = selectors_live.report(found)
    told = [getattr(found, name) for name in TOLD]
    return {
        "view": presenter.present(found, selectors.shown_remote(found)),
        "site": found,
        "live": live.present(report, author=selectors_live.AUTHOR[0]),
        "jobs": [{"job": job, "label": words.label(job.state)} for job in jobs],
        "seen": mark_of(told, report, [(job.pk, job.state_version) for job in jobs]),
    }


@needs_right("read")
def act(request: HttpRequest, name: str, act_name: str) -> HttpResponseBase:
    """Check, fetch, pause, resume, or set the live checkout; POST only. The service asks for the right."""
    found = reach.site(request, name)
    if request.method != "POST":
        return redirect("site", name=found.name)
    caller = caller_of(request)
    if act_name in ("check", "fetch"):
        kind = f"site_{act_name}"
        work.look_at_site(found, caller=caller, now=clock.now(), kind=kind)
        messages.success(request, _("A worker looks at it now. The result appears on this page."))
    elif act_name == "pause":
        work.pause_site(found, caller=caller)
        messages.success(request, _("Paused. Nothing leaves for this site until it is resumed."))
    elif act_name == "resume":
        # What this page told of: a stop that came after it has to be seen first.
        found.stop_reason = request.POST.get("seen", found.stop_reason)
        work.resume_site(found, caller=caller, now=clock.now())
        messages.success(request, _("Resumed."))
    elif act_name == "live-checkout":
        return _set_live(request, found)
    else:
        raise NotFound("There is no such act.")
    return redirect("site", name=found.name)


def _set_live(request: HttpRequest, found: Any) -> HttpResponseBase:
    """What was typed stays when it is refused."""
    form = LiveForm(request.POST)
    if form.is_valid():
        try:
            work.change_site(found, caller=caller_of(request), now=clock.now(), **form.cleaned_data)
        except InvalidInput as refusal:
            field = refusal.field if refusal.field in form.fields else None
            form.add_error(field, said.in_words(refusal.message))
        else:
            messages.success(request, _("Saved. What lies there is looked at by the next sweep."))
            return redirect("site", name=found.name)
    return _site(request, reach.site(request, found.name), form)


@needs_right("operate")
def add(request: HttpRequest) -> HttpResponseBase:
    """Connect a repository."""
    caller = caller_of(request)
    scopes = _scopes(caller)
    if not scopes:
        require(caller, "operate", min(caller.scopes))
    form = SiteForm(request.POST or None)
    status = 200
    if request.method == "POST":
        if form.is_valid():
            values = {key: value or None for key, value in form.cleaned_data.items()}
            name, remote = form.cleaned_data["name"], form.cleaned_data["remote"]
            extra = {key: values[key] for key in ADDED}
            scope = request.POST.get("scope", "") or scopes[0]
            try:
                made = work.add_site(
                    name=name, remote=remote, scope=scope, caller=caller, now=clock.now(), **extra
                )
            except InvalidInput as refusal:
                form.add_error(
                    refusal.field if refusal.field in form.fields else None,
                    said.in_words(refusal.message),
                )
            else:
                messages.success(request, _("Connected. The repository is being read now."))
                return redirect("site", name=made.name)
        status = 422
        _forget_login(form)
    return show(request, "reviews/site_add.html", {"form": form, "scopes": scopes}, status=status)


def _scopes(caller: Caller) -> list[str]:
    """Where the caller may connect a repository: a role for one site alone opens no other."""
    return sorted(scope for scope in caller.scopes if caller.may("operate", scope))


def _forget_login(form: SiteForm) -> None:
    """What was typed stays when it is refused, but for a password: no page prints one."""
    sent = QueryDict(mutable=True)
    sent.update(form.data)
    if holds_login(sent.get("remote", "")):
        sent["remote"] = ""
        form.data = sent
