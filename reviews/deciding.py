"""Deciding at the console: the four commands are one act with another word."""

import sys
import uuid
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.core.management.base import CommandParser

from publisher import selectors as engine
from publisher.domain.errors import HashRequired, NotFound
from reviews import selectors
from reviews.console import ConsoleCommand, require_decisions
from reviews.models import Answer, Approval
from reviews.permissions import CLI, Caller
from reviews.services import decisions, reauthentication


class DecisionCommand(ConsoleCommand):
    """Answers the newest request for approval of a job, by the hash of what was reviewed."""

    answer: Answer

    def add_arguments(self, parser: CommandParser) -> None:
        """The job, the hash, and what a decision may carry."""
        super().add_arguments(parser)
        parser.add_argument("job")
        parser.add_argument("--hash", dest="reviewed_hash", default="", metavar="H")
        parser.add_argument("--comment", default="")
        parser.add_argument("--request-id", default="")
        parser.add_argument("--acknowledge", nargs="+", action="extend", default=[], metavar="PART")
        parser.add_argument("--on-behalf-of", default="", metavar="USER", help="in whose place")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password from standard input, which approving something risky asks for",
        )

    def act(self, asking: Caller, now: datetime, options: dict[str, Any]) -> dict[str, Any]:
        """Decide, under the same refusals as everywhere."""
        require_decisions()
        if not options["reviewed_hash"].strip():
            raise HashRequired(
                "reviewed_hash",
                "Give the hash of what was reviewed with --hash. "
                f"`inspect {options['job']}` shows it as binding_hash.",
            )
        request_id = options["request_id"] or f"cli-{uuid.uuid4()}"
        outcome = decisions.decide(
            _request(options["job"], asking, options["request_id"]),
            caller=asking,
            decision=self.answer.value,
            reviewed_hash=options["reviewed_hash"],
            request_id=request_id,
            comment=options["comment"],
            acknowledged=options["acknowledge"],
            door=CLI,
            on_behalf_of=options["on_behalf_of"],
            proved_at=_proof(asking, now) if options["password_stdin"] else None,
            now=now,
        )
        return {"job_id": options["job"], **asdict(outcome), "text": outcome.message}


def _proof(asking: Caller, now: datetime) -> datetime:
    """Never an argument, which every process on the machine could read."""
    return reauthentication.prove(asking.principal, sys.stdin.readline().rstrip("\n"), now=now)


def _request(job_id: str, asking: Caller, request_id: str) -> Approval:
    """The request that a repeat was made to, or else the newest one."""
    job = engine.job(job_id, scopes=asking.scopes)
    if request_id:
        repeated = selectors.answered(job, actor=asking.principal, request_id=request_id)
        if repeated is not None:
            return repeated
    found = selectors.approval_of(job)
    if found is None:
        raise NotFound("This job has not asked for approval yet.")
    return found
