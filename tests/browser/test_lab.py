"""Stepper, seat and pictures in JupyterLab, in a real browser: what is clicked and pressed there, and what Python sees.

One server, one notebook and one kernel for all of it; each test has its own cells.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lab import EMPTY, Notebook, serving

SETUP = """
import json
from dexpatterns import Simulation, catalog, check, compare_runs, graph, simulate
from tests.views.long_run import long_run

pattern = catalog.load("critical-section")
flag = catalog.load("is-editing-flag")
watched = dict(sections=[pattern.section], tokens=[pattern.token])
run = simulate(pattern.flow, pattern.make_input(4, should_fail_save={3}), scenario=pattern.scenario, seed=7, **watched)
other = simulate(flag.flow, flag.make_input(4), sections=[flag.section], scenario=flag.scenario, seed=7)

def seat_of(one, reviewers=2, lang="en"):
    tokens = [one.token] if one.token is not None else []
    return Simulation(one.flow, one.make_input(reviewers), sections=[one.section], tokens=tokens).seat(lang)
"""
TURNS = 44
SLOW = 3
"""So many times over what is promised may a machine be that runs other things beside the tests."""


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Notebook, list[str]]]:
    """The notebook, and what went wrong around it: requests off site, errors on the console, dialogs."""
    folder = tmp_path_factory.mktemp("lab")
    wrong: list[str] = []
    with serving(folder) as address:
        (folder / "notebooks" / "test.ipynb").write_text(json.dumps(EMPTY), encoding="utf-8")
        page = browser.new_page(viewport={"width": 1600, "height": 1300})
        here = address.partition("lab/")[0]
        local = (here, here.replace("http", "ws", 1), "data:", "blob:")
        page.on("request", lambda one: None if one.url.startswith(local) else wrong.append(one.url))
        page.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda one: wrong.append(one.stack or str(one)))
        page.on("dialog", lambda one: (wrong.append(one.message), one.dismiss()))
        page.set_default_timeout(10_000)
        notebook = Notebook(page, address, "test.ipynb")
        notebook.clear()
        notebook.run(SETUP)
        yield notebook, wrong
        page.close()


@pytest.fixture
def notebook(opened: tuple[Notebook, list[str]]) -> Iterator[Notebook]:
    """Without cells, and after the test without an error. Nothing is let pass: JupyterLab itself writes none."""
    made, wrong = opened
    made.clear()
    yield made
    said = wrong[:]
    wrong.clear()
    assert said == []


def turn(out: Any) -> int:
    return int(out.locator(".s-count b").text_content())


def at(out: Any, number: int) -> None:
    """The stepper shows this turn, at once or soon."""
    out.locator(".s-count b").get_by_text(str(number), exact=True).wait_for(state="attached")


def button(out: Any, name: str) -> Any:
    return out.get_by_role("button", name=name, exact=True)


def made(out: Any, moves: int) -> None:
    """So many moves are made in the seat."""
    out.get_by_text(f"{moves} move{'' if moves == 1 else 's'} made", exact=True).wait_for()


# The stepper.


def test_clicks_step_and_python_sees_the_turn(notebook: Notebook) -> None:
    out = notebook.run("s = run.stepper(); s")
    for name, number in [("Next turn", 1), ("Next turn", 2), ("Previous turn", 1), ("Last turn", TURNS)]:
        button(out, name).click()
        assert turn(out) == number
        assert notebook.comes_to("s.turn", number)
    out.locator(".s-window [data-turn]").first.click()
    assert notebook.comes_to("s.turn", turn(out))
    assert turn(out) < TURNS


def test_python_sets_the_turn_and_every_picture_of_it_follows(notebook: Notebook) -> None:
    out = notebook.run("s = run.stepper(); s")
    second = notebook.run("s")
    notebook.run("s.turn = 29")
    for one in (out, second):
        at(one, 29)
        assert "reviewer-" in one.locator(".s-sentence").text_content()
    button(second, "Next turn").click()
    at(out, 30)


def test_keys_step_and_jupyterlab_does_not_hear_them(notebook: Notebook) -> None:
    out = notebook.run("s = run.stepper(); s")
    page = notebook.page
    notebook.run("before = 1")
    button(out, "Next turn").click()
    before = notebook.state()
    for key, number in [
        ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("PageDown", 12), ("PageUp", 2), ("End", TURNS),
        ("ArrowRight", TURNS), ("Home", 0), ("ArrowLeft", 0), ("PageDown", 10),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert (key, turn(out)) == (key, number)
    page.keyboard.press("Shift+ArrowRight")  # reviewer-3 does nothing before the token comes to it
    assert turn(out) == 19
    page.keyboard.press("?")
    assert out.locator(".s-more").is_visible()
    page.keyboard.press("Escape")
    assert not out.locator(".s-more").is_visible()
    page.keyboard.press("+")
    assert out.locator("select").input_value() == "2"
    out.locator("input[type=range]").focus()
    page.keyboard.press("Space")
    button(out, "Pause").wait_for()
    page.keyboard.press("Space")
    button(out, "Play").wait_for()
    out.locator(".s-play").focus()
    page.keyboard.press("Space")  # it presses the button, once
    button(out, "Pause").wait_for()
    page.keyboard.press("Enter")
    button(out, "Play").wait_for()
    assert notebook.state() == before
    assert notebook.comes_to("s.turn", turn(out))


def test_other_keys_are_jupyterlabs(notebook: Notebook) -> None:
    out = notebook.run("s = run.stepper(); s")
    button(out, "Next turn").click()
    _, _, before = notebook.state()
    notebook.page.keyboard.press("b")
    assert notebook.state()[2] == f"{before} code"
    assert turn(out) == 1


def test_a_choice_of_speed_by_arrows_stays_in_the_list(notebook: Notebook) -> None:
    out = notebook.run("s = run.stepper(); s")
    notebook.run("below = 1")
    out.locator("select").focus()
    before = notebook.state()
    notebook.page.keyboard.press("ArrowDown")
    assert out.locator("select").input_value() == "2"
    assert notebook.state() == before


def test_tab_goes_through_it_in_the_order_of_reading_and_each_place_is_seen(notebook: Notebook) -> None:
    out = notebook.run("s = run.stepper(); s")
    button(out, "First turn").focus()
    notebook.page.keyboard.press("Tab")
    notebook.page.keyboard.press("Shift+Tab")
    seen = []
    while len(seen) < 20:
        one = notebook.page.evaluate("""() => {
          const el = document.activeElement;
          if (!el.closest(".dxs")) return null;
          const { outlineStyle, outlineWidth } = getComputedStyle(el);
          const box = el.getBoundingClientRect();
          const name = el.getAttribute("aria-label") || el.textContent;
          return [name.trim(), outlineStyle === "solid" && outlineWidth === "2px", box.width > 0 && box.height > 0];
        }""")
        if one is None:
            break
        seen.append(one)
        notebook.page.keyboard.press("Tab")
    names = [name for name, _, _ in seen]
    assert all(ring and visible for _, ring, visible in seen), seen
    assert names[:5] == ["First turn", "Previous turn", "Play", "Next turn", "Last turn"]
    controls = [names.index(name) for name in ("Turn", "Speed", "Try another move here")]
    assert controls == [5, 6, 7]
    assert names[-1].endswith("all keys")
    assert len(set(names)) == len(names)


# Another move, and the seat.


def test_another_move_is_tried_taken_back_and_left(notebook: Notebook) -> None:
    out = notebook.run("s = run.stepper(); s")
    notebook.run("s.turn = 29")
    at(out, 29)
    button(out, "Try another move here").click()
    before = notebook.state()
    out.get_by_text("left the recorded run at turn 29").wait_for()
    page = notebook.page
    out.locator(".s-move").last.click()
    made(out, 30)
    page.keyboard.press("1")
    made(out, 31)
    for number in range(out.locator(".s-move").count() + 1, 10):
        page.keyboard.press(str(number))  # no such move; JupyterLab would make a heading of the cell
    page.keyboard.press("u")
    made(out, 30)
    page.keyboard.press("Control+z")
    made(out, 29)
    page.keyboard.press("Shift+U")
    made(out, 30)
    assert notebook.state() == before
    assert notebook.ask("[s.seated.made, str(s.seated.run.schedule).startswith(str(run.schedule)[:40])]") == [30, True]
    out.locator(".s-seat").focus()
    page.keyboard.press("Escape")
    at(out, 29)
    page.keyboard.press("ArrowRight")  # the focus is still inside
    at(out, 30)
    page.keyboard.press("t")
    out.get_by_text("left the recorded run at turn 30").wait_for()
    page.keyboard.press("Escape")
    at(out, 30)
    assert notebook.comes_to("s.seat", None)


def test_the_hinted_moves_break_an_anti_pattern_and_python_has_the_run(notebook: Notebook, artifacts: Path) -> None:
    out = notebook.run("s = seat_of(flag); s")
    notebook.run("below = 1")
    button(out, "Hint").click()
    out.locator(".s-hinting", has_text="can break in 12 moves").wait_for()
    before = notebook.state()
    for number in range(1, 13):
        assert out.locator(".s-cause").count() == 0
        if number % 2:
            out.locator(".s-move.s-hinted").click()
        else:
            notebook.page.keyboard.press(out.locator(".s-move.s-hinted").get_attribute("data-move"))
        made(out, number)
    assert notebook.state() == before
    assert "check, then act." in out.locator(".s-cause").inner_text()
    assert out.locator(".s-pill.s-REFUTED").inner_text() == "at most one inside contract edit"
    out.locator(".dxs").screenshot(path=artifacts / "lab-seat-broken.png")
    assert notebook.ask("len(s.seated.run.overlaps())") == 1
    notebook.page.locator(".s-seat").focus()
    notebook.page.keyboard.press("u")
    made(out, 11)
    assert out.locator(".s-cause").count() == 0


def test_a_pattern_that_holds_cannot_be_broken(notebook: Notebook) -> None:
    out = notebook.run("s = seat_of(pattern); s")
    out.locator(".s-seat").focus()
    notebook.page.keyboard.press("h")
    out.locator(".s-hinting", has_text="It cannot be broken: all").wait_for()
    tried = notebook.ask("check(pattern.flow, pattern.make_input(2), **watched).states")
    assert f"all {tried:,} states were tried" in out.locator(".s-hinting").inner_text()


# What else a notebook shows.


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("run.graph()", "svg .node"),
        ("run.graph(29)", "svg .node.now"),
        ("graph(pattern.flow)", "svg .node"),
        ("run.timeline(pattern.section)", "svg [data-turn]"),
        ("compare_runs(run, other)", "svg"),
        ("flag.claims['one-step-lets-two-in'].ask(2).explanation", "table"),
    ],
)
def test_a_picture_is_shown_as_html_with_a_text_beside_it(notebook: Notebook, code: str, shown: str) -> None:
    out = notebook.run(code)
    out.locator(shown).first.wait_for()
    data = notebook.outputs[-1]["data"]
    assert data["text/plain"].strip()
    assert " at 0x" not in "".join(data["text/plain"] + data["text/html"])
    # It scrolls by itself where it is wider than the notebook.
    assert out.evaluate("(el) => el.scrollWidth <= el.clientWidth + 1")


# Pictures to look at.


@pytest.fixture
def window(notebook: Notebook) -> Iterator[Callable[[str, int], None]]:
    """Set theme and width of the cells' output; afterwards as before."""

    def change(theme: str, width: int = 0) -> None:
        notebook.theme(f"JupyterLab {theme.title()}")
        notebook.narrow(width)

    usual = notebook.page.viewport_size
    notebook.page.set_viewport_size({"width": 1600, "height": 2400})
    yield change
    change("light")
    notebook.page.set_viewport_size(usual)


GROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 17, 17)"}


@pytest.mark.parametrize(("theme", "width"), [("light", 0), ("dark", 0), ("light", 480)])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pictures_in_each_theme_and_language(
    notebook: Notebook, window: Callable[[str, int], None], artifacts: Path, lang: str, theme: str, width: int
) -> None:
    window(theme, width)
    name = f"{lang}-{width or theme}"
    stepper = notebook.run(f"s = run.stepper({lang!r}); s.turn = 29; s")
    at(stepper, 29)
    root = stepper.locator(".dxs")
    assert root.evaluate("(el) => getComputedStyle(el).backgroundColor") == GROUND[theme]
    assert root.evaluate("(el) => el.scrollWidth <= el.clientWidth")
    root.screenshot(path=artifacts / f"lab-stepper-{name}.png")
    notebook.clear()
    seat = notebook.run(f"s = run.stepper({lang!r}); s.try_here(29); s.seated.take(1).hint(); s.sit(s.seated); s")
    seat.locator(".s-hinting").wait_for()
    root = seat.locator(".dxs")
    assert root.evaluate("(el) => el.scrollWidth <= el.clientWidth")
    root.screenshot(path=artifacts / f"lab-seat-{name}.png")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pictures_of_the_other_views_in_the_dark(
    notebook: Notebook, window: Callable[[str, int], None], artifacts: Path, lang: str
) -> None:
    window("dark")
    for name, code in {
        "graph": f"run.graph(29, {lang!r})",
        "timeline": f"run.timeline(pattern.section, {lang!r})",
        "compared": f"compare_runs(run, other, lang={lang!r})",
    }.items():
        notebook.clear()
        out = notebook.run(code)
        out.locator("svg").first.wait_for()
        out.screenshot(path=artifacts / f"lab-{name}-{lang}-dark.png")


# Measured.


def test_a_run_of_2000_turns_opens_in_2_s_and_moves_in_50_ms(notebook: Notebook) -> None:
    notebook.run("long = long_run(20, 2000)")
    page = notebook.page
    began = page.evaluate("performance.now()")
    out = notebook.run("s = long.stepper(); s")
    out.locator(".s-count").wait_for()
    opened = page.evaluate("performance.now()") - began
    turns = out.locator("input[type=range]").evaluate("""async (slider) => {
      const costs = [];
      for (let i = 0; i < 60; i++) {
        slider.value = i < 30 ? 900 + i : (i * 769) % 2000; // one by one, then far jumps
        const began = performance.now();
        slider.dispatchEvent(new Event("input"));
        document.body.getBoundingClientRect(); // style and layout too
        costs.push(performance.now() - began);
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      }
      return costs.sort((a, b) => a - b)[costs.length / 2];
    }""")
    size = notebook.ask("len(json.dumps(s.get_state(), separators=(',', ':')).encode())")
    print(f"\n2,000 turns of 20 branches: open {opened / 1000:.2f} s, a turn {turns:.1f} ms, state {size / 1e6:.2f} MB")
    assert opened < 2000 * SLOW
    assert turns < 50 * SLOW
    assert size < 3_000_000
