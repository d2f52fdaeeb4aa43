"""Reauthentication: what is risky is approved by who showed the password lately, at every door."""

from datetime import datetime, timedelta

from django.contrib.auth import authenticate
from django.http import HttpRequest

from publisher.domain.errors import InvalidInput, PasswordNeeded
from publisher.domain.workflows import Risk
from reviews.models import Principal
from reviews.rules import Rules


def prove(
    person: Principal, password: str, *, now: datetime, request: HttpRequest | None = None
) -> datetime:
    """The moment of the proof; InvalidInput for a wrong password.

    ``request`` lets wrong ones count as those of the login do; a console has none, and whoever is
    there could read the database.
    """
    user = person.user
    if user is None or not user.has_usable_password():
        raise InvalidInput("password", "This account has no password. An admin can give it one.")
    if request is None:
        is_right = user.check_password(password)
    else:
        found = authenticate(request=request, username=user.get_username(), password=password)
        is_right = found is not None and found.pk == user.pk
    if not is_right:
        raise InvalidInput("password", "That is not your password. Nothing was decided.")
    return now


def is_asked(rules: Rules, risk: Risk, proved_at: datetime | None, *, now: datetime) -> bool:
    """Whether the password is to be given again before a yes."""
    if risk is not Risk.RISKY or not rules.password_seconds:
        return False
    if proved_at is None:
        return True
    return not timedelta() <= now - proved_at <= timedelta(seconds=rules.password_seconds)


def require(rules: Rules, risk: Risk, proved_at: datetime | None, *, now: datetime) -> None:
    """PasswordNeeded unless it was given lately enough."""
    if is_asked(rules, risk, proved_at, now=now):
        raise PasswordNeeded(
            "This is risky, so give your password once more to approve it.",
            seconds=rules.password_seconds,
        )
