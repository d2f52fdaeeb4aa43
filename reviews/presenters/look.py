"""Look: which way a page shows the texts. The address keeps all of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from urllib.parse import urlencode

from django.utils.translation import gettext as _

TABS = ("since", "rendered", "diff", "raw", "source")
COMPARING = ("since", "diff")


@dataclass(frozen=True, slots=True)
class Way:
    """A link to another way of looking."""

    label: str
    query: str
    is_current: bool = False
    is_wide: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """A tab, what it is compared with, and how differences are marked."""

    tab: str = "rendered"
    base: str = "seen"
    side: bool = False
    words: bool = True
    space: bool = True
    marks: bool = False

    def query(self, **changes: object) -> str:
        """The address of this look with some of it changed; what is usual is left out."""
        values = {**asdict(self), **changes}
        tab = values.pop("tab")
        usual = {field.name: field.default for field in fields(self)}
        said = {
            name: int(value) if isinstance(value, bool) else value
            for name, value in values.items()
            if value != usual.get(name)
        }
        return "?" + urlencode({"tab": tab, **said})

    @property
    def plain(self) -> str:
        """The address of this look alone, to which a file and a part are added."""
        return self.query()

    @property
    def is_comparing(self) -> bool:
        """Whether lines are compared."""
        return self.tab in COMPARING


def of(asked: Mapping[str, str], tabs: Sequence[str], bases: Sequence[str], usual: str) -> Look:
    """What an address asks for, as far as there is such a thing."""
    tab, base = asked.get("tab", ""), asked.get("base", "")
    return Look(
        tab=tab if tab in tabs else usual,
        base=base if base in bases else (bases[0] if bases else "seen"),
        side=asked.get("side") == "1",
        words=asked.get("words") != "0",
        space=asked.get("space") != "0",
        marks=asked.get("marks") == "1",
    )


def tabs(look: Look, names: Sequence[str]) -> list[Way]:
    """The tabs, each with how differences are marked now."""
    labels = {
        "since": _("Since I looked") if look.base == "seen" else _("Since the approval"),
        "rendered": _("Rendered"),
        "diff": _("Diff"),
        "raw": _("Raw"),
        "source": _("Source"),
    }
    return [Way(labels[name], look.query(tab=name), name == look.tab) for name in names]


def toggles(look: Look, bases: Sequence[str], *, is_change: bool) -> list[Way]:
    """What else can be chosen on this tab; each link says what it leads to."""
    found = []
    if look.tab == "since" and len(bases) > 1:
        if look.base == "seen":
            found.append(Way(_("Since the approval"), look.query(base="approved")))
        else:
            found.append(Way(_("Since I looked"), look.query(base="seen")))
    if look.is_comparing:
        side = _("One column") if look.side else _("Side by side")
        words = _("Without word marks") if look.words else _("Mark words")
        space = _("Ignore white space") if look.space else _("Show white space")
        found += [
            Way(words, look.query(words=not look.words)),
            Way(space, look.query(space=not look.space)),
            Way(side, look.query(side=not look.side), is_wide=True),
        ]
    if look.tab == "rendered" and is_change:
        marks = _("Without marks") if look.marks else _("Mark what changed")
        found.append(Way(marks, look.query(marks=not look.marks)))
    return found
