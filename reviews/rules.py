"""Rules of a policy: how many must say yes, who, and for how long a yes holds. Pure values."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from publisher.domain.errors import InvalidInput
from publisher.domain.retries import DEFAULT_LIMITS
from publisher.domain.workflows import Risk

MINUTE = 60
HOUR = 3600
MOST_APPROVALS = 20
LONGEST_SECONDS = 366 * 24 * HOUR


@dataclass(frozen=True, slots=True)
class Rules:
    """What a policy demands. Times are in seconds.

    ``groups``: an approver from each; a name that stands there twice asks for two of its people.
    Whoever is in several groups counts for each. ``editor_counts``: with two or more approvals, the
    editor of the present revision may give one. ``one_person``: for people who work alone, the
    author may approve; each such yes says so in the history. ``require_shown``: each part must
    have been shown or acknowledged. ``hold_seconds``: nothing leaves before that time is over; a
    yes counts from then. ``risk``: what the action is here, "" for what it says of itself.
    ``password_seconds``: whoever approves what is risky gave the password that lately; 0 asks for
    none.
    """

    approvals: int = 1
    groups: tuple[str, ...] = ()
    editor_counts: bool = False
    validity_seconds: int = 24 * HOUR
    wait_seconds: int = 7 * 24 * HOUR
    one_person: bool = False
    require_shown: bool = False
    hold_seconds: int = 0
    risk: str = ""
    password_seconds: int = 10 * MINUTE

    @property
    def needs_nobody(self) -> bool:
        """Whether a job goes on without anybody's yes."""
        return self.approvals == 0 and not self.groups

    def risk_of(self, action: Risk) -> Risk:
        """How risky an action is that says this of itself."""
        return Risk(self.risk) if self.risk else action

    def hold(self, risk: Risk) -> int:
        """Seconds between the yes and the way out; nothing risky leaves at once."""
        if self.needs_nobody:  # an old policy may name a hold all the same, which holds nothing
            return 0
        least = DEFAULT_LIMITS.risky_hold_seconds if risk is Risk.RISKY else 0
        return max(self.hold_seconds, least)

    def missing(self, present: Iterable[str]) -> tuple[str, ...]:
        """The groups from which somebody is still needed, each as often; ``present``: likewise."""
        return tuple(sorted((Counter(self.groups) - Counter(present)).elements(), key=self._place))

    def _place(self, group: str) -> int:
        return self.groups.index(group)

    def as_json(self) -> dict[str, Any]:
        """The rules as they are stored."""
        return {**asdict(self), "groups": list(self.groups)}


DEFAULT = Rules()
"""What holds where no policy was set."""

RISKS = ("", *(risk.value for risk in Risk))
_KNOWN = {field.name for field in fields(Rules)}
_BOUNDS = {
    "approvals": (0, MOST_APPROVALS),
    "validity_seconds": (1, LONGEST_SECONDS),
    "wait_seconds": (1, LONGEST_SECONDS),
    "hold_seconds": (0, LONGEST_SECONDS),
    "password_seconds": (0, 24 * HOUR),
}


def from_json(values: Mapping[str, Any]) -> Rules:
    """Rules from stored or given values; what is not named keeps its default.

    Raises InvalidInput with the rule's name for an unknown rule or a value that it cannot have.
    """
    for name, value in values.items():
        if name not in _KNOWN:
            raise InvalidInput(
                name, f"There is no rule {name}. Known: {', '.join(sorted(_KNOWN))}."
            )
        if name == "groups":
            _check_groups(value)
        elif name in _BOUNDS:
            _check_number(name, value)
        elif name == "risk":
            _check_risk(value)
        elif not isinstance(value, bool):
            raise InvalidInput(name, f"{name} is either true or false.")
    given = dict(values)
    if "groups" in given:
        given["groups"] = tuple(given["groups"])
    return Rules(**given)


def check(rules: Rules) -> None:
    """Raise InvalidInput for rules that cannot work together; asked only where they are set."""
    if rules.needs_nobody and rules.hold_seconds:
        raise InvalidInput(
            "hold_seconds",
            "Only what somebody approved is held. Set hold_seconds to 0, or have at least one "
            "approve (approvals).",
        )
    if rules.needs_nobody and rules.risk == Risk.RISKY.value:
        raise InvalidInput("risk", "What is risky is approved by somebody. Ask for one at least.")


def shares(groups: Iterable[str]) -> str:
    """The groups in a line, with the number of people where it is not one."""
    counted = Counter(groups)
    return ", ".join(name if n == 1 else f"{name} ({n})" for name, n in counted.items())


def _check_groups(value: object) -> None:
    if not isinstance(value, list | tuple) or not all(
        isinstance(one, str) and one for one in value
    ):
        raise InvalidInput("groups", "Groups are a list of names.")
    if len(value) > MOST_APPROVALS:
        raise InvalidInput("groups", f"At most {MOST_APPROVALS} people are asked of all groups.")


def _check_risk(value: object) -> None:
    if value not in RISKS:
        known = ", ".join(Risk)
        raise InvalidInput("risk", f"A risk is one of: {known}; or left empty.")


def _check_number(name: str, value: object) -> None:
    low, high = _BOUNDS[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidInput(name, f"{name} is a whole number from {low} to {high}.")
