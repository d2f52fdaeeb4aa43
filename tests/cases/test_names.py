"""File names and kinds of files that tools take for something else."""

import unicodedata
from pathlib import Path

import pytest

from publisher import artifacts, selectors
from publisher.domain.errors import InvalidInput
from publisher.domain.states import State
from publisher.engine import sites
from publisher.models import Article, Job
from publisher.services.resolve import Choice, resolve
from publisher.services.submit import Asset
from tests.support.git import blob, git, second_person
from tests.support.journey import (
    FRESH,
    FRESH_TEXT,
    HELLO,
    OMAR,
    SEED,
    TARGET,
    Journey,
    begin,
    fresh,
    told,
)


def _changed(journey: Journey, commit: str) -> list[str]:
    raw = git(journey.remote, "diff-tree", "-r", "-z", "--name-only", f"{commit}^", commit)
    return raw.decode().rstrip("\0").split("\0")


def test_chinese_names_and_emoji_are_published_as_they_are(journey: Journey) -> None:
    path = "content/posts/第二篇 🙂.mdx"
    text = '---\ntitle: "第二篇"\n---\n\n正文🙂。\n'.encode()
    job = journey.published(text, path, action="create", title="第二篇 🙂")

    assert fresh(job).target_path == path
    assert _changed(journey, fresh(job).remote_commit) == [path]
    assert blob(journey.remote, path) == text
    facts = journey.history()[0]
    assert "第二篇 🙂" in facts.subject
    message = git(journey.remote, "log", "-1", "--format=%B", "main").decode()
    assert path in message
    assert "\\3" not in message
    journey.is_sound(job)


def test_the_diff_of_a_chinese_article_shows_its_words(db: None, tmp_path: Path) -> None:
    path = "content/posts/中文文章.mdx"
    old = '---\ntitle: "中文"\n---\n\n第一行。\n'.encode()
    journey = begin(tmp_path, {**SEED, path: old})
    job = journey.approved(
        old.replace("第一行".encode(), "第一行（修订）".encode()), path, action="update"
    )
    proposal = selectors.proposal(job)
    assert proposal is not None
    (file,) = proposal.files
    assert "+第一行（修订）。" in artifacts.load(file.diff).decode()
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


CAFE = "content/posts/café.mdx"


def test_two_spellings_of_one_name_never_become_two_files(db: None, tmp_path: Path) -> None:
    composed = unicodedata.normalize("NFC", CAFE)
    journey = begin(tmp_path, {**SEED, composed: b'---\ntitle: "c"\n---\n\nnfc\n'})
    decomposed = unicodedata.normalize("NFD", CAFE)
    with pytest.raises(InvalidInput, match="NFC") as refusal:
        journey.submit(b'---\ntitle: "c"\n---\n\nNFD.\n', decomposed, action="create")
    assert refusal.value.facts["field"] == "target_path"


@pytest.mark.parametrize(
    ("ours", "theirs", "place"),
    [
        ("content/posts/twin.mdx", "content/posts/Twin.mdx", "content/posts/Twin.mdx"),
        ("content/posts/café.mdx", "content/posts/cafe\u0301.mdx", "content/posts/cafe\u0301.mdx"),
        ("content/Notes/one.mdx", "content/notes/two.mdx", "content/notes/one.mdx"),
    ],
)
def test_a_twin_that_arrives_after_the_approval_is_a_conflict(
    journey: Journey, ours: str, theirs: str, place: str
) -> None:
    job = journey.approved(FRESH_TEXT, ours, action="create")
    human = second_person(journey.remote, {theirs: HELLO}, "from another system")
    journey.work()
    assert (fresh(job).state, fresh(job).failure_code) == (State.CONFLICT, "conflict_twin"), told(
        job
    )
    assert journey.head() == human
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    (file,) = conflict.files
    assert (file["path"], file["moved_to"]) == (ours, place)


def settle(journey: Journey, job: Job, choice: Choice) -> None:
    """A person settles the job's conflict so, and what comes of it is approved and published."""
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    resolve(
        conflict,
        files=[choice],
        ours_sha256=conflict.ours_sha256,
        theirs_sha256=conflict.theirs_sha256,
        who=OMAR,
        now=journey.now(),
    )
    journey.work()
    journey.approve(job)
    journey.work()


def test_a_twin_is_settled_by_another_path(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, "content/Notes/one.mdx", action="create")
    second_person(journey.remote, {"content/notes/two.mdx": HELLO}, "from another system")
    journey.work()
    settle(journey, job, Choice("content/Notes/one.mdx", "follow_rename"))
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert blob(journey.remote, "content/notes/one.mdx") == FRESH_TEXT
    journey.is_sound(job)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("content/posts/twin.mdx", "content/posts/Twin.mdx"),
        ("content/notes/one.mdx", "content/Notes/two.mdx"),
    ],
)
def test_of_two_approved_twins_one_is_published(journey: Journey, first: str, second: str) -> None:
    jobs = [
        journey.submit(FRESH_TEXT, first, action="create"),
        journey.submit(HELLO, second, action="create"),
    ]
    journey.work()
    for job in jobs:
        journey.approve(job)
    journey.work()
    assert sorted(fresh(job).state for job in jobs) == [State.CONFLICT, State.PUBLISHED]
    journey.is_sound(*jobs)


@pytest.mark.parametrize("mode", ["a link", "a file", "a folder"])
def test_what_arrives_in_the_way_is_a_conflict(journey: Journey, mode: str) -> None:
    job = journey.approved(FRESH_TEXT, "content/new/one.mdx", action="create")
    if mode == "a link":
        human = second_person(journey.remote, {}, "a link", links={"content/new": "/etc"})
    else:
        path = "content/new" if mode == "a file" else "content/new/one.mdx/two.mdx"
        human = second_person(journey.remote, {path: HELLO}, "in the way")
    journey.work()
    code = (fresh(job).state, fresh(job).failure_code)
    assert code == (State.CONFLICT, "conflict_in_the_way"), told(job)
    assert journey.head() == human
    conflict = selectors.open_conflict(fresh(job))
    assert conflict is not None
    assert conflict.files[0]["commit"] == human
    settle(
        journey, job, Choice("content/new/one.mdx", "new_path", new_path="content/posts/one.mdx")
    )
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_names_that_were_twins_before_are_nobodys_conflict(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path, {**SEED, "content/Notes/a.mdx": HELLO, "content/notes/b.mdx": HELLO})
    job = journey.approved(HELLO + b"\nMore.\n", "content/notes/b.mdx", action="update")
    second_person(journey.remote, {"content/Notes/c.mdx": FRESH_TEXT}, "one more beside it")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)


def test_the_other_spelling_on_the_remote_stops_a_new_file(db: None, tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", CAFE)
    journey = begin(tmp_path)
    second_person(journey.remote, {decomposed: b'---\ntitle: "c"\n---\n\nnfd\n'}, "from a Mac")
    path = unicodedata.normalize("NFC", CAFE)
    job = journey.submit(b'---\ntitle: "c"\n---\n\nNFC.\n', path, action="create")
    journey.work()
    assert fresh(job).state == State.REVIEW, told(job)
    assert fresh(job).failure_code == "path_twin"
    assert "cafe<U+0301>" in fresh(job).failure_message
    assert "Rename it in the repository first" in fresh(job).failure_message
    journey.is_sound(job)


def test_two_spellings_of_one_asset_are_refused(journey: Journey) -> None:
    assets = tuple(
        Asset(unicodedata.normalize(form, "public/é.png"), b"\x89PNG") for form in ("NFC", "NFD")
    )
    with pytest.raises(InvalidInput):
        journey.submit(FRESH_TEXT, FRESH, action="create", assets=assets)


PATTERN = "content/posts/b[1].mdx"
SIBLING = "content/posts/b1.mdx"


def test_a_file_name_that_is_a_pattern_is_taken_literally(db: None, tmp_path: Path) -> None:
    one = b'---\ntitle: "b"\n---\n\none\n'
    journey = begin(tmp_path, {**SEED, PATTERN: one, SIBLING: one})
    job = journey.published(one.replace(b"one", b"two"), PATTERN, action="update")
    assert _changed(journey, fresh(job).remote_commit) == [PATTERN]
    assert blob(journey.remote, SIBLING) == one
    journey.is_sound(job)


def test_a_change_of_the_patterns_sibling_is_not_ours(db: None, tmp_path: Path) -> None:
    one = b'---\ntitle: "b"\n---\n\none\n'
    journey = begin(tmp_path, {**SEED, PATTERN: one, SIBLING: one})
    job = journey.approved(one.replace(b"one", b"two"), PATTERN, action="update")
    second_person(journey.remote, {SIBLING: one + b"mine\n"}, "sibling")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert _changed(journey, fresh(job).remote_commit) == [PATTERN]
    assert blob(journey.remote, SIBLING) == one + b"mine\n"
    journey.is_sound(job)


@pytest.mark.parametrize("name", [":(exclude)x.mdx", "*.mdx"])
def test_pathspec_magic_as_a_target_touches_nothing_else(journey: Journey, name: str) -> None:
    path = f"content/posts/{name}"
    job = journey.published(FRESH_TEXT, path, action="create")
    assert _changed(journey, fresh(job).remote_commit) == [path]
    journey.is_sound(job)


def test_a_link_at_the_target_is_refused_and_never_followed(db: None, tmp_path: Path) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("canary secret\n")
    path = "content/posts/notes.mdx"
    journey = begin(tmp_path)
    second_person(journey.remote, {}, "link", links={path: str(canary)})
    job = journey.submit(b'---\ntitle: "n"\n---\n\nn\n', path, action="update")
    journey.work()

    assert fresh(job).state == State.REVIEW, told(job)
    assert "link" in fresh(job).failure_message
    assert canary.read_text() == "canary secret\n"
    kept = tmp_path.rglob("*")
    assert [
        p for p in kept if p.is_file() and p != canary and b"canary secret" in p.read_bytes()
    ] == []
    assert "120000" in git(journey.remote, "ls-tree", "main", path).decode()
    journey.is_sound(job)


CRLF = b'---\r\ntitle: "C"\r\n---\r\n\r\nBody.\r\n'


def test_line_endings_are_published_byte_for_byte_as_approved(db: None, tmp_path: Path) -> None:
    old = HELLO.replace(b"\n", b"\r\n")
    journey = begin(tmp_path, {**SEED, TARGET: old})
    # Past the index, which would bring the old file's line endings into order.
    attributes = b"*.mdx text eol=lf\n*.woff2 binary\n"
    commit = (
        b"commit refs/heads/main\ncommitter S <s@example.invalid> 1767225660 +0000\n"
        b"data 5\nattrs\nfrom refs/heads/main^0\nM 100644 inline .gitattributes\ndata %d\n%s\n"
    )
    git(journey.remote, "fast-import", "--quiet", stdin=commit % (len(attributes), attributes))
    assert blob(journey.remote, TARGET) == old
    new = journey.published(CRLF, "content/posts/crlf.mdx", action="create")
    job = journey.approved(old.replace(b"Second", b"2nd"), TARGET, action="update")
    proposal = selectors.proposal(job)
    assert proposal is not None
    (file,) = proposal.files
    diff = artifacts.load(file.diff).decode()
    lines = [line for line in diff.splitlines() if line[:1] in "+-"]
    assert lines == ["-Second line.", "+2nd line."]
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(new, job)


def test_modes_of_files_never_change(db: None, tmp_path: Path) -> None:
    journey = begin(tmp_path)
    job = journey.published(HELLO.replace(b"Second", b"2nd"), TARGET, action="update")
    new = journey.published(FRESH_TEXT, FRESH, action="create")
    modes = git(journey.remote, "ls-tree", "-r", "main").decode().splitlines()
    assert {line.split()[0] for line in modes} == {"100644"}
    raw = git(journey.remote, "diff-tree", "-r", f"{fresh(job).remote_commit}^!").decode()
    assert raw.count("100644 100644") == 1
    assert _changed(journey, fresh(new).remote_commit) == [FRESH]
    journey.is_sound(job, new)


def test_a_persons_mode_change_is_no_conflict(journey: Journey) -> None:
    job = journey.approved(HELLO.replace(b"Second", b"2nd"), TARGET, action="update")
    second_person(journey.remote, {}, "a mount flipped it", executable=(TARGET,))
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    assert git(journey.remote, "ls-tree", "main", TARGET).startswith(b"100755")
    journey.is_sound(job)


def _add_submodule(journey: Journey, path: str) -> None:
    """A person's commit that puts another repository at a path."""
    old = git(journey.remote, "ls-tree", "-r", "-z", "main")
    tree = old + b"160000 commit " + b"1" * 40 + b"\t" + path.encode() + b"\0"
    index = str(journey.folder / "index")
    git(journey.remote, "update-index", "-z", "--index-info", stdin=tree, GIT_INDEX_FILE=index)
    made = git(journey.remote, "write-tree", "--missing-ok", GIT_INDEX_FILE=index).decode().strip()
    parent = journey.head()
    commit = git(journey.remote, "commit-tree", made, "-p", parent, "-m", "submodule").decode()
    git(journey.remote, "update-ref", "refs/heads/main", commit.strip())


def test_a_submodule_named_like_an_article_stops_no_site(journey: Journey) -> None:
    _add_submodule(journey, "content/posts/module.mdx")
    sites.refresh(journey.site, journey.ports)
    assert not Article.objects.filter(path="content/posts/module.mdx").exists()
    journey.is_sound(journey.published(FRESH_TEXT, FRESH, action="create"))


def test_a_submodule_that_arrives_meanwhile_stops_no_job(journey: Journey) -> None:
    job = journey.approved(FRESH_TEXT, FRESH, action="create")
    _add_submodule(journey, "content/posts/module.mdx")
    journey.work()
    assert fresh(job).state == State.PUBLISHED, told(job)
    journey.is_sound(job)


def test_a_link_among_the_articles_is_not_indexed(journey: Journey) -> None:
    second_person(journey.remote, {}, "link", links={"content/posts/link.mdx": "other.mdx"})
    sites.refresh(journey.site, journey.ports)
    assert not Article.objects.filter(path="content/posts/link.mdx").exists()
