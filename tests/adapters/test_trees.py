"""Trees: what differs is what git's own diff-tree says, in its order and without a process."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from publisher.adapters.git import trees
from publisher.adapters.git.objects import parse_tree
from publisher.adapters.git.repository import GitRepository
from tests.support.git import git, second_person

SIZE = 20
ENTRIES = st.dictionaries(
    st.text("ab", min_size=1, max_size=3).map(str.encode),
    # Ids of few different bytes, zero and such as stand in modes and names among them.
    st.tuples(
        st.sampled_from([b"100644", b"40000"]),
        st.lists(st.sampled_from(b"\x00 1a"), min_size=SIZE, max_size=SIZE).map(bytes),
    ),
    max_size=12,
)


def written(entries: dict[bytes, tuple[bytes, bytes]]) -> bytes:
    """A tree as git stores it."""
    return b"".join(
        mode + b" " + name + b"\x00" + id_ for name, (mode, id_) in sorted(entries.items())
    )


@given(ENTRIES, ENTRIES)
def test_only_what_both_hold_alike_is_left_out(
    one: dict[bytes, tuple[bytes, bytes]], other: dict[bytes, tuple[bytes, bytes]]
) -> None:
    whole = [parse_tree(written(entries), SIZE) for entries in (one, other)]
    parts = [parse_tree(data, SIZE) for data in trees._apart(written(one), written(other), SIZE)]
    assert set(parts[0].items()) <= set(whole[0].items())
    assert set(parts[1].items()) <= set(whole[1].items())
    assert parts[0].items() ^ parts[1].items() == whole[0].items() ^ whole[1].items()


def test_of_a_large_folder_little_is_taken_apart() -> None:
    entries = {b"%06d.md" % number: (b"100644", number.to_bytes(SIZE)) for number in range(5000)}
    changed = entries | {b"002500.md": (b"100644", b"x" * SIZE)}
    one, other = trees._apart(written(entries), written(changed), SIZE)
    assert list(parse_tree(one, SIZE)) == list(parse_tree(other, SIZE)) == [b"002500.md"]


def said_by_git(remote: Path, old: str, new: str) -> list[tuple[str, str | None, str | None, bool]]:
    """Rows of ``git diff-tree`` as changes are told."""
    fields = git(remote, "diff-tree", "-r", "-z", "--no-renames", old, new).split(b"\x00")
    found = []
    for head, path in zip(fields[0::2], fields[1::2], strict=False):
        _, mode, was, is_now, _ = head.decode().lstrip(":").split(" ")
        ids = [None if set(each) == {"0"} else each for each in (was, is_now)]
        found.append((path.decode(), ids[0], ids[1], mode.startswith("100")))
    return found


def test_every_kind_of_change_is_told_as_git_tells_it(
    repository: GitRepository, remote: Path, tmp_path: Path
) -> None:
    work = tmp_path / "kinds"
    git(tmp_path, "clone", "-q", str(remote), str(work))
    for name in ("a/one.md", "a-b/two.md", "both", "mode.sh", "link.md", "gone/deep/x.md"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(name)
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "before")
    git(work, "push", "-q", "origin", "main")
    old = repository.fetch()
    (work / "both").unlink()
    (work / "both").mkdir()
    (work / "both" / "文.md").write_text("a folder now")
    (work / "both-more.md").write_text("between the file and the folder")
    (work / "mode.sh").chmod(0o755)
    (work / "link.md").unlink()
    (work / "link.md").symlink_to("a/one.md")
    (work / "gone" / "deep" / "x.md").rename(work / "a" / "x.md")
    (work / "a-b" / "two.md").unlink()
    (work / "a-b" / "two.md").mkdir()
    (work / "a-b" / "two.md" / "three.md").write_text("3")
    git(work, "add", "-A")
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{old},module")
    git(work, "commit", "-q", "-m", "after")
    git(work, "push", "-q", "origin", "main")
    new = repository.fetch()
    before = repository.runner.started
    for one, other in ((old, new), (new, old)):
        found = [
            (change.path, change.old_blob, change.new_blob, change.is_file)
            for change in repository.changes(one, other)
        ]
        assert found == said_by_git(remote, one, other)
        assert len(found) == 10
    assert repository.runner.started == before


def test_histories_without_anything_in_common_are_compared_too(
    repository: GitRepository, remote: Path
) -> None:
    old = repository.fetch()
    second_person(remote, {"README.md": b"anew"}, "anew", rewrite=True)
    new = repository.fetch()
    found = [
        (change.path, change.old_blob, change.new_blob, change.is_file)
        for change in repository.changes(old, new)
    ]
    assert found == said_by_git(remote, old, new)
    assert found


def test_folders_lie_as_deep_as_somebody_wants(repository: GitRepository, remote: Path) -> None:
    old = repository.fetch()
    blob = git(remote, "rev-parse", "main:README.md").decode().strip()
    tree, kind = blob, "100644 blob"
    for _ in range(1200):
        row = f"{kind} {tree}\ta\n".encode()
        tree = git(remote, "mktree", stdin=row).decode().strip()
        kind = "040000 tree"
    deep = git(remote, "commit-tree", tree, "-p", old, "-m", "deep").decode().strip()
    git(remote, "update-ref", "refs/heads/main", deep)
    found = repository.changes(old, repository.fetch())
    assert ("a/" * 1199 + "a", blob) in [(change.path, change.new_blob) for change in found]
