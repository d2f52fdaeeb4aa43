"""What a provider wrote: lines that it joined hold no credential, in none of its fields."""

from types import SimpleNamespace
from typing import Any

from publisher.ports import DraftResult, Source
from publisher.prepare.steps.drafted import drafted

SAID = "The password: hunter2X9kZZ is old."
PARTED = "The password:\n\nhunter2X9kZZ is old.\n"


def test_no_field_of_a_draft_holds_a_credential() -> None:
    answer = DraftResult(SAID, SAID, (SAID,), (SAID,), PARTED, "en")
    provider = SimpleNamespace(draft=lambda *_sources, **_told: answer)
    context: Any = SimpleNamespace(provider=lambda: provider)
    result = drafted(context, [Source("s", "text")], topic=None, title=None)
    hidden = SAID.replace("hunter2X9kZZ", "[REDACTED:password]")
    assert (result.title, result.summary, result.tags) == (hidden, hidden, (hidden,))
    assert result.headings == (hidden,)
    assert result.body == PARTED.replace("hunter2X9kZZ", "[REDACTED:password]")
