"""Views: filters of a list that a person keeps under a name. They are theirs alone."""

from django.db import transaction

from publisher.domain.errors import InvalidInput, NotFound
from reviews.models import View
from reviews.permissions import Caller

LONGEST = 60
MOST = 30


def of(caller: Caller, *, page: str) -> list[View]:
    """One's own for a page, by name."""
    return list(View.objects.filter(principal=caller.principal, page=page).order_by("name"))


def keep(caller: Caller, *, page: str, name: str, query: str) -> View:
    """Keep a filter under a name; a name given again stands for the new filter.

    Raises InvalidInput for a name that is none, and for more views than a page has room for.
    """
    name = " ".join(name.replace("\x00", "").split())
    if not name or len(name) > LONGEST:
        raise InvalidInput("name", f"Give the view a name of 1 to {LONGEST} characters.")
    if not query:
        raise InvalidInput("query", "Choose a filter first: this would be everything.")
    with transaction.atomic():
        kept = View.objects.select_for_update().filter(principal=caller.principal)
        if len(kept.exclude(name=name)) >= MOST:
            raise InvalidInput("name", f"You have {MOST} views. Remove one first.")
        view, _made = View.objects.update_or_create(
            principal=caller.principal, name=name, defaults={"page": page, "query": query}
        )
    return view


def remove(caller: Caller, view_id: int) -> View:
    """Forget one of one's own; NotFound for anybody else's."""
    found = View.objects.filter(principal=caller.principal, pk=view_id).first()
    if found is None:
        raise NotFound("There is no such view of yours.")
    View.objects.filter(pk=found.pk).delete()
    return found
