"""Review: the way out for a job that was stopped. New text, overruling, giving up."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import artifacts, clock, nodes
from publisher import selectors as engine
from publisher.domain.errors import Clash, ImprimaturError, InvalidInput
from publisher.domain.states import Event, State
from publisher.services.acts import NEVER_OVERRIDDEN
from reviews.edit_form import PlacedForm
from reviews.forms import LONGEST_REASON, OverrideForm
from reviews.permissions import caller_of
from reviews.presenters import acts, failures, said, texts, words
from reviews.presenters import findings as finding_views
from reviews.services import work
from reviews.views import errors, places, reach
from reviews.views.common import needs_right, show


@needs_right("read")
def review(request: HttpRequest, job_id: str) -> HttpResponse:
    """What was found, and each way on."""
    found = reach.job(request, job_id)
    return show(request, "reviews/review.html", _page(request, found))


def _page(request: HttpRequest, found: Any, form: PlacedForm | None = None) -> dict[str, Any]:
    caller = caller_of(request)
    findings = engine.findings(found)
    open_blocks = [row for row in findings if row.severity == "block" and not row.overridden_at]
    reason, what_to_do = failures.of(found.failure_code, open_blocks=len(open_blocks))
    name = draft_of(found)
    draft = artifacts.load_whole(name)
    asked = places.asked(found, open_blocks)
    is_open = State(found.state) is State.REVIEW
    return {
        "job": found,
        "label": words.label(found.state),
        "is_open": is_open,
        "reason": reason,
        "what_to_do": (asked.is_removal and places.advice(found)) or what_to_do,
        "asked": asked,
        "findings": finding_views.present(
            findings,
            never=NEVER_OVERRIDDEN,
            may_override=is_open and caller.may("operate", found.scope, found.site),
        ),
        "open_blocks": len(open_blocks),
        "may_edit": not asked.is_removal and work.may(caller, found, Event.REVISE, "edit"),
        "is_damaged": bool(name) and draft is None,
        "form": form or _form(found, draft, asked),
        "longest_reason": LONGEST_REASON,
        "is_too_large": draft is not None and len(draft) > texts.LARGEST_EDIT,
        "acts": [
            act
            for act in acts.of(
                found,
                may=lambda right: caller.may(right, found.scope, found.site, owner=found.requester),
                has_open_effect=False,
                open_blocks={row.rule for row in open_blocks},
                is_from_backup=nodes.is_from_backup(found),
            )
            if act.name in ("retry", "ask-again", "record-published", "skip", "cancel")
        ],
    }


def draft_of(found: Any) -> str:
    """The article as it stands now, by name: from the draft, or from what was submitted."""
    name = engine.draft_files(found).get(found.target_path, "")
    if name:
        return name
    rows = [row for row in engine.revisions(found) if row.number == found.revision]
    return rows[0].content if rows else ""


def _form(found: Any, draft: bytes | None, asked: places.Asked) -> PlacedForm:
    shown = {"text": texts.editable(draft or b""), "base_revision": found.revision}
    if asked.path:
        shown |= places.initial(found)
    return _bare(asked, initial=shown)


def _bare(asked: places.Asked, *args: Any, **options: Any) -> PlacedForm:
    return PlacedForm(
        *args, path_needed=asked.path_needed, text_needed=asked.text_needed, **options
    )


@needs_right("read")
def edit(request: HttpRequest, job_id: str) -> HttpResponseBase:
    """Save a new version of the article; what was typed is never lost."""
    found = reach.job(request, job_id)
    if request.method != "POST":
        return redirect("job_review", job_id=found.pk)
    asked = places.asked(found, [])
    form = _bare(asked, request.POST)
    if not form.is_valid():
        return show(request, "reviews/review.html", _sent(request, found, form), status=422)
    draft = artifacts.load_whole(draft_of(found)) or b""
    before = found.revision
    try:
        after = work.edit(
            found,
            files=_files(form, found, draft),
            base_revision=form.cleaned_data["base_revision"],
            caller=caller_of(request),
            now=clock.now(),
            why=form.cleaned_data["why"] or "edited",
            place=places.of(form),
        )
    except (Clash, InvalidInput) as refusal:
        return _refused(request, job_id, form, refusal)
    if after.revision == before:
        messages.info(request, _("Nothing was changed, so there is no new version."))
        return redirect("job_review", job_id=found.pk)
    messages.success(
        request, _("Saved as version %(n)s. It is checked now.") % {"n": after.revision}
    )
    return redirect("job", job_id=found.pk)


def _files(form: PlacedForm, found: Any, draft: bytes) -> dict[str, bytes]:
    """The article under its path; none when only front matter goes to another place."""
    text = form.cleaned_data["text"]
    path = form.cleaned_data["target_path"] or found.target_path
    return {path: texts.edited(text, draft)} if text or form.fields["text"].required else {}


def _refused(
    request: HttpRequest, job_id: str, form: PlacedForm, refusal: ImprimaturError
) -> HttpResponse:
    """The page again with the reader's text; a second save goes on top of the newest version."""
    fresh = reach.job(request, job_id)
    values = {**form.cleaned_data, "base_revision": fresh.revision}
    again = _bare(places.asked(fresh, []), values)
    named = getattr(refusal, "field", "")
    field = named if named in ("target_path", "action") else None
    again.add_error(field, said.in_words(refusal.message))
    status = errors.status_of(refusal)
    context = _sent(request, fresh, again)
    return show(request, "reviews/review.html", context, status=422 if status == 400 else status)


def _sent(request: HttpRequest, found: Any, form: PlacedForm) -> dict[str, Any]:
    """The page with the form that was sent, wherever the job is now: its text lies nowhere else."""
    return {**_page(request, found, form), "may_edit": True, "is_too_large": False}


@needs_right("read")
def override(request: HttpRequest, job_id: str) -> HttpResponseBase:
    """Overrule one finding, with a reason."""
    found = reach.job(request, job_id)
    if request.method != "POST":
        return redirect("job_review", job_id=found.pk)
    form = OverrideForm(request.POST)
    if not form.is_valid():
        field, problems = next(iter(form.errors.items()))
        raise InvalidInput(field, str(problems[0]))
    after = work.override(
        found,
        finding_id=form.cleaned_data["finding"],
        caller=caller_of(request),
        now=clock.now(),
        reason=form.cleaned_data["reason"],
    )
    messages.success(request, _("Overruled, with your reason in the history."))
    is_open = State(after.state) is State.REVIEW
    return redirect("job_review" if is_open else "job", job_id=found.pk)
