"""Every address that the resolver knows, to be filled in with rows of one space or of none."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.urls import URLPattern, URLResolver, get_resolver

from publisher import clock
from publisher.models import Job
from reviews.models import Assignment, Delegation, Principal, Token, View
from reviews.views.acts import ACTS
from tests.support import jobs, people

PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
NAMED_GROUP = re.compile(r"\(\?P<(\w+)>[^)]*\)")
OF_A_TABLE = re.compile(r"admin/(?!password_change)(\w+)/(\w+)/(add/|<path:object_id>/.*)?$")
NOWHERE = "987654321"
"""The key of no row."""
SITE_ACTS = ("check", "fetch", "pause", "resume", "live-checkout")


@dataclass(frozen=True, order=True)
class Route:
    """One address: ``text`` as in the table, ``table`` the admin's model, "" for the others."""

    text: str
    name: str
    table: str = ""

    def filled(self, values: Mapping[str, str]) -> str:
        """The address with its parameters; KeyError for one that nobody has a value for."""
        of_table = {"object_id": values.get(self.table, NOWHERE)}
        return "/" + PARAMETER.sub(lambda found: {**of_table, **values}[found[1]], self.text)

    @property
    def is_of_a_row(self) -> bool:
        """Whether it names something that belongs to a space."""
        return bool(set(PARAMETER.findall(self.text)) - {"token", "url", "app_label"})


def every() -> list[Route]:
    """All of them, each once; an address of acts stands for each of its acts."""
    found = [
        route
        for path, name in _walked(get_resolver().url_patterns, "")
        for route in _of(path, name)
    ]
    return list(dict.fromkeys(found))


def _walked(patterns: Sequence[Any], before: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        text = before + NAMED_GROUP.sub(r"<\1>", str(pattern.pattern)).strip("^$")
        if isinstance(pattern, URLResolver):
            yield from _walked(pattern.url_patterns, text)
        elif isinstance(pattern, URLPattern):
            yield text.replace("^", ""), pattern.name or ""


def _of(text: str, name: str) -> list[Route]:
    if name == "job_act":
        return [Route(text.replace("<slug:name>", act), f"act {act}") for act in ACTS]
    if name == "site_act":
        return [Route(text.replace("<slug:act_name>", act), f"site {act}") for act in SITE_ACTS]
    found = OF_A_TABLE.match(text)
    return [Route(text, name, f"{found[1]}.{found[2]}" if found else "")]


def values_of(job: Job, clash: Job, token: Token, delegation: Delegation) -> dict[str, str]:
    """What fills the parameters, from rows of one space; for the admin a row of each of its tables."""
    digest = job.revisions.get(number=1).content.removeprefix("sha256:")
    return {
        **rows_of(job.scope),
        "job_id": job.pk,
        "approval_id": str(jobs.request_of(job).pk),
        "conflict_id": str(clash.conflicts.get().pk),
        "token_id": str(token.pk),
        "delegation_id": str(delegation.pk),
        "view_id": str(view_of(token.principal).pk),
        "assignment_id": str(assignment_of(job, token.principal).pk),
        "hash": job.binding_hash,
        "path": job.target_path,
        "name": job.site.name,
        "digest": digest,
        "sha256": f"sha256:{digest}",
        "session": "session-1",
        **WITHOUT_A_ROW,
    }


WITHOUT_A_ROW = {
    "token": "no-such-link",
    "url": "nowhere/",
    "app_label": "reviews",
    "content_type_id": "1",
}
NOBODYS = {
    **WITHOUT_A_ROW, "job_id": "nothing", "name": "nothing", "digest": "0" * 64,
    "sha256": "sha256:" + "0" * 64, "session": "nothing", "object_id": NOWHERE,
    **dict.fromkeys(("approval_id", "conflict_id", "token_id", "delegation_id"), NOWHERE),
    **dict.fromkeys(("view_id", "assignment_id"), NOWHERE),
}  # fmt: skip
"""What is nowhere, which is how another space's rows must look."""


def rows_of(scope: str) -> dict[str, str]:
    """By table, the key of a row that lies in this space, as the admin's own search by scope finds it."""
    found = {}
    for model in apps.get_models():
        path = getattr(admin.site._registry.get(model), "scope_path", "")
        rows = model._default_manager.filter(**{path: scope}) if path else None
        row = rows.first() if rows is not None else None
        if row is not None:
            label = f"{model._meta.app_label}.{model._meta.model_name}"
            found[label] = quote(str(row.pk))
    return found


def token_of(name: str) -> Token:
    """A token of somebody, to be looked at and ended."""
    people.token(name, "read")
    return Token.objects.get(principal=Principal.objects.get(name=name))


def view_of(principal: Principal) -> View:
    """A view that somebody keeps."""
    return View.objects.create(principal=principal, name="mine", page="inbox")


def assignment_of(job: Job, by: Principal) -> Assignment:
    """The job, given to a group."""
    return Assignment.objects.create(job=job, group="Editors", by=by, at=clock.now())
