"""Other people's git state in a live checkout is told in words, and not one byte of it changes."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from publisher import selectors_live
from publisher.adapters.git.runner import Runner
from publisher.engine.external_sync.place import KEPT
from publisher.engine.reconcile import sweep
from publisher.engine.sites import refresh
from publisher.models import Site
from reviews.presenters.live import LiveView, present
from tests.support.account import hostile_account
from tests.support.git import blob, git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, SEED, TARGET, Journey, begin
from tests.support.live import Live, make_live

EDITED = b"Edited by hand.\n"
OTHER = "content/posts/other.mdx"


@pytest.fixture
def live(journey: Journey) -> Live:
    return make_live(journey)


def _rebase(live: Live) -> None:
    live.write(TARGET, b"Mine.\n")
    live.git("commit", "-qam", "mine")
    second_person(live.journey.remote, {TARGET: b"Theirs.\n"}, "theirs")
    live.git("fetch", "-q")
    with pytest.raises(AssertionError, match=r"(?i)conflict"):
        live.git("rebase", "origin/main")
    refresh(live.site(), live.journey.ports)


def _merge(live: Live) -> None:
    live.write(TARGET, b"Mine.\n")
    live.git("commit", "-qam", "mine")
    second_person(live.journey.remote, {TARGET: b"Theirs.\n"}, "theirs")
    live.git("fetch", "-q")
    with pytest.raises(AssertionError):
        live.git("merge", "origin/main")


def _bisect(live: Live) -> None:
    live.git("bisect", "start")


def _detach(live: Live) -> None:
    live.git("checkout", "-q", "--detach")


def _branch(live: Live) -> None:
    live.git("checkout", "-q", "-b", "draft")


def _lock(live: Live) -> None:
    (live.place / ".git/index.lock").write_bytes(b"")


def _branch_lock(live: Live) -> None:
    (live.place / ".git/refs/heads/main.lock").write_bytes(b"")


def _commit(live: Live) -> None:
    live.write(OTHER, b"Mine.\n")
    live.git("commit", "-qam", "not pushed")


STATES: list[tuple[Callable[[Live], None], str]] = [
    (_rebase, "operation"),
    (_merge, "operation"),
    (_bisect, "operation"),
    (_detach, "detached"),
    (_branch, "branch"),
    (_lock, "locked"),
    (_branch_lock, "locked"),
    (_commit, "ahead"),
]


@pytest.mark.parametrize(("make", "code"), STATES)
def test_work_in_progress_is_told_and_left_as_it_is(
    live: Live, make: Callable[[Live], None], code: str
) -> None:
    make(live)
    live.write(TARGET, EDITED)
    tip, before = live.journey.head(), live.picture()
    live.sync()
    assert code in live.notes()
    assert live.picture() == before
    assert (live.journey.head(), live.messages()) == (tip, [])


@pytest.mark.parametrize(("make", "code"), STATES[2:7])
def test_work_that_begins_before_the_sending_stops_it(
    live: Live, make: Callable[[Live], None], code: str
) -> None:
    live.write(TARGET, EDITED)
    live.scan()
    make(live)
    tip, before = live.journey.head(), live.picture()
    live.journey.deliver()
    assert live.journey.head() == tip
    assert live.picture() == before
    assert live.messages()[0].last_error


def test_a_dead_commands_lock_is_told_with_its_age_and_stays(live: Live) -> None:
    _lock(live)
    os.utime(live.place / ".git/index.lock", (1_767_225_600, 1_767_225_600))
    live.write(TARGET, EDITED)
    live.sync()
    assert live.notes()["locked"] == ["since 2026-01-01 00:00 UTC"]
    assert (live.place / ".git/index.lock").exists()


def test_a_lock_that_goes_away_delays_only(live: Live) -> None:
    live.write(TARGET, EDITED)
    _lock(live)
    live.sync()
    (live.place / ".git/index.lock").unlink()
    live.sync()
    assert blob(live.journey.remote, TARGET) == EDITED


@pytest.mark.parametrize("make", [_lock, _branch_lock])
def test_behind_a_lock_of_people_neither_files_nor_index_move(
    live: Live, make: Callable[[Live], None]
) -> None:
    make(live)
    second_person(live.journey.remote, {OTHER: b"Theirs.\n"}, "theirs")
    refresh(live.site(), live.journey.ports)
    before = live.picture()
    live.scan()
    assert live.picture() == before
    assert set(live.notes()) == {"locked"}


def test_a_lock_of_our_own_death_is_removed(live: Live) -> None:
    (live.place / ".git/index.lock").write_bytes(b"imprimatur forwards this checkout\n")
    live.write(TARGET, EDITED)
    live.sync()
    assert (live.head(), live.status()) == (live.journey.head(), "")


def test_staged_work_is_left_and_the_rest_goes(live: Live) -> None:
    live.write(OTHER, b"For my next commit.\n")
    live.git("add", OTHER)
    live.write(TARGET, EDITED)
    live.sync()
    assert blob(live.journey.remote, TARGET) == EDITED
    assert live.head() == live.journey.head()
    assert live.status() == f"M  {OTHER}\n"
    assert live.notes()["staged"] == [OTHER]


def test_staged_work_on_a_file_that_others_changed_holds_the_checkout_back(live: Live) -> None:
    live.write(OTHER, b"For my next commit.\n")
    live.git("add", OTHER)
    second_person(live.journey.remote, {OTHER: b"Theirs.\n"}, "theirs")
    refresh(live.site(), live.journey.ports)
    before = live.picture()
    live.scan()
    after = live.picture()
    changed = {name for name in after if before.get(name) != after[name]}
    assert {name for name in changed if not name.startswith(".git/objects/")} == set()
    assert set(live.notes()) == {"behind_dirty", "staged"}


def test_a_file_that_git_shall_add_later_is_sent_and_the_checkout_follows(live: Live) -> None:
    new, other = "content/posts/new.mdx", "notes.txt"
    for path in (new, other):
        live.write(path, EDITED)
        live.git("add", "--intent-to-add", path)
    live.sync()
    assert blob(live.journey.remote, new) == EDITED
    assert live.head() == live.journey.head()
    assert live.status() == f" A {other}\n"
    assert live.notes() == {"unrelated": [other]}


def test_a_stash_stays(live: Live) -> None:
    live.write(OTHER, b"For later.\n")
    live.git("stash", "-q")
    live.write(TARGET, EDITED)
    live.sync()
    assert blob(live.journey.remote, TARGET) == EDITED
    assert live.git("stash", "list").count("\n") == 1
    assert live.notes()["stash"] == []


def test_a_file_of_somebody_in_the_way_is_not_written_over(live: Live) -> None:
    live.write("notes.txt", b"private\n")
    second_person(live.journey.remote, {"notes.txt": b"public\n"}, "same name")
    refresh(live.site(), live.journey.ports)
    live.scan()
    assert live.read("notes.txt") == b"private\n"
    assert "behind_dirty" in live.notes()


def test_an_ignored_file_in_the_way_is_not_written_over(live: Live) -> None:
    (live.place / ".git/info").mkdir(exist_ok=True)
    (live.place / ".git/info/exclude").write_text("notes.txt\n")
    live.write("notes.txt", b"private\n")
    second_person(live.journey.remote, {"notes.txt": b"public\n"}, "same name")
    refresh(live.site(), live.journey.ports)
    live.scan()
    assert live.read("notes.txt") == b"private\n"


def test_edits_of_other_files_go_alone_and_nothing_else_moves(live: Live) -> None:
    """An article and a font are sent; package.json stays changed, .env stays unknown to git."""
    second_person(live.journey.remote, {"package.json": b'{"name":"site"}\n'}, "package")
    live.git("pull", "-q")
    font = "public/fonts/subset.woff2"
    live.write(TARGET, live.read(TARGET).replace(b"Third", b"3rd"))
    live.write(font, b"\x00\x01wOF2local\xff\xfe")
    live.write("package.json", b'{"name":"site","x":1}\n')
    live.write(".env", b"TOKEN=" + b"ghp_" + b"NOTAREALTOKEN0000000000000000000000")
    second_person(live.journey.remote, {OTHER: b"Related post.\n"}, "remote moves on")
    refresh(live.site(), live.journey.ports)
    live.sync()
    newest = live.journey.history()[0]
    repository = live.journey.repository()
    try:
        changed = repository.changed_paths([newest.commit])[newest.commit]
    finally:
        repository.close()
    assert changed == {TARGET, font}
    assert live.status() == " M package.json\n?? .env\n"
    assert live.git("stash", "list") == ""
    live.sync()
    live.again()
    assert live.journey.history()[0].commit == newest.commit
    assert len(live.messages()) == 1


CHINESE = "content/posts/中文文章.mdx"
PATTERN, SIBLING = "content/posts/b[1].mdx", "content/posts/b1.mdx"


def _sent(live: Live) -> list[str]:
    """The paths of the remote's newest commit, byte for byte."""
    names = git(live.journey.remote, "diff-tree", "-r", "-z", "--name-only", "main^", "main")
    return names.decode().rstrip("\0").split("\0")


def test_a_chinese_article_that_was_edited_by_hand_is_sent_under_its_name(
    db: None, tmp_path: Path
) -> None:
    old = '---\ntitle: "中文"\n---\n\n第一行。\n'
    live = make_live(begin(tmp_path, {**SEED, CHINESE: old.encode()}))
    edited = old.replace("第一行", "第一行（修订）").encode()
    live.write(CHINESE, edited)
    live.sync()
    assert _sent(live) == [CHINESE]
    assert blob(live.journey.remote, CHINESE) == edited
    message = git(live.journey.remote, "log", "-1", "--format=%B", "main").decode()
    assert CHINESE in message
    (sent,) = live.messages()
    assert list(sent.payload["files"]) == [CHINESE]
    assert (live.head(), live.status()) == (live.journey.head(), "")


def test_a_file_name_that_is_a_pattern_takes_no_sibling_along(db: None, tmp_path: Path) -> None:
    files = {**SEED, PATTERN: b"one\n", SIBLING: b"one\n"}
    live = make_live(begin(tmp_path, files, articles=PATTERN))
    live.write(SIBLING, b"one\nmine\n")
    live.write(PATTERN, b"one\nedited\n")
    live.sync()
    assert _sent(live) == [PATTERN]
    assert blob(live.journey.remote, PATTERN) == b"one\nedited\n"
    assert blob(live.journey.remote, SIBLING) == b"one\n"
    assert live.notes()["unrelated"] == [SIBLING]
    assert live.status() == f" M {SIBLING}\n"
    assert live.head() == live.journey.head()


def _commit_of_an_edit(folder: Path, account: pytest.MonkeyPatch | None) -> list[str]:
    """A hand edit's commit, as the remote holds it, without its times."""
    live = make_live(begin(folder))
    if account is not None:
        hostile_account(folder / "account", account)
    live.write(TARGET, b"Edited.\r\nBy hand.\n")
    live.write(f"{TARGET.removesuffix('.mdx')}-new.mdx", EDITED)
    live.sync()
    assert (live.head(), live.status()) == (live.journey.head(), "")
    raw = git(live.journey.remote, "cat-file", "commit", "main").decode()
    return [line.rpartition(">")[0] or line for line in raw.splitlines()]


def test_a_hostile_account_changes_no_commit_of_hand_edits(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = _commit_of_an_edit(tmp_path / "calm", None)
    Site.objects.update(name="calm", live_checkout="")
    assert _commit_of_an_edit(tmp_path / "hostile", monkeypatch) == calm


def test_a_folder_in_place_of_an_article_is_told_and_the_rest_goes(live: Live) -> None:
    (live.place / TARGET).unlink()
    live.write(f"{TARGET}/notes.txt", b"mine\n")
    live.write(OTHER, EDITED)
    live.sync()
    assert blob(live.journey.remote, OTHER) == EDITED
    assert live.notes()["no_file"] == [TARGET]


def test_a_folder_where_a_publication_comes_holds_the_checkout_back(live: Live) -> None:
    live.write(f"{FRESH}/draft.txt", b"mine\n")
    second_person(live.journey.remote, {FRESH: FRESH_TEXT}, "same name")
    refresh(live.site(), live.journey.ports)
    live.scan()
    assert "behind_dirty" in live.notes()
    live.write(OTHER, EDITED)
    live.sync()
    assert blob(live.journey.remote, OTHER) == EDITED
    assert live.read(f"{FRESH}/draft.txt") == b"mine\n"


def _forwarded(live: Live, changes: dict[str, bytes | None]) -> None:
    second_person(live.journey.remote, changes, "theirs")
    refresh(live.site(), live.journey.ports)
    live.scan()


IMAGE = "public/img/a.png"


@pytest.fixture
def with_image(live: Live) -> Live:
    """A checkout with a folder of one picture."""
    _forwarded(live, {IMAGE: b"a"})
    assert live.read(IMAGE) == b"a"
    return live


def test_a_folder_that_the_remote_made_a_file_becomes_one_and_a_folder_again(
    with_image: Live,
) -> None:
    for changes in (
        {IMAGE: None, "public/img": b"file"},
        {"public/img": None, IMAGE: b"b", "public/img/deep/c.png": b"c"},
        {IMAGE: None, "public/img/deep/c.png": None, "public/img": b"file"},
    ):
        _forwarded(with_image, changes)
        assert with_image.notes() == {}
        assert (with_image.head(), with_image.status()) == (with_image.journey.head(), "")


@pytest.mark.parametrize("path", [IMAGE, "public/img/mine.png", "public/img/deep/mine.log"])
def test_a_folder_with_somebodys_file_never_becomes_a_file(with_image: Live, path: str) -> None:
    (with_image.place / ".git/info").mkdir(exist_ok=True)
    (with_image.place / ".git/info/exclude").write_text("*.log\n")
    Site.objects.update(quiet_seconds=300)
    with_image.write(path, b"mine")
    before = with_image.head()
    _forwarded(with_image, {IMAGE: None, "public/img": b"file"})
    assert with_image.read(path) == b"mine"
    assert with_image.head() == before
    assert "behind_dirty" in with_image.notes()


@pytest.mark.parametrize(
    "name", ["content/posts/e\u0301.mdx", "content/con.md", f"content/{'a' * 201}.md"]
)
def test_a_file_inside_whose_name_cannot_be_sent_is_told_as_that(live: Live, name: str) -> None:
    live.write(name, EDITED)
    live.write("node_modules/con.md", EDITED)
    live.write(TARGET, EDITED)
    live.sync()
    assert blob(live.journey.remote, TARGET) == EDITED
    assert live.notes() == {"unnameable": [name], "unrelated": ["node_modules/con.md"]}
    assert any(told.sentence.startswith("With a name") for told in shown(live).told)


def test_a_name_in_quotes_is_sent_and_holds_up_no_other(live: Live) -> None:
    Site.objects.update(articles="**/*.{md,mdx}")
    names = ['"On quotes" and more.md', 'content/posts/"quoted".mdx', TARGET]
    for name in names:
        live.write(name, EDITED)
    live.sync()
    assert sorted(_sent(live)) == sorted(names)
    assert blob(live.journey.remote, names[0]) == EDITED


def test_a_name_of_two_lines_that_is_new_upstream_as_well_holds_up_nothing(live: Live) -> None:
    odd = "content/posts/two\nlines.mdx"
    live.write(odd, EDITED)
    second_person(live.journey.remote, {odd: EDITED}, "odd name")
    refresh(live.site(), live.journey.ports)
    live.write(TARGET, EDITED)
    live.sync()
    assert (live.head(), live.status()) == (live.journey.head(), "")


def test_a_damaged_checkout_is_told_in_place_of_what_was_seen_and_comes_back(live: Live) -> None:
    live.scan()
    live.write(TARGET, EDITED)
    index = live.place / ".git/index"
    whole = index.read_bytes()
    index.write_bytes(b"garbage")
    done = sweep(live.journey.ports)
    assert done.counts["external_sync"] == {"looked_at": 1, "changed": 0, "left": 1}
    (why,) = live.notes()["unreadable"]
    assert "index" in why
    assert str(shown(live).label.word) == "Needs attention"
    index.write_bytes(whole)
    live.sync()
    assert (live.notes(), blob(live.journey.remote, TARGET)) == ({}, EDITED)


def test_a_package_tree_of_any_size_keeps_no_edit_back(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Runner.run.__kwdefaults__ or {}
    monkeypatch.setattr(Runner.run, "__kwdefaults__", {**usual, "cap": 4000})
    for number in range(KEPT + 50):
        live.write(f"node_modules/{number:04}.js", b"")
    live.write(TARGET, EDITED)
    live.sync()
    assert blob(live.journey.remote, TARGET) == EDITED
    names = live.notes()["unrelated"]
    assert (len(names), names[0], names[-1]) == (KEPT + 1, "node_modules/0000.js", "… (+50)")


def shown(live: Live) -> LiveView:
    """What the site's page shows."""
    view = present(selectors_live.report(live.site()), author="")
    assert view is not None
    return view
