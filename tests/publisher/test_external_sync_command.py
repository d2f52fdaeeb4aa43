"""``external-sync``: one scan and one delivery, told as JSON for programs."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from publisher import wiring
from publisher.models import Site
from tests.support.git import blob
from tests.support.journey import TARGET, Journey, begin
from tests.support.live import make_live

EDITED = b"Edited by hand.\n"


@pytest.fixture
def journey(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Journey:
    made = begin(tmp_path)
    monkeypatch.setattr(wiring, "ports", lambda: made.ports)
    return made


def _run(*arguments: str) -> str:
    out = StringIO()
    call_command("external-sync", *arguments, stdout=out, stderr=out)
    return out.getvalue()


def test_it_sends_and_tells(journey: Journey) -> None:
    live = make_live(journey)
    live.write(TARGET, EDITED)
    live.write("package.json", b"{}")
    told = json.loads(_run("--json"))
    assert blob(journey.remote, TARGET) == EDITED
    (site,) = told["sites"]
    assert site["notes"] == [{"code": "unrelated", "names": ["package.json"]}]
    (message,) = site["messages"]
    assert (message["paths"], message["next_try"]) == ([TARGET], None)


def test_a_site_without_a_live_checkout_is_refused(journey: Journey) -> None:
    with pytest.raises(SystemExit) as ended:
        _run("--site", "magazine")
    assert ended.value.code == 2


def test_one_unreadable_checkout_stops_no_other(journey: Journey) -> None:
    Site.objects.create(
        name="broken", scope="default", remote="/srv/none.git", branch="main",
        live_checkout=str(journey.folder), created_at=journey.now(),
    )  # fmt: skip
    live = make_live(journey)
    live.write(TARGET, EDITED)
    _run()
    assert blob(journey.remote, TARGET) == EDITED


def test_the_site_command_sets_place_and_quiet_time(journey: Journey) -> None:
    place = journey.folder / "live"
    (place / ".git").mkdir(parents=True)
    call_command(
        "site", "set", "magazine", "--live-checkout", str(place), "--quiet-seconds", "60",
        stdout=StringIO(),
    )  # fmt: skip
    site = Site.objects.get(pk=journey.site.pk)
    assert (site.live_checkout, site.quiet_seconds) == (str(place), 60)
