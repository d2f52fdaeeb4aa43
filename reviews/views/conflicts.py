"""Conflicts: the list, and one conflict with its story, its versions and the ways out."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from publisher import artifacts, clock
from publisher.domain.errors import Clash, ImprimaturError, InvalidInput
from reviews import interrupted, lists
from reviews.permissions import caller_of
from reviews.presenters import conflict as presenter
from reviews.presenters import failures, marks, texts
from reviews.services import work
from reviews.views import errors, reach
from reviews.views.common import SHOWN, after_of, needs_right, show
from reviews.views.files import file_address


@needs_right("read")
def conflicts(request: HttpRequest) -> HttpResponse:
    """Open conflicts, oldest first."""
    after = after_of(request)
    found = lists.conflicts(caller_of(request), after=after, limit=SHOWN)
    items = [
        {"row": row, "why": failures.CONFLICTS.get(f"conflict_{row.kind}", "")}
        for row in found.items
    ]
    context = {"items": items, "following": found.next, "is_later": bool(after)}
    return show(request, "reviews/conflicts.html", context)


@needs_right("read")
def conflict(request: HttpRequest, conflict_id: int) -> HttpResponse:
    """Two changes to the same text."""
    found = reach.conflict(request, conflict_id)
    return show(request, "reviews/conflict.html", _page(request, found))


def _page(request: HttpRequest, found: Any) -> dict[str, Any]:
    caller = caller_of(request)
    job = found.job
    may_operate = caller.may("operate", job.scope, job.site)
    is_open = found.settled_at is None and job.state == "CONFLICT"
    may_resolve = is_open and caller.may("resolve", job.scope, job.site)
    budget = marks.Budget()
    clashes = [
        presenter.clash(
            entry,
            index,
            base=_version(job, entry.get("base")),
            theirs=_version(job, entry.get("theirs")),
            ours=_version(job, entry.get("ours")),
            may_give_up=may_operate,
            is_alone=len(found.files) == 1,
            was_edited=f"text-{index}" in request.POST,
            budget=budget,
        )
        for index, entry in enumerate(found.files)
    ]
    return {
        "conflict": found,
        "job": job,
        "story": presenter.story(found, job),
        "clashes": [{"clash": clash, **_kept(request, clash)} for clash in clashes],
        "is_open": is_open,
        "may_resolve": may_resolve,
        "may_settle": may_resolve and all(clash.choices for clash in clashes),
        "may_give_up": is_open and may_operate,
        "kept_reason": request.POST.get("reason", ""),
    }


def _kept(request: HttpRequest, clash: presenter.Clash) -> dict[str, str]:
    return {
        "chosen": request.POST.get(f"choice-{clash.index}", ""),
        "own_text": request.POST.get(f"text-{clash.index}", clash.own_text),
        "new_path": request.POST.get(f"path-{clash.index}", ""),
    }


def _version(job: Any, name: str | None) -> presenter.Version:
    data = artifacts.load_whole(name or "")
    if not name or data is None:
        return presenter.Version(is_damaged=bool(name))
    return presenter.Version(data, file_address(job, name))


@needs_right("read")
def resolve(request: HttpRequest, conflict_id: int) -> HttpResponseBase:
    """One choice a file; the result is checked and approved again."""
    found = reach.conflict(request, conflict_id)
    if request.method != "POST":
        return redirect("conflict", conflict_id=found.pk)
    try:
        choices = [_choice(request, found, entry, index) for index, entry in enumerate(found.files)]
        job = work.settle(
            found,
            files=choices,
            ours_sha256=request.POST.get("ours_sha256", ""),
            theirs_sha256=request.POST.get("theirs_sha256", ""),
            caller=caller_of(request),
            now=clock.now(),
        )
    except (Clash, InvalidInput) as refusal:
        return _refused(request, found, refusal)
    messages.success(request, _("Settled. The result is checked now and then reviewed again."))
    return redirect("job", job_id=job.pk)


def _choice(request: HttpRequest, found: Any, entry: dict[str, Any], index: int) -> work.Choice:
    chosen = request.POST.get(f"choice-{index}", "")
    if not chosen:
        text = _("Choose what shall happen with %(path)s.")
        raise InvalidInput("files", text % {"path": entry["path"]})
    content = None
    if chosen == "content":
        ours, theirs = (_version(found.job, entry.get(side)) for side in ("ours", "theirs"))
        original = ours.data or theirs.data or b""
        content = texts.edited(request.POST.get(f"text-{index}", ""), original)
    new_path = request.POST.get(f"path-{index}", "").strip() if chosen == "new_path" else None
    return work.Choice(entry["path"], chosen, content, new_path)


@needs_right("read")
def give_up(request: HttpRequest, conflict_id: int) -> HttpResponseBase:
    """Publish nothing, with a reason."""
    found = reach.conflict(request, conflict_id)
    if request.method != "POST":
        return redirect("conflict", conflict_id=found.pk)
    try:
        job = work.give_up(
            found,
            caller=caller_of(request),
            now=clock.now(),
            reason=request.POST.get("reason", "").strip(),
        )
    except (Clash, InvalidInput) as refusal:
        return _refused(request, found, refusal)
    messages.success(request, _("Given up. What is published stays as it is."))
    return redirect("job", job_id=job.pk)


def _refused(request: HttpRequest, found: Any, refusal: ImprimaturError) -> HttpResponse:
    fresh = reach.conflict(request, found.pk)
    status = errors.status_of(refusal)
    context = {**_page(request, fresh), "refusal": refusal}
    if not context["is_open"]:
        # No form is left that would hold it.
        context["kept"] = interrupted.typed(request)
    return show(request, "reviews/conflict.html", context, status=422 if status == 400 else status)
