"""Times: rows that hold a time which no program can read, as somebody could write past the guards."""

from collections.abc import Iterator

from django.db import connection
from django.db.models import Q

from publisher.engine.audit.breach import Breach
from publisher.models import Site, moments

_SITE_OF = {
    "publisher_site": "name",
    "publisher_job": "site__name",
    "publisher_livesight": "site__name",
    "publisher_effect": "job__site__name",
    "publisher_conflict": "job__site__name",
    "publisher_outbox": "job__site__name",
    "reviews_approval": "job__site__name",
}
"""Where each table has the name of a row's site; rows of all others are told without a site alone."""


def check(site: str = "") -> Iterator[Breach]:
    """One question a table; the histories' own times are compared with their chains."""
    for table, key in moments.odd(connection):
        if not site or _is_of(site, table, key):
            message = "It holds a time that cannot be read, and is left out of lists and work."
            yield Breach("row_unreadable", f"{table} {key}", message)


def _is_of(site: str, table: str, key: str) -> bool:
    if table not in _SITE_OF:
        return False
    is_its = Q(**{_SITE_OF[table]: site})
    if table == "publisher_outbox":
        # A message of no job has its site's number in its own id.
        named = Site.objects.filter(name=site).values_list("pk", flat=True)
        is_its |= Q(pk__in=[key for number in named if key.endswith(f":{number}")])
    return moments.rows(table).filter(is_its, pk=key).exists()
