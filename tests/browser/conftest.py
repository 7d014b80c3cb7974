"""A Chromium for the tests of what runs in a browser: from the variable CHROMIUM, else from PATH.

Where there is none the tests are skipped, and fail where CI is set. No page may ask for anything off site, write an
error to its console or open a dialog: all of that is looked at after each test.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "no Chromium was found: install one (Debian: `apt install chromium fonts-wqy-microhei`), or name its program in "
    "the variable CHROMIUM"
)
ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--no-first-run", "--disable-quic",
]  # fmt: skip
ARTIFACTS = Path(__file__).parents[1] / "artifacts"


def find_chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    if named and shutil.which(named) is None:
        pytest.fail(f"CHROMIUM names {named!r}, which is no program that can be run here")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One for each file of tests, and gone after it: while it lives, an event loop runs that other tests would meet."""
    program = find_chromium()
    if program is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)  # on a person's machine alone; the summary says how many, and what to install
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a file: `open_page(path, width=1180, height=900, theme="light", **more)` gives the page of Playwright."""
    pages: list[Any] = []
    asked: list[str] = []
    errors: list[str] = []

    def open_one(path: Path, *, width: int = 1180, height: int = 900, theme: str = "light", **more: Any) -> Any:
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme, **more)
        pages.append(page)
        page.on("request", lambda one: asked.append(one.url))
        page.on("console", lambda one: errors.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda one: errors.append(str(one)))
        page.on("dialog", lambda one: (errors.append(one.message), one.dismiss()))
        page.goto(path.as_uri())
        return page

    yield open_one
    for page in pages:
        page.close()
    local = ("file:", "data:", "blob:")
    assert [url for url in asked if not url.startswith(local)] == []
    assert errors == []


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """Where pictures are kept to be looked at."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were skipped for want of a browser, and what to install."""
    skipped = [one for one in terminalreporter.stats.get("skipped", []) if MISSING in str(one.longrepr)]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests of what runs in a browser were skipped: {MISSING}")
