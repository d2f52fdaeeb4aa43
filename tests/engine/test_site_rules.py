"""Settings that can never work: refused where they are set, and told where they broke later."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from publisher.domain.errors import InvalidInput
from publisher.engine import site_index
from publisher.engine import sites as engine_sites
from publisher.models import Site
from publisher.services import sites
from tests.support.fonts import ASCII, FONT, tiny_font
from tests.support.git import make_remote
from tests.support.journey import Journey, begin, fresh, told

pytestmark = pytest.mark.django_db


@pytest.fixture
def journey(tmp_path: Path) -> Journey:
    """A site whose clone is ready."""
    return begin(tmp_path)


@pytest.fixture
def font(tmp_path: Path) -> str:
    """A sound font file."""
    path = tmp_path / "tiny.ttf"
    path.write_bytes(tiny_font(ASCII))
    return str(path)


def site_command(*words: str, code: int = 2) -> str:
    said, errors = StringIO(), StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("site", *words, stdout=said, stderr=errors)
    assert left.value.code == code
    return said.getvalue() + errors.getvalue()


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("articles", "{a"),
        ("articles", ""),
        ("assets", "public/**}"),
        ("fonts", "../f.woff2"),
        ("fonts", "/f.woff2"),
        ("font-source", "/etc/hostname"),
        ("font-source", "/nonexistent.ttf"),
        ("live-checkout", "/nonexistent/dir"),
        ("live-checkout", "/etc"),
    ],
)
@pytest.mark.parametrize("act", ["add", "set"])
def test_a_setting_that_can_never_work_is_refused_by_its_name(
    journey: Journey, tmp_path: Path, settings: Settings, act: str, flag: str, value: str, font: str
) -> None:
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    words = [act, "paper" if act == "add" else "magazine", f"--{flag}", value]
    if act == "add":
        words += ["--remote", str(make_remote(tmp_path / "paper.git", {"content/a.md": b"# A\n"}))]
    if flag == "fonts":
        words += ["--font-source", font]
    before = list(Site.objects.values())
    assert f": {flag.replace('-', '_')}: " in site_command(*words)
    assert list(Site.objects.values()) == before


def test_a_font_and_its_place_that_work_are_taken(journey: Journey, font: str) -> None:
    call_command(
        "site", "set", "magazine", "--fonts", FONT, "--font-source", font, stdout=StringIO()
    )
    assert fresh_site(journey).fonts == FONT


def test_a_setting_that_stays_is_not_asked_for_again(journey: Journey) -> None:
    Site.objects.update(live_checkout="/nonexistent/dir")
    sites.change(
        fresh_site(journey), now=journey.now(), live_checkout="/nonexistent/dir", quiet_seconds=9
    )
    assert fresh_site(journey).quiet_seconds == 9


def test_whatever_goes_wrong_in_a_refresh_is_kept_and_a_check_tells_it(journey: Journey) -> None:
    Site.objects.update(articles="{a", indexed_commit="")
    with pytest.raises(InvalidInput):
        engine_sites.refresh(fresh_site(journey), journey.ports)
    assert fresh_site(journey).last_error == "The braces of the pattern {a are not paired."
    wrong = [fact for fact in engine_sites.check(fresh_site(journey), journey.ports) if not fact.ok]
    assert [fact.name for fact in wrong] == ["articles"]


def test_a_check_looks_again_at_what_went_wrong_and_clears_what_was_mended(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    Site.objects.update(last_error="No space left on device", indexed_commit="")
    with monkeypatch.context() as patch:

        def full(*_: object) -> None:
            raise OSError("No space left on device")

        patch.setattr(site_index, "update", full)
        report = engine_sites.check(fresh_site(journey), journey.ports)
    assert [(fact.name, fact.message) for fact in report if not fact.ok] == [
        ("fetch", "No space left on device")
    ]
    assert all(fact.ok for fact in engine_sites.check(fresh_site(journey), journey.ports))
    assert fresh_site(journey).last_error == ""


def test_a_broken_setting_ends_the_check_with_its_name(journey: Journey) -> None:
    Site.objects.update(fonts=FONT, font_source="/etc/hostname")
    said = site_command("check", "magazine", "--json")
    report, _end = json.JSONDecoder().raw_decode(said)
    assert [fact["name"] for fact in report["facts"] if not fact["ok"]] == ["font_source"]


def test_a_repository_that_two_scopes_share_already_is_told_and_goes_on(journey: Journey) -> None:
    known = fresh_site(journey)
    Site.objects.create(
        name="shared", scope="other", remote=known.remote, branch="main", created_at=journey.now()
    )
    for site in Site.objects.all():
        wrong = [fact for fact in engine_sites.check(site, journey.ports) if not fact.ok]
        assert [fact.name for fact in wrong] == ["branch"]
        assert wrong[0].message.startswith("A site of another scope publishes")
    sites.change(known, now=journey.now(), quiet_seconds=9)
    assert journey.submit(b"Hello.\n", "content/posts/new.mdx").state == "RECEIVED"


def test_a_job_that_cannot_be_prepared_ends_with_the_cause_in_its_words(
    tmp_path: Path, font: str
) -> None:
    journey = begin(tmp_path, fonts=FONT, font_source=font)
    Path(font).write_bytes(b"no font")
    job = journey.submit(b"Hello.\n", "content/posts/new.mdx")
    for _ in range(12):
        journey.hurry(job)
    found = fresh(job)
    assert (found.state, found.failure_code) == ("FAILED", "crash_loop"), told(job)
    assert found.failure_message.endswith(
        "The last trouble: The font file of the site is damaged (TTLibError)."
    )


def fresh_site(journey: Journey) -> Site:
    return Site.objects.get(pk=journey.site.pk)
