"""The whole journey with real processes: by browser, by HTTP alone and by console alone.

Submit, review, approve, PUBLISHED; and what the remote then holds is what was approved, byte for byte.
"""

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crash import ARTICLE, ROOT, Installation
from tests.support.git import make_remote
from tests.support.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("journey")
PASSWORD = "a long enough password 7"
TEXT = "---\ntitle: 茶 and coffee\n---\n\n## Both\n\nTea at four, coffee at ten. 🙂\n"


@dataclass(frozen=True, slots=True)
class Product:
    """A running installation: web server and supervised workers."""

    here: Installation
    address: str

    def published(self, path: str) -> bytes:
        """What the remote's branch holds at a path."""
        shown = subprocess.run(
            ["git", "-C", str(self.here.remote), "show", f"main:{path}"],
            check=True,
            capture_output=True,
        )
        return shown.stdout

    def call(self, token: str, path: str, body: Any = None, **headers: str) -> Any:
        """One HTTP call; the answer's JSON, or the problem's."""
        request = urllib.request.Request(
            f"{self.address}/api/v1{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers,
            },
        )  # fmt: skip
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as problem:
            return json.load(problem)


def _start(here: Installation, *arguments: str) -> "subprocess.Popen[bytes]":
    with (here.home / f"{arguments[0]}.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            cwd=ROOT, env=here.environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="module")
def product(
    tmp_path_factory: pytest.TempPathFactory, new_database: Callable[[], str]
) -> Iterator[Product]:
    """Everything that ``run`` starts, on a site of its own."""
    here = Installation(tmp_path_factory.mktemp("journey"), new_database())
    here.remote.parent.mkdir(parents=True)
    make_remote(here.remote, {"content/posts/hello.md": ARTICLE})
    here.migrate()
    for name, role in (("ada", "submitter"), ("rui", "reviewer")):
        here.command("user", "add", name, "--role", role)
        here.command("user", "password", name, "--stdin", stdin=PASSWORD + "\n")
    here.command("site", "add", "blog", "--remote", str(here.remote))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"http://127.0.0.1:{port}"
    processes = [_start(here, "serve", "--port", port), _start(here, "worker")]
    try:
        until(lambda: _answers(address), seconds=30, what="the web server")
        yield Product(here, address)
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(40)


def _login(browser: "Browser", product: Product, name: str) -> "Page":
    page = browser.new_context().new_page()
    page.goto(f"{product.address}/login/")
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", PASSWORD)
    page.click("form button[type=submit]")
    page.wait_for_url(f"{product.address}/")
    return page


def test_by_browser(browser: "Browser", product: Product) -> None:
    path = "content/posts/tea.md"
    ada = _login(browser, product, "ada")
    ada.goto(f"{product.address}/submit/")
    ada.check("input[name=mode][value=content]")
    ada.select_option("select[name=site]", "blog")
    ada.fill("textarea[name=text]", TEXT)
    ada.fill("input[name=target_path]", path)
    ada.click("form.form button[type=submit]")
    ada.wait_for_url("**/jobs/*/")
    job = ada.url.rstrip("/").rpartition("/")[2]
    until(
        lambda: product.here.facts(job)["state"] == "WAITING_APPROVAL",
        seconds=30, what="the request for approval",
    )  # fmt: skip
    rui = _login(browser, product, "rui")
    rui.click("main a[href^='/approvals/']:not([href='/approvals/'])")
    rui.wait_for_url("**/approvals/*/")
    assert "Tea at four, coffee at ten." in rui.inner_text("main")
    rui.goto(rui.url.partition("?")[0] + "?tab=raw")
    shown = [line.text_content() or "" for line in rui.locator(".diff__text").all()]
    rui.click("button:has-text('Approve exactly this')")
    until(lambda: product.here.facts(job)["state"] == "PUBLISHED", seconds=30, what="publication")
    published = product.published(path)
    assert published == TEXT.encode()
    assert "\n".join(shown) + "\n" == published.decode()
    assert len(product.here.commits_of(job)) == 1


def test_by_http_alone(product: Product) -> None:
    path = "content/posts/by-http.md"
    tokens = {
        name: product.here.command("token", "create", "--user", name, "--allow", allow).split()[-1]
        for name, allow in (("ada", "submit,read"), ("rui", "read,decide"))
    }
    body = {"site": "blog", "content": TEXT, "target_path": path, "action": "create"}
    made = product.call(tokens["ada"], "/jobs", body, **{"Idempotency-Key": "journey"})
    again = product.call(tokens["ada"], "/jobs", body, **{"Idempotency-Key": "journey"})
    assert again["job_id"] == made["job_id"]
    job = made["job_id"]

    def state() -> str:
        return str(product.call(tokens["ada"], f"/jobs/{job}")["state"])

    until(lambda: state() == "WAITING_APPROVAL", seconds=30, what="the request for approval")
    asked = product.call(tokens["rui"], f"/jobs/{job}/approval")
    decision = {
        "decision": "approve", "reviewed_hash": asked["binding_hash"], "request_id": "journey",
    }  # fmt: skip
    where = f"/approvals/{asked['approval_id']}/decision"
    assert product.call(tokens["ada"], where, decision)["code"] == "not_allowed"
    product.call(tokens["rui"], where, decision)
    until(lambda: state() == "PUBLISHED", seconds=30, what="publication")
    assert product.published(path) == TEXT.encode()


def test_by_console_alone(product: Product, tmp_path: Path) -> None:
    path = "content/posts/by-console.md"
    draft = tmp_path / "draft.md"
    draft.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    here = product.here
    made = here.command(
        "submit", "--site", "blog", "--content", str(draft), "--target-path", path,
        "--as", "ada", "--json",
    )  # fmt: skip
    job = json.loads(made)["job_id"]
    until(lambda: here.facts(job)["state"] == "WAITING_APPROVAL", seconds=30, what="the request")
    here.approve(job)
    until(lambda: here.facts(job)["state"] == "PUBLISHED", seconds=30, what="publication")
    assert product.published(path) == draft.read_bytes()
    here.command("evaluate", job)
    here.command("verify", "--deep")
