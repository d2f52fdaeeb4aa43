"""Tokens: made once, shown once, stored as a digest; how a program says who it is."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db.models import Q

from publisher.domain.errors import InvalidInput, NotFound
from publisher.domain.secrets import scrub_text
from reviews.models import Principal, Token
from reviews.permissions import API, Caller, require

PREFIX = "imp_"
RANDOM_BYTES = 32
ALLOWS = ("submit", "read", "decide", "operate")
LONGEST = timedelta(days=366 * 2)
USED_AGAIN_AFTER = timedelta(minutes=1)


def digest_of(secret: str) -> str:
    """What is stored of a token. It is random, so a plain hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def create(
    principal: Principal,
    *,
    allow: Collection[str],
    caller: Caller,
    now: datetime,
    expires_at: datetime | None = None,
    label: str = "",
) -> tuple[Token, str]:
    """A new token and its secret, which is never to be had again.

    People make their own; an admin makes those of agents. A token of an agent never may decide.
    """
    _require_for(principal, caller)
    wanted = sorted(set(allow))
    unknown = [one for one in wanted if one not in ALLOWS]
    if unknown or not wanted:
        raise InvalidInput("allow", f"A token may allow: {', '.join(ALLOWS)}.")
    if principal.is_agent and "decide" in wanted:
        raise InvalidInput("allow", "A program's token cannot decide. Only people do.")
    if not principal.is_active:
        raise InvalidInput("user", f"{principal.name} is disabled.")
    if expires_at is not None and not now < expires_at <= now + LONGEST:
        raise InvalidInput("expires_in", "A token ends after now and within two years.")
    secret = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    token = Token.objects.create(
        principal=principal,
        label=scrub_text(label)[:100],
        prefix=secret[:10],
        digest=digest_of(secret),
        allow=wanted,
        expires_at=expires_at,
        created_at=now,
    )
    return token, secret


def of(principal: Principal, *, caller: Caller) -> list[Token]:
    """The tokens of one principal, newest first."""
    _require_for(principal, caller)
    return list(principal.tokens.all())


def visible(caller: Caller) -> list[Token]:
    """The tokens that the caller may end: their own, and those of people whose admin they are."""
    holders = Principal.objects.filter(tokens__isnull=False).distinct().order_by("name")
    return [token for one in holders if _is_for(one, caller) for token in of(one, caller=caller)]


def revoke(token_id: int, *, caller: Caller, now: datetime) -> Token:
    """End a token now; NotFound also for one of somebody else."""
    token = Token.objects.select_related("principal").filter(pk=token_id).first()
    if token is None or not _is_for(token.principal, caller):
        raise NotFound("There is no such token that you may see.")
    Token.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=now)
    token.refresh_from_db()
    return token


def caller_for(secret: str, *, now: datetime) -> Caller | None:
    """Who shows this token; None when it is unknown, ended, or its holder is disabled."""
    if not secret.startswith(PREFIX) or len(secret) > 200:
        return None
    token = Token.objects.select_related("principal__user").filter(digest=digest_of(secret)).first()
    if token is None or token.revoked_at is not None or not token.principal.is_active:
        return None
    if token.expires_at is not None and token.expires_at <= now:
        return None
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - USED_AGAIN_AFTER)
    if token.last_used_at is None or token.last_used_at <= now - USED_AGAIN_AFTER:
        Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    return Caller(token.principal, API, frozenset(token.allow))


def _is_for(principal: Principal, caller: Caller) -> bool:
    if principal.pk == caller.principal.pk and caller.allow is None:
        return True
    scopes = set(principal.memberships.values_list("scope", flat=True)) or {"default"}
    return all(caller.may("admin", scope) for scope in scopes)


def _require_for(principal: Principal, caller: Caller) -> None:
    if not _is_for(principal, caller):
        require(caller, "admin", "")
