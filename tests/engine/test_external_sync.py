"""Hand edits in a live checkout reach the remote once, alone, and over nobody's work."""

import os
import shutil
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest

from publisher.domain.errors import InvalidInput
from publisher.engine import external_sync
from publisher.engine.reconcile import due, sweep
from publisher.engine.sites import refresh
from publisher.models import Outbox, Site
from publisher.services import sites
from tests.support.clock import ManualClock
from tests.support.git import blob, git, second_person
from tests.support.journey import FRESH, FRESH_TEXT, OMAR, TARGET, Journey
from tests.support.live import Live, make_live

EDITED = b"Edited by hand.\n"
OTHER = "content/posts/other.mdx"


@pytest.fixture
def live(journey: Journey) -> Live:
    return make_live(journey)


def test_a_sweep_alone_sends_a_hand_edit(live: Live) -> None:
    live.write(TARGET, EDITED)
    done = sweep(live.journey.ports)
    live.journey.deliver()
    assert done.counts["external_sync"] == {"looked_at": 1, "changed": 1, "left": 0}
    assert blob(live.journey.remote, TARGET) == EDITED


def test_new_and_removed_files_go_along_in_one_commit(live: Live) -> None:
    before = live.journey.head()
    live.write("content/posts/new.md", EDITED)
    (live.place / OTHER).unlink()
    live.sync()
    changed = git(live.journey.remote, "diff", "--name-status", before, "main").decode()
    assert changed.split("\n")[:2] == ["A\tcontent/posts/new.md", f"D\t{OTHER}"]
    assert git(live.journey.remote, "rev-parse", "main^").decode().strip() == before


def test_the_checkout_is_at_the_sent_commit_and_clean(live: Live) -> None:
    live.write(TARGET, EDITED)
    live.write("content/posts/new.md", EDITED)
    (live.place / OTHER).unlink()
    live.sync()
    assert live.head() == live.journey.head()
    assert live.status() == ""
    assert live.git("rev-parse", "origin/main").strip() == live.journey.head()


def test_the_commit_has_no_trailers_and_names_the_lane(live: Live) -> None:
    live.write(TARGET, EDITED)
    live.sync()
    newest = live.journey.history()[0]
    assert (newest.author, newest.trailers) == ("Imprimatur external sync", ())
    assert newest.subject == "external sync: 1 file"


def test_what_is_no_content_stays_and_is_told(live: Live) -> None:
    live.write("package.json", b"{}")
    live.write(".env", b"TOKEN=1")
    live.sync()
    assert live.notes() == {"unrelated": [".env", "package.json"]}
    assert live.messages() == []


def test_the_font_output_may_go(live: Live) -> None:
    Site.objects.filter(pk=live.journey.site.pk).update(
        assets="", fonts="public/fonts/subset.woff2", font_source="/srv/font.ttf"
    )
    live.write("public/fonts/subset.woff2", b"\0\1wOF2new\xff")
    live.write("public/other.bin", b"x")
    live.sync()
    assert blob(live.journey.remote, "public/fonts/subset.woff2") == b"\0\1wOF2new\xff"
    assert live.notes() == {"unrelated": ["public/other.bin"]}


def test_a_fresh_edit_waits_for_the_quiet_time(live: Live) -> None:
    Site.objects.filter(pk=live.journey.site.pk).update(quiet_seconds=3600)
    live.write(TARGET, EDITED)
    assert not live.scan()
    assert live.notes() == {"fresh": [TARGET]}


def test_a_file_from_the_future_waits_no_longer_than_the_quiet_time(live: Live) -> None:
    """Somebody's ``touch``, or a clock that was wrong: what counts is since when it was seen so."""
    Site.objects.filter(pk=live.journey.site.pk).update(quiet_seconds=300)
    clock = ManualClock(live.journey.now())
    live.journey.ports = replace(live.journey.ports, clock=clock)
    live.write(TARGET, EDITED)
    later = clock.now().timestamp() + 40 * 86_400
    os.utime(live.place / TARGET, (later, later))
    assert not live.scan()
    clock.advance(299)
    assert not live.scan()
    os.utime(live.place / TARGET, (later + 1, later + 1))
    clock.advance(1)
    assert not live.scan(), "it was edited again"
    clock.advance(300)
    assert live.scan()


def test_the_same_edit_is_one_message_however_often_found(live: Live) -> None:
    live.write(TARGET, EDITED)
    assert [live.scan(), live.scan(), live.scan()] == [True, False, False]
    (message,) = live.messages()
    assert message.job is None


def test_a_look_that_was_overtaken_registers_nothing_anew(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one found, sent and forgot the edit while this look had not yet written it down."""
    live.write(TARGET, EDITED)
    looking = import_module("publisher.engine.external_sync.scan")
    keep = looking._keep

    def overtaken(site: Site, **seen: Any) -> None:
        monkeypatch.undo()
        live.sync()
        keep(site, **seen)

    monkeypatch.setattr(looking, "_keep", overtaken)
    assert not live.scan()
    (message,) = live.messages()
    assert message.done_at is not None


def test_a_second_run_sends_nothing(live: Live) -> None:
    live.write(TARGET, EDITED)
    live.sync()
    tip = live.journey.head()
    live.sync()
    live.again()
    assert live.journey.head() == tip
    assert len(live.messages()) == 1


def test_an_edit_that_is_upstream_already_is_done(live: Live) -> None:
    live.write(TARGET, EDITED)
    theirs = second_person(live.journey.remote, {TARGET: EDITED}, "the same by hand")
    live.sync()
    assert live.journey.head() == theirs
    assert live.messages()[0].done_at is not None
    assert (live.head(), live.status()) == (theirs, "")


def test_an_edit_goes_on_top_of_what_others_pushed(live: Live) -> None:
    theirs = second_person(live.journey.remote, {OTHER: b"Theirs.\n"}, "another file")
    live.write(TARGET, EDITED)
    live.sync()
    assert git(live.journey.remote, "rev-parse", "main^").decode().strip() == theirs
    assert (blob(live.journey.remote, OTHER), live.read(OTHER)) == (b"Theirs.\n", b"Theirs.\n")


def test_a_clash_is_told_and_never_written_over(live: Live) -> None:
    theirs = second_person(live.journey.remote, {TARGET: b"Theirs.\n"}, "the same file")
    live.write(TARGET, EDITED)
    live.sync()
    (message,) = live.messages()
    assert live.journey.head() == theirs
    assert live.read(TARGET) == EDITED
    assert TARGET in message.last_error
    assert message.done_at is None
    assert live.notes() == {"behind_dirty": []}


def test_what_clashes_not_goes_all_the_same(live: Live) -> None:
    second_person(live.journey.remote, {TARGET: b"Theirs.\n"}, "the same file")
    live.write(TARGET, EDITED)
    live.write(OTHER, EDITED)
    live.sync()
    assert blob(live.journey.remote, OTHER) == EDITED
    assert blob(live.journey.remote, TARGET) == b"Theirs.\n"
    assert live.read(TARGET) == EDITED


def test_an_edit_made_sent_and_undone_twice_is_sent_each_time(live: Live) -> None:
    before = live.read(TARGET)
    # The remote moves a file that is edited here as well, so the checkout cannot follow.
    live.write("README.md", b"mine\n")
    second_person(live.journey.remote, {"README.md": b"theirs\n"}, "readme")
    for data in (EDITED, before, EDITED, before):
        live.write(TARGET, data)
        live.sync()
        assert blob(live.journey.remote, TARGET) == data
    assert live.read("README.md") == b"mine\n"


@pytest.mark.parametrize(
    "act",
    ["checkout -q -b aside", "commit -q --allow-empty -m empty", "gc -q", "fetch -q", "reset -q"],
)
def test_an_undo_is_sent_whatever_git_did_in_between(live: Live, act: str) -> None:
    before = live.read(TARGET)
    live.write("README.md", b"mine\n")
    second_person(live.journey.remote, {"README.md": b"theirs\n"}, "readme")
    live.write(TARGET, EDITED)
    live.sync()
    head = live.head()
    live.git(*act.split())
    live.git("checkout", "-q", "main")
    live.git("reset", "-q", "--soft", head)
    live.write(TARGET, before)
    live.sync()
    assert blob(live.journey.remote, TARGET) == before
    assert live.read("README.md") == b"mine\n"


@pytest.mark.parametrize("is_at_the_same_place", [False, True])
def test_another_checkout_at_the_same_commit_undoes_nothing(
    live: Live, is_at_the_same_place: bool
) -> None:
    """Another clone, or an older copy of the folder in its place: it never had the edits."""
    older = live.journey.folder / "older"
    shutil.copytree(live.place, older)
    new = "content/posts/new.md"
    live.write(new, EDITED)
    live.write(TARGET, EDITED)
    live.sync()
    sent = live.journey.head()
    if is_at_the_same_place:
        shutil.rmtree(live.place)
        older.rename(live.place)
    else:
        Site.objects.filter(pk=live.journey.site.pk).update(live_checkout=str(older))
        live.place = older
    live.sync()
    assert live.journey.head() == sent
    assert live.notes() == {}
    assert (live.head(), live.status()) == (sent, "")
    assert (live.read(new), live.read(TARGET)) == (EDITED, EDITED)


def test_an_older_state_of_the_same_checkout_removes_no_file_that_was_sent(live: Live) -> None:
    new = "content/posts/new.md"
    live.write("README.md", b"mine\n")
    second_person(live.journey.remote, {"README.md": b"theirs\n"}, "readme")
    live.write(new, EDITED)
    live.sync()
    (live.place / new).unlink()
    live.sync()
    assert blob(live.journey.remote, new) == EDITED


def test_what_one_checkout_registered_no_other_one_sends(live: Live) -> None:
    older = live.journey.folder / "older"
    shutil.copytree(live.place, older)
    for place in (live.place, older):
        (place / OTHER).unlink()
    live.scan()
    Site.objects.filter(pk=live.journey.site.pk).update(live_checkout=str(older))
    live.journey.deliver()
    assert live.messages() == []


def test_an_edit_that_went_on_is_sent_as_it_is_then(live: Live) -> None:
    live.write(TARGET, EDITED)
    live.scan()
    live.write(TARGET, b"Better.\n")
    live.journey.deliver()
    assert live.messages() == []
    live.sync()
    assert blob(live.journey.remote, TARGET) == b"Better.\n"


def test_a_paused_site_sends_nothing(live: Live) -> None:
    sites.pause(live.site())
    live.write(TARGET, EDITED)
    tip = live.journey.head()
    live.sync()
    assert live.journey.head() == tip
    sites.resume(live.site(), who=OMAR, now=live.journey.now())
    live.again()
    assert blob(live.journey.remote, TARGET) == EDITED


def test_a_lost_message_table_finds_the_edit_again_under_the_same_id(live: Live) -> None:
    live.write(TARGET, EDITED)
    live.scan()
    (first,) = live.messages()
    name = first.pk
    first.delete()
    live.scan()
    assert live.messages()[0].pk == name


def test_a_tree_that_is_gone_is_no_mass_removal(live: Live) -> None:
    (live.place / "content").rename(live.journey.folder / "elsewhere")
    live.sync()
    assert live.messages() == []
    assert set(live.notes()) == {"folder_gone"}


def many(live: Live, count: int) -> list[str]:
    """So many articles on the branch, and in the checkout."""
    more = {f"content/posts/more-{number}.md": b"# More\n" for number in range(count - 2)}
    second_person(live.journey.remote, more, "more")
    live.git("pull", "-q")
    refresh(live.site(), live.journey.ports)
    return sorted([TARGET, OTHER, *more])


@pytest.mark.parametrize("folder", ["content", "content/posts"])
def test_an_empty_mount_point_is_no_mass_removal(folder: str, live: Live) -> None:
    code = "folder_gone" if folder == "content" else "mass_removal"
    paths = many(live, 5)
    (live.place / folder).rename(live.journey.folder / "away")
    (live.place / folder).mkdir()
    live.write("public/new.png", b"x")
    live.sync()
    assert live.notes() == {code: paths}
    changed = git(live.journey.remote, "diff", "--name-status", "main~1", "main")
    assert changed == b"A\tpublic/new.png\n"
    live.sync()
    assert live.notes() == {code: paths}
    live.git("checkout", "--", "content")
    live.sync()
    assert live.notes() == {}


@pytest.mark.parametrize(("removed", "is_sent"), [(2, True), (3, True), (4, False)])
def test_up_to_half_may_be_removed(removed: int, is_sent: bool, live: Live) -> None:
    paths = many(live, 6)
    tip = live.journey.head()
    for path in paths[:removed]:
        (live.place / path).unlink()
    live.sync()
    assert (live.journey.head() != tip) == is_sent


def test_a_removal_of_most_goes_out_by_the_owners_own_commit(live: Live) -> None:
    for path in many(live, 5):
        (live.place / path).unlink()
    live.sync()
    live.git("commit", "-qam", "All of it, and on purpose")
    live.git("push", "-q")
    refresh(live.site(), live.journey.ports)
    live.sync()
    assert (live.notes(), live.head()) == ({}, live.journey.head())


def test_a_link_is_not_followed(live: Live) -> None:
    secret = live.journey.folder / "secret"
    secret.write_bytes(b"secret")
    (live.place / TARGET).unlink()
    (live.place / TARGET).symlink_to(secret)
    live.sync()
    assert live.messages() == []
    assert live.notes() == {"no_file": [TARGET]}


def test_line_endings_are_stored_as_git_would(live: Live) -> None:
    second_person(live.journey.remote, {".gitattributes": b"*.mdx text eol=crlf\n"}, "crlf")
    live.git("pull", "-q")
    refresh(live.site(), live.journey.ports)
    live.write(TARGET, b"One.\r\nTwo.\r\n")
    live.sync()
    assert blob(live.journey.remote, TARGET) == b"One.\nTwo.\n"
    assert live.status() == ""


def _set_by_all_ways(live: Live, way: str, settings: dict[str, str]) -> None:
    """In one of the files that git reads settings from in a clone."""
    file = live.journey.folder / "their-settings"
    if way == "--worktree":
        live.git("config", "extensions.worktreeConfig", "true")
    elif way != "--local":
        live.git("config", way, str(file))
    for key, value in settings.items():
        where = [way] if way in ("--local", "--worktree") else ["--file", str(file)]
        live.git("config", *where, key, value)


WAYS = ("--local", "--worktree", "include.path", "includeIf.onbranch:main.path")


@pytest.mark.parametrize("way", WAYS)
def test_a_driver_of_the_checkout_never_runs(live: Live, way: str) -> None:
    trap = live.journey.folder / "ran"
    second_person(live.journey.remote, {"README.md": b"newer\n"}, "to be brought")
    refresh(live.site(), live.journey.ports)
    (live.place / ".git/objects/info/alternates").write_text(f"{live.journey.remote}/objects\n")
    command = f"touch {trap}; cat"
    settings = {
        "filter.evil.clean": command,
        "filter.evil.process": command,
        "filter.evil.required": "true",
        "core.fsmonitor": f"touch {trap}",
        "core.alternateRefsCommand": f"touch {trap};",
        "remote.origin.uploadpack": f"touch {trap}; git-upload-pack",
    }
    _set_by_all_ways(live, way, settings)
    (live.place / ".git/info").mkdir(exist_ok=True)
    (live.place / ".git/info/attributes").write_text("*.mdx filter=evil\n")
    hook = live.place / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {trap}\n")
    hook.chmod(0o755)
    live.write(TARGET, EDITED)
    live.write("content/posts/new.md", EDITED)
    live.sync()
    assert not trap.exists()
    assert live.notes() == {"filtered": [TARGET]}
    assert live.head() == live.journey.head()


def test_a_clone_that_lacks_objects_asks_nobody_for_them(live: Live) -> None:
    trap = live.journey.folder / "ran"
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": f"touch {trap}; git-upload-pack",
    }.items():
        live.git("config", key, value)
    shutil.rmtree(live.place / ".git/objects")
    (live.place / ".git/objects").mkdir()
    live.scan()
    assert not trap.exists()
    assert live.notes() == {"empty": []}


def test_what_is_brought_comes_from_the_sites_own_clone_alone(live: Live) -> None:
    """A clone's own settings may say that an address means another one: another site's, for one."""
    second_person(live.journey.remote, {"README.md": b"newer\n"}, "to be brought")
    refresh(live.site(), live.journey.ports)
    live.git("config", f"url.{live.journey.folder}/elsewhere/.insteadOf", f"{live.journey.folder}/")
    live.scan()
    assert (live.notes(), live.head()) == ({}, live.journey.head())


@pytest.mark.parametrize("name", ["commondir", "refs"])
def test_a_clone_that_shares_its_branches_with_another_one_is_told_and_left(
    live: Live, name: str
) -> None:
    other = live.journey.folder / "other"
    git(live.journey.folder, "clone", "-q", str(live.journey.remote), str(other))
    if name == "commondir":
        (live.place / ".git/commondir").write_text(f"{other}/.git\n")
    else:
        shutil.rmtree(live.place / ".git/refs")
        (live.place / ".git/refs").symlink_to(other / ".git/refs")
    live.scan()
    assert live.notes() == {"no_clone": []}


def test_a_publication_brings_the_checkout_forward(live: Live) -> None:
    live.journey.published(FRESH_TEXT, FRESH)
    due.run(live.journey.ports)
    live.journey.deliver()
    assert (live.head(), live.status()) == (live.journey.head(), "")
    assert live.read(FRESH) == FRESH_TEXT


def test_an_edit_is_kept_when_the_checkout_comes_forward(live: Live) -> None:
    live.write("README.md", b"mine\n")
    live.journey.published(FRESH_TEXT, FRESH)
    due.run(live.journey.ports)
    live.journey.deliver()
    assert live.head() == live.journey.head()
    assert live.status() == " M README.md\n"
    assert live.read("README.md") == b"mine\n"


def test_stuck_messages_come_again_later_each_time(live: Live) -> None:
    second_person(live.journey.remote, {TARGET: b"Theirs.\n"}, "the same file")
    live.write(TARGET, EDITED)
    live.sync()
    live.again()
    (message,) = live.messages()
    assert message.tries == 2
    assert message.due_at > live.journey.now() + timedelta(seconds=2)
    (told,) = external_sync.report(live.site()).messages
    assert (told.tries, told.next_try) == (2, message.due_at)


@pytest.mark.parametrize(
    ("field", "value"), [("live_checkout", "relative/place"), ("quiet_seconds", -1)]
)
def test_a_site_refuses_settings_that_cannot_work(live: Live, field: str, value: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        sites.change(live.site(), now=live.journey.now(), **{field: value})
    assert refused.value.field == field


def test_a_removed_checkout_is_told(live: Live) -> None:
    live.place.rename(live.journey.folder / "moved")
    live.scan()
    assert live.notes() == {"missing": []}
    assert not Outbox.objects.filter(kind=external_sync.KIND).exists()
