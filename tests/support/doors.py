"""The doors to a decision, behind one face, so that one set of tests holds for all of them."""

import html
import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from io import StringIO
from typing import Any, Protocol
from unittest import mock

from django.core.management import call_command
from django.test import Client, override_settings

from publisher import clock
from publisher.domain.errors import ImprimaturError
from reviews.models import Approval, Principal
from reviews.services import decisions, policies, reauthentication
from reviews.session_ends import BEGAN
from tests.support.people import caller, token

REFUSED_BY_CONSOLE = 5


@dataclass(frozen=True)
class Answer:
    """What came back: ``code`` is empty for a decision that was taken."""

    code: str = ""
    status: int = 200
    body: dict[str, Any] = field(default_factory=dict)


class Door(Protocol):
    """One way to decide."""

    name: str

    def decide(self, who: str, approval: Approval, decision: str, **sent: Any) -> Answer:
        """Send a decision in somebody's name; ``sent`` may hold reviewed_hash, request_id, …

        Whoever comes through the page opens it first, unless ``unread`` is sent, and logged in a
        moment ago, unless ``proved`` or a ``password`` is.
        """


def _filled(approval: Approval, sent: dict[str, Any]) -> dict[str, Any]:
    filled = {"reviewed_hash": approval.binding_hash, "request_id": "r1", **sent}
    own = ("unread", "proved")
    return {key: value for key, value in filled.items() if value is not None and key not in own}


class Service:
    """The service itself."""

    name = "service"

    def decide(self, who: str, approval: Approval, decision: str, **sent: Any) -> Answer:
        """Call it."""
        filled = {"reviewed_hash": "", "request_id": "", **_filled(approval, sent)}
        now: datetime = filled.pop("now", None) or clock.now()
        password, asking = filled.pop("password", ""), caller(who, door="api")
        try:
            if password:
                filled["proved_at"] = reauthentication.prove(asking.principal, password, now=now)
            outcome = decisions.decide(
                approval, caller=asking, decision=decision, now=now, **filled
            )
        except ImprimaturError as refused:
            return Answer(refused.code, 0, {**refused.facts, "detail": refused.message})
        return Answer(body=vars_of(outcome))


class Http:
    """The API, with a token that allows deciding."""

    name = "api"

    def decide(self, who: str, approval: Approval, decision: str, **sent: Any) -> Answer:
        """Post it."""
        response = Client().post(
            f"/api/v1/approvals/{approval.pk}/decision",
            {"decision": decision, **_filled(approval, sent)},
            content_type="application/json",
            headers={"Authorization": f"Bearer {token(who, 'decide', 'read')}"},
        )
        body = response.json()
        return Answer(body.get("code", ""), response.status_code, body)


class Console:
    """The command of this decision."""

    name = "cli"

    def decide(self, who: str, approval: Approval, decision: str, **sent: Any) -> Answer:
        """Run it."""
        filled = _filled(approval, sent)
        arguments = [approval.job_id, "--as", who, "--json"]
        for option, key in (("--hash", "reviewed_hash"), ("--request-id", "request_id")):
            if key in filled:
                arguments += [option, filled[key]]
        if filled.get("acknowledged"):
            arguments += ["--acknowledge", *filled["acknowledged"]]
        if "on_behalf_of" in filled:
            arguments += ["--on-behalf-of", filled["on_behalf_of"]]
        if "password" in filled:
            arguments.append("--password-stdin")
        out, typed = StringIO(), StringIO(filled.get("password", "") + "\n")
        with mock.patch("sys.stdin", typed), override_settings(IMPRIMATUR_CLI_DECISIONS=True):
            try:
                call_command(decision.replace("_", "-"), *arguments, stdout=out, stderr=StringIO())
            except SystemExit as refused:
                code = refused.code
            else:
                return Answer(body=json.loads(out.getvalue()))
        assert code == REFUSED_BY_CONSOLE
        body = json.loads(out.getvalue())
        return Answer(body["code"], 0, body)


class Page:
    """The form of the review page; a refusal's code stands on the page that answers."""

    name = "page"

    def decide(self, who: str, approval: Approval, decision: str, **sent: Any) -> Answer:
        """Send the form as a browser does."""
        if Principal.objects.get(name=who).user is None:  # a program cannot even log in
            return Service().decide(who, approval, decision, **sent)
        client = seated(who, proved=not {"proved", "password"} & sent.keys())
        form = {"decision": decision, **_filled(approval, sent)}
        if not sent.get("unread"):
            client.get(f"/approvals/{approval.pk}/")
        response = client.post(f"/approvals/{approval.pk}/decide/", form)
        if response.status_code == 302:
            row = approval.decisions.get(request_id=form["request_id"])
            return Answer(body={"decision_id": row.pk, **row.outcome})
        page = response.content.decode()
        code = re.search(r'data-code="(\w+)"', page)
        fields = [html.unescape(name) for name in re.findall(r'data-field="([^"]*)"', page)]
        body = {
            "detail": html.unescape(re.sub(r"<[^>]+>", " ", page)),
            "differences": [{"field": name} for name in fields],
            "current": _attribute(page, "current"),
            "who": _attribute(page, "who"),
            "at": _attribute(page, "at"),
            "parts": _attribute(page, "parts").split(","),
            "others": _attribute(page, "others").split(","),
        }
        return Answer(code[1] if code else "", response.status_code, body)


def set_rules(**rules: Any) -> None:
    """Omar sets rules for all of the default scope."""
    policies.put(caller=caller("omar"), scope="default", rules=rules, now=clock.now(), why="a test")


def seated(who: str, *, proved: bool = True) -> Client:
    """A browser in which somebody is logged in; without ``proved`` for longer than that is a proof."""
    client = Client()
    user = Principal.objects.get(name=who).user
    assert user is not None
    client.force_login(user)
    if not proved:
        session = client.session
        session[BEGAN] -= 20 * 60
        session.save()
    return client


def _attribute(page: str, name: str) -> str:
    found = re.search(f'data-{name}="([^"]*)"', page)
    return html.unescape(found[1]) if found else ""


def vars_of(outcome: decisions.Outcome) -> dict[str, Any]:
    """The outcome's values by name."""
    return {name: getattr(outcome, name) for name in outcome.__slots__}


ALL: tuple[Door, ...] = (Service(), Http(), Console(), Page())
