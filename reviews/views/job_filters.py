"""Job filters: what the address of the list of jobs asks for, checked, and back into an address."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from publisher.domain.states import State
from reviews.presenters import words

AGES = {"1": _("the last day"), "7": _("the last 7 days"), "30": _("the last 30 days")}
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Filters:
    """What was asked for; "" where nothing was. ``state`` is a state or a group of them."""

    q: str = ""
    state: str = ""
    site: str = ""
    action: str = ""
    who: str = ""
    age: str = ""

    @property
    def used(self) -> dict[str, str]:
        """The filters that filter."""
        return {name: value for name, value in asdict(self).items() if value}

    @property
    def has_more(self) -> bool:
        """Whether one of the folded filters is used."""
        return bool(self.action or self.who or self.age)

    def asked(self, now: datetime) -> dict[str, Any]:
        """The same as the selector takes it."""
        group = words.GROUPS.get(self.state)
        return {
            "q": self.q,
            "state": "" if group else self.state,
            "states": [state.value for state in group[1]] if group else [],
            "site": self.site,
            "operation": self.action,
            "requester": self.who,
            "since": now - timedelta(days=int(self.age)) if self.age else None,
        }

    def address(self, after: str) -> str:
        """The address of the page after that job, or of the first one."""
        return "?" + urlencode({**self.used, **({"after": after} if after else {})})


def read(query: Mapping[str, str]) -> Filters:
    """The filters of an address; a value that does not exist filters nothing."""
    given = {
        name: query.get(name, "").replace("\x00", "").strip()[:LONGEST]
        for name in Filters.__dataclass_fields__
    }
    known = {
        "state": {*State, *words.GROUPS},
        "action": {str(operation) for operation in words.OPERATIONS},
        "age": set(AGES),
    }
    return Filters(
        **{
            name: value if name not in known or value in known[name] else ""
            for name, value in given.items()
        }
    )


def choices() -> dict[str, Any]:
    """What the form offers."""
    return {
        "groups": [
            (name, word, [(state.value, words.STATES[state].word) for state in states])
            for name, (word, states) in words.GROUPS.items()
        ],
        "actions": [(str(name), word) for name, word in words.OPERATIONS.items() if name],
        "ages": list(AGES.items()),
    }
