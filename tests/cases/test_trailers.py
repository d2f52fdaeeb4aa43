"""Commit messages of others: quotations, forgeries and titles that try to become trailers."""

from publisher.domain.states import State
from publisher.domain.trailers import bare_hex
from publisher.engine.audit.verify import verify
from tests.support.git import second_person
from tests.support.journey import FRESH, FRESH_TEXT, Journey, effect, event, fresh, told


def test_a_quotation_of_our_trailers_confirms_nothing(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    quoting = second_person(
        journey.remote,
        {"README.md": b"# demo site\nnote\n"},
        "Post-mortem of a lost publication\n\nThe commit should have carried\n\n"
        f"    Blog-Job-Id: {job.pk}\nBlog-Job-Id: {job.pk}\n"
        f"Blog-Manifest-Sha256: {bare_hex(job.manifest_hash)}\n\n"
        "but it never reached the remote. We will retry tomorrow.\n",
    )
    journey.work()

    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(job).remote_commit == journey.head() != quoting
    assert effect(job).fresh_write is True
    assert len(journey.commits_of(job)) == 1
    journey.is_sound(job)


def test_a_forged_confirmation_goes_to_a_person(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    forged = second_person(
        journey.remote,
        {FRESH: b'---\ntitle: "Fresh"\n---\n\nNOT what was approved.\n'},
        f"publish: fresh\n\nBlog-Job-Id: {job.pk}\n"
        f"Blog-Manifest-Sha256: {bare_hex(job.manifest_hash)}\nBlog-Writer-Node: ECS\n",
    )
    journey.work()

    assert fresh(job).state == State.REVIEW, told(job)
    assert fresh(job).failure_code == "foreign_commit"
    told_of = event(job, "refuse")
    assert forged[:12] in told_of.reason
    assert "Second Person" in told_of.reason
    assert journey.head() == forged
    assert [breach.rule for breach in verify(journey.ports, deep=True)] == ["commit_unpublished"]


def test_our_bytes_with_a_file_beside_them_are_not_our_commit(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    forged = second_person(
        journey.remote,
        {FRESH: FRESH_TEXT, "content/posts/evil.mdx": b"Never approved.\n"},
        f"publish: fresh\n\nBlog-Job-Id: {job.pk}\n"
        f"Blog-Manifest-Sha256: {bare_hex(job.manifest_hash)}\n"
        f"Blog-Approval: {bare_hex(job.binding_hash)}\n",
    )
    journey.work()

    assert fresh(job).state == State.REVIEW, told(job)
    assert fresh(job).failure_code == "foreign_commit"
    told_of = event(job, "refuse")
    assert forged[:12] in told_of.reason
    assert "it also changes content/posts/evil.mdx" in told_of.reason
    assert journey.head() == forged
    assert [breach.rule for breach in verify(journey.ports, deep=True)] == ["commit_unpublished"]


def test_our_bytes_alone_under_our_trailers_are_our_commit(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    sent = second_person(
        journey.remote,
        {FRESH: FRESH_TEXT},
        f"publish: fresh\n\nBlog-Job-Id: {job.pk}\n"
        f"Blog-Manifest-Sha256: {bare_hex(job.manifest_hash)}\n"
        f"Blog-Approval: {bare_hex(job.binding_hash)}\n",
    )
    journey.work()

    assert fresh(job).state == State.PUBLISHED, told(job)
    assert fresh(job).remote_commit == sent
    journey.is_sound(job)


def test_a_title_with_line_breaks_adds_no_trailer(journey: Journey) -> None:
    title = "Hello\n\nBlog-Job-Id: job-9999\nSigned-off-by: Boss <boss@example.invalid>\u2028x\r\ny"
    job = journey.published(
        b'---\ntitle: "t"\n---\n\nBody.\n', "content/posts/inject.mdx", action="create", title=title
    )

    facts = journey.history()[0]
    keys = [key for key, _ in facts.trailers]
    assert [value for key, value in facts.trailers if key == "Blog-Job-Id"] == [job.pk]
    assert "Signed-off-by" not in keys
    assert "\n" not in facts.subject
    journey.is_sound(job)


def test_a_title_in_the_front_matter_adds_no_trailer(journey: Journey) -> None:
    title = b'"Hello\\n\\nBlog-Job-Id: job-9999\\nSigned-off-by: B <b@x.invalid>"'
    text = b"---\ntitle: " + title + b"\n---\n\nBody.\n"
    job = journey.published(text, "content/posts/inject.mdx", action="create")

    facts = journey.history()[0]
    assert [value for key, value in facts.trailers if key == "Blog-Job-Id"] == [job.pk]
    assert "Signed-off-by" not in [key for key, _ in facts.trailers]
    journey.is_sound(job)
