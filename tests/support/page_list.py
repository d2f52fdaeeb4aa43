"""Every page that can be opened, from the resolver, filled in with the rows of the jobs that are given."""

from publisher.models import Job
from reviews.models import Approval
from tests.support import routes

NOT_ASKED = (
    "logout/", "admin/logout/", "admin/jsi18n/", "i18n/", "api/", "healthz", "readyz", "metrics",
)  # fmt: skip
"""What ends the login that opens the rest, or is read by programs."""
PARTS = ("_live", "job_file")
"""How the names of parts of pages and of files end, which a browser shows nothing of."""
WAYS = ("?tab=diff", "?tab=raw", "?tab=diff&side=1")


def paths(jobs: list[Job]) -> list[str]:
    """Each address once; some of them lead on, since not every job has each page."""
    found: list[str] = []
    known = [_values(job) for job in jobs]
    for route in routes.every():
        is_act = route.name.startswith(("act ", "site "))
        if is_act or route.text.startswith(NOT_ASKED) or route.name.endswith(PARTS):
            continue
        if route.table and not route.table.startswith(("publisher.", "reviews.")):
            continue
        for values in known:
            try:
                found.append(route.filled(values))
            except KeyError:  # this job has no such row
                continue
    found += [f"/jobs/{job.pk}/?all" for job in jobs]
    requests = Approval.objects.filter(job__in=jobs).order_by("pk")
    found += [f"/approvals/{one.pk}/{way}" for one in requests for way in WAYS]
    return list(dict.fromkeys(found))


def _values(job: Job) -> dict[str, str]:
    conflict, request = job.conflicts.first(), job.approvals.first()
    rows = {"conflict_id": conflict, "approval_id": request}
    return {
        **routes.rows_of(job.scope),
        **{name: str(row.pk) for name, row in rows.items() if row is not None},
        "publisher.job": job.pk,
        "job_id": job.pk,
        "name": job.site.name,
        "app_label": "reviews",
    }
