"""Fixtures of the browser's ring: a served site, and people at a page that tells of every breach."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import people
from tests.support.page_server import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LISTEN = """document.addEventListener("securitypolicyviolation", (event) =>
  console.log("CSP " + event.violatedDirective + " " + event.blockedURI + " " + event.sample))"""


@pytest.fixture(scope="session")
def served(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[Served]:
    """The pages on rows of every situation."""
    folder = tmp_path_factory.mktemp("pages") / "data"
    with serving(folder, new_database()) as found:
        yield found


class Visit:
    """Somebody at a page; ``breaches`` are dialogs, policy violations and requests to elsewhere.

    ``errors`` is what the console calls one: also that a page was refused, which some tests want.
    """

    def __init__(self, page: "Page", address: str) -> None:
        self.page = page
        self.address = address
        self.breaches: list[str] = []
        self.errors: list[str] = []
        self.status = 0
        page.add_init_script(LISTEN)
        page.on("console", self._console)
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.breaches.append(f"error {error}"))
        page.on("request", self._request)

    def _console(self, message: Any) -> None:
        if message.text.startswith("CSP ") or "Content Security Policy" in message.text:
            self.breaches.append(message.text)
        if message.type == "error":
            self.errors.append(f"{message.text} {message.location['url']}")

    def _dialog(self, dialog: Any) -> None:
        self.breaches.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:")):
            self.breaches.append(f"request {request.url}")

    def open(self, path: str) -> "Page":
        """Go there."""
        answer = self.page.goto(f"{self.address}{path}")
        self.status = answer.status if answer else 0
        return self.page


Enter = Callable[..., Any]


@pytest.fixture(scope="session")
def logins() -> dict[str, Any]:
    """By person, the cookies of a login that was made; nobody in these tests logs out."""
    return {}


@pytest.fixture
def enter(browser: "Browser", served: Served, logins: dict[str, Any]) -> Iterator[Enter]:
    """Somebody who is logged in; options are the browser context's (viewport, locale, …)."""
    contexts = []

    def entered(name: str = "", **options: Any) -> Visit:
        context = browser.new_context(**options)
        contexts.append(context)
        visit = Visit(context.new_page(), served.address)
        if name in logins:
            context.add_cookies(logins[name])
        elif name:
            page = visit.open("/login/")
            page.fill("[name=username]", name)
            page.fill("[name=password]", people.PASSWORD)
            page.click("button[type=submit]")
            page.wait_for_url(f"{served.address}/")
            logins[name] = [each for each in context.cookies() if each["name"] == "sessionid"]
        return visit

    yield entered
    for context in contexts:
        context.close()
