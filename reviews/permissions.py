"""Permissions: who is calling, and the one table that says which role gives which right."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, TypeVar

from django.contrib.auth.views import redirect_to_login
from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase

from publisher.domain.errors import NotAllowed
from reviews.models import Membership, Principal, Role

View = TypeVar("View", bound=Callable[..., HttpResponseBase])

PAGE, API, CLI = "page", "api", "cli"
"""The doors. A decision keeps the one it came through."""

ROLES: dict[str, dict[Role, str]] = {
    "read": dict.fromkeys(Role, "read"),
    "submit": dict.fromkeys((Role.SUBMITTER, Role.OPERATOR, Role.ADMIN), "submit"),
    "decide": {Role.REVIEWER: "decide"},
    "edit": {Role.REVIEWER: "decide", Role.OPERATOR: "operate"},
    "cancel": {Role.OPERATOR: "operate"},
    "resolve": {Role.REVIEWER: "decide", Role.OPERATOR: "operate"},
    "operate": {Role.OPERATOR: "operate", Role.ADMIN: "operate"},
    "admin": {Role.ADMIN: ""},
    "audit": {Role.AUDITOR: "read", Role.ADMIN: "read"},
}
"""Right -> roles that give it in their scope, each with what a token must allow for that.

A role's own word, so that no token reaches by one role what it allows of another; "" is for people
at a page or a console.
"""

OWN_WORK: dict[str, dict[Role, str]] = {
    "edit": {Role.SUBMITTER: "submit", Role.OPERATOR: "submit"},
    "cancel": {Role.SUBMITTER: "submit", Role.OPERATOR: "submit"},
}
"""The same for rights over a job of one's own: who may submit may also change and stop it."""

NEVER_AGENTS = frozenset({"decide", "admin"})
"""Rights that no program has, whatever role it was given by mistake."""


@dataclass(frozen=True)
class Caller:
    """Who asks, through which door; ``allow`` is a token's limit, None at a page or a console."""

    principal: Principal
    door: str
    allow: frozenset[str] | None = None
    os_user: str = ""

    @property
    def name(self) -> str:
        """What jobs and events remember."""
        return self.principal.name

    @cached_property
    def memberships(self) -> tuple[Membership, ...]:
        """The roles, read once a request; none for whom is disabled."""
        if not self.principal.is_active:
            return ()
        return tuple(Membership.objects.filter(principal_id=self.principal.pk))

    @cached_property
    def scopes(self) -> frozenset[str]:
        """The spaces that exist for this caller; the rest is not found."""
        return frozenset(held.scope for held in self.memberships)

    def has(self, role: str, scope: str, site: Any = None) -> bool:
        """Whether the role is held there; a role for one site counts for that site alone."""
        return any(
            held.role == role
            and held.scope == scope
            and (held.site_id is None or held.site_id == getattr(site, "pk", site))
            for held in self.memberships
        )

    def may(self, right: str, scope: str, site: Any = None, *, owner: str = "") -> bool:
        """Whether this right is held there. ``owner`` is the requester of the job in question."""
        roles = self._giving(right, is_own=owner == self.name)
        return any(self.has(role, scope, site) for role in roles)

    def allows(self, word: str) -> bool:
        """Whether the door lets this kind of work through: a token names what it allows."""
        return self.allow is None or word in self.allow

    def within(self, right: str, *, of: str = "", site: str = "site") -> Q:
        """Which rows lie where the right is held: ``may``, as part of a question.

        ``of`` leads from a row to its job ("job__"); "" asks for jobs themselves, or for rows
        that have a scope and, under the name of ``site``, a site.
        """
        found = Q(pk__in=[])
        for is_own, (scopes, sites) in self._places(right).items():
            # Named together, as a database refuses a question of a thousand terms.
            place = Q(**{f"{of}scope__in": sorted(scopes)}) if scopes else Q(pk__in=[])
            for scope, named in sites.items():
                place |= Q(**{f"{of}scope": scope, f"{of}{site}__in": sorted(named)})
            found |= place & Q(**{f"{of}requester": self.name}) if is_own else place
        return found

    def _places(self, right: str) -> dict[bool, tuple[set[str], dict[str, set[int]]]]:
        """Where the right is held, for one's own work (True) and for all: scopes, sites by scope."""
        found: dict[bool, tuple[set[str], dict[str, set[int]]]] = {}
        over_all, over_own = (self._giving(right, is_own=is_own) for is_own in (False, True))
        for held in self.memberships:
            if held.role not in over_own:
                continue
            is_own = held.role not in over_all
            scopes, sites = found.setdefault(is_own, (set(), {}))
            if held.site_id is None:
                scopes.add(held.scope)
            else:
                sites.setdefault(held.scope, set()).add(held.site_id)
        return found

    def could(self, right: str) -> bool:
        """Whether door and kind allow the right at all, whatever the roles."""
        return bool(self._giving(right, is_own=True))

    def may_somewhere(self, right: str) -> bool:
        """Whether the right is held in any scope: what navigation and views ask first."""
        roles = self._giving(right, is_own=True)
        return any(held.role in roles for held in self.memberships)

    def _giving(self, right: str, *, is_own: bool) -> set[str]:
        """The roles that give the right through this door: over one's own work, or over all."""
        if right in NEVER_AGENTS and self.principal.is_agent:
            return set()
        tables = [ROLES[right], OWN_WORK.get(right, {})] if is_own else [ROLES[right]]
        return {role for table in tables for role, word in table.items() if self.allows(word)}


def require(caller: Caller, right: str, scope: str, site: Any = None, *, owner: str = "") -> None:
    """NotAllowed unless the caller holds the right there."""
    if caller.may(right, scope, site, owner=owner):
        return
    roles_alone = replace(caller, allow=None)
    is_held = caller.allow is not None and roles_alone.may(right, scope, site, owner=owner)
    raise NotAllowed(_refusal(caller, right, is_held=is_held), right=right, scope=scope)


def require_somewhere(caller: Caller, right: str) -> None:
    """NotAllowed unless the caller holds the right in any scope."""
    if not caller.may_somewhere(right):
        raise NotAllowed(_refusal(caller, right), right=right)


def _refusal(caller: Caller, right: str, *, is_held: bool = False) -> str:
    """In words; ``is_held`` when the roles give the right, and a token alone keeps it back."""
    if right in NEVER_AGENTS and caller.principal.is_agent:
        return "Programs cannot do this, whatever role they hold. A person must."
    if is_held or not caller.could(right):
        return f"This token does not allow it (it lacks the right to {right})."
    needed = ", ".join(sorted(ROLES[right]))
    return f"You need another role for this ({needed}). An admin can give it to you."


def caller_of(request: HttpRequest) -> Caller:
    """Who sits at this page; NotAllowed without a login or when the login was disabled."""
    known = getattr(request, "caller", None)
    if isinstance(known, Caller):
        return known
    user = request.user
    held, principal = tuple[Membership, ...](), None
    if user.is_authenticated:
        roles = Membership.objects.select_related("principal__user")
        held = tuple(roles.filter(principal__user_id=user.pk))
        named = Principal.objects.select_related("user").filter(user_id=user.pk)
        principal = held[0].principal if held else named.first()
    if principal is None or not principal.is_active:
        raise NotAllowed("Log in with an account that is active here.")
    caller = Caller(principal, PAGE)
    vars(caller)["memberships"] = held  # as it would read them itself, in a question of its own
    request.caller = caller  # type: ignore[attr-defined]
    return caller


def needs(right: str) -> Callable[[View], View]:
    """Name the right that a view needs; "login" needs nothing but an active account.

    Without a login the page of the login comes first. The view still asks ``require`` for the
    scope of what it shows.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return redirect_to_login(request.get_full_path())
            caller = caller_of(request)
            if right != "login":
                require_somewhere(caller, right)
            return view(request, *args, **kwargs)

        guarded.right = right  # type: ignore[attr-defined]
        return guarded  # type: ignore[return-value]

    return decorate


def public(view: View) -> View:
    """Name a view that anybody may open."""
    view.right = ""  # type: ignore[attr-defined]
    return view
