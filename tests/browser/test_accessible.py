"""Saved page and seat for people who see little, hear them read, or have no mouse: names, contrast, roles, focus.

Names and roles are those that Chromium itself gives to a screen reader; contrast is measured between each text as it is
drawn and what lies under its middle.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dexpatterns.views import bundle
from dexpatterns.views.seat import Seat
from tests.browser.test_page_in_browser import RUNS, go, turn
from tests.browser.test_seat_in_browser import halfway, seat_of

SEAT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A seat</title>
<style>body{{margin:0;background:Canvas;color-scheme:light dark}}{css}</style><div id="at"></div><script>{script}
const view = {view};
mountSeat(document.getElementById("at"), {{ get: () => view, set() {{}}, on: () => () => {{}}, send() {{}} }});
</script>"""


def broken() -> Seat:
    """The anti-pattern, two inside."""
    seat = seat_of()
    seat.hint()
    while hinted := [move["n"] for move in seat.view()["moves"] if move["hint"]]:
        seat.take(hinted[0])
    return seat


SHOWN: dict[str, list[int]] = {
    "run": [0, 12, 26, 29, 44], "counterexample": [3, 8], "locks": [2, 4], "halfway": [], "broken": [],
}  # fmt: skip
"""What is looked at, and at which turns."""
SEATS: dict[str, Callable[[], Seat]] = {"halfway": halfway, "broken": broken}

Show = Callable[..., Any]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("accessible")

    def path_of(name: str) -> Path:
        path = folder / f"{name}.html"
        if path.exists():
            return path
        if name in RUNS:
            RUNS[name]().save_html(path)
        else:
            view = json.dumps(SEATS[name]().view()).replace("</", "<\\/")
            text = SEAT.format(css=bundle.css(), script=bundle.script("page.js"), view=view)
            path.write_text(text, encoding="utf-8")
        return path

    return path_of


@pytest.fixture
def show(open_page: Callable[..., Any], written: Callable[[str], Path]) -> Show:
    def opened(name: str, **more: Any) -> Any:
        # High enough that nothing is below the window: what lies under a text is asked by its place.
        return open_page(written(name), height=2400, **more)

    return opened


# Names and roles.

NAMED = {
    "button", "checkbox", "combobox", "group", "image", "link", "note", "region", "searchbox", "slider", "textbox",
}  # fmt: skip
INTERACTIVE = {"button", "combobox", "link", "searchbox", "slider", "textbox"}


def tree(page: Any) -> list[tuple[str, str, bool]]:
    """(role, name, whether it can have the focus) of everything that is told to a screen reader."""
    session = page.context.new_cdp_session(page)
    session.send("Accessibility.enable")
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        (node["role"]["value"], node.get("name", {}).get("value", ""),
         any(one["name"] == "focusable" and one["value"]["value"] for one in node["properties"]))
        for node in nodes if not node["ignored"]
    ]  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_whatever_can_be_used_or_seen_has_a_name(show: Show, name: str) -> None:
    page = show(name)
    told = tree(page)
    assert [role for role, said, _ in told if role in NAMED and not said.strip()] == []
    assert [role for role, said, focus in told if focus and not said.strip()] == []
    assert {role for role, _, focus in told if focus} <= INTERACTIVE | {"group", "option", "RootWebArea"}
    used = [said for role, said, _ in told if role == "button"]
    assert sorted(set(used)) == sorted(used), "two buttons of one name"
    # Headings, tables and the language.
    assert page.locator("h2:visible").count() == 1
    assert page.locator(":is(h1, h4, h5, h6):visible").count() == 0
    assert page.locator("table:visible th:not([scope=col])").count() == 0
    assert page.locator(".dxs").get_attribute("lang") == "en"
    assert page.locator(".dxs").get_attribute("role") == "group"


def test_the_live_region_is_polite_and_silent_while_it_plays(show: Show) -> None:
    page = show("run")
    region = page.locator("[role=status][aria-live]")
    assert region.count() == 1
    others = page.locator("[aria-live]:not([role=status])")
    assert set(others.all_text_contents()) <= {""}, "a filter's count speaks when somebody types"
    assert {one.get_attribute("aria-live") for one in others.all()} <= {"polite"}
    assert [region.get_attribute(name) for name in ("role", "aria-live", "aria-atomic")] == ["status", "polite", "true"]
    go(page, 29)
    assert "saves and gives the token back" in region.text_content()
    before = region.text_content()
    page.locator("select").select_option("8")
    page.locator(".s-play").click()
    for _ in range(50):
        if turn(page) > 30:
            break
        page.wait_for_timeout(100)
    assert 30 < turn(page) < 44
    assert region.text_content() == before
    page.locator(".s-play").click()
    assert region.text_content() != before


# Contrast.

CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", SHOWN)
def test_every_text_is_told_from_its_ground(show: Show, name: str, theme: str) -> None:
    page = show(name, theme=theme)
    for at in SHOWN[name] or [None]:
        if at is not None:
            go(page, at)
        looked, pale = page.evaluate(CONTRAST)
        assert (at, pale) == (at, [])
        assert looked > 40


def test_the_measure_of_contrast_finds_a_pale_text(show: Show) -> None:
    page = show("run")
    page.evaluate("document.querySelector('.s-sentence').style.color = '#999'")
    page.evaluate("document.querySelector('.node text').style.fill = '#999'")
    _, pale = page.evaluate(CONTRAST)
    assert len(pale) >= 2
    assert all("153,153,153 on 255,255,255" in one for one in pale)


# The keyboard.

FOCUS = """() => {
  const el = document.activeElement;
  if (!el.closest(".dxs")) return null;
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(el);
  const [box, all] = [el.getBoundingClientRect(), [...document.querySelectorAll(".dxs *")]];
  const ring = outlineStyle === "solid" && parseFloat(outlineWidth) >= 2 ? outlineColor : "none";
  const part = el.closest(".s-controls, .s-said, .s-graph, .s-lanes, .s-judged, .s-panels, .s-keys");
  return [all.indexOf(el), ring, box.width > 8 && box.height > 8, part ? part.className : ""];
}"""
USABLE = """() => [...document.querySelectorAll(".dxs *")].flatMap((el, i) => {
  const can = el.matches("button:enabled, input, select, textarea, a[href], [tabindex='0']");
  return can && el.checkVisibility() ? [i] : [];
})"""
RING = {"light": "rgb(11, 87, 208)", "dark": "rgb(138, 180, 248)"}


def tabbed(page: Any) -> list[tuple[int, str, bool, str]]:
    """Where Tab goes, from before the first place to behind the last: (place in the page, ring, large enough, part)."""
    seen = []
    page.keyboard.press("Tab")
    while (one := page.evaluate(FOCUS)) is not None:
        seen.append(tuple(one))
        assert len(seen) < 200, "Tab does not leave it"
        page.keyboard.press("Tab")
    return seen


@pytest.mark.parametrize(("name", "theme"), [*((name, "light") for name in SHOWN), ("run", "dark")])
def test_tab_reaches_every_control_in_the_order_of_reading_and_leaves(show: Show, name: str, theme: str) -> None:
    page = show(name, theme=theme)
    seen = tabbed(page)
    places = [place for place, _, _, _ in seen]
    assert places == sorted(set(places))
    assert {ring for _, ring, _, _ in seen} == {RING[theme]}
    assert all(large for _, _, large, _ in seen)
    assert set(page.evaluate(USABLE)) <= set(places)
    assert page.locator(".dxs [tabindex]:not([tabindex='0'], [tabindex='-1'])").count() == 0


def test_tab_goes_from_the_controls_to_the_sentence_the_pictures_and_the_tables(show: Show) -> None:
    parts = [part.split()[0] for _, _, _, part in tabbed(show("counterexample")) if part]
    order = ["s-controls", "s-said", "s-graph", "s-lanes", "s-judged", "s-panels", "s-keys"]
    assert list(dict.fromkeys(parts)) == order


# Motion.

MOVING = """() => [...document.querySelectorAll(".dxs, .dxs *")].filter((el) => {
  const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(el);
  const slides = transitionDuration.split(", ").some((one) => parseFloat(one) > 0);
  return animationName !== "none" || slides || scrollBehavior === "smooth";
}).length"""


@pytest.mark.parametrize("name", ["run", "halfway"])
def test_nothing_slides_for_who_asked_for_less_motion(show: Show, name: str) -> None:
    assert show(name, reduced_motion="reduce").evaluate(MOVING) == 0


def test_playing_changes_frames_and_moves_nothing(show: Show) -> None:
    page = show("run", reduced_motion="reduce")
    page.locator("select").select_option("8")
    page.locator(".s-play").click()
    page.wait_for_timeout(400)
    assert turn(page) > 1
    assert page.evaluate("document.getAnimations().length") == 0
