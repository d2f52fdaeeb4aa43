"""The people of the tests: Ada submits, Rui and Mei review, Omar operates, Zoe may do nothing."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password

from reviews.models import Kind, Membership, Principal, Token
from reviews.permissions import CLI, Caller
from reviews.services import tokens

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
PASSWORD = "a password for tests only"
ROLES = {
    "ada": ("submitter",),
    "rui": ("reviewer",),
    "mei": ("reviewer",),
    "omar": ("operator", "admin"),
    "zoe": (),
}
AGENT = "drafter"


@dataclass(frozen=True)
class People:
    """Everybody by name; ``drafter`` is a program that submits."""

    ada: Principal
    rui: Principal
    mei: Principal
    omar: Principal
    zoe: Principal
    drafter: Principal


def add(name: str, *roles: str, scope: str = "default", is_agent: bool = False) -> Principal:
    """One more person or program; somebody who exists gets further roles."""
    kind = Kind.AGENT if is_agent else Kind.PERSON
    user = None
    if not is_agent:
        user, made = get_user_model().objects.get_or_create(username=name)
        if made:
            user.password = _hashed()
            user.save()
    principal, _ = Principal.objects.get_or_create(
        name=name, defaults={"kind": kind.value, "created_at": BEGAN, "user": user}
    )
    for role in roles:
        Membership.objects.get_or_create(principal=principal, scope=scope, site=None, role=role)
    return principal


@cache
def _hashed() -> str:
    """The real hasher takes its time on purpose: one answer will do for all of a process."""
    return make_password(PASSWORD)


def everybody() -> People:
    """Add all of them to the default scope."""
    made = {name: add(name, *roles) for name, roles in ROLES.items()}
    return People(**made, drafter=add(AGENT, "submitter", is_agent=True))


def caller(name: str, *, door: str = CLI, allow: frozenset[str] | None = None) -> Caller:
    """Somebody who acts through a door, with their roles read anew; at a page one has to read."""
    return Caller(Principal.objects.select_related("user").get(name=name), door, allow)


def token(name: str, *allow: str) -> str:
    """A fresh token of this person or program, written past the checks that would refuse it."""
    secret = tokens.PREFIX + f"{name}-{'-'.join(allow)}".ljust(43, "x")
    Token.objects.get_or_create(
        digest=tokens.digest_of(secret),
        defaults={
            "principal": Principal.objects.get(name=name),
            "prefix": secret[:10],
            "allow": list(allow),
            "created_at": BEGAN,
        },
    )
    return secret
