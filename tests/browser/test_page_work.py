"""Work in a real browser: deciding with and without JavaScript, live parts, kept texts, keys."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.page_server import Served

# One worker starts the server and the browser for all of these.
pytestmark = pytest.mark.xdist_group("browser")

Enter = Callable[..., Any]


def test_without_javascript_a_reviewer_finds_reads_and_approves(
    enter: Enter, served: Served
) -> None:
    visit = enter("mei", java_script_enabled=False)
    page = visit.open("/")
    page.click("text=To decide")
    assert "Six people" in page.inner_text("main")
    page.click("a:has-text('Raw')")
    assert "import Note" in page.inner_text("main")
    page.click("button:has-text('Approve exactly this')")
    assert "Approved. It leaves by itself within a minute." in page.inner_text("main")
    page.click("text=The job's page >> nth=0")
    assert "mei approved it." in page.inner_text("main")


def test_without_javascript_a_text_is_submitted(enter: Enter, served: Served) -> None:
    page = enter("ada", java_script_enabled=False).open("/submit/")
    page.check("[value=content]")
    page.fill("[name=text]", "---\ntitle: By hand\n---\n\nWritten without a script.\n")
    page.fill("[name=target_path]", "../outside.md")
    page.select_option("[name=site]", "blog")
    page.click("main button[type=submit]")
    assert "Not sent yet" in page.inner_text("main")
    assert "Written without a script." in page.input_value("[name=text]")
    page.fill("[name=target_path]", "content/posts/by-hand.md")
    page.click("main button[type=submit]")
    assert "Received and stored safely." in page.inner_text("main")


def test_without_javascript_an_article_is_submitted_with_its_pictures(
    enter: Enter, served: Served
) -> None:
    page = enter("ada", java_script_enabled=False).open("/submit/")
    page.check("[value=content]")
    page.fill("[name=text]", "---\ntitle: Lamps\n---\n\n![A lamp](/lamps/a.png)\n")
    page.fill("[name=target_path]", "content/posts/lamps.md")
    page.select_option("[name=site]", "blog")
    page.click("summary:has-text('Images and other files')")
    pictures = [
        {"name": name, "mimeType": "image/png", "buffer": b"\x89PNG" + name.encode()}
        for name in ("a.png", "b.png")
    ]
    page.set_input_files("[name=files_0]", pictures)
    page.fill("[name=place_0]", "elsewhere/")
    page.click("main button[type=submit]")
    assert "Choose your files again" in page.inner_text("main")
    page.set_input_files("[name=files_0]", pictures)
    page.fill("[name=place_0]", "public/lamps/")
    page.click("main button[type=submit]")
    assert "Received and stored safely." in page.inner_text("main")


def test_a_rejection_asks_once_more_and_carries_the_comment(enter: Enter, served: Served) -> None:
    visit = enter("rui")
    page = visit.open(f"/approvals/{served.ids['reject_approval']}/")
    page.keyboard.press("c")
    page.keyboard.type("Not for us.")
    page.click("summary:has-text('Reject…')")
    page.click("button:has-text('Reject for good')")
    assert "Rejected. This is final for this job." in page.inner_text("main")
    page.click("summary:has-text('What happened so far')")
    assert "Not for us." in page.inner_text("main")
    assert visit.breaches == []


def test_a_comment_survives_a_lost_session(enter: Enter, served: Served) -> None:
    visit = enter("rui")
    path = f"/approvals/{served.ids['stale_approval']}/"
    page = visit.open(path)
    page.keyboard.press("c")
    page.keyboard.type("An hour of thought.")
    page.context.clear_cookies(name="sessionid")
    page.click("button:has-text('Request changes')")
    assert "Your login ended while you were writing." in page.inner_text("main")
    page.fill("[name=username]", "rui")
    page.fill("[name=password]", "a password for tests only")
    page.click("button[type=submit]")
    assert "An hour of thought." in page.input_value("main textarea")
    page.goto(f"{served.address}{path}")
    assert page.input_value("#comment") == "An hour of thought."


def test_a_text_comes_back_until_it_was_taken_and_to_nobody_else(
    enter: Enter, served: Served
) -> None:
    page = enter("ada").open("/submit/")
    page.check("[value=content]")
    page.fill("[name=target_path]", "content/posts/typed-for-an-article.md")
    page.check("[value=source]")
    page.select_option("[name=site]", "blog")
    page.locator("[name=text]").press_sequentially("The ferry runs again.")
    page.goto(f"{served.address}/submit/")
    assert page.input_value("[name=text]") == "The ferry runs again."
    page.context.clear_cookies(name="sessionid")
    page.goto(f"{served.address}/login/?next=/submit/")
    page.fill("[name=username]", "omar")
    page.fill("[name=password]", "a password for tests only")
    page.click("button[type=submit]")
    assert page.input_value("[name=text]") == ""
    page.check("[value=content]")
    page.fill("[name=target_path]", "content/posts/typed-for-an-article.md")
    page.check("[value=source]")
    page.select_option("[name=site]", "blog")
    page.locator("[name=text]").press_sequentially("The market opens at seven.")
    page.click("main button[type=submit]")
    assert "Received and stored safely." in page.inner_text("main")
    assert "typed-for-an-article" not in page.inner_text("main")
    page.goto(f"{served.address}/submit/")
    assert page.input_value("[name=text]") == ""


def test_without_javascript_a_text_survives_a_lost_session(enter: Enter, served: Served) -> None:
    page = enter("ada", java_script_enabled=False).open("/submit/")
    page.check("[value=content]")
    page.fill("[name=text]", "---\ntitle: Kept\n---\n\nWritten for an hour, sent too late.\n")
    page.fill("[name=target_path]", "content/posts/kept.md")
    page.select_option("[name=site]", "blog")
    page.context.clear_cookies(name="sessionid")
    page.click("main button[type=submit]")
    page.fill("[name=username]", "ada")
    page.fill("[name=password]", "a password for tests only")
    page.click("main button[type=submit]")
    assert "Written for an hour, sent too late." in page.input_value("main textarea >> nth=0")
    page.click("button:has-text('Send it now')")
    assert "Received and stored safely." in page.inner_text("main")


def test_the_job_page_moves_by_itself_and_leaves_the_focus_alone(
    enter: Enter, served: Served
) -> None:
    page = enter("omar").open(f"/jobs/{served.ids['preparing']}/")
    assert "Preparing" in page.inner_text(".job__now")
    page.click("summary:has-text('Cancel the job')")
    page.focus("#reason-cancel")
    page.keyboard.type("half a sen")
    other = enter("ada").open(f"/jobs/{served.ids['preparing']}/")
    other.click("summary:has-text('Cancel the job')")
    other.click("button:has-text('Cancel the job')")
    page.wait_for_selector(".job__now .state:has-text('Cancelled')", timeout=15_000)
    assert page.evaluate("document.activeElement.id") == "reason-cancel"
    assert page.input_value("#reason-cancel") == "half a sen"


def test_the_inbox_moves_by_itself_and_leaves_the_focus_alone(enter: Enter, served: Served) -> None:
    approval = f"/approvals/{served.ids['return_approval']}/"
    visit = enter("mei")
    page, link = visit.open("/"), "#waiting a:has-text('To return')"
    other = page.locator("#waiting a", has_not_text="To return").last
    other.focus()
    focused = page.evaluate("document.activeElement.id")
    before = int(page.inner_text(".nav .nav__count").split()[0])
    deciding = enter("rui").open(approval)
    deciding.click("button:has-text('Approve exactly this')")
    page.wait_for_selector(link, state="detached", timeout=15_000)
    assert page.title().startswith(f"({before - 1}) ")
    deciding.click("button:has-text('Take the approval back')")
    page.wait_for_selector(link, timeout=15_000)
    assert f"{before} things wait for you." in page.inner_text("#inbox-lead")
    assert page.inner_text(".nav .nav__count").split()[0] == str(before)
    assert page.evaluate("document.activeElement.id") == focused != ""
    assert visit.breaches == []


def test_a_sites_page_moves_by_itself_and_leaves_the_focus_alone(
    enter: Enter, served: Served
) -> None:
    visit = enter("omar")
    page = visit.open("/sites/blog/")
    page.click("text=Name a live checkout…")
    page.focus("[name=quiet_seconds]")
    other = enter("omar").open("/sites/blog/")
    other.click("button:has-text('Pause')")
    page.wait_for_selector(".state:has-text('Paused')", timeout=15_000)
    assert page.is_visible("text=The state changed: show what you can do now")
    assert page.evaluate("document.activeElement.name") == "quiet_seconds"
    other.click("button:has-text('Resume')")
    page.wait_for_selector("text=The state changed", state="detached", timeout=15_000)
    assert visit.breaches == []


def test_keys_choose_tabs_and_none_decides(enter: Enter, served: Served) -> None:
    page = enter("rui").open(f"/approvals/{served.ids['update_approval']}/")
    page.keyboard.press("2")
    page.wait_for_url("**tab=diff")
    for key in ("a", "r", "x", "y"):
        page.keyboard.press(key)
    page.reload()
    assert "Approve exactly this" in page.inner_text(".bar")


def test_a_conflict_shows_a_text_area_only_for_who_writes(enter: Enter, served: Served) -> None:
    page = enter("rui").open(f"/conflicts/{served.ids['conflict_page']}/")
    assert not page.is_visible("#text-0")
    page.check("[value=content]")
    assert page.is_visible("#text-0")
    assert "Anyone with a card" in page.input_value("#text-0")


def test_chinese_is_chosen_on_the_own_page(enter: Enter, served: Served) -> None:
    visit = enter("zoe")
    page = visit.open("/me/")
    page.select_option("[name=language]", "zh-hans")
    page.click("button:has-text('Set the language')")
    assert page.evaluate("document.documentElement.lang") == "zh-hans"
    assert "语言" in page.inner_text("main")
    assert visit.breaches == []


def test_too_many_wrong_passwords_close_the_login_in_words(enter: Enter, served: Served) -> None:
    page = enter().page
    for _try in range(6):
        page.goto(f"{served.address}/login/")
        if not page.is_visible("[name=password]"):
            break
        page.fill("[name=username]", "nobody-here")
        page.fill("[name=password]", "wrong")
        page.click("button[type=submit]")
    assert "closed for 15 minutes" in page.inner_text("body")


@pytest.mark.parametrize("name", ["tokens.css", "base.css"])
def test_static_files_carry_their_hash(enter: Enter, served: Served, name: str) -> None:
    page = enter().open("/login/")
    stem = name.removesuffix(".css")
    assert page.locator(f'link[href*="/css/{stem}."]').count() == 1
    href = page.get_attribute(f'link[href*="/css/{stem}."]', "href")
    assert href != f"/static/css/{name}"
