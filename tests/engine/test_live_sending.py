"""What happens between the finding of hand edits and their push: a stop, a clash, an undo, a move."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from publisher.models import Site
from publisher.services import sites
from tests.support.journey import TARGET, Journey
from tests.support.live import Live, make_live

EDITED = b"Edited by hand.\n"
OTHER = "content/posts/other.mdx"


@pytest.fixture
def live(journey: Journey) -> Live:
    return make_live(journey)


def _set(live: Live, **columns: Any) -> None:
    Site.objects.filter(pk=live.journey.site.pk).update(**columns)


ACTS: list[tuple[Callable[[Live], None], bool]] = [
    (lambda live: sites.pause(live.site()), True),
    (lambda live: _set(live, removed_at=live.journey.now()), False),
    (lambda live: _set(live, branch="trunk"), False),
    (lambda live: _set(live, live_checkout=""), False),
    (lambda live: _set(live, live_checkout=str(live.journey.folder / "another")), False),
]


@pytest.mark.parametrize(("act", "is_kept"), ACTS)
def test_a_site_that_is_stopped_while_edits_are_read_has_none_pushed(
    live: Live, act: Callable[[Live], None], is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.write(TARGET, EDITED)
    live.scan()
    sending = import_module("publisher.engine.external_sync.send")
    plan, tip = sending._plan, live.journey.head()

    def stopped(*seen: Any) -> Any:
        act(live)
        return plan(*seen)

    monkeypatch.setattr(sending, "_plan", stopped)
    live.journey.deliver()
    assert live.journey.head() == tip
    assert [bool(message.last_error) for message in live.messages()] == [True] * is_kept
