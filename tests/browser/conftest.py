"""A real browser on the site of all releases, served on 127.0.0.1.

    TRANSLATE_PYODIDE=package python -m pytest tests/browser

where `package` is the unpacked npm package pyodide. Needs Playwright's Python package and a Chromium
(TRANSLATE_CHROMIUM, or the system's).
"""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
LOADING = 120_000  # milliseconds until Python is loaded, on a slow machine


@pytest.fixture(scope="session")
def pyodide() -> str:
    folder = os.environ.get("TRANSLATE_PYODIDE")
    if not folder:
        pytest.skip("TRANSLATE_PYODIDE names no folder with the npm package pyodide")
    return str(Path(folder).absolute())


@pytest.fixture(scope="session")
def site(pyodide: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    program = Path(sys.executable).with_name("translate")  # as installed
    made = [program, "tables", "site", "--output", folder, "--pyodide", pyodide]
    subprocess.run(made, check=True, timeout=240, capture_output=True)
    return folder


class Server:
    """The site below a path, as on a project's page."""

    def __init__(self, folder: Path) -> None:
        handler = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="session")
def base(site: Path) -> Iterator[str]:
    server = Server(site)
    yield server.base
    server.stop()


@pytest.fixture(scope="session")
def chromium(pyodide: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    place = os.environ.get("TRANSLATE_CHROMIUM") or shutil.which("chromium")
    assert place, "there is no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=ARGUMENTS)
        yield browser
        browser.close()


class Tab:
    """A page of the browser, and what went wrong in it."""

    def __init__(self, browser: Any, base: str, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.base = base
        self.troubles: list[str] = []
        note = self.troubles.append
        self.page.on("pageerror", lambda error: note(str(error)))
        self.page.on(
            "console", lambda said: note(said.text) if said.type in ("error", "warning") else None
        )
        self.context.on(
            "request", lambda sent: None if sent.url.startswith(base) else note(f"asked {sent.url}")
        )

    def open(self, path: str) -> Any:
        reply = self.page.goto(self.base + path)
        assert reply is None or reply.status in (200, 304)
        return self.page


@pytest.fixture
def tab(chromium: Any, base: str) -> Iterator[Tab]:
    found = Tab(chromium, base)
    yield found
    found.context.close()
    assert found.troubles == []


@pytest.fixture(scope="module")
def checking(chromium: Any, base: str) -> Iterator[Tab]:
    """One page that has loaded Python, for all checks."""
    found = Tab(chromium, base)
    page = found.open("check.html")
    page.fill("#text", "vllm serve m")
    page.click("button[type=submit]")
    page.wait_for_selector("#result:not([hidden])", timeout=LOADING)
    yield found
    found.context.close()
    assert found.troubles == []
