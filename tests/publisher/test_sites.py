"""Sites are connected once, changed by known settings alone, and asked for in the background."""

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from publisher import selectors
from publisher.domain.errors import InvalidInput, NotFound, WrongState
from publisher.models import Outbox, Site
from publisher.services import acts, sites
from tests.support import jobs
from tests.support.jobs import NOW
from tests.support.journey import OMAR

pytestmark = pytest.mark.django_db


def add(folder: Path, name: str = "blog", **values: object) -> Site:
    return sites.add(name=name, remote=str(folder), scope="default", now=NOW, **values)


def test_a_new_site_asks_for_its_clone(tmp_path: Path) -> None:
    site = add(tmp_path)
    assert site.clone_state == "pending"
    message = Outbox.objects.get(pk=f"site_fetch:{site.pk}")
    assert (message.payload, message.done_at) == ({"site": site.pk}, None)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "../a", "äh", "a\n"])
def test_a_name_is_letters_digits_and_hyphens(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        add(tmp_path, name)
    assert refused.value.field == "name"


@pytest.mark.parametrize(
    "remote", ["", "relative/path", "ext::sh -c id", "http://example.com/a", "--upload-pack=id"]
)
def test_a_remote_is_an_allowed_address(remote: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        sites.add(name="blog", remote=remote, scope="default", now=NOW)
    assert refused.value.field == "remote"
    assert not Site.objects.exists()


def test_a_remote_is_on_a_listed_host_where_there_is_a_list(settings: Settings) -> None:
    settings.IMPRIMATUR_GIT_HOSTS = ("git.example.org",)
    with pytest.raises(InvalidInput, match="on this host") as refused:
        sites.add(name="blog", remote="https://git.example.net/r", scope="default", now=NOW)
    assert refused.value.field == "remote"
    assert not Site.objects.exists()
    sites.add(name="blog", remote="https://git.example.org/r", scope="default", now=NOW)


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"scope": "a b"}, "scope"),
        ({"scope": "\udcff"}, "scope"),
        ({"remote": "/\udcff"}, "remote"),
    ],
)
def test_what_no_site_can_be_told_is_refused_by_its_name(told: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        sites.add(**{"name": "blog", "remote": "/srv/a.git", "scope": "default", **told}, now=NOW)
    assert refused.value.field == field
    assert not Site.objects.exists()


@pytest.fixture
def data(tmp_path: Path, settings: Settings) -> Path:
    """The data folder, with what could be another site's clone, and a way to it from outside."""
    settings.IMPRIMATUR_DATA_DIR = tmp_path / "data"
    (tmp_path / "data" / "git" / "7" / ".git").mkdir(parents=True)
    (tmp_path / "data" / "demo" / "magazine" / ".git").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "data" / "git")
    return tmp_path / "data"


INSIDE = ("git/7", "git/none", "../data/git/7", "demo/../git/7", "../link/7", "")


@pytest.mark.parametrize("place", INSIDE)
def test_no_remote_is_a_folder_of_the_products_own(data: Path, place: str) -> None:
    with pytest.raises(InvalidInput, match="the server's own data") as refused:
        sites.add(name="blog", remote=f"{data}/{place}", scope="default", now=NOW)
    assert refused.value.field == "remote"
    assert not Site.objects.exists()


@pytest.mark.parametrize("place", ["git/7", "../link/7"])
def test_no_live_checkout_is_a_folder_of_the_products_own(data: Path, place: str) -> None:
    with pytest.raises(InvalidInput, match="the server's own data") as refused:
        sites.change(jobs.site(), now=NOW, live_checkout=f"{data}/{place}")
    assert refused.value.field == "live_checkout"
    with pytest.raises(InvalidInput, match="the server's own data"):
        add(data.parent / "r.git", "paper", live_checkout=f"{data}/{place}")


def test_no_live_checkout_has_its_git_folder_in_the_products_own(data: Path) -> None:
    (data.parent / "mine").mkdir()
    (data.parent / "mine" / ".git").symlink_to(data / "git" / "7" / ".git")
    with pytest.raises(InvalidInput, match="the server's own data"):
        sites.change(jobs.site(), now=NOW, live_checkout=str(data.parent / "mine"))


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    """A folder with a site's live checkout, that site's repository, and other ways to both."""
    (tmp_path / "live" / ".git").mkdir(parents=True)
    (tmp_path / "bare.git").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "live")
    for name, target in (("borrowed", "live/.git"), ("posed", "bare.git")):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").symlink_to(tmp_path / target)
    add(tmp_path / "bare", "first", live_checkout=str(tmp_path / "live"))
    return tmp_path


@pytest.mark.parametrize("scope", ["default", "other"])
@pytest.mark.parametrize("place", ["live", "live/", "posed/../live", "link", "borrowed", "posed"])
def test_no_live_checkout_is_another_sites_whatever_its_name_and_scope(
    taken: Path, place: str, scope: str
) -> None:
    values: dict[str, Any] = {
        "name": "second",
        "remote": "/srv/fork.git",
        "scope": scope,
        "now": NOW,
    }
    with pytest.raises(InvalidInput, match="Another site has this folder") as refused:
        sites.add(**values, live_checkout=f"{taken}/{place}")
    assert refused.value.field == "live_checkout"
    assert "first" not in refused.value.message
    second = sites.add(**values)
    with pytest.raises(InvalidInput, match="Another site has this folder"):
        sites.change(second, now=NOW, live_checkout=f"{taken}/{place}")


def test_a_live_checkout_is_free_once_its_site_is_removed(taken: Path) -> None:
    first = Site.objects.get()
    sites.change(first, now=NOW, live_checkout=f"{taken}/link")
    sites.remove(first, now=NOW)
    add(taken / "fork.git", "second", live_checkout=f"{taken}/live")


def test_the_demos_repository_and_one_beside_the_data_are_taken(data: Path) -> None:
    add(data / "demo" / "magazine", live_checkout=str(data / "demo" / "magazine"))
    add(data.parent / "database.git", "paper")


HTTPS = "https://git.example.org/team/blog.git"
SAME = ("{}/r.git", "{}/r", "{}/r.git/", "{}/link", HTTPS, "git@GIT.example.org:team/blog")


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder with a repository and a link to it; two sites of one scope have that and one on a host."""
    (tmp_path / "r.git").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "r.git")
    add(tmp_path / "r.git", "first", branch="main")
    sites.add(name="hosted", remote=HTTPS, scope="default", now=NOW)
    return tmp_path


@pytest.mark.parametrize("remote", SAME)
@pytest.mark.parametrize(("branch", "field"), [({}, "remote"), ({"branch": "main"}, "branch")])
def test_no_branch_of_a_repository_is_published_to_from_two_scopes(
    shared: Path, remote: str, branch: dict[str, str], field: str
) -> None:
    values: dict[str, Any] = {"name": "mine", "remote": remote.format(shared), "now": NOW, **branch}
    with pytest.raises(InvalidInput, match="A site of another scope publishes") as refused:
        sites.add(scope="other", **values)
    assert refused.value.field == field
    assert not {"first", "hosted", "default"} & set(refused.value.message.split())
    sites.add(scope="default", **values, articles="docs/**/*.md")


def test_while_the_others_branch_is_not_known_yet_another_scope_is_told_to_wait(
    shared: Path,
) -> None:
    with pytest.raises(InvalidInput, match="is not known yet") as refused:
        sites.add(name="mine", remote=HTTPS, scope="other", now=NOW, branch="drafts")
    assert refused.value.field == "branch"
    Site.objects.filter(name="hosted").update(branch="main")
    sites.add(name="mine", remote=HTTPS, scope="other", now=NOW, branch="drafts")


def test_another_branch_is_for_another_scope_until_it_is_changed(shared: Path) -> None:
    mine = sites.add(name="mine", remote=f"{shared}/link", scope="other", now=NOW, branch="drafts")
    with pytest.raises(InvalidInput, match="A site of another scope publishes"):
        sites.change(mine, now=NOW, branch="main")
    sites.remove(Site.objects.get(name="first"), now=NOW)
    assert sites.change(mine, now=NOW, branch="main").branch == "main"


@pytest.mark.parametrize("scope", ["default", "other"])
@pytest.mark.parametrize("place", ["live", "live/.git", "link", "posed/../live"])
def test_no_remote_is_another_sites_live_checkout(taken: Path, place: str, scope: str) -> None:
    with pytest.raises(InvalidInput, match="as its live checkout") as refused:
        sites.add(name="second", remote=f"{taken}/{place}", scope=scope, now=NOW)
    assert refused.value.field == "remote"


def test_a_name_is_taken_once(tmp_path: Path) -> None:
    add(tmp_path)
    with pytest.raises(InvalidInput) as refused:
        add(tmp_path)
    assert refused.value.field == "name"


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"head": "x"}, "head"),
        ({"trailer_prefix": "A B"}, "trailer_prefix"),
        ({"trailer_prefix": "Blog:"}, "trailer_prefix"),
        ({"fonts": "public/fonts/*"}, "font_source"),
        ({"quiet_seconds": 99_999_999_999}, "quiet_seconds"),
        ({"articles": "content/\udcff/*.md"}, "articles"),
        ({"articles": "content/\x00"}, "articles"),
        ({"required_front_matter": ["title", "\udcff"]}, "required_front_matter"),
        ({"articles": "/content/**"}, "articles"),
        ({"articles": "../**"}, "articles"),
        ({"articles": "content/{a,..}/*.md"}, "articles"),
        ({"articles": "content/"}, "articles"),
        ({"assets": "./public/**"}, "assets"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(values: dict[str, Any], field: str) -> None:
    site = jobs.site()
    with pytest.raises(InvalidInput) as refused:
        sites.change(site, now=NOW, **values)
    assert refused.value.field == field


NO_BRANCHES = (
    "a..b", "-x", "HEAD", "@", "refs/heads/main", "a b", "a:b", "/a", "a/", ".a", "a.lock", "a\n", "a~1",
)  # fmt: skip


@pytest.mark.parametrize("branch", NO_BRANCHES)
def test_what_is_no_branchs_name_is_refused_by_whoever_sets_it(tmp_path: Path, branch: str) -> None:
    site = jobs.site()
    with pytest.raises(InvalidInput) as refused:
        sites.change(site, now=NOW, branch=branch)
    assert refused.value.field == "branch"
    with pytest.raises(InvalidInput) as refused:
        add(tmp_path, "paper", branch=branch)
    assert refused.value.field == "branch"
    assert [row.branch for row in Site.objects.all()] == ["main"]


@pytest.mark.parametrize("branch", ["main", "release/2.0", "ä", "a-b", "feature@home", "refs-x"])
def test_a_branchs_plain_name_is_taken(branch: str) -> None:
    assert sites.change(jobs.site(), now=NOW, branch=branch).branch == branch


LONGEST = {"branch": 250, "articles": 500, "trailer_prefix": 40, "token_file": 2000}


@pytest.mark.parametrize(("name", "most"), LONGEST.items())
def test_what_no_column_holds_is_refused_by_its_name(name: str, most: int) -> None:
    site = sites.change(jobs.site(), now=NOW, **{name: "a" * most})
    with pytest.raises(InvalidInput, match=f"at most {most} characters") as refused:
        sites.change(site, now=NOW, **{name: "b" * (most + 1)})
    assert refused.value.field == name


@pytest.mark.parametrize(
    ("name", "remote", "field"), [("a" * 101, "/r", "name"), ("a", "/" + "r" * 2000, "remote")]
)
def test_a_new_sites_name_and_address_have_their_length(name: str, remote: str, field: str) -> None:
    with pytest.raises(InvalidInput, match="at most") as refused:
        sites.add(name=name, remote=remote, scope="default", now=NOW)
    assert refused.value.field == field


def test_another_pattern_has_the_articles_listed_anew() -> None:
    site = jobs.site()
    Site.objects.update(indexed_commit="1" * 40)
    site.refresh_from_db()
    sites.change(site, now=NOW, quiet_seconds=3)
    assert Site.objects.get().indexed_commit == "1" * 40
    sites.change(site, now=NOW, articles="posts/**/*.md")
    assert Site.objects.get().indexed_commit == ""


def test_a_change_is_kept_and_fetched_again() -> None:
    site = sites.change(jobs.site(), now=NOW, articles="posts/**/*.md")
    assert Site.objects.get().articles == "posts/**/*.md"
    assert Outbox.objects.filter(pk=f"site_fetch:{site.pk}", done_at=None).exists()


def test_a_prefix_stays_once_a_commit_may_carry_it() -> None:
    site = sites.change(jobs.site(), now=NOW, trailer_prefix="News")
    jobs.with_intent(jobs.waiting(at=jobs.site("paper")))
    sites.change(site, now=NOW, trailer_prefix="Press")
    jobs.with_intent(jobs.waiting())
    with pytest.raises(InvalidInput, match="known by the prefix Press") as refused:
        sites.change(Site.objects.get(pk=site.pk), now=NOW, trailer_prefix="Blog")
    assert refused.value.field == "trailer_prefix"
    sites.change(Site.objects.get(pk=site.pk), now=NOW, trailer_prefix="Press", quiet_seconds=7)
    kept = Site.objects.get(pk=site.pk)
    assert (kept.trailer_prefix, kept.quiet_seconds) == ("Press", 7)


def test_asking_again_wakes_the_same_message() -> None:
    site = jobs.site()
    sites.request(site, "site_check", now=NOW)
    Outbox.objects.update(done_at=NOW, tries=3)
    sites.request(site, "site_check", now=NOW)
    message = Outbox.objects.get()
    assert (message.done_at, message.tries) == (None, 0)


def test_a_lane_is_paused_once_and_goes_on() -> None:
    site = jobs.site()
    for _ in range(2):
        sites.pause(site)
    assert Site.objects.get().paused_lanes == ["publish"]
    sites.resume(site, who=OMAR, now=NOW)
    assert Site.objects.get().paused_lanes == []


def test_lanes_that_were_paused_meanwhile_stay_paused() -> None:
    """Each of these acts is for its own lane, however long ago its copy of the site was read."""
    jobs.site()
    older, old, new = Site.objects.get(), Site.objects.get(), Site.objects.get()
    sites.pause(new, lane="report")
    sites.pause(old)
    assert Site.objects.get().paused_lanes == ["report", "publish"]
    sites.resume(older, who=OMAR, now=NOW)
    assert Site.objects.get().paused_lanes == older.paused_lanes == ["report"]


def test_a_stop_that_nobody_has_seen_is_not_resumed() -> None:
    jobs.site()
    seen = Site.objects.get()
    why = "The remote holds another repository."
    Site.objects.update(stop_reason=why, paused_lanes=["publish"], root_commit="a" * 40)
    with pytest.raises(WrongState, match="holds another repository") as refused:
        sites.resume(seen, who=OMAR, now=NOW)
    assert refused.value.message.endswith("If that is right, resume it again.")
    kept = Site.objects.get()
    assert (kept.stop_reason, kept.paused_lanes, kept.root_commit) == (why, ["publish"], "a" * 40)
    sites.resume(kept, who=OMAR, now=NOW)
    assert Site.objects.get().stop_reason == Site.objects.get().root_commit == ""


def test_a_removed_site_is_gone_and_its_name_free(tmp_path: Path) -> None:
    site = jobs.site()
    job = jobs.received()
    with pytest.raises(WrongState) as refused:
        sites.remove(site, now=NOW)
    assert refused.value.message.startswith("Jobs of this site are still open: 1. Let them finish")
    acts.cancel(job, who=OMAR, now=NOW)
    sites.remove(site, now=NOW)
    with pytest.raises(NotFound):
        selectors.site("blog", scopes=None)
    assert jobs.reloaded(job).site_id == site.pk
    assert add(tmp_path).pk != site.pk


def test_no_job_begins_at_a_site_that_was_discarded_meanwhile() -> None:
    seen = jobs.site()
    sites.discard(Site.objects.get())
    with pytest.raises(WrongState, match="The site was removed"):
        jobs.received(at=seen)


def test_a_removed_site_of_the_longest_name_keeps_one_that_its_column_holds() -> None:
    site = jobs.site("n" * 100)
    sites.remove(site, now=NOW)
    name = Site.objects.get(pk=site.pk).name
    assert len(name) == 100
    assert name.endswith(f"n-removed-{site.pk}")


def test_a_failed_clone_is_tried_again() -> None:
    site = jobs.site()
    Site.objects.update(clone_state="failed", last_error="gone")
    sites.retry_clone(site, now=NOW)
    assert (Site.objects.get().clone_state, Site.objects.get().last_error) == ("pending", "")
