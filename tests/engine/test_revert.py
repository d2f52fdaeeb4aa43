"""Taking a publication back on real git: an approved job of its own, and never over later changes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from publisher import artifacts, envelopes, selectors
from publisher.domain.errors import NotFound, OwnWork, WrongState
from publisher.domain.keys import compensation_key, keyed_digest
from publisher.domain.states import Actor, State
from publisher.domain.trailers import parse, value
from publisher.engine.audit.evaluate import evaluate
from publisher.journal import Who
from publisher.models import Conflict, Job
from publisher.services import resolve, sites
from publisher.services.resolve import Choice
from publisher.services.revert import revert
from publisher.services.revise import revise
from publisher.services.submit import Asset, Submitted
from tests.support import people
from tests.support.fonts import covered, tiny_font
from tests.support.git import blob, git, second_person
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    HELLO,
    OMAR,
    TARGET,
    Journey,
    begin,
    fresh,
    told,
)

PICTURE = "public/images/fresh.png"
OLD_PICTURE = "public/images/old.png"
EDITED = HELLO + b"\nFourth line.\n"
MEI = Who(Actor.REVIEWER, "mei")
LATER = HELLO + b"\nSomebody else's line.\n"


def asked(journey: Journey, job: Job) -> Submitted:
    return revert(fresh(job), who=OMAR, now=journey.now())


def waiting(journey: Journey, job: Job) -> Job:
    """Asked to be taken back, and prepared."""
    made = asked(journey, job).job
    journey.work()
    assert fresh(made).state == State.WAITING_APPROVAL, told(made)
    return fresh(made)


def taken_back(journey: Journey, job: Job) -> Job:
    """The whole way."""
    made = waiting(journey, job)
    journey.approve(made)
    journey.work()
    assert fresh(made).state == State.PUBLISHED, told(made)
    return fresh(made)


def held(journey: Journey, path: str) -> bytes | None:
    """What the remote's tip holds at a path."""
    names = git(journey.remote, "ls-tree", "-r", "-z", "--name-only", journey.head())
    return blob(journey.remote, path) if path.encode() in names.split(b"\x00") else None


def message(journey: Journey, commit: str) -> str:
    return git(journey.remote, "log", "-1", "--format=%B", commit).decode()


def test_a_new_article_is_removed_again(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    made = taken_back(journey, job)
    assert held(journey, FRESH) is None
    assert (made.operation, made.kind, made.compensates_id) == ("delete", "git.revert/v1", job.pk)
    assert fresh(job).state == State.PUBLISHED
    journey.is_sound(job, made)


def test_a_changed_article_gets_its_former_bytes(journey: Journey) -> None:
    job = journey.published(EDITED, TARGET, action="update")
    made = taken_back(journey, job)
    assert held(journey, TARGET) == HELLO
    assert made.operation == "update"
    journey.is_sound(job, made)


def test_a_deleted_article_comes_back(journey: Journey) -> None:
    job = journey.published(None, TARGET, action="delete")
    assert held(journey, TARGET) is None
    made = taken_back(journey, job)
    assert held(journey, TARGET) == HELLO
    assert made.operation == "create"
    journey.is_sound(job, made)


def test_each_file_that_came_along_is_taken_back(db: None, tmp_path: Path) -> None:
    before = {TARGET: HELLO, OLD_PICTURE: b"\x00old"}
    journey = begin(tmp_path, before)
    files = (Asset(PICTURE, b"\x00new"), Asset(OLD_PICTURE, b"\x00newer"))
    job = journey.published(EDITED, TARGET, action="update", assets=files)
    made = taken_back(journey, job)
    found = {path: held(journey, path) for path in (TARGET, OLD_PICTURE, PICTURE)}
    assert found == {**before, PICTURE: None}
    journey.is_sound(job, made)


def test_the_commit_says_what_it_takes_back(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    made = taken_back(journey, job)
    text = message(journey, made.remote_commit)
    assert text.splitlines()[0] == "Revert Fresh"
    assert f"Takes back job {job.pk}, commit {job.remote_commit}." in text
    assert value(parse(text), "Blog-Reverts-Job") == job.pk
    assert value(parse(text), "Blog-Job-Id") == made.pk


def test_the_envelope_binds_which_job_is_taken_back(journey: Journey) -> None:
    job = journey.published(EDITED, TARGET, action="update")
    envelope = envelopes.of(waiting(journey, job))
    assert envelope["reverts"] == {"job_id": job.pk, "commit": job.remote_commit}
    assert envelope["action"] == "git.revert/v1"


def test_whoever_asked_for_it_may_not_approve_it(journey: Journey) -> None:
    people.add("omar", "reviewer")
    made = waiting(journey, journey.published(FRESH_TEXT, FRESH, action="create"))
    with pytest.raises(OwnWork):
        journey.approve(made, name="omar")


def test_nothing_leaves_before_the_approval(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    waiting(journey, job)
    assert journey.head() == job.remote_commit


def test_unrelated_changes_since_are_kept(journey: Journey) -> None:
    job = journey.published(EDITED, TARGET, action="update")
    second_person(journey.remote, {"notes.txt": b"Nothing to do with it.\n"}, "meanwhile")
    made = taken_back(journey, job)
    assert held(journey, TARGET) == HELLO
    assert held(journey, "notes.txt") == b"Nothing to do with it.\n"
    journey.is_sound(job, made)


def conflict(journey: Journey, job: Job, later: Mapping[str, bytes]) -> Conflict:
    """Somebody changes what was published, then it is to be taken back, approved and clashes."""
    second_person(journey.remote, later, "meanwhile")
    made = waiting(journey, job)
    rules = [finding.rule for finding in selectors.findings(made)]
    assert "changed_since" in rules
    journey.approve(made)
    journey.work()
    assert fresh(made).state == State.CONFLICT, told(made)
    return Conflict.objects.get(job=made, settled_at=None)


def versions(clash: Conflict) -> dict[str, bytes | None]:
    (file,) = clash.files
    names = {side: file[side] for side in ("base", "ours", "theirs")}
    return {side: artifacts.load(name) if name else None for side, name in names.items()}


def test_a_later_change_is_never_written_over(journey: Journey) -> None:
    job = journey.published(EDITED, TARGET, action="update")
    clash = conflict(journey, job, {TARGET: LATER})
    assert versions(clash) == {"base": EDITED, "ours": HELLO, "theirs": LATER}
    assert held(journey, TARGET) == LATER
    journey.is_sound(job, clash.job)


def test_an_article_that_was_changed_since_is_not_removed(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    clash = conflict(journey, job, {FRESH: LATER})
    assert versions(clash) == {"base": FRESH_TEXT, "ours": None, "theirs": LATER}
    assert held(journey, FRESH) == LATER


def test_the_conflicts_page_shows_what_was_published_and_the_later_text(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    clash = conflict(journey, job, {FRESH: LATER})
    client = Client()
    client.force_login(get_user_model().objects.get(username="rui"))
    response = client.get(f"/conflicts/{clash.pk}/")
    assert response.status_code == 200
    page = response.content.decode()
    assert "Take back: Fresh" in page
    assert "Somebody else" in page


def test_a_change_between_approval_and_push_is_a_conflict_too(journey: Journey) -> None:
    made = waiting(journey, journey.published(EDITED, TARGET, action="update"))
    journey.approve(made)
    second_person(journey.remote, {TARGET: LATER}, "meanwhile")
    journey.work()
    assert fresh(made).state == State.CONFLICT, told(made)
    assert held(journey, TARGET) == LATER


def settle(journey: Journey, clash: Conflict, *choices: Choice) -> Job:
    job = resolve.resolve(
        clash, files=choices, ours_sha256=clash.ours_sha256, theirs_sha256=clash.theirs_sha256,
        who=OMAR, now=journey.now(),
    )  # fmt: skip
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    journey.approve(job)
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    return fresh(job)


def test_a_conflict_is_settled_for_the_former_text(journey: Journey) -> None:
    job = journey.published(EDITED, TARGET, action="update")
    made = settle(journey, conflict(journey, job, {TARGET: LATER}), Choice(TARGET, "ours"))
    assert held(journey, TARGET) == HELLO
    assert message(journey, made.remote_commit).startswith("Revert ")
    journey.is_sound(job, made)


def test_what_a_settled_revert_removes_stays_removed(journey: Journey) -> None:
    picture = (Asset(PICTURE, b"\x00new"),)
    job = journey.published(EDITED, TARGET, action="update", assets=picture)
    settle(journey, conflict(journey, job, {TARGET: LATER}), Choice(TARGET, "ours"))
    assert (held(journey, TARGET), held(journey, PICTURE)) == (HELLO, None)


def test_an_edited_revert_still_removes_what_came_along(journey: Journey) -> None:
    picture = (Asset(PICTURE, b"\x00new"),)
    job = journey.published(EDITED, TARGET, action="update", assets=picture)
    made = waiting(journey, job)
    edited = HELLO + b"\nA correction.\n"
    revise(made, files={TARGET: edited}, base_revision=1, who=MEI, now=journey.now())
    journey.work()
    journey.approve(made)
    journey.work()
    assert fresh(made).state == State.PUBLISHED, told(made)
    assert (held(journey, TARGET), held(journey, PICTURE)) == (edited, None)


def test_a_file_that_a_person_deletes_in_a_conflict_is_gone(journey: Journey) -> None:
    """Also in an ordinary job: what came along and clashes is removed when somebody says so."""
    job = journey.approved(EDITED, TARGET, action="update", assets=(Asset(PICTURE, b"\x00our"),))
    second_person(journey.remote, {PICTURE: b"\x00their"}, "meanwhile")
    journey.work()
    settle(journey, Conflict.objects.get(job=job), Choice(PICTURE, "delete"))
    assert (held(journey, TARGET), held(journey, PICTURE)) == (EDITED, None)


def test_a_revert_passes_its_own_evaluation(journey: Journey) -> None:
    made = taken_back(journey, journey.published(FRESH_TEXT, FRESH, action="create"))
    assert evaluate(made, journey.ports).passed


def test_a_site_out_of_use_takes_nothing_back(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    sites.remove(journey.site, now=journey.now())
    with pytest.raises(NotFound):
        asked(journey, job)


def test_asking_twice_gives_the_same_job_while_it_is_open(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    first, second = asked(journey, job), asked(journey, job)
    assert (first.created, second.created) == (True, False)
    assert first.job.pk == second.job.pk


def test_what_was_taken_back_already_is_skipped(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    taken_back(journey, job)
    again = asked(journey, job)
    journey.work()
    assert (again.created, fresh(again.job).state) == (True, State.SKIPPED), told(again.job)
    assert fresh(again.job).failure_code == "nothing_to_publish"


def test_after_a_new_publication_it_can_be_taken_back_again(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    first = taken_back(journey, job)
    journey.published(FRESH_TEXT, FRESH, action="create")
    second = taken_back(journey, job)
    assert first.pk != second.pk
    assert held(journey, FRESH) is None


def test_taking_back_can_itself_be_taken_back(journey: Journey) -> None:
    job = journey.published(EDITED, TARGET, action="update")
    made = taken_back(journey, job)
    again = taken_back(journey, made)
    assert held(journey, TARGET) == EDITED
    journey.is_sound(job, made, again)


@pytest.mark.parametrize("make", [Journey.submit, Journey.approved])
def test_only_what_was_published_is_taken_back(journey: Journey, make: Any) -> None:
    job = make(journey, FRESH_TEXT, FRESH, action="create")
    with pytest.raises(WrongState):
        asked(journey, job)


def test_a_history_without_the_commit_is_said_and_left_alone(journey: Journey) -> None:
    before = journey.head()
    job = journey.published(EDITED, TARGET, action="update")
    git(journey.remote, "update-ref", f"refs/heads/{journey.site.branch}", before)
    second_person(journey.remote, {TARGET: LATER}, "another history")
    made = asked(journey, job).job
    journey.work()
    assert fresh(made).state not in (State.WAITING_APPROVAL, State.PUBLISHED), told(made)
    assert "no longer holds the commit" in fresh(made).failure_message
    assert held(journey, TARGET) == LATER


def test_nobody_stands_in_the_way_with_a_key_that_was_worked_out(journey: Journey) -> None:
    """The revert's key is made of what everybody may read, and clients name their own keys."""
    job = journey.published(EDITED, TARGET, action="update")
    key = compensation_key(
        job_id=job.pk, step="deliver", resource=journey.site.name, intent_version=1
    )
    squatter = journey.submit(FRESH_TEXT, FRESH, action="create", key=key)
    done = asked(journey, job)
    assert done.created
    assert done.job.pk != squatter.pk


def test_one_asked_for_in_an_earlier_release_is_still_the_one(journey: Journey) -> None:
    """Its key had the digest that a client's key has."""
    job = journey.published(EDITED, TARGET, action="update")
    made = asked(journey, job).job
    plain = keyed_digest(settings.SECRET_KEY.encode(), made.idempotency_key)
    Job.objects.filter(pk=made.pk).update(key_digest=plain)
    again = asked(journey, job)
    assert (again.job.pk, again.created) == (made.pk, False)


def test_both_jobs_tell_of_each_other(journey: Journey) -> None:
    job = journey.published(FRESH_TEXT, FRESH, action="create")
    made = asked(journey, job).job
    note = selectors.events(fresh(job))[-1]
    assert (note.event, note.actor_name, note.facts["by"]) == ("revert_asked", "omar", made.pk)
    assert selectors.events(made)[0].facts["reverts"] == job.pk


def test_the_fonts_follow_what_is_taken_back(db: None, tmp_path: Path) -> None:
    """They are rebuilt from the articles that stay, not brought back from before."""
    font, letters = "public/fonts/subset.woff2", "中文"
    (tmp_path / "tiny.ttf").write_bytes(tiny_font("".join(map(chr, range(32, 127))) + letters))
    journey = begin(tmp_path, fonts=font, font_source=str(tmp_path / "tiny.ttf"))
    job = journey.published(FRESH_TEXT + letters.encode(), FRESH, action="create")
    with_letters = covered(blob(journey.remote, font))
    made = taken_back(journey, job)
    assert with_letters - covered(blob(journey.remote, font)) == set(map(ord, letters))
    journey.is_sound(job, made)
