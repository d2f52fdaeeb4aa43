"""What every address answers to every role, by method; each question is taken back before the next."""

import json
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

from django.db import transaction
from django.test import Client

from publisher import clock
from publisher.models import Finding
from reviews.models import Principal, Role
from reviews.services import people as service
from tests.support import jobs, page_rows, people, reviewing_rows, routes
from tests.support.requests import ALL
from tests.support.routes import NOBODYS, Route

METHODS = ("GET", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
"""All but HEAD, which Django answers as GET, and sends no body of."""
ASKED_ABOUT_ROWS = {"GET", "POST", "PUT"}
ROLES = ("anonymous", "agent", *(role.value for role in Role))
LOGIN = "login"
NOT_LET_IN = {LOGIN, "401", "403", "404", "405"}

Key = tuple[Route, str, str]
Table = Mapping[Key, str]


@dataclass(frozen=True)
class Answers:
    """By address, method and role: for rows of one's own space, of another's, and of no space.

    The last are of the admin's tables alone.
    """

    ours: Table
    foreign: Table
    nowhere: Table


def asked() -> Answers:
    """Ask everything of a space with a job that waits and one that clashes, and of one out of reach."""
    now = clock.now()
    people.everybody()
    place = jobs.site()
    waiting = page_rows.new_article(at=place, now=now)
    clashing = page_rows.clashing(at=place, now=now)
    for role in Role:
        service.add(
            name=role.value, scope="default", roles=[role.value], caller=people.caller("omar"), now=now
        )  # fmt: skip
    ours = routes.values_of(
        waiting,
        clashing,
        routes.token_of("submitter"),
        reviewing_rows.delegation("reviewer", "mei", now=now),
    )
    elsewhere = jobs.site("diary", scope="private")
    people.add("rui", "reviewer", scope="private")
    people.add("hidden", "submitter", scope="private")
    job = page_rows.new_article(at=elsewhere, now=now, path="content/secret.md")
    clash = page_rows.clashing(at=elsewhere, now=now)
    foreign = routes.values_of(
        job,
        clash,
        routes.token_of("hidden"),
        reviewing_rows.delegation("rui", "hidden", now=now, scope="private"),
    )
    every = {
        (route, method, role)
        for route in routes.every()
        for method in methods_of(route)
        for role in ROLES
    }
    # Each refusal would be a line of the log.
    logging.disable(logging.ERROR)
    try:
        own = _answers(every, ours)
        let_in = {
            key
            for key in every
            if own[key] not in NOT_LET_IN and key[0].is_of_a_row and key[1] in ASKED_ABOUT_ROWS
        }
        of_tables = {key for key in let_in if key[0].table}
        nowhere = _answers(of_tables, {**foreign, **NOBODYS})
        return Answers(own, _answers(let_in, foreign), nowhere)
    finally:
        logging.disable(logging.NOTSET)


def methods_of(route: Route) -> tuple[str, ...]:
    """Every method; the admin's tables share their views, so one of them is asked with the rarer ones."""
    return METHODS if route.table in ("", "publisher.job") else ("GET",)


def _answers(keys: Collection[Key], values: Mapping[str, str]) -> Table:
    found = {}
    for role in ROLES:
        client = _client(role)
        cookies = client.cookies.output(header="", sep=";")
        for key in keys:
            if key[2] == role:
                found[key] = _answer(client, key[0], key[1], values)
                client.cookies = SimpleCookie(cookies)
    return found


def _client(role: str) -> Client:
    if role == "agent":
        token = people.token(people.AGENT, *ALL)
        return Client(headers={"Authorization": f"Bearer {token}"}, raise_request_exception=False)
    client = Client(raise_request_exception=False)
    if role != "anonymous":
        user = Principal.objects.get(name=role).user
        assert user is not None
        client.force_login(user)
    return client


def _answer(client: Client, route: Route, method: str, values: Mapping[str, str]) -> str:
    """The class of an answer: its status, or that it leads to the login."""
    sent = _bodies(values).get((method, route.text), {}) if method in ("POST", "PUT") else {}
    body, kind = json.dumps(sent), "application/json"
    if not route.text.startswith("api/"):
        body, kind = urlencode(sent), "application/x-www-form-urlencoded"
    with transaction.atomic():
        answer = client.generic(
            method, route.filled(values), body, kind, headers={"Idempotency-Key": "k"}
        )
        transaction.set_rollback(True)
    goes_to = answer.headers.get("Location", "")
    is_login = goes_to.startswith(("/login/", "/admin/login/"))
    return LOGIN if is_login else str(answer.status_code)


def _bodies(values: Mapping[str, str]) -> dict[tuple[str, str], dict[str, Any]]:
    """What a call needs for its right to matter; the others are asked with nothing."""
    job, api = "jobs/<job_id>", "api/v1/"
    site, why = values["name"], {"reason": "Because."}
    draft = {"site": site, "content": "# Hi\n", "target_path": "content/hi.md", "action": "create"}
    decision = {
        "decision": "approve", "reviewed_hash": values.get("hash", "none"), "request_id": "r",
    }  # fmt: skip
    finding = Finding.objects.values_list("pk", flat=True)[0]
    choice = {"path": "content/posts/library.md", "choice": "ours"}
    versions = {"ours_sha256": "sha256:" + "1" * 64, "theirs_sha256": "sha256:" + "2" * 64}
    found: dict[str, dict[str, Any]] = {
        "jobs": draft,
        "jobs/validate": draft,
        f"{job}/revisions": {"source": "The tide turns."},
        **{f"{job}/{act}": why for act in ("cancel", "skip", "record-published")},
        f"{job}/override": {**why, "finding": finding},
        "topics/<session:session>/open": {"site": site},
        "topics/<session:session>/close": {"site": site, "source": "The pool opens."},
        "approvals/<int:approval_id>/decision": decision,
        "conflicts/<int:conflict_id>/resolution": {"files": [choice], **versions},
        "conflicts/<int:conflict_id>/give-up": why,
    }
    file = {"path": values.get("path", "content/none.md"), "content": "# Hi\n"}
    return {
        **{("POST", api + text): body for text, body in found.items()},
        ("PUT", f"{api}{job}/draft"): {"files": [file], "base_revision": 1},
        ("POST", "approvals/<int:approval_id>/decide/"): decision,
    }
