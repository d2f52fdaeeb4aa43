"""Closed: requests that were decided or whose time ran out. Nothing leaves the inbox without a trace."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from reviews import lists
from reviews.permissions import caller_of
from reviews.presenters import closed as presenter
from reviews.views import reach
from reviews.views.common import SHOWN, after_of, needs_right, show
from reviews.views.job_filters import AGES, LONGEST
from reviews.views.navigation import inbox_of


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the address asks for; "" where nothing was."""

    outcome: str = ""
    site: str = ""
    age: str = ""
    mine: str = ""

    @property
    def used(self) -> dict[str, str]:
        """The filters that filter."""
        return {name: value for name, value in asdict(self).items() if value}

    def asked(self, now: datetime) -> dict[str, Any]:
        """The same as the list takes it."""
        return {
            "statuses": presenter.OUTCOMES[self.outcome][1] if self.outcome else (),
            "site": self.site,
            "since": now - timedelta(days=int(self.age)) if self.age else None,
            "mine": bool(self.mine),
        }

    def address(self, after: str = "") -> str:
        """The address of the page behind that request, or of the first one."""
        return "?" + urlencode({**self.used, **({"after": after} if after else {})})


def _chosen(query: Mapping[str, str]) -> Chosen:
    """The filters of an address; a value that does not exist filters nothing."""
    outcome, age = query.get("outcome", ""), query.get("age", "")
    return Chosen(
        outcome=outcome if outcome in presenter.OUTCOMES else "",
        site=query.get("site", "").replace("\x00", "").strip()[:LONGEST],
        age=age if age in AGES else "",
        mine="1" if query.get("mine") == "1" else "",
    )


@needs_right("read")
def approvals(request: HttpRequest) -> HttpResponse:
    """Newest first; the address holds the filters."""
    caller, now = caller_of(request), inbox_of(request).now
    chosen, after = _chosen(request.GET), after_of(request)
    found = lists.closed(caller, after=after, limit=SHOWN, now=now, **chosen.asked(now))
    context = {
        "items": [
            {
                "row": row,
                "label": presenter.label(row.status),
                "answers": presenter.answers(list(row.decisions.all())),
                "at": row.closed_at or (row.wait_until if row.status == "pending" else None),
            }
            for row in found.items
        ],
        "chosen": chosen,
        "following": chosen.address(found.next) if found.next else "",
        "is_later": bool(after),
        "outcomes": [(name, word) for name, (word, _statuses) in presenter.OUTCOMES.items()],
        "ages": list(AGES.items()),
        "sites": [site.name for site in reach.sites(caller)],
    }
    return show(request, "reviews/closed.html", context)
