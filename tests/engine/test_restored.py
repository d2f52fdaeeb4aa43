"""An old database put back beside a newer remote: nothing is published twice, nothing unasked."""

import random
import shutil
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection, transaction

from publisher import nodes
from publisher.domain.states import State
from publisher.domain.trailers import job_message, values
from publisher.engine import sites
from publisher.engine.audit import verify
from publisher.models import Job, Site
from publisher.models.site import CloneState
from reviews.models import Approval
from reviews.models.approval import OPEN
from tests.support.git import second_person
from tests.support.journey import Journey, effect, fresh, told

TEXT = b"---\ntitle: %s\n---\n\nWritten for %s, and for nothing else: %s.\n"
WORDS = ("tides", "copper", "orchards", "lanterns", "granite", "weather", "harbours", "violins")


def article(name: str) -> bytes:
    """Text that no judge takes for another's."""
    word = name.encode()
    return TEXT % (word, word, b" ".join([word] * 30))


def submit(journey: Journey, name: str) -> Job:
    return journey.submit(article(name), f"content/posts/{name}.mdx")


def restored(journey: Journey, saved: str) -> None:
    """What ``restore`` leaves: the rows as they were, a mark, and a clone to be made."""
    transaction.savepoint_rollback(saved)
    nodes.note_restore(journey.now(), journey.now())
    shutil.rmtree(journey.folder / "git")
    Site.objects.update(clone_state=CloneState.PENDING.value, fetched_at=None)
    journey.site.refresh_from_db()
    sites.refresh(journey.site, journey.ports)
    journey.site.refresh_from_db()


def approve_all(journey: Journey) -> None:
    """Say yes to everything that is asked."""
    for job in Job.objects.filter(state=State.WAITING_APPROVAL.value):
        journey.approve(job)


def to_the_end(journey: Journey) -> None:
    """Work, answer what is asked, and work again."""
    journey.work()
    approve_all(journey)
    journey.work()


def ids_on_remote(journey: Journey) -> Counter[str]:
    """How many commits of the remote carry each job id."""
    key = f"{journey.site.trailer_prefix}-Job-Id"
    return Counter(name for facts in journey.history() for name in values(facts.trailers, key))


def test_what_is_on_the_remote_already_is_confirmed_and_not_pushed(journey: Journey) -> None:
    job = journey.approved(article("tides"), "content/posts/tides.mdx")
    saved = transaction.savepoint()
    journey.work()
    tip = journey.head()
    restored(journey, saved)
    assert fresh(job).state == State.READY_TO_COMMIT
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert journey.head() == tip == fresh(job).remote_commit
    assert effect(job).fresh_write is False
    assert Approval.objects.get(job=job).status == "done"
    journey.is_sound(job)


def test_a_yes_that_was_given_after_the_backup_is_asked_for_again(journey: Journey) -> None:
    published, left = submit(journey, "tides"), submit(journey, "copper")
    journey.work()
    saved = transaction.savepoint()
    journey.approve(published)
    journey.work()
    journey.approve(left)
    tip = journey.head()
    restored(journey, saved)
    journey.work()
    assert [fresh(job).state for job in (published, left)] == [State.WAITING_APPROVAL] * 2
    assert journey.head() == tip
    journey.approve(published)
    journey.work()
    assert fresh(published).state == State.PUBLISHED, told(published)
    assert journey.head() == tip
    journey.approve(left)
    journey.work()
    assert fresh(left).state == State.PUBLISHED, told(left)
    journey.is_sound(published, left)


def test_a_yes_that_holds_no_more_confirms_nothing(journey: Journey) -> None:
    job = journey.approved(article("tides"), "content/posts/tides.mdx")
    saved = transaction.savepoint()
    journey.work()
    restored(journey, saved)
    Approval.objects.filter(job=job, status__in=OPEN).update(
        valid_until=journey.now() - timedelta(1)
    )
    journey.work()
    assert fresh(job).state == State.WAITING_APPROVAL, told(job)
    assert not fresh(job).effects.exists()


def test_another_approvals_commit_goes_to_a_person(
    journey: Journey, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = journey.approved(article("tides"), "content/posts/tides.mdx")
    saved = transaction.savepoint()
    with monkeypatch.context() as patch:
        other = "sha256:" + "0" * 64
        patch.setattr(
            "publisher.engine.relay.job_message",
            lambda *given, **more: job_message(*given, **{**more, "binding_hash": other}),
        )
        journey.work()
    restored(journey, saved)
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.REVIEW, "unknown_commit")


def test_a_job_that_is_prepared_again_after_its_publication_is_not_published_again(
    journey: Journey,
) -> None:
    job = submit(journey, "tides")
    saved = transaction.savepoint()
    to_the_end(journey)
    assert fresh(job).state == State.PUBLISHED, told(job)
    second_person(journey.remote, {"content/posts/tides.mdx": None}, "taken away")
    restored(journey, saved)
    tip = journey.head()
    to_the_end(journey)
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert journey.head() == tip
    assert ids_on_remote(journey)[job.pk] == 1


def test_commits_of_jobs_that_the_backup_does_not_know_are_named(journey: Journey) -> None:
    journey.published(article("tides"), "content/posts/tides.mdx")
    saved = transaction.savepoint()
    lost = journey.published(article("copper"), "content/posts/copper.mdx")
    restored(journey, saved)
    found = verify.verify(journey.ports)
    assert [(breach.rule, breach.subject) for breach in found] == [("unknown_commit", lost.pk)]


@pytest.mark.parametrize("seed", range(20 if connection.vendor == "sqlite" else 5))
def test_no_round_of_backup_and_restore_publishes_twice(journey: Journey, seed: int) -> None:
    chance = random.Random(seed)
    names = chance.sample(WORDS, k=6)
    before = [submit(journey, name) for name in names[:4]]
    journey.work()
    for job in chance.sample(before, k=chance.randint(0, 4)):
        journey.approve(job)
        if chance.random() < 0.5:
            journey.work()
    before.append(submit(journey, names[4]))
    saved = transaction.savepoint()
    was_approved = {job.pk for job in before if fresh(job).state == State.READY_TO_COMMIT}
    _live_on(journey, chance, [*before, submit(journey, names[5])])
    on_remote = ids_on_remote(journey)
    restored(journey, saved)
    journey.work()
    for job_id in was_approved & set(on_remote):
        assert fresh(Job.objects.get(pk=job_id)).state == State.PUBLISHED
    to_the_end(journey)
    after = ids_on_remote(journey)
    assert set(after.values()) <= {1}
    assert {job_id: after[job_id] for job_id in on_remote} == dict(on_remote)
    known = set(Job.objects.values_list("pk", flat=True))
    breaches = {(breach.rule, breach.subject) for breach in verify.verify(journey.ports)}
    assert breaches == {("unknown_commit", job_id) for job_id in set(after) - known}


def _live_on(journey: Journey, chance: random.Random, jobs: list[Job]) -> None:
    """What happens between the backup and the loss: work, answers, other people's pushes."""
    for step in range(chance.randint(2, 5)):
        journey.work()
        asked = [job for job in jobs if fresh(job).state == State.WAITING_APPROVAL]
        for job in chance.sample(asked, k=chance.randint(0, len(asked))):
            journey.approve(job)
        if chance.random() < 0.4:
            second_person(journey.remote, {f"notes-{step}.txt": b"Theirs.\n"}, "unrelated")
    if chance.random() < 0.7:
        journey.work()
