"""Fonts on the union: what others published meanwhile is in them, in the article's own commit."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from publisher import envelopes, selectors
from publisher.domain.errors import OutcomeUnknown
from publisher.domain.states import State
from publisher.models import Effect, Job, Site
from publisher.ports import Repository, SiteSpec
from publisher.services import acts
from publisher.services.submit import Asset
from reviews.models import Approval
from tests.support.fonts import ASCII, FONT, LETTERS, covered, tiny_font
from tests.support.git import blob, git, head, second_person
from tests.support.journey import OMAR, Journey, begin, fresh, told

Happening = Callable[[str], None]
FIRST, SECOND = "content/posts/first.mdx", "content/posts/second.mdx"


def article(title: str, letters: str) -> bytes:
    return f'---\ntitle: "{title}"\n---\n\nAbout {title.lower()} alone: {letters}\n'.encode()


def listed(journey: Journey, job: Job) -> set[str]:
    """The files of the job's commit on the remote."""
    (facts,) = journey.commits_of(job)
    names = git(
        journey.remote, "diff-tree", "-r", "--no-commit-id", "--name-only", "-z", facts.commit
    )
    return set(names.decode().rstrip("\0").split("\0"))


def drawn(journey: Journey) -> set[str]:
    """The letters beyond ASCII in the remote's font."""
    return {chr(code) for code in covered(blob(journey.remote, FONT)) if code > 0x7F}


def source_of(journey: Journey) -> Path:
    return Path(journey.site.font_source)


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    """A site with fonts, cut from a font that knows ASCII and a few letters."""
    source = tmp_path / "tiny.ttf"
    source.write_bytes(tiny_font(ASCII + LETTERS))
    return begin(tmp_path, fonts=FONT, font_source=str(source))


def test_two_jobs_from_one_base_publish_the_union(journey: Journey) -> None:
    """The second was prepared without the first's letters; nobody is asked again."""
    one = journey.approved(article("First", "中文"), FIRST, action="create")
    other = journey.submit(article("Second", "甲"), SECOND, action="create")
    journey.work()
    assert fresh(one).state == State.PUBLISHED, told(one)
    journey.approve(other)
    journey.work()
    assert fresh(other).state == State.PUBLISHED, told(other)
    assert drawn(journey) == set("中文甲")
    assert listed(journey, one) == {FIRST, FONT}
    assert listed(journey, other) == {SECOND, FONT}
    journey.is_sound(one, other)


@pytest.mark.parametrize("place", [FONT, f"{FONT}/a.png"], ids=["at", "below"])
def test_a_file_where_the_font_is_made_later_is_told_and_nobody_overrules_it(
    journey: Journey, place: str
) -> None:
    elsewhere = "public/made/a.woff2"
    place = place.replace(FONT, elsewhere)
    Site.objects.update(fonts="")
    asset = Asset(place, b"a font of one's own")
    job = journey.submit(article("First", "中"), FIRST, action="create", assets=(asset,))
    Site.objects.update(fonts=elsewhere)
    journey.work()
    (finding,) = [one for one in selectors.findings(fresh(job)) if one.severity == "block"]
    assert (fresh(job).state, finding.rule, finding.path) == (State.REVIEW, "font_path", place)
    assert elsewhere in finding.message
    assert finding.advice
    assert finding.rule in acts.NEVER_OVERRIDDEN
    Site.objects.update(fonts="public/made/another.woff2")
    acts.retry(fresh(job), who=OMAR, now=journey.now())
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    journey.is_sound(job)


def both_prepared(journey: Journey) -> tuple[Job, Job]:
    """Two jobs on one base, each prepared with its own letters alone; the second is approved."""
    one = journey.submit(article("First", "中文"), FIRST, action="create")
    other = journey.submit(article("Second", "甲"), SECOND, action="create")
    journey.work()
    assert fresh(one).base_commit == fresh(other).base_commit
    journey.approve(one)
    journey.work()
    journey.approve(other)
    return fresh(one), fresh(other)


def test_the_approval_holds_and_only_the_derived_entry_differs(journey: Journey) -> None:
    one, other = both_prepared(journey)
    before, approved = envelopes.manifest_of(other), Approval.objects.filter(job=other).count()
    journey.work()
    after = fresh(other)
    manifest = envelopes.manifest_of(after)
    assert after.state == State.PUBLISHED, told(other)
    assert after.binding_hash == other.binding_hash
    assert after.payload_hash == other.payload_hash == manifest.payload_hash
    assert after.manifest_hash != other.manifest_hash
    assert manifest.payload == before.payload
    assert Approval.objects.filter(job=other).count() == approved
    assert Effect.objects.get(job=other).manifest_hash == after.manifest_hash
    rebuilt = [event for event in selectors.events(after) if event.event == "fonts_rebuilt"]
    assert [event.facts["replaces"] for event in rebuilt] == [other.manifest_hash]
    assert not [event for event in selectors.events(after) if event.target == State.CONFLICT]
    journey.is_sound(one, other)


def test_a_foreign_push_of_the_font_file_is_no_conflict(journey: Journey) -> None:
    """Its bytes give way to those for the articles that are there."""
    job = journey.approved(article("First", "中"), FIRST, action="create")
    second_person(
        journey.remote,
        {FONT: b"somebody's own font", "content/posts/theirs.mdx": article("Theirs", "丙")},
        "an article with its fonts",
    )
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert drawn(journey) == set("中丙")
    assert listed(journey, job) == {FIRST, FONT}
    journey.is_sound(job)


def test_a_foreign_font_alone_asks_nobody_and_changes_no_manifest(journey: Journey) -> None:
    """The letters in use are the same, so the very fonts that were made before are put there."""
    job = journey.approved(article("First", "中"), FIRST, action="create")
    second_person(journey.remote, {FONT: b"somebody's own font"}, "fonts")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(job).manifest_hash == job.manifest_hash
    assert listed(journey, job) == {FIRST, FONT}
    journey.is_sound(job)


def test_letters_of_an_article_that_went_away_leave_the_fonts(journey: Journey) -> None:
    gone = journey.published(article("First", "中文"), FIRST, action="create")
    job = journey.approved(article("Second", "甲"), SECOND, action="create")
    second_person(journey.remote, {FIRST: None}, "remove it")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert drawn(journey) == {"甲"}
    assert fresh(gone).state == State.PUBLISHED


def test_letters_written_as_references_or_escapes_are_drawn_too(journey: Journey) -> None:
    text = article("\\u4e2d", "&#25991; and &#x7532;, in `\\ud800` and &#x110000; no letter")
    journey.published(text, FIRST, action="create")
    assert drawn(journey) == {"中", "文", "甲"}


def test_the_rebuilt_fonts_are_those_of_a_job_prepared_after(journey: Journey) -> None:
    """Nothing but the letters decides the bytes: not the order, nor whether they were rebuilt."""
    both_prepared(journey)
    journey.work()
    rebuilt = blob(journey.remote, FONT)
    third = journey.published(article("Third", "中甲"), "content/posts/third.mdx", action="create")
    assert blob(journey.remote, FONT) == rebuilt
    assert listed(journey, third) == {"content/posts/third.mdx"}


@pytest.mark.parametrize("breakage", ["missing", "damaged"])
def test_a_rebuild_that_fails_hands_the_job_to_people(journey: Journey, breakage: str) -> None:
    """Neither the article nor the fonts leave."""
    _, other = both_prepared(journey)
    source, before = source_of(journey), head(journey.remote)
    if breakage == "missing":
        source.unlink()
    else:
        source.write_bytes(source.read_bytes()[:200])
    journey.work()
    after = fresh(other)
    assert (after.state, after.failure_code) == (State.REVIEW, "fonts"), told(other)
    assert after.failure_message.startswith("The font file of the site ")
    assert head(journey.remote) == before
    journey.is_sound(other)


def test_jobs_on_one_base_hold_each_others_letters(journey: Journey) -> None:
    """Each commit brings its own article with the fonts of all before it; the last holds all."""
    letters = dict(zip((FIRST, SECOND, "content/posts/third.mdx"), "中文甲", strict=True))
    jobs = [
        journey.submit(article(path[14:-4].title(), letter), path, action="create")
        for path, letter in letters.items()
    ]
    journey.work()
    for job in jobs:
        journey.approve(job)
    before = head(journey.remote)
    assert journey.engine().once() > 0
    for job, path in zip(jobs, letters, strict=True):
        assert fresh(job).state == State.PUBLISHED, told(job)
        assert listed(journey, job) == {path, FONT}
    assert drawn(journey) == set("中文甲")
    moves = git(journey.remote, "rev-list", "--count", f"{before}..main")
    assert int(moves) == len(jobs)
    journey.is_sound(*jobs)


def test_a_link_in_place_of_the_fonts_is_left_alone(journey: Journey) -> None:
    job = journey.approved(article("First", "中"), FIRST, action="create")
    second_person(journey.remote, {FONT: None}, "a link", links={FONT: "/etc/hostname"})
    before = head(journey.remote)
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert fresh(job).failure_message == (
        f"The fonts cannot be written: something else stands at {FONT}."
    )
    assert head(journey.remote) == before


def test_another_font_file_than_was_approved_is_asked_about(journey: Journey) -> None:
    """How the fonts are made is bound; only their bytes are not."""
    _, other = both_prepared(journey)
    source_of(journey).write_bytes(tiny_font(ASCII + LETTERS + "己"))
    before = head(journey.remote)
    journey.work()
    assert fresh(other).state == State.WAITING_APPROVAL, told(other)
    assert fresh(other).binding_hash != other.binding_hash
    assert head(journey.remote) == before
    journey.approve(other)
    journey.work()
    assert fresh(other).state == State.PUBLISHED, told(other)
    assert drawn(journey) == set("中文甲")
    journey.is_sound(other)


class Meanwhile:
    """A repository with something happening right before each of its first pushes."""

    def __init__(self, repository: Repository, happens: list[Happening]) -> None:
        self._repository = repository
        self._happens = happens

    def __getattr__(self, name: str) -> Any:
        return getattr(self._repository, name)

    def push(self, commit: str, *, lease: str) -> None:
        """Push, after what happens meanwhile."""
        if self._happens:
            self._happens.pop(0)(commit)
        self._repository.push(commit, lease=lease)


def let_happen(journey: Journey, *happenings: Happening) -> None:
    """One of these right before each push."""
    pending, plain = list(happenings), journey.ports.repository

    def opened(spec: SiteSpec, cancelled: Callable[[], bool]) -> Any:
        return Meanwhile(plain(spec, cancelled), pending)

    journey.ports = dataclasses.replace(journey.ports, repository=opened)


def theirs(journey: Journey) -> None:
    """Somebody else publishes an article with another letter."""
    changes = {"content/posts/theirs.mdx": article("Theirs", "丙")}
    second_person(journey.remote, changes, "faster")


def test_a_remote_that_moves_under_the_push_is_followed_by_the_fonts(journey: Journey) -> None:
    job = journey.approved(article("First", "中"), FIRST, action="create")
    let_happen(journey, lambda _commit: theirs(journey))
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert drawn(journey) == set("中丙")
    assert fresh(job).manifest_hash != job.manifest_hash
    journey.is_sound(job)


def test_an_earlier_intent_that_arrives_late_is_taken_for_what_it_is(journey: Journey) -> None:
    """Its fonts are those of an earlier tip: published, with the manifest that the commit names."""
    job = journey.approved(article("First", "中"), FIRST, action="create")
    sent: list[str] = []

    def moves(commit: str) -> None:
        sent.append(commit)
        theirs(journey)

    def goes_back(_commit: str) -> None:
        """The branch is set back by force, and the first commit arrives after all."""
        clones = (path.parent for path in (journey.folder / "git").rglob("HEAD"))
        (clone,) = (path for path in clones if (path / "objects").is_dir())
        git(clone, "push", "-q", "--force", str(journey.remote), f"{sent[0]}:refs/heads/main")
        raise OutcomeUnknown("No answer came.")

    let_happen(journey, moves, goes_back)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(job).remote_commit == sent[0]
    assert fresh(job).manifest_hash == job.manifest_hash
    assert drawn(journey) == {"中"}
    journey.is_sound(job)
