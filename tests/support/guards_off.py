"""Runs a manage.py command with one guard switched off: ``python -m tests.support.guards_off NAME work``.

Each name is a drill's; with its guard off, the drill has to fail.
"""

import sys
from datetime import datetime
from importlib import import_module
from typing import Any

import django
from django.core.management import ManagementUtility

if __name__ == "__main__":
    django.setup()

from django.core.files.storage import storages
from django.db.models import Q

from publisher.domain.states import Event, State
from publisher.leases import CLAIMABLE_STATES
from publisher.models import Job
from publisher.ports import Grant
from reviews.models import Approval

Patch = tuple[str, str, Any]


def _sees_nothing(repository: Any, job: Job, tip: str) -> Any:
    confirm: Any = import_module("publisher.engine.confirm")
    return confirm.Seen(confirm.Sighting.NONE)


def _takes_it_for_done(run: Any) -> None:
    run.record(Event.CONFIRM, changes={"remote_commit": run.job.local_commit})


def _leaves_it_to_people(run: Any) -> None:
    run.record(Event.RECOVER, to=State.REVIEW)


def _compares_nothing(job: Job, lease: Any, now: datetime) -> Job:
    return Job.objects.select_for_update().get(pk=job.pk)


def _does_nothing(*arguments: Any, **options: Any) -> None:
    return None


def _due_whoever_holds_it(now: datetime) -> Q:
    return Q(state__in=CLAIMABLE_STATES, available_at__lte=now)


def _forces(self: Any, commit: str, *, lease: str) -> None:
    self._network("push", ["--porcelain", "--force"], [self.address(), f"{commit}:{self.branch}"],
                  None)  # fmt: skip


def _no_clash(*arguments: Any) -> tuple[()]:
    return ()


def _bound_as_it_was(self: Any, fresh: Job) -> str:
    return fresh.binding_hash


def _never_differs(*arguments: Any) -> str:
    return ""


def _grants(self: Any, job: Job, binding_hash: str, now: datetime) -> Grant:
    request = Approval.objects.filter(job=job).latest("pk")
    return Grant(request.pk, binding_hash, ("rui",))


def _loads_anything(name: str) -> bytes:
    plain = name.removeprefix("sha256:")
    with storages["artifacts"].open(f"{plain[:2]}/{plain[2:4]}/{plain}") as stored:
        data: bytes = stored.read()
    return data


_BLIND: list[Patch] = [("publisher.engine.confirm", "search", _sees_nothing)]
GUARDS: dict[str, list[Patch]] = {
    "push-answer-lost": _BLIND,
    "killed-before-push": [("publisher.engine.worker", "HANDLERS.PUSHING", _takes_it_for_done)],
    "killed-after-push": _BLIND,
    "killed-between-commit-and-row": [
        ("publisher.engine.worker", "HANDLERS.RECOVERING", _leaves_it_to_people)
    ],
    "stale-worker": [
        ("publisher.journal", "_locked", _compares_nothing),
        ("publisher.leases", "renew", _does_nothing),
    ],
    "duplicate-delivery": [("publisher.leases", "due", _due_whoever_holds_it)],
    "remote-moved": [("publisher.adapters.git.delivery", "Delivery.push", _forces)],
    "target-changed": [
        ("publisher.engine.look", "_clashes", _no_clash),
        ("publisher.engine.fence", "Fence._compare", _bound_as_it_was),
    ],
    "forged-trailer": [("publisher.engine.confirm", "differing", _never_differs)],
    "restored-row": _BLIND,
    "approver-left": [("reviews.authority", "DatabaseAuthority.authorise", _grants)],
    "changed-bytes": [("publisher.artifacts", "load", _loads_anything)],
    "silent-remote": [("publisher.adapters.git.runner", "_Limit.check", _does_nothing)],
}


def switch_off(name: str) -> None:
    """Put something careless in the place of a drill's guard; modules are loaded only now."""
    for module, where, careless in GUARDS[name]:
        owner: Any = import_module(module)
        holder, _, attribute = where.rpartition(".")
        if holder == "HANDLERS":
            owner.HANDLERS[State(attribute)] = careless
        else:
            setattr(getattr(owner, holder) if holder else owner, attribute, careless)


def program(name: str) -> tuple[str, ...]:
    """What a drill's workers run to have this guard off."""
    return ("-m", "tests.support.guards_off", name)


if __name__ == "__main__":
    switch_off(sys.argv[1])
    ManagementUtility(["manage.py", *sys.argv[2:]]).execute()
