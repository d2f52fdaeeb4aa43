"""Rows for reading: an article that somebody read and that came back changed, and what pages say."""

import html
import re
from datetime import timedelta

from django.test import Client

from publisher import clock
from publisher.domain.states import Actor
from publisher.journal import Who
from publisher.models import Finding, Job, Site
from publisher.services import revise
from reviews.models import Approval
from reviews.presenters.content import FileView
from tests.support import jobs, page_rows

PATH = "content/posts/tools.md"
FIRST = page_rows.OLD
SECOND = (
    FIRST.replace("Drills and ladders beside novels", "Drills beside novels")
    .replace("date: 2026-03-02", "date: 2026-03-09")
    .replace("for three days", "for five days")
    .replace(
        "Helpers check each tool",
        "The lower floor is dry, and it is open to everyone.\n\nHelpers check each tool",
    )
)


def article(site: Site, *, text: str = FIRST, path: str = PATH) -> Approval:
    """A new article that waits, before it came back."""
    moment = clock.now() - timedelta(hours=3)
    title = "The town library lends tools"
    return jobs.request_of(
        page_rows.new_article(at=site, now=moment, text=text, title=title, path=path)
    )


def revised(request: Approval, text: str = SECOND) -> Approval:
    """The next version of a request's text, asked about anew."""
    job = Job.objects.get(pk=request.job_id)
    now = clock.now()
    job = revise.revise(
        job,
        files={job.target_path: text.encode()},
        base_revision=job.revision,
        who=Who(Actor.SUBMITTER, "ada"),
        now=now,
    )
    jobs.waiting(job, now=now)
    return Approval.objects.filter(job=job).latest("pk")


def found_at(request: Approval, line: int, *, severity: str = "warn", rule: str = "r") -> Finding:
    """A finding at a line of the article."""
    return Finding.objects.create(
        step=request.job.steps.filter(revision=request.revision).latest("pk"),
        severity=severity, path=request.job.target_path, line=line, rule=rule,
        message="This sentence is long.", advice="Cut it in two.",
    )  # fmt: skip


def look(client: Client, request: Approval, query: str = "") -> str:
    """The review page."""
    answer = client.get(f"/approvals/{request.pk}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def view(client: Client, request: Approval, query: str = "") -> FileView:
    """What the page had to print of the first file."""
    answer = client.get(f"/approvals/{request.pk}/{query}")
    found: FileView = answer.context["files"][0]
    return found


def shown(page: str) -> list[str]:
    """What a page says in the places that count as shown: HTML of prose, else text."""
    pattern = r"<(\w+)(?P<more>[^>]*) data-shown>(.*?)</\1>"
    return [
        inner if "prose" in more else _text(inner)
        for _tag, more, inner in re.findall(pattern, page, re.DOTALL)
    ]


def tabs(page: str) -> list[str]:
    """The tabs of a page, by their words."""
    return [html.unescape(name) for name in re.findall(r"data-tab [^>]*>([^<]*)</a>", page)]


def _text(inner: str) -> str:
    without = re.sub(r'<span class="diff__cut">.*?</span>', "", inner, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", without))
