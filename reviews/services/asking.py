"""Asking: what somebody asks for by a decision, checked in form."""

import re
from dataclasses import dataclass
from datetime import datetime

from publisher.domain.errors import HashRequired, InvalidInput
from publisher.domain.secrets import scrub_text
from reviews.models import Answer, Principal
from reviews.permissions import Caller

_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Asked:
    """``holder`` is whose weight the answer has, ``proved_at`` when the password was last given."""

    caller: Caller
    decision: Answer
    reviewed_hash: str
    request_id: str
    acknowledged: frozenset[str]
    door: str
    now: datetime
    holder: Principal
    proved_at: datetime | None

    @property
    def on_behalf_of(self) -> Principal | None:
        """In whose place it is said; None for whoever speaks for themselves."""
        return self.holder if self.holder.pk != self.caller.principal.pk else None


def answer(value: str) -> Answer:
    """The decision by name."""
    try:
        return Answer(value)
    except ValueError:
        known = ", ".join(Answer)
        raise InvalidInput("decision", f"Decide one of: {known}.") from None


def full_hash(value: str) -> str:
    """The reviewed hash in full; HashRequired without one, for yes and no alike."""
    if not value.strip():
        raise HashRequired("reviewed_hash", "Send the hash of what was reviewed.")
    match = _HASH.fullmatch(value.strip().lower())
    if match is None:
        raise HashRequired("reviewed_hash", "The hash is sha256: and 64 hexadecimal digits.")
    return f"sha256:{match[1]}"


def request_id(value: str) -> str:
    """The client's own id of this request: what makes a repeat a repeat."""
    if not value.strip():
        raise InvalidInput("request_id", "Send a request id, so that a repeat is recognised.")
    if len(value) > 200 or not value.isprintable():
        raise InvalidInput("request_id", "A request id has at most 200 printable characters.")
    if scrub_text(value) != value:
        said = "A request id is kept as it is sent, and this one holds a secret. Send another."
        raise InvalidInput("request_id", said)
    return value


def holder(caller: Caller, name: str) -> Principal:
    """Whose weight an answer in that name's place has; who is not here lent it to nobody."""
    if not name or name == caller.name:
        return caller.principal
    found = Principal.objects.select_related("user").filter(name=name).first()
    return found or Principal(name=name)
