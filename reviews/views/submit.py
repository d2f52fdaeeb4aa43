"""Submit: a source, a ready draft with files, or a removal; what was typed survives every error."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import clock
from publisher.domain.errors import Clash, InvalidInput, KeyReused
from reviews.permissions import caller_of
from reviews.presenters import said
from reviews.services import work
from reviews.submit_form import SubmitForm
from reviews.views import anew, errors, reach
from reviews.views.common import needs_right, show

FIELDS = {"content": "text", "source": "text", "sources": "text"}


@needs_right("submit")
def submit(request: HttpRequest) -> HttpResponseBase:
    """The form, and its answer."""
    caller = caller_of(request)
    sites = [row for row in reach.sites(caller) if caller.may("submit", row.scope, row)]
    names = [row.name for row in sites]
    if request.method != "POST":
        return _page(request, SubmitForm(names, initial=_initial(request, names)), names)
    form = SubmitForm(names, request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, names, status=422)
    try:
        done = work.submit(_request(form), caller=caller, now=clock.now())
    except InvalidInput as refusal:
        form.add_error(_field_of(refusal, form), said.in_words(refusal.message))
        status = errors.status_of(refusal)
        return _page(request, form, names, status=422 if status == 400 else status)
    except KeyReused as refusal:
        form.begin_anew(uuid.uuid4().hex)
        return _page(request, form, names, status=409, sent_before=refusal.facts["job_id"])
    except Clash as refusal:
        form.add_error(None, said.in_words(refusal.message))
        return _page(request, form, names, status=409)
    heard = _("Received and stored safely.") if done.created else _("It was received already.")
    messages.success(request, heard, extra_tags="submit")
    return redirect("job", job_id=done.job.pk)


def _initial(request: HttpRequest, names: list[str]) -> dict[str, Any]:
    """An empty form, or one that begins from the job, the site and the path in the address."""
    values: dict[str, Any] = {"site": names[0] if len(names) == 1 else ""}
    if "from" in request.GET:
        values |= anew.initial(reach.job(request, request.GET["from"]))
    values |= {name: request.GET[name] for name in ("site", "target_path") if name in request.GET}
    if values.get("had_files"):
        messages.info(request, _("The files beside the article do not come along. Choose them."))
    return {**values, "key": uuid.uuid4().hex}


def _page(
    request: HttpRequest, form: SubmitForm, names: list[str], *, status: int = 200, **more: Any
) -> HttpResponse:
    mode = form["mode"].value() or "source"
    context = {"form": form, "has_sites": bool(names), "mode": mode, **more}
    return show(request, "reviews/submit.html", context, status=status)


def _field_of(refusal: InvalidInput, form: SubmitForm) -> str | None:
    """The field that a refusal is about; of several files, the row that it came from."""
    if refusal.field == "assets":
        return form.place_of(str(refusal.facts.get("path", ""))) or "files_0"
    name = FIELDS.get(refusal.field, refusal.field)
    return name if name in form.fields else None


def _request(form: SubmitForm) -> work.SubmitRequest:
    values: dict[str, Any] = form.cleaned_data
    shared: dict[str, Any] = {
        "site": values["site"],
        "topic": values["topic"],
        "title": values["title"],
        "summary": values["summary"],
        "key": values["key"] or None,
        "target_path": values["target_path"] or None,
        "not_before": values["not_before"],
    }
    if values["mode"] == "source":
        sources = (work.Source("source", values["body"].decode("utf-8")),)
        return work.SubmitRequest(sources=sources, **shared)
    if values["mode"] == "delete":
        return work.SubmitRequest(action="delete", **shared)
    return work.SubmitRequest(
        content=values["body"],
        action=values["action"] or None,
        assets=tuple(values["assets"]),
        **shared,
    )
