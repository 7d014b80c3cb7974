"""The site in Chromium: every page opens from its folder, asks nobody for anything, complains of nothing, and steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dexpatterns.pages.site import build

OpenPage = Callable[..., Any]
EXERCISE = "en/notebooks/exercises/07-break-it-in-the-seat.html"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    built = build(folder)
    assert built.problems == ()
    return folder


def test_every_page_opens_and_fits(site: Path, open_page: OpenPage) -> None:
    """What is asked for and what the console says is looked at by `open_page`. A notebook is opened in one language."""
    page = open_page(site / "en" / "index.html")
    books = sorted(path.relative_to(site / "en") for path in (site / "en" / "notebooks").rglob("*.html"))
    chosen = [site / ("en", "zh")[n % 2] / book for n, book in enumerate(books)]
    for path in [path for path in sorted(site.rglob("*.html")) if "notebooks" not in path.parts] + chosen:
        page.goto(path.as_uri())
        steppers = page.locator("[data-dxs]").count()
        assert page.locator("[data-dxs].dxs-on").count() == steppers, path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.title(), path


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_narrow_page_fits_as_well(site: Path, open_page: OpenPage, theme: str, artifacts: Path) -> None:
    for name in ("zh/index.html", "zh/catalog/is-editing-flag.html", EXERCISE):
        page = open_page(site / name, width=480, theme=theme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 480, name
        page.screenshot(path=artifacts / f"site-{theme}-{Path(name).parent.name}.png")


def test_a_run_is_stepped_through_with_the_keys(site: Path, open_page: OpenPage) -> None:
    page = open_page(site / "en" / "catalog" / "critical-section.html")
    stepper = page.locator("[data-dxs]").first
    before = stepper.inner_text()
    stepper.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert stepper.inner_text() != before


def test_the_other_language_is_one_click_away(site: Path, open_page: OpenPage) -> None:
    page = open_page(site / "index.html")
    page.wait_for_url("**/en/index.html")
    page.get_by_role("link", name="Lost token", exact=True).first.click()
    page.get_by_role("link", name="简体中文").first.click()
    assert page.url.endswith("/zh/catalog/lost-token.html")
    assert page.locator("h1").inner_text() == "丢失的 token"


def test_a_stored_answer_is_shown_in_its_frame(site: Path, open_page: OpenPage) -> None:
    page = open_page(site / EXERCISE)
    frame = page.locator("iframe").first
    frame.scroll_into_view_if_needed()
    assert frame.content_frame.locator("body").inner_text().strip()
