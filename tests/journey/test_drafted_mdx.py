"""Plain text becomes an article in MDX: its signs are written so that nothing runs and nothing breaks."""

from pathlib import Path

from publisher import selectors
from publisher.domain.states import State
from publisher.ports import Source
from tests.support.git import blob
from tests.support.journey import TARGET, begin, fresh, told

NOTES = (
    "# The pool\n\n"
    "The water is <5 °C this week. Write to <anna@example.invalid>.\n\n"
    "Choose {coat} or {scarf}, and mind `{this}`.\n"
)
WRITTEN = (
    "The water is \\<5 °C this week. "
    "Write to [anna@example.invalid](mailto:anna@example.invalid).\n\n"
    "Choose \\{coat\\} or \\{scarf\\}, and mind `{this}`.\n"
)


def test_the_signs_of_a_plain_source_are_published_as_signs(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path)
    job = fresh(journey.published(sources=(Source("notes", NOTES),)))
    assert job.target_path == "content/posts/the-pool.mdx"
    assert blob(journey.remote, job.target_path).decode().endswith(f"---\n\n{WRITTEN}")


def test_signs_are_written_so_in_a_change_too(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path)
    journey.published(None, TARGET, sources=(Source("notes", NOTES),))
    assert blob(journey.remote, TARGET).decode().endswith(f"---\n\n{WRITTEN}")


def test_plain_markdown_keeps_its_signs(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path, articles="content/**/*.md")
    job = fresh(journey.published(sources=(Source("notes", NOTES),)))
    assert blob(journey.remote, job.target_path).decode().endswith("{scarf}, and mind `{this}`.\n")


def test_a_line_that_begins_like_code_is_for_a_person(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path)
    job = journey.submit(sources=(Source("notes", NOTES + "\nimport taxes rise in June.\n"),))
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert {one.rule for one in selectors.findings(fresh(job)) if one.severity == "block"} == {
        "mdx_esm"
    }
