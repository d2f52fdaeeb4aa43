"""A source that changes an article that is there: what people wrote into its front matter stays."""

from pathlib import Path

import pytest

from publisher.demo import magazine
from publisher.ports import Source
from publisher.prepare.frontmatter import split
from tests.support.git import blob
from tests.support.journey import begin, fresh, told

PATH = "content/repair/before-you-come.md"
ADDED = (
    "From June we also repair bicycles on the last Friday of the month. "
    "Bring your own tubes and a pump.\n"
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_drafted_change_keeps_the_front_matter(db: None, tmp_path: Path, newline: str) -> None:
    files = magazine.repository()
    files[PATH] = files[PATH].replace(b"\n", newline.encode())
    before = split(files[PATH])
    journey = begin(tmp_path, files)
    text = before.body.decode().replace("\r\n", "\n") + "\n" + ADDED
    job = fresh(journey.published(sources=(Source("notes", text),)))
    assert (job.operation, job.target_path) == ("update", PATH), told(job)
    after = split(blob(journey.remote, PATH))
    assert (after.fence_open, after.raw, after.fence_close) == (
        before.fence_open, before.raw, before.fence_close,
    )  # fmt: skip
    assert b"repair bicycles on the last Friday" in after.body
    assert after.body.count(b"\n") == after.body.count(newline.encode())
    assert job.title == "Before you come to the repair café"


def test_only_a_title_that_was_asked_for_is_set(db: None, tmp_path: Path) -> None:
    files = magazine.repository()
    before = split(files[PATH])
    journey = begin(tmp_path, files)
    source = Source("notes", before.body.decode() + "\n" + ADDED)
    journey.published(sources=(source,), title="Before you come by bicycle")
    after = split(blob(journey.remote, PATH)).raw.decode().splitlines()
    assert [line for line in after if line not in before.raw.decode().splitlines()] == [
        'title: "Before you come by bicycle"'
    ]
