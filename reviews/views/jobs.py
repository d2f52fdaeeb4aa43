"""Jobs: the list with its filters in the address, and one job with all there is to say about it."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from publisher import clock, nodes
from publisher import selectors as engine
from publisher import selectors_history as history
from publisher import selectors_jobs as lists
from publisher.domain.states import Event
from publisher.selectors_reverts import taken_back_by
from reviews import selectors
from reviews.permissions import Caller, caller_of
from reviews.presenters import (
    acts,
    duplicates,
    failures,
    matches,
    nexts,
    sites,
    stepper,
    timeline,
    words,
)
from reviews.presenters import findings as finding_views
from reviews.views import job_filters, origins, reach
from reviews.views.assignments import assigned
from reviews.views.common import mark_of, needs_right, show
from reviews.views.navigation import inbox_of


@needs_right("read")
def jobs(request: HttpRequest) -> HttpResponse:
    """Newest first; the address holds the filters, so that it can be shared."""
    context = {
        **_listed(request),
        "sites": [site.name for site in reach.sites(caller_of(request))],
        **job_filters.choices(),
    }
    return show(request, "reviews/jobs.html", context)


@needs_right("read")
def jobs_live(request: HttpRequest) -> HttpResponse:
    """The list as it is now; 204 while it is the same."""
    context = _listed(request)
    if request.GET.get("seen") == context["seen"]:
        return HttpResponse(status=204)
    may_submit = caller_of(request).may_somewhere("submit")
    moved = max(context["jobs"], key=lambda row: row["job"].updated_at, default=None)
    more = {"now": clock.now(), "may_submit": may_submit, "moved": moved}
    return render(request, "reviews/partials/jobs_live.html", {**context, **more})


def _listed(request: HttpRequest) -> dict[str, Any]:
    """What the filters leave. A search and what is older do not move by themselves."""
    caller = caller_of(request)
    asked = request.GET.copy()
    asked.pop("seen", None)
    chosen = job_filters.read(asked)
    after = asked.get("after", "")[:40]
    found = lists.jobs(caller.within("read"), after=after, **chosen.asked(clock.now()))
    return {
        "jobs": [
            {
                "job": job,
                "label": words.label(job.state),
                "what": words.OPERATIONS[job.operation],
                "why": matches.why(job, chosen.q) if chosen.q else None,
            }
            for job in found.items
        ],
        "following": chosen.address(found.next) if found.next else "",
        "chosen": chosen,
        "is_later": bool(after),
        "newest": chosen.address("") if chosen.used else reverse("jobs"),
        "is_moving": not (after or chosen.q),
        "query": asked.urlencode(),
        "seen": mark_of([(job.pk, job.state_version) for job in found.items], found.next),
    }


@needs_right("read")
def job(request: HttpRequest, job_id: str) -> HttpResponse:
    """One job: where it is, what happens next, and what can be done."""
    found = reach.job(request, job_id)
    caller = caller_of(request)
    effects = engine.effects(found)
    findings = engine.findings(found)
    steps = engine.steps(found)
    open_blocks = [row for row in findings if row.severity == "block" and not row.overridden_at]
    context = {
        **progress(found, caller, wanted_of(request)),
        "acts": acts.of(
            found,
            may=lambda right: caller.may(right, found.scope, found.site, owner=found.requester),
            has_open_effect=any(row.status in ("intent", "unknown") for row in effects),
            open_blocks={row.rule for row in open_blocks},
            is_from_backup=nodes.is_from_backup(found),
        ),
        "findings": finding_views.present(findings, never=frozenset(), may_override=False),
        "steps": [
            {
                "row": row,
                "name": words.STEP_NAMES.get(row.name, row.name),
                "label": words.of(words.STEPS, row.state),
            }
            for row in steps
        ],
        "duplicates": _duplicates(found, steps),
        "revisions": engine.revisions(found),
        "origins": origins.of(found),
        "same_target": reach.within(caller, engine.same_target(found)),
        **assigned(found, caller),
        "begins_anew": nexts.begins_anew(found) and caller.may("submit", found.scope, found.site),
    }
    return show(request, "reviews/job.html", context)


def _duplicates(found: Any, steps: list[Any]) -> duplicates.DuplicateView | None:
    """What was judged last of this version: that says more than what was judged before."""
    again = history.last(found, among=(Event.SKIP, Event.KEEP))
    facts = again.facts if again else {}
    if facts.get("judged") and facts.get("revision") == found.revision:
        return duplicates.present(facts["judged"], arrived=True)
    judged = [row.outputs.get("verdict") or {} for row in steps if row.name == "dedup"]
    return duplicates.present(judged[0]) if judged else None


@needs_right("read")
def job_live(request: HttpRequest, job_id: str) -> HttpResponse:
    """The part of the page that moves by itself, and what stands above; 204 while nothing moved."""
    found = reach.job(request, job_id)
    if request.GET.get("seen") == seen_mark(found):
        return HttpResponse(status=204)
    page_state = request.GET.get("page", "")
    now, caller = clock.now(), caller_of(request)
    context = {
        "now": now,
        "waiting": inbox_of(request).waiting,
        **progress(found, caller, wanted_of(request)),
        "page_state": page_state,
        "is_outdated": page_state != found.state,
    }
    return render(request, "reviews/partials/job_live.html", context)


def seen_mark(found: Any) -> str:
    """Changes with each event of the job."""
    return f"{found.state_version}-{found.event_seq}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of the history is looked at; the part that moves by itself keeps to it."""

    everything: bool
    before: int | None

    def address(self, before: int | None) -> str:
        """What an address says to ask for the part before that key, or for the newest one."""
        key = [f"before={before}"] if before else []
        return "?" + "&".join([*(["all"] if self.everything else []), *key])


def wanted_of(request: HttpRequest) -> Wanted:
    """What the address asks for; a key that is none asks for the newest part."""
    before = request.GET.get("before", "")
    is_key = before.isdecimal() and len(before) < 10
    return Wanted("all" in request.GET, int(before) if is_key else None)


def progress(found: Any, caller: Caller, wanted: Wanted) -> dict[str, Any]:
    """Where a job is, in words, with its history."""
    furthest = stepper.furthest_of(history.names(found, among=stepper.TURNS))
    request_for = selectors.approval_of(found)
    conflict = engine.open_conflict(found)
    reason, what_to_do = failures.of(found.failure_code)
    return {
        "job": found,
        "label": words.label(found.state),
        "operation": words.OPERATIONS[found.operation],
        "verbs": stepper.verbs(found.state, resume=found.resume_state, furthest=furthest),
        "next": nexts.of(
            found,
            now=clock.now(),
            approval_url=reverse("approval", args=[request_for.pk]) if request_for else "",
            review_url=reverse("job_review", args=[found.pk]),
            conflict_url=reverse("conflict", args=[conflict.pk]) if conflict else "",
            is_taken_back=taken_back_by(found) is not None,
            decides=caller.name != found.requester
            and caller.may("decide", found.scope, found.site),
        ),
        "reason": reason,
        "what_to_do": what_to_do,
        "stop": sites.holding(found),
        **_history(found, wanted),
        "effects": [
            {"row": row, "label": words.of(words.EFFECTS, row.status)}
            for row in engine.effects(found)
        ],
        "seen": seen_mark(found),
        "page_state": found.state,
    }


def _history(found: Any, wanted: Wanted) -> dict[str, Any]:
    """The part of the history that is looked at, and the ways to the others."""
    quiet = frozenset() if wanted.everything else timeline.QUIET
    part = history.newest(found, before=wanted.before, without=quiet)
    return {
        "entries": timeline.entries(part.items, everything=wanted.everything),
        "everything": wanted.everything,
        "wanted": wanted.address(wanted.before),
        "earlier": wanted.address(part.earlier) if part.earlier else "",
        "later": wanted.address(None) if wanted.before else "",
    }
