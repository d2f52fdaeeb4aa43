"""How pages look: measures, contrast, both widths, both themes, and what axe finds."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.support.page_server import Served

# One worker starts the server and the browser for all of these.
pytestmark = pytest.mark.xdist_group("browser")

Enter = Callable[..., Any]
AXE = Path(__file__).resolve().parents[1] / "support/vendor/axe-core/axe.min.js"
PHONE = {"width": 375, "height": 740}
DESK = {"width": 1280, "height": 900}
ENGLISH = (
    "On Thursdays the kitchen behind the church smells of onions from nine in the morning. Six "
    "people peel, two stir, and one keeps the list of who is coming; by noon there is soup for "
    "forty. Whoever arrives early is handed a knife, and whoever arrives late is handed a towel. "
    "The recipe has been written down three times, and each time somebody has changed it: less "
    "salt, more celery, a handful of barley when the evenings grow cold. Mrs. Albright remembers "
    "the winter of 1987, when the pipes froze and the water had to be carried up from the river "
    "in milk churns. Nothing of that kind has happened since, although the boiler complains "
    "every November, and the treasurer complains about the boiler. What is left over is never "
    "thrown away. It goes into jars, and the jars go home with those who live alone."
)
CHINESE = "志愿者们不收钱，只请大家坐下来一起看、一起学。修好一盏灯，往往只需要十分钟。"
CLOSED = ("rejected", "withdrawn", "superseded", "expired", "later")


def pages_of(ids: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("omar", "/jobs/"),
        ("omar", f"/jobs/{ids['failed']}/"),
        ("omar", f"/jobs/{ids['waiting']}/?all"),
        ("omar", f"/jobs/{ids['review']}/review/"),
        ("omar", f"/conflicts/{ids['conflict_page']}/"),
        ("omar", "/conflicts/"),
        ("omar", "/effects/"),
        ("omar", "/sites/"),
        ("omar", "/sites/blog/"),
        ("omar", "/connect/"),
        ("omar", "/people/"),
        ("omar", "/policies/"),
        ("omar", "/health/"),
        ("omar", "/submit/"),
        ("omar", "/me/"),
        ("omar", "/nowhere/"),
        ("rui", "/"),
        ("rui", f"/approvals/{ids['waiting_approval']}/"),
        ("rui", f"/approvals/{ids['update_approval']}/?tab=diff"),
        ("rui", f"/approvals/{ids['update_approval']}/?tab=raw"),
        ("rui", f"/approvals/{ids['published_approval']}/"),
        *(("rui", f"/approvals/{ids[f'{name}_approval']}/") for name in CLOSED),
        ("ivy", "/audit/"),
        ("zoe", "/"),
    ]


def serious(page: Any) -> list[str]:
    page.evaluate(AXE.read_text())
    violations = page.evaluate("axe.run().then((result) => result.violations)")
    return [
        f"{found['id']}: {found['nodes'][0]['html'][:120]}"
        for found in violations
        if found["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_no_page_has_a_serious_finding_of_axe_nor_scrolls_sideways(
    enter: Enter, served: Served, size: dict[str, int], theme: str
) -> None:
    visits: dict[str, Any] = {}
    for who, path in pages_of(served.ids):
        if who not in visits:
            visits[who] = enter(who, viewport=size, color_scheme=theme)
        visit = visits[who]
        page = visit.open(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= size["width"], (who, path)
        assert visit.breaches == [], (who, path)
        if (size is DESK) == (
            theme == "light"
        ):  # axe takes most of the time; both widths, both themes
            assert serious(page) == [], (who, path)
        visit.breaches.clear()  # axe itself tries inline styles, which the policy stops


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_without_javascript_no_page_scrolls_sideways_on_a_phone(
    enter: Enter, served: Served, language: str
) -> None:
    visits: dict[str, Any] = {}
    options = {"viewport": PHONE, "java_script_enabled": False, "locale": language}
    for who, path in pages_of(served.ids):
        if who not in visits:
            visits[who] = enter(who, **options)
        page = visits[who].open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], (who, path)


CLIPPED = """() => [...document.querySelectorAll(".table-frame")]
  .filter((frame) => frame.scrollWidth > frame.clientWidth)
  .map((frame) => frame.innerText.slice(0, 80))"""


def test_no_table_is_clipped_on_a_phone(enter: Enter, served: Served) -> None:
    visits: dict[str, Any] = {}
    for who, path in pages_of(served.ids):
        if who not in visits:
            visits[who] = enter(who, viewport=PHONE)
        assert visits[who].open(path).evaluate(CLIPPED) == [], (who, path)


def test_the_login_is_accessible_too(enter: Enter) -> None:
    assert serious(enter().open("/login/")) == []


LINES = """(paragraph) => {
  const text = paragraph.firstChild, range = document.createRange(), lines = [];
  let top = null;
  for (let at = 0; at < text.length; at += 1) {
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    const box = range.getClientRects()[0];
    if (!box || box.width === 0) continue;
    if (top === null || box.top > top + 4) {
      lines.push(0);
      top = box.top;
    }
    lines[lines.length - 1] += 1;
  }
  return lines;
}"""
"""How many characters each line of a paragraph holds, as the browser has broken it."""


def lines_of(page: Any, selector: str, text: str) -> list[int]:
    """The lines that this text takes in the place of the one that is there; the last is left out."""
    paragraph = page.locator(selector).first
    paragraph.evaluate("(found, text) => { found.textContent = text; }", text)
    return list(paragraph.evaluate(LINES))[:-1]


@pytest.mark.parametrize(
    ("path", "selector"),
    [("/approvals/{waiting_approval}/", ".prose > p"), ("/policies/", ".measure")],
    ids=["prose", "pages"],
)
@pytest.mark.parametrize("width", [1100, 1280, 1920])
def test_lines_of_english_hold_65_to_75_characters(
    enter: Enter, served: Served, path: str, selector: str, width: int
) -> None:
    visit = enter("rui", viewport={"width": width, "height": 900})
    page = visit.open(path.format(**served.ids))
    lines = lines_of(page, selector, ENGLISH)
    assert len(lines) > 8
    assert max(lines) <= 75, lines
    assert median(lines) >= 65, lines


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_lines_of_chinese_fit_and_hold_no_more_than_40_characters(
    enter: Enter, served: Served, size: dict[str, int]
) -> None:
    page = enter("rui", viewport=size).open(f"/approvals/{served.ids['chinese_approval']}/")
    lines = lines_of(page, ".prose > p", CHINESE * 6)
    assert max(lines) <= 40
    assert min(lines) >= (25 if size is DESK else 15)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_there_is_room_between_lines(enter: Enter, served: Served) -> None:
    page = enter("rui", viewport=DESK).open(f"/approvals/{served.ids['waiting_approval']}/")
    for selector in (".prose > p", "body"):
        room = page.eval_on_selector(
            selector,
            "(found) => parseFloat(getComputedStyle(found).lineHeight) /"
            " parseFloat(getComputedStyle(found).fontSize)",
        )
        assert room >= 1.5, selector


def test_targets_are_44_pixels_on_a_phone(enter: Enter, served: Served) -> None:
    visit = enter("rui", viewport=PHONE)
    for path in ("/", f"/approvals/{served.ids['waiting_approval']}/", "/jobs/"):
        small = visit.open(path).evaluate("""() =>
          [...document.querySelectorAll(".button, .nav__link, .tabs__tab, input, select, summary")]
            .filter((found) => found.offsetParent !== null && found.type !== "hidden")
            .filter((found) => found.getBoundingClientRect().height < 43.5)
            .map((found) => found.outerHTML.slice(0, 100))""")
        assert small == [], path


def test_the_last_line_of_content_stays_clear_of_the_bar(enter: Enter, served: Served) -> None:
    page = enter("rui", viewport=PHONE).open(f"/approvals/{served.ids['waiting_approval']}/")
    gap = page.evaluate("""() => {
      window.scrollTo(0, document.body.scrollHeight);
      const last = document.querySelector("main").lastElementChild.getBoundingClientRect();
      return document.querySelector(".bar").getBoundingClientRect().top - last.bottom;
    }""")
    assert gap >= 0


def test_dark_changes_colours_alone(enter: Enter, served: Served) -> None:
    path = f"/approvals/{served.ids['waiting_approval']}/"
    measure = """() => [...document.querySelectorAll("main *")].map((found) => {
      const box = found.getBoundingClientRect();
      return [Math.round(box.x), Math.round(box.width), Math.round(box.height)].join();
    })"""
    seen = {}
    for theme in ("light", "dark"):
        page = enter("rui", viewport=DESK, color_scheme=theme).open(path)
        seen[theme] = (
            page.evaluate(measure),
            page.evaluate("getComputedStyle(document.body).backgroundColor"),
        )
    assert seen["light"][0] == seen["dark"][0]
    assert seen["light"][1] != seen["dark"][1]


def test_the_keyboard_reaches_the_content_by_the_skip_link_and_sees_the_focus(
    enter: Enter, served: Served
) -> None:
    page = enter("rui", viewport=DESK).open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_at_double_size_nothing_is_cut_off(enter: Enter, served: Served) -> None:
    visit = enter("rui", viewport={"width": 640, "height": 450}, device_scale_factor=2)
    for path in ("/", f"/approvals/{served.ids['update_approval']}/?tab=diff"):
        page = visit.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 640, path


def boxes(page: Any, *selectors: str) -> list[dict[str, float]]:
    """Where these are on the page; each is there once or more, and the first counts."""
    return [page.locator(selector).first.bounding_box() for selector in selectors]


@pytest.mark.parametrize("tab", ["rendered", "diff", "raw"])
def test_from_1100_pixels_the_text_has_8_of_12_columns_and_the_rail_4(
    enter: Enter, served: Served, tab: str
) -> None:
    path = f"/approvals/{served.ids['update_approval']}/?tab={tab}"
    page = enter("rui", viewport={"width": 1100, "height": 900}).open(path)
    text, rail = boxes(page, ".columns > :first-child", ".columns__rail")
    assert abs(text["width"] / rail["width"] - 2) < 0.01
    assert text["x"] + text["width"] < rail["x"]
    assert text["y"] == rail["y"]


def test_below_1100_pixels_the_rail_comes_after_the_text(enter: Enter, served: Served) -> None:
    path = f"/approvals/{served.ids['update_approval']}/"
    page = enter("rui", viewport={"width": 1099, "height": 900}).open(path)
    text, rail = boxes(page, ".columns > :first-child", ".columns__rail")
    assert text["width"] == rail["width"]
    assert text["y"] + text["height"] <= rail["y"]


BOTH = """() => [...document.querySelectorAll(".diff--side tr[data-change]")].map((row) =>
  [...row.querySelectorAll(".diff__text")].map((cell) => cell.getBoundingClientRect()))
    .filter((cells) => cells.length === 2)
    .map(([left, right]) => left.right <= right.left + 1 && left.top === right.top)"""
ONE = """() => [...document.querySelectorAll(".diff--side tr[data-change]")].map((row) =>
  [...row.querySelectorAll(".diff__text")].map((cell) => cell.getBoundingClientRect()))
    .filter((cells) => cells.length === 2)
    .map(([left, right]) => left.left === right.left && left.bottom <= right.top + 1)"""


def test_from_900_pixels_a_change_can_be_read_side_by_side(enter: Enter, served: Served) -> None:
    path = f"/approvals/{served.ids['update_approval']}/?tab=diff"
    page = enter("rui", viewport={"width": 900, "height": 900}).open(path)
    page.click("text=Side by side")
    found = page.evaluate(BOTH)
    assert found
    assert all(found)


@pytest.mark.parametrize("width", [899, 375])
def test_below_900_pixels_side_by_side_is_off(enter: Enter, served: Served, width: int) -> None:
    path = f"/approvals/{served.ids['update_approval']}/?tab=diff"
    page = enter("rui", viewport={"width": width, "height": 900}).open(path)
    assert not page.is_visible("text=Side by side")
    page = enter("rui", viewport={"width": width, "height": 900}).open(f"{path}&side=1")
    assert not page.is_visible("text=One column")
    found = page.evaluate(ONE)
    assert found
    assert all(found)
    same = ".diff--side tr:not([data-change]):not(.diff__note)"
    doubled = page.locator(f"{same} .diff__text:visible").count()
    assert doubled == page.locator(f"{same}:visible").count()


FOLDS = "main .columns__rail > .panel--folds"
OTHERS = ("Comment", "Reject…", "Request changes")


def test_on_a_phone_the_rail_is_folded_and_the_bar_has_two_buttons(
    enter: Enter, served: Served
) -> None:
    path = f"/approvals/{served.ids['waiting_approval']}/"
    page = enter("rui", viewport=PHONE).open(path)
    assert page.locator(f"{FOLDS}[data-narrow]").count() >= 2
    assert page.locator(f"{FOLDS}[data-narrow][open]").count() == 0
    bar = page.locator(".bar")
    assert [bar.get_by_text(name, exact=True).first.is_visible() for name in OTHERS] == [False] * 3
    bar.get_by_text("Other…").click()
    for name in OTHERS:
        act = bar.get_by_text(name, exact=True).first
        assert act.is_visible()
        assert act.bounding_box()["height"] >= 44


def test_turning_a_phone_folds_nothing_over_a_comment(enter: Enter, served: Served) -> None:
    turned = {"width": 844, "height": 390}
    page = enter("rui", viewport=turned).open(f"/approvals/{served.ids['waiting_approval']}/")
    page.locator(".bar").get_by_text("Comment", exact=True).first.click()
    page.locator("#comment").fill("Half a sen")
    page.set_viewport_size(PHONE)
    page.locator(f"{FOLDS}[data-narrow]:not([open])").first.wait_for()
    assert page.locator("#comment").is_visible()


@pytest.mark.parametrize(
    "how", [{"viewport": DESK}, {"viewport": PHONE, "java_script_enabled": False}]
)
def test_at_a_desk_or_without_a_script_nothing_of_it_is_folded(
    enter: Enter, served: Served, how: dict[str, Any]
) -> None:
    page = enter("rui", **how).open(f"/approvals/{served.ids['waiting_approval']}/")
    assert page.locator(FOLDS).count() == page.locator(f"{FOLDS}[open]").count() == 3
    bar = page.locator(".bar")
    assert all(bar.get_by_text(name, exact=True).first.is_visible() for name in OTHERS)
