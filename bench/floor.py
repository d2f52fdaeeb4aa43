"""The framework's floor: 50 jobs by key, in a template without a frame, behind the same middleware."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import include, path

from publisher.models import Job

ROWS = 50
TEMPLATE = """<!doctype html><title>Jobs</title><ol>{% for job in jobs %}
<li><a href="/jobs/{{ job.pk }}/">{{ job.title }}</a> {{ job.site.name }} {{ job.requester }}
{{ job.target_path }} {{ job.state }} <time>{{ job.created_at|date:"c" }}</time></li>
{% endfor %}</ol>"""


@login_required
def floor(request: HttpRequest) -> HttpResponse:
    """What Django alone needs for a list of that length."""
    rows = Job.objects.select_related("site").order_by("-pk")[:ROWS]
    template = engines["django"].from_string(TEMPLATE)
    return HttpResponse(template.render({"jobs": rows}, request))


floor.right = "read"  # type: ignore[attr-defined]  # a view without one is refused


def urls() -> list[Any]:
    """The product's addresses, and this one."""
    return [path("floor/", floor), path("", include("publisher.urls"))]
