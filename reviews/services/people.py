"""People: principals and their roles; the login of a person is made and closed with them."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from django.contrib.auth import get_user_model
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from publisher.domain.errors import InvalidInput, NotFound
from publisher.models import Site
from reviews.models import Claim, Kind, Membership, Principal, Role, Token
from reviews.permissions import Caller, require
from reviews.services import delegations

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,148}")
DEFAULT_SCOPE = "default"
_SCOPE = re.compile(r"[A-Za-z0-9_-]{1,100}")


def find(name: str) -> Principal:
    """A principal by name; NotFound without one."""
    found = Principal.objects.select_related("user").filter(name=name).first()
    if found is None:
        raise NotFound(f"There is nobody named {name}.")
    return found


def add(
    *,
    name: str,
    scope: str,
    roles: Sequence[str],
    caller: Caller,
    now: datetime,
    is_agent: bool = False,
    site: Site | None = None,
    groups: Sequence[str] = (),
) -> Principal:
    """Add somebody, or give somebody further roles; a role given twice changes nothing.

    A person gets a login without a password. An agent has no login, and cannot be made a reviewer
    or an admin: those roles would be a promise that the checks do not keep.
    """
    _check(name, scope, roles, is_agent, site)
    with transaction.atomic():
        _require_or_open(scope, caller)
        principal = _principal(name, is_agent, now)
        _give(principal, scope, roles, site, groups)
    return principal


def add_first(name: str, *, scope: str, roles: Sequence[str], now: datetime) -> Principal:
    """The person who redeems a setup link, which is the right to it: nobody else is asked."""
    _check(name, scope, roles, is_agent=False, site=None)
    with transaction.atomic():
        principal = _principal(name, is_agent=False, now=now)
        _give(principal, scope, roles)
    return principal


def _give(
    principal: Principal,
    scope: str,
    roles: Sequence[str],
    site: Site | None = None,
    groups: Sequence[str] = (),
) -> None:
    for role in roles:
        membership, _new = Membership.objects.get_or_create(
            principal=principal, scope=scope, site=site, role=role
        )
        if groups and set(groups) - set(membership.groups):
            membership.groups = sorted({*membership.groups, *groups})
            membership.save(update_fields=["groups"])
    _sync_staff(principal)


def _require_or_open(scope: str, caller: Caller) -> None:
    """An admin of the default scope may open a new one, and is then its admin and operator."""
    is_new = not Membership.objects.filter(scope=scope).exists()
    if not is_new or not caller.may("admin", DEFAULT_SCOPE):
        require(caller, "admin", scope)
        return
    Membership.objects.bulk_create(
        Membership(principal=caller.principal, scope=scope, role=role.value)
        for role in (Role.ADMIN, Role.OPERATOR)
    )


def _check(name: str, scope: str, roles: Sequence[str], is_agent: bool, site: Site | None) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidInput("name", "Use letters, digits and . _ @ + - for the name.")
    if not _SCOPE.fullmatch(scope):
        raise InvalidInput("scope", "Use letters, digits, _ and - for the scope.")
    for role in roles:
        if role not in set(Role):
            raise InvalidInput("role", f"There is no role {role}. Known: {', '.join(Role)}.")
        if is_agent and role in (Role.REVIEWER, Role.ADMIN):
            raise InvalidInput("role", f"A program cannot be {role}: only people decide.")
    if site is not None and site.scope != scope:
        raise InvalidInput("site", "That site belongs to another scope.")


def _principal(name: str, is_agent: bool, now: datetime) -> Principal:
    kind = Kind.AGENT if is_agent else Kind.PERSON
    principal, created = Principal.objects.get_or_create(
        name=name, defaults={"kind": kind.value, "created_at": now}
    )
    if not created and principal.kind != kind.value:
        raise InvalidInput("name", f"{name} is a {principal.kind} already. Use another name.")
    _require_open(principal)
    if not is_agent and principal.user is None:
        user, is_new = get_user_model().objects.get_or_create(username=name)
        if is_new:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        principal.user = user
        principal.save(update_fields=["user"])
    return principal


def _sync_staff(principal: Principal) -> None:
    """The admin site opens for admins, operators and auditors; what they see there is theirs."""
    if principal.user is None:
        return
    roles = set(principal.memberships.values_list("role", flat=True))
    is_staff = bool(roles & {Role.ADMIN, Role.OPERATOR, Role.AUDITOR})
    if principal.user.is_staff != is_staff and not principal.user.is_superuser:
        principal.user.is_staff = is_staff
        principal.user.save(update_fields=["is_staff"])


def remove_role(
    principal: Principal, *, scope: str, role: str, caller: Caller, site: Site | None = None
) -> None:
    """Take a role away; it counts from the next request on, and at the fence.

    InvalidInput for a role that is not held, and for the last admin of a scope.
    """
    require(caller, "admin", scope)
    with transaction.atomic():
        mine = Membership.objects.filter(principal=principal, scope=scope, site=site, role=role)
        if role == Role.ADMIN and site is None:
            _refuse_last_admin("role", principal, [scope])
        if not mine.delete()[0]:
            raise InvalidInput("role", f"{principal.name} does not hold the role {role} there.")
        _sync_staff(principal)


def leave_groups(
    principal: Principal, *, scope: str, groups: Collection[str], caller: Caller
) -> None:
    """Take somebody out of groups, whichever roles they were given with; the roles stay.

    It counts from the next decision on, and at the fence. InvalidInput for a group they are not in.
    """
    require(caller, "admin", scope)
    with transaction.atomic():
        held = Membership.objects.select_for_update().filter(principal=principal, scope=scope)
        mine = list(held.order_by("pk"))
        missing = set(groups) - {group for one in mine for group in one.groups}
        if missing:
            names = ", ".join(sorted(missing))
            raise InvalidInput("group", f"{principal.name} is not in the group {names} there.")
        for one in mine:
            if set(groups) & set(one.groups):
                one.groups = [group for group in one.groups if group not in groups]
                one.save(update_fields=["groups"])


def groups_of(memberships: Iterable[Membership]) -> list[str]:
    """The groups that somebody is in by these roles, each once."""
    return sorted({group for held in memberships for group in held.groups})


def _refuse_last_admin(field: str, principal: Principal, scopes: Iterable[str]) -> None:
    """A scope without an admin can be administered by nobody again; no right reaches into it.

    Roles and accounts are both locked: another may be about to lose either of them.
    """
    admins = list(
        Membership.objects.select_for_update(of=("self", "principal"))
        .select_related("principal")
        .filter(scope__in=scopes, site=None, role=Role.ADMIN.value)
        .filter(principal__disabled_at__isnull=True)
        .order_by("pk")
    )
    theirs = {held.scope for held in admins if held.principal_id == principal.pk}
    others = {held.scope for held in admins if held.principal_id != principal.pk}
    for scope in sorted(theirs - others):
        raise InvalidInput(
            field,
            f"{principal.name} is the last admin of {scope}. Make somebody else an admin there first.",
        )


def disable(principal: Principal, *, caller: Caller, now: datetime) -> None:
    """Close an account: login, tokens, claims and delegations end, given approvals count no more.

    InvalidInput while a scope has no other admin.
    """
    _require_over(principal, caller)
    with transaction.atomic():
        _refuse_last_admin("name", principal, _scopes_of(principal))
        Principal.objects.filter(pk=principal.pk, disabled_at__isnull=True).update(disabled_at=now)
        Token.objects.filter(principal=principal, revoked_at__isnull=True).update(revoked_at=now)
        Claim.objects.filter(holder=principal).delete()
        delegations.end_all(principal, by=caller.name, now=now)
        if principal.user is not None:
            principal.user.is_active = False
            principal.user.save(update_fields=["is_active"])
    principal.refresh_from_db()


def enable(principal: Principal, *, caller: Caller) -> None:
    """Open a closed account again, with the roles it had; its tokens stay ended."""
    _require_over(principal, caller)
    with transaction.atomic():
        Principal.objects.filter(pk=principal.pk).update(disabled_at=None)
        if principal.user is not None:
            principal.user.is_active = True
            principal.user.save(update_fields=["is_active"])
    principal.refresh_from_db()


def set_password(principal: Principal, password: str, *, caller: Caller) -> None:
    """Give a person a password; InvalidInput says what is weak about it."""
    if principal.name != caller.name:
        _require_over(principal, caller)
    _require_open(principal)
    if principal.is_agent or principal.user is None:
        raise InvalidInput("name", "A program logs in with a token, not with a password.")
    try:
        validate_password(password, principal.user)
    except ValidationError as weak:
        raise InvalidInput("password", " ".join(weak.messages)) from None
    principal.user.set_password(password)
    principal.user.save(update_fields=["password"])


def _require_open(principal: Principal) -> None:
    """What is given to a closed account would count for nothing, and its giver would not know."""
    if not principal.is_active:
        raise InvalidInput("name", f"{principal.name} is disabled.")


def _require_over(principal: Principal, caller: Caller) -> None:
    """An admin acts on people whose every scope is theirs, so that no admin closes another's."""
    for scope in _scopes_of(principal) or {DEFAULT_SCOPE}:
        require(caller, "admin", scope)


def _scopes_of(principal: Principal) -> set[str]:
    return set(principal.memberships.values_list("scope", flat=True))
