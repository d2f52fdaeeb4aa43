"""The first admin: a link that works once and only while nobody can administer this installation."""

import secrets
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from publisher.domain.errors import Expired, InvalidInput, NotFound
from reviews.models import Membership, Principal, Role, Token
from reviews.permissions import CLI, Caller
from reviews.services import people
from reviews.services.tokens import digest_of

PREFIX = "set_"
SCOPE = "default"
VALID = timedelta(hours=24)
OPERATOR = "local-operator"


def is_needed() -> bool:
    """Whether no person who can log in is an admin yet."""
    admins = Membership.objects.filter(
        role=Role.ADMIN.value, principal__disabled_at__isnull=True, principal__user__is_active=True
    ).select_related("principal__user")
    return (
        not any(
            held.principal.user and held.principal.user.has_usable_password() for held in admins
        )
        and not get_user_model().objects.filter(is_superuser=True, is_active=True).exists()
    )


def make(*, now: datetime) -> str:
    """A new secret for the link; the ones before end. Raises InvalidInput when there is an admin."""
    if not is_needed():
        raise InvalidInput("setup", "There is an admin already, who can add others.")
    operator = people.find(OPERATOR)
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        Token.objects.filter(prefix=PREFIX, revoked_at__isnull=True).update(revoked_at=now)
        Token.objects.create(
            principal=operator,
            label="first admin",
            prefix=PREFIX,
            digest=digest_of(secret),
            allow=[],
            expires_at=now + VALID,
            created_at=now,
        )
    return secret


def check(token: str, *, now: datetime | None = None) -> Token:
    """The link's row while it can be redeemed; NotFound or Expired otherwise. Changes nothing."""
    moment = now or timezone.now()
    row = Token.objects.filter(digest=digest_of(token), prefix=PREFIX).first()
    if row is None or row.revoked_at is not None or not is_needed():
        raise NotFound("This link was used already, or never was one.")
    if row.expires_at is not None and row.expires_at <= moment:
        raise Expired("This link ended. Run the command again for a new one.")
    return row


def redeem(
    token: str, *, name: str = "admin", password: str = "", now: datetime | None = None
) -> Principal:
    """Use the link up and return the new admin, who is an operator and no reviewer.

    With a password the account can log in at once. A weak one raises InvalidInput and the link
    stays good. Of two at the same time one gets NotFound.
    """
    moment = now or timezone.now()
    with transaction.atomic():
        row = check(token, now=moment)
        used = Token.objects.filter(pk=row.pk, revoked_at__isnull=True).update(revoked_at=moment)
        if used != 1:
            raise NotFound("This link was used already, or never was one.")
        principal = people.add_first(
            name, scope=SCOPE, roles=[Role.ADMIN.value, Role.OPERATOR.value], now=moment
        )
        if password:
            people.set_password(principal, password, caller=Caller(principal, CLI))
    return principal
