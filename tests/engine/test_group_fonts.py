"""Jobs that bring fonts go in one push: the font of each commit is the one of its own articles."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from publisher.domain.errors import OutcomeUnknown
from publisher.domain.states import State
from publisher.engine import apart, relay
from publisher.models import Job
from publisher.prepare import fonts
from tests.support import invariants
from tests.support.fonts import ASCII, FONT, LETTERS, letters_beside, tiny_font
from tests.support.git import add_hook, blob, git, second_person
from tests.support.groups import (
    Losing,
    all_published,
    article,
    break_the_plan,
    events,
    path_of,
    ready,
    states,
    watch,
)
from tests.support.journey import SEED, Journey, begin, effect, event, fresh, told
from tests.support.model import Model

SAID = {"anchor": "中文", "basalt": "甲", "cedar": "乙", "dune": "甲"}
ONE_PUSH = ["fetch", "build_commits", "push", "fetch"]


def start(folder: Path, files: Mapping[str, bytes] = SEED) -> Journey:
    """A site with fonts, cut from a font that knows ASCII and a few letters."""
    source = folder / "tiny.ttf"
    source.write_bytes(tiny_font(ASCII + LETTERS))
    return begin(folder, files, fonts=FONT, font_source=str(source))


@pytest.fixture
def journey(db: None, tmp_path: Path) -> Journey:
    return start(tmp_path)


def three(journey: Journey) -> list[Job]:
    """Ready jobs with letters of their own, all prepared on one base."""
    return ready(journey, "anchor", "basalt", "cedar", letters=SAID)


def are_whole(journey: Journey, jobs: list[Job]) -> None:
    """All published, each promise holds, and each commit's font is that of its own articles."""
    all_published(journey, jobs)
    assert invariants.broken(Model(journey.remote).facts()) == []
    for job in jobs:
        assert letters_beside(journey.remote, fresh(job).remote_commit) == set(), told(job)


def listed(journey: Journey, job: Job) -> set[str]:
    """The files of the job's commit on the remote."""
    commit = fresh(job).remote_commit
    names = git(journey.remote, "diff-tree", "-r", "--no-commit-id", "--name-only", commit)
    return set(names.decode().split())


def test_jobs_with_fonts_share_a_fetch_and_a_push(journey: Journey) -> None:
    before = journey.head()
    jobs = ready(journey, *SAID, letters=SAID)
    asked = [job.binding_hash for job in jobs]
    calls = watch(journey)
    journey.work()
    assert calls == ONE_PUSH
    are_whole(journey, jobs)
    mine = git(journey.remote, "rev-list", "--reverse", f"{before}..main").decode().split()
    assert [fresh(job).remote_commit for job in jobs] == mine
    assert [fresh(job).binding_hash for job in jobs] == asked
    # The last one's letters are those of the second: the font stays as it was.
    for job in jobs[:3]:
        assert listed(journey, job) == {job.target_path, FONT}
    assert listed(journey, jobs[3]) == {jobs[3].target_path}


def test_each_intent_names_the_manifest_with_the_font_of_its_place(journey: Journey) -> None:
    jobs = three(journey)
    before = {job.pk: job.manifest_hash for job in jobs}
    journey.work()
    are_whole(journey, jobs)
    changed = [job for job in jobs if fresh(job).manifest_hash != before[job.pk]]
    assert len(changed) == 2
    for job in jobs:
        assert effect(job).manifest_hash == fresh(job).manifest_hash
        assert events(job).count("fonts_rebuilt") == (job in changed)


def test_letters_that_an_earlier_one_takes_away_are_gone_for_those_behind(
    db: None, tmp_path: Path
) -> None:
    path = path_of("harbour")
    journey = start(tmp_path, {**SEED, path: article("harbour", "丙丁")})
    update = journey.submit(article("harbour", "丙"), path, action="update")
    behind = journey.submit(article("basalt", "甲"), path_of("basalt"), action="create")
    journey.work()
    for job in (update, behind):
        journey.approve(job)
    calls = watch(journey)
    journey.work()
    assert calls == ONE_PUSH
    assert git(journey.remote, "rev-parse", "main~1").decode().split() == [
        fresh(update).remote_commit
    ]
    are_whole(journey, [update, behind])


def test_a_remote_that_moves_under_the_push_is_followed_by_all_fonts(journey: Journey) -> None:
    jobs = three(journey)
    theirs = {path_of("zebra"): article("zebra", "丙")}
    calls = watch(journey, lambda _: second_person(journey.remote, theirs, "meanwhile"))
    journey.work()
    assert calls.count("push") == 2
    are_whole(journey, jobs)


def unusable_with(monkeypatch: pytest.MonkeyPatch, letter: str, *, but: str = "") -> None:
    """No font can be cut with this letter, unless another one is in it as well."""
    cut = fonts.Source.subset

    def subset(source: fonts.Source, codepoints: frozenset[int]) -> bytes:
        if ord(letter) in codepoints and not (but and ord(but) in codepoints):
            raise fonts.FontUnusable("The font file of the site is damaged (test).")
        return cut(source, codepoints)

    monkeypatch.setattr(fonts.Source, "subset", subset)


def test_one_that_gets_stuck_leaves_the_others_untouched(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = three(journey)
    with monkeypatch.context() as broken:
        unusable_with(broken, "甲")
        calls = watch(journey)
        journey.work()
    assert calls == ONE_PUSH
    stuck = next(job for job in (first, second, third) if fresh(job).state != State.PUBLISHED)
    assert (fresh(stuck).state, fresh(stuck).failure_code) == (State.REVIEW, "fonts"), told(stuck)
    assert stuck == second
    are_whole(journey, [first, third])
    assert journey.commits_of(second) == []


def test_one_that_gets_stuck_at_the_next_tip_leaves_the_push(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = three(journey)
    theirs = {path_of("zebra"): article("zebra", "丙")}

    def move(_: str) -> None:
        second_person(journey.remote, theirs, "meanwhile")
        unusable_with(monkeypatch, "甲")

    watch(journey, move)
    journey.engine().once()
    monkeypatch.undo()
    assert (fresh(second).state, fresh(second).failure_code) == (State.REVIEW, "fonts")
    are_whole(journey, [first, third])
    assert (effect(second).status, journey.commits_of(second)) == ("absent", [])


@pytest.mark.parametrize("which", [0, 1, 2])
def test_whoever_stood_on_a_lost_lease_is_cut_again_without_its_letters(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, which: int
) -> None:
    jobs = three(journey)
    lost, last = jobs[which].pk, jobs[2].pk
    beats: dict[str, Losing] = {}
    passing = relay.pass_fence

    def lose(run: Any, *arguments: Any) -> bool:
        done: bool = passing(run, *arguments)
        beats[lost].lost |= run.job.pk == last
        return done

    monkeypatch.setattr(relay, "pass_fence", lose)
    engine = replace(journey.engine(), heartbeat=lambda lease: Losing(lease, beats))
    engine.once()
    monkeypatch.undo()
    others = [job for job in jobs if job.pk != lost]
    assert states(others) == [State.PUBLISHED, State.PUBLISHED], told(others[0])
    for job in others:
        assert letters_beside(journey.remote, fresh(job).remote_commit) == set()
    journey.work()
    are_whole(journey, jobs)
    # Announced with a font that never left, and once more with the one that did.
    assert events(jobs[2]).count("effect_intent") == 1


def test_one_that_fails_after_the_fonts_were_cut_leaves_no_letter_behind(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = three(journey)
    break_the_plan(monkeypatch, second)
    journey.engine().once()
    monkeypatch.undo()
    assert states([first, second, third]) == [
        State.PUBLISHED, State.RETRY_WAIT, State.PUBLISHED,
    ], told(second)  # fmt: skip
    for job in (first, third):
        assert letters_beside(journey.remote, fresh(job).remote_commit) == set()
    journey.hurry(second)
    are_whole(journey, [first, second, third])


def test_fonts_that_cannot_be_cut_again_once_committing_are_tried_later(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = three(journey)
    break_the_plan(monkeypatch, second)
    unusable_with(monkeypatch, "乙", but="甲")
    journey.engine().once()
    monkeypatch.undo()
    assert states([first, second, third]) == [
        State.PUBLISHED, State.RETRY_WAIT, State.RETRY_WAIT,
    ]  # fmt: skip
    assert fresh(third).failure_code == "font_unusable", told(third)
    journey.hurry(second)
    journey.hurry(third)
    are_whole(journey, [first, second, third])


def test_a_conflict_under_the_push_takes_its_letters_along(journey: Journey) -> None:
    first, second, third = three(journey)
    theirs = {path_of("basalt"): b"Theirs.\n"}
    watch(journey, lambda _: second_person(journey.remote, theirs, "theirs"))
    journey.work()
    assert fresh(second).state == State.CONFLICT, told(second)
    are_whole(journey, [first, third])
    assert blob(journey.remote, path_of("basalt")) == b"Theirs.\n"


def test_a_hook_that_refuses_one_lets_the_others_go_alone_with_their_fonts(
    journey: Journey,
) -> None:
    jobs = three(journey)
    add_hook(
        journey.remote,
        "pre-receive",
        "while read old new ref; do if git diff --name-only $old $new | grep -q basalt; then "
        "echo 'No basalt here.' >&2; exit 1; fi; done",
    )
    journey.work()
    assert states(jobs) == [State.PUBLISHED, State.REVIEW, State.PUBLISHED], told(jobs[1])
    are_whole(journey, [jobs[0], jobs[2]])


def test_a_push_whose_answer_is_lost_is_found_with_the_fonts_it_brought(journey: Journey) -> None:
    jobs = three(journey)

    def lose_the_answer(commit: str) -> None:
        clone = journey.folder / "git" / str(journey.site.pk) / "clone.git"
        git(clone, "push", "-q", str(journey.remote), f"{commit}:refs/heads/main")
        raise OutcomeUnknown("The line went dead.")

    calls = watch(journey, lose_the_answer)
    journey.work()
    assert calls.count("push") == 1
    are_whole(journey, jobs)
    assert event(jobs[0], "push_unclear").facts["code"] == "outcome_unknown"


def test_more_fonts_than_can_be_cut_in_time_go_in_pushes_of_their_own(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "DERIVED", 1)
    jobs = three(journey)
    calls = watch(journey)
    journey.work()
    assert calls.count("push") == 3
    are_whole(journey, jobs)


def test_jobs_with_one_and_the_same_font_go_together_however_large_it_is(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "DERIVED", 1)
    jobs = ready(journey, "basalt", "dune", letters=SAID)
    calls = watch(journey)
    journey.work()
    assert calls == ONE_PUSH
    are_whole(journey, jobs)
    assert ["fonts_rebuilt" in events(job) for job in jobs] == [False, False]
