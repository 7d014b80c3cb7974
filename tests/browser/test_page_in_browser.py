"""The saved page in a real browser: it steps, by click and by key, offline, and looks as it should."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import Run, catalog, js7, simulate
from tests.views.long_run import long_run
from tests.views.test_graph import evil_run

PATTERN = catalog.load("critical-section")
FLAG = catalog.load("is-editing-flag")
Open = Callable[..., Any]


def edits() -> Run:
    return simulate(
        PATTERN.flow, PATTERN.make_input(4, should_fail_save={3}),
        sections=[PATTERN.section], tokens=[PATTERN.token], scenario=PATTERN.scenario, seed=7,
    )  # fmt: skip


def refuted() -> Run:
    found = FLAG.claims["one-step-lets-two-in"].ask(2).counterexample
    assert isinstance(found, Run)
    return found


def deadlock() -> Run:
    pattern = catalog.load("nested-locks-opposite-order")
    found = js7.check(pattern.items, pattern.orders, jobs=pattern.jobs).counterexample
    assert found is not None
    return found


RUNS: dict[str, Callable[[], Run]] = {"run": edits, "counterexample": refuted, "locks": deadlock}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    folder = tmp_path_factory.mktemp("pages")

    def path_of(name: str, lang: str = "en") -> Path:
        path = folder / f"{name}-{lang}.html"
        if not path.exists():
            (RUNS[name]() if name in RUNS else long_run()).save_html(path, lang)
        return path

    return path_of


def turn(page: Any) -> int:
    return int(page.locator(".s-count b").inner_text())


def button(page: Any, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True)


def go(page: Any, to: int) -> None:
    page.locator("input[type=range]").evaluate(
        "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }", to
    )


NAME_OF_FOCUSED = """() => {
  const el = document.activeElement;
  return (el.getAttribute("aria-label") || el.textContent).split(":")[0];
}"""


@pytest.fixture
def run_page(open_page: Open, saved: Callable[..., Path]) -> Any:
    return open_page(saved("run"))


# Stepping.


def test_buttons_step_and_say_when_there_is_no_further_turn(run_page: Any) -> None:
    assert turn(run_page) == 0
    assert button(run_page, "Previous turn").get_attribute("aria-disabled") == "true"
    button(run_page, "Next turn").click()
    button(run_page, "Next turn").click()
    assert turn(run_page) == 2
    button(run_page, "Previous turn").click()
    assert turn(run_page) == 1
    button(run_page, "Last turn").click()
    last = turn(run_page)
    assert last == len(edits().trace.turns)
    assert button(run_page, "Next turn").get_attribute("aria-disabled") == "true"
    button(run_page, "Next turn").click(force=True)
    assert turn(run_page) == last
    button(run_page, "First turn").click()
    assert turn(run_page) == 0


@pytest.mark.parametrize(
    ("key", "start", "end"),
    [
        ("ArrowRight", 20, 21),
        ("ArrowLeft", 20, 19),
        ("PageDown", 20, 30),
        ("PageUp", 20, 10),
        ("PageUp", 4, 0),
        ("Home", 20, 0),
        ("End", 20, 44),
    ],
)
def test_keys_go_through_the_turns(run_page: Any, key: str, start: int, end: int) -> None:
    go(run_page, start)
    for focus in ("input[type=range]", ".s-window", ".s-next"):
        run_page.locator(focus).focus()
        run_page.keyboard.press(key)
        assert turn(run_page) == end
        go(run_page, start)


def test_shift_follows_one_branch(run_page: Any) -> None:
    go(run_page, 20)
    run_page.locator(".s-window").focus()
    who = run_page.locator(".s-sentence b").first.inner_text()
    for key in ("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowLeft"):
        run_page.keyboard.press(key)
        assert run_page.locator(".s-sentence b").first.inner_text() == who


def test_arrows_choose_a_branch_in_the_lanes(run_page: Any) -> None:
    go(run_page, 3)
    run_page.locator(".s-window").focus()
    for _ in range(7):
        run_page.keyboard.press("ArrowUp")
    for _ in range(3):
        run_page.keyboard.press("ArrowDown")
    assert run_page.locator("[role=status]").inner_text() == "reviewer-3"
    run_page.keyboard.press("Shift+ArrowRight")
    assert run_page.locator(".s-sentence b").first.inner_text() == "reviewer-3"


def test_the_slider_and_its_words_follow_the_turn(run_page: Any) -> None:
    go(run_page, 29)
    assert turn(run_page) == 29
    words = run_page.locator("input[type=range]").get_attribute("aria-valuetext")
    assert words.startswith("turn 29 of 44: ")


def test_a_click_on_a_bar_goes_to_its_turn(run_page: Any) -> None:
    go(run_page, 44)
    done = run_page.locator(".s-panel [data-lane='3'] [data-turn]").last
    wanted = int(done.get_attribute("data-turn"))
    done.locator("rect").click()
    assert turn(run_page) == wanted
    outline = run_page.locator(".s-yet [data-turn] rect").locator("visible=true").last
    later = int(outline.locator("xpath=..").get_attribute("data-turn"))
    outline.click()
    assert turn(run_page) == later > wanted


def test_a_click_on_the_story_goes_to_its_turn(open_page: Open, saved: Callable[..., Path]) -> None:
    page = open_page(saved("counterexample"))
    assert turn(page) == 8
    page.locator(".s-story tbody tr").nth(3).click()
    assert turn(page) == 4
    button(page, "Turn 6 of 8").focus()
    page.keyboard.press("Enter")
    assert turn(page) == 6
    assert page.locator(".s-story tr[aria-current]").count() == 1


def test_play_goes_on_at_its_speed_and_stops_at_the_end(run_page: Any) -> None:
    from playwright.sync_api import expect

    run_page.get_by_label("Speed").select_option("2")
    go(run_page, 40)
    speaker = run_page.locator("[role=status]")
    said = speaker.inner_text()
    run_page.locator(".s-play").click()
    expect(run_page.locator(".s-play")).to_have_text("Pause")
    expect(run_page.locator(".s-count b")).not_to_have_text("40")
    assert speaker.inner_text() == said
    expect(run_page.locator(".s-play")).to_have_text("Play")
    assert turn(run_page) == 44
    assert speaker.inner_text().startswith("Turn 44 of 44")


def test_space_plays_unless_a_button_has_the_focus(run_page: Any) -> None:
    run_page.locator(".s-window").focus()
    run_page.keyboard.press("Space")
    assert run_page.locator(".s-play").inner_text() == "Pause"
    run_page.keyboard.press("Space")
    assert run_page.locator(".s-play").inner_text() == "Play"
    before = turn(run_page)
    button(run_page, "Next turn").focus()
    run_page.keyboard.press("Space")
    assert turn(run_page) == before + 1


def test_plus_and_minus_change_the_speed(run_page: Any) -> None:
    run_page.locator(".s-window").focus()
    run_page.keyboard.press("+")
    assert run_page.get_by_label("Speed").input_value() == "2"
    run_page.keyboard.press("-")
    run_page.keyboard.press("-")
    assert run_page.get_by_label("Speed").input_value() == "0.5"


def test_the_question_mark_lists_all_keys(run_page: Any) -> None:
    more = run_page.locator(".s-more")
    assert not more.is_visible()
    run_page.locator(".s-window").focus()
    run_page.keyboard.press("?")
    assert more.is_visible()
    run_page.keyboard.press("Escape")
    assert not more.is_visible()


# Keys belong to whom the focus is with.


HEAR = """() => {
  window.heard = [];
  document.addEventListener("keydown", (event) => window.heard.push(event.key), true);
}"""


def test_used_keys_are_seen_by_nobody_else_and_others_pass(run_page: Any) -> None:
    run_page.evaluate(HEAR)
    run_page.locator(".s-window").focus()
    for key in ("ArrowRight", "Space", "Space", "t", "?", "Escape", "Home"):
        run_page.keyboard.press(key)
    run_page.locator(".s-next").focus()
    run_page.keyboard.press("Enter")
    assert run_page.evaluate("window.heard") == []
    for key in ("x", "Control+s", "Escape", "F2"):
        run_page.keyboard.press(key)
    assert run_page.evaluate("window.heard.filter((key) => key !== 'Control')") == ["x", "s", "Escape", "F2"]


def test_keys_outside_and_in_text_fields_do_nothing_here(run_page: Any) -> None:
    run_page.evaluate(HEAR)
    run_page.evaluate("""() => {
      const field = document.createElement("input");
      field.id = "outside";
      document.body.prepend(field);
      const inside = document.createElement("input");
      inside.id = "inside";
      document.querySelector(".dxs").append(inside);
    }""")
    for field in ("#outside", "#inside"):
        run_page.locator(field).focus()
        run_page.keyboard.press("ArrowRight")
        run_page.keyboard.press("End")
        run_page.keyboard.type("t ?")
        assert run_page.locator(field).input_value() == "t ?"
    assert turn(run_page) == 0
    assert len(run_page.evaluate("window.heard")) == 10


def test_the_keyboard_alone_reaches_everything_in_order(run_page: Any) -> None:
    go(run_page, 20)
    run_page.locator(".dxs").focus()
    order = []
    for _ in range(18):
        run_page.keyboard.press("Tab")
        order.append(run_page.evaluate(NAME_OF_FOCUSED))
    assert order[:13] == [
        "First turn", "Previous turn", "Play", "Next turn", "Last turn", "Turn", "Speed", "What happens", "Flow",
        "turns", "time", "Branches over turns", "What stands where",
    ]  # fmt: skip
    assert "? all keys" in order


def test_the_focus_is_seen(run_page: Any) -> None:
    run_page.locator(".dxs").focus()
    run_page.keyboard.press("Tab")
    style = run_page.evaluate("getComputedStyle(document.activeElement).outline")
    assert "2px" in style and "solid" in style


# What is shown.


def test_the_moment_in_graph_and_tables_is_that_of_the_run(run_page: Any) -> None:
    run = edits()
    for at in (0, 1, 16, 27, 29, 44):
        go(run_page, at)
        moment = run.graph(at=at).moment
        rows = run_page.locator(".s-branches tbody tr")
        shown = [rows.nth(i).locator("td").all_inner_texts() for i in range(rows.count())]
        living = {(step, phase) for _, step, phase, *_ in shown if phase != "ended"}
        assert living == {(one.step, one.phase.replace("retrying", "between attempts")) for one in moment.steps}
        badges = run_page.locator(".moment .at").count()
        assert badges == len(moment.steps)
        discs = run_page.locator(".moment .at .c").count()
        assert discs == sum(len(held) for held in moment.held.values())
        scene = run.graph(at=at).scene
        lit = run_page.locator("[data-node].now").evaluate_all("(all) => all.map((one) => one.dataset.node)")
        assert set(lit) == set(scene.acting | scene.changed)
        used = run_page.locator("[data-edge].now").evaluate_all("(all) => all.map((one) => one.dataset.edge)")
        assert set(used) == set(scene.used)


def test_the_lanes_stand_on_virtual_time_when_that_is_asked_for(run_page: Any) -> None:
    go(run_page, 29)
    panel = run_page.locator(".s-panel")
    assert panel.get_attribute("data-high") is None
    button(run_page, "time").focus()
    run_page.keyboard.press("Enter")
    assert button(run_page, "time").get_attribute("aria-pressed") == "true"
    assert run_page.locator(".s-lanes h3").inner_text().startswith("Branches over time")
    low, high, x, right = (float(panel.get_attribute(f"data-{name}")) for name in ("low", "high", "x", "right"))
    times = [turn.time for turn in edits().trace.turns]
    for at in (1, 29, 44):
        go(run_page, at)
        frame = run_page.locator(".s-now").first
        middle = float(frame.get_attribute("x")) + float(frame.get_attribute("width")) / 2
        assert abs(middle - (x + (right - x) * (times[at - 1] - low) / (high - low))) < 0.1
    button(run_page, "turns").click()
    assert panel.get_attribute("data-high") is None
    assert turn(run_page) == 44


def test_a_run_without_a_clock_has_one_axis(open_page: Open, saved: Callable[..., Path]) -> None:
    page = open_page(saved("counterexample"))
    assert page.locator(".s-axis").count() == 0
    assert "no clock" in page.locator(".s-lanes h3").inner_text()


def test_the_head_and_the_token_stay_while_many_lanes_scroll(open_page: Open, tmp_path: Path) -> None:
    long_run(30, 300).save_html(tmp_path / "many.html")
    page = open_page(tmp_path / "many.html")
    go(page, 150)
    box = page.locator(".s-window")
    at, name = page.locator(".s-pinned .s-at"), page.locator(".s-pinned > text:not(.x)")
    places = []
    for down in (0, 60, 150):
        box.evaluate("(box, down) => { box.scrollTop = down; }", down)
        page.wait_for_timeout(50)
        places.append([round(one.bounding_box()["y"] - box.bounding_box()["y"]) for one in (at, name)])
    assert places[0] == places[1] == places[2]


def test_a_branch_without_a_lane_is_drawn_when_it_is_asked_for(open_page: Open, tmp_path: Path) -> None:
    long_run(60, 600).save_html(tmp_path / "more.html")
    page = open_page(tmp_path / "more.html")
    go(page, 300)
    assert page.locator(".s-panel [data-lane='1']").count() == 0
    page.get_by_label("Draw a lane for").fill("worker-1")
    row = page.locator(".s-asked [data-lane='1']")
    assert row.count() == 1
    assert "Enter.wait_for, waiting" in row.locator("title").first.text_content()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+ArrowRight")
    assert page.locator(".s-sentence b").first.inner_text() == "worker-1"
    page.get_by_label("Draw a lane for").fill("worker")
    assert page.locator(".s-asked [data-lane]").count() == 8
    assert "60 found" in page.locator(".s-asking").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".s-asked [data-lane]").count() == 0


def test_a_run_whose_branches_all_have_lanes_asks_for_none(run_page: Any) -> None:
    assert not run_page.locator(".s-ask").is_visible()


def test_what_has_not_happened_is_an_outline(run_page: Any) -> None:
    go(run_page, 20)
    seen = run_page.evaluate("""() => {
      const shown = (one) => one.style.display !== "none";
      const past = [...document.querySelectorAll(".s-panel > g:not(.s-yet) [data-a], .s-panel > [data-a]")];
      const yet = [...document.querySelectorAll(".s-yet [data-a]")];
      return [past.filter(shown).map((one) => +one.dataset.a), yet.filter(shown).map((one) => +one.dataset.b)];
    }""")
    past, yet = seen
    assert past and max(past) <= 20
    assert yet and min(yet) > 20


def test_no_button_moves_while_one_steps(run_page: Any) -> None:
    place = "(() => { const box = document.querySelector('.s-pictures').getBoundingClientRect(); return box.top; })()"
    tops = set()
    for at in (0, 1, 18, 27, 29, 44):
        go(run_page, at)
        tops.add(round(run_page.evaluate(place)))
    assert len(tops) == 1


def test_two_inside_are_hatched_and_the_cause_stands_beside(open_page: Open, saved: Callable[..., Path]) -> None:
    page = open_page(saved("counterexample"))
    assert "Cause: an old snapshot." in page.locator(".dxs .s-cause").inner_text()
    assert page.locator(".node.over").count() == 1
    assert "2 inside, limit 1" in page.locator(".moment .words.over").text_content()
    assert page.locator(".s-pill.s-REFUTED").count() == 1
    button(page, "Previous turn").click()
    assert page.locator(".node.over").count() == 0


def test_another_move_is_for_a_notebook(run_page: Any) -> None:
    other = button(run_page, "Try another move here")
    assert other.is_disabled()
    assert other.get_attribute("title") == "open it in a notebook to try another move"
    assert "open it in a notebook" in run_page.locator(".s-moves").inner_text()


def test_names_are_data(open_page: Open, tmp_path: Path) -> None:
    """Scripts, quotes, marks that turn text round: shown as they are, run by nobody."""
    path = tmp_path / "evil.html"
    evil_run().save_html(path)
    page = open_page(path)
    turns = int(page.locator("input[type=range]").get_attribute("max"))
    for at in range(turns + 1):
        go(page, at)
        assert turn(page) == at
    assert page.locator("img, .dxs script, .dxs bdi > *").count() == 0
    shown = page.locator(".dxs").inner_text()
    assert "<script>alert(1)" in shown and "<img onerror=alert(1) src=x>" in shown
    assert not re.search("[\u202a-\u202e]", shown)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1180


# Without a script, and on paper.


def test_without_scripts_there_is_a_table_of_all_turns(open_page: Open, saved: Callable[..., Path]) -> None:
    page = open_page(saved("run"), java_script_enabled=False)
    assert page.locator(".dxs-table tbody tr").count() == 44
    assert page.locator(".dxs-table").is_visible()


def test_paper_gets_the_table_and_nothing_else(run_page: Any, artifacts: Path) -> None:
    go(run_page, 20)
    assert not run_page.locator(".dxs-table").is_visible()
    run_page.emulate_media(media="print")
    assert run_page.locator(".dxs-table").is_visible()
    assert not run_page.locator(".dxs").is_visible()
    run_page.screenshot(path=artifacts / "page-print.png", full_page=True)


# Measured.


def test_a_turn_of_a_long_run_costs_little(open_page: Open, saved: Callable[..., Path]) -> None:
    page = open_page(saved("long"))
    cost = page.evaluate("""async () => {
      const slider = document.querySelector("input[type=range]");
      const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const costs = [];
      for (let i = 0; i < 120; i++) {
        slider.value = i < 60 ? 900 + i : (i * 769) % 2000; // one by one, then far jumps
        const began = performance.now();
        slider.dispatchEvent(new Event("input"));
        document.body.getBoundingClientRect(); // style and layout too
        costs.push(performance.now() - began);
        await painted();
      }
      return costs.sort((a, b) => a - b)[Math.floor(costs.length / 2)];
    }""")
    assert cost < 50


def test_a_long_run_opens_soon(open_page: Open, saved: Callable[..., Path]) -> None:
    path = saved("long")
    page = open_page(path)
    page.locator(".s-count").wait_for()
    timing = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    assert timing < 2000


# Pictures to look at.


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("name", "at"), [("run", 29), ("counterexample", 8), ("locks", 4)])
def test_a_picture_in_each_theme_and_language(
    open_page: Open, saved: Callable[..., Path], artifacts: Path, name: str, at: int, lang: str, theme: str
) -> None:
    page = open_page(saved(name, lang), theme=theme, device_scale_factor=1.5)
    go(page, at)
    assert turn(page) == at
    ground = page.evaluate("getComputedStyle(document.querySelector('.dxs')).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 17, 17)"}[theme]
    page.screenshot(path=artifacts / f"page-{name}-{lang}-{theme}.png", full_page=True)


@pytest.mark.parametrize("width", [480, 760, 1000])
def test_a_picture_when_it_is_narrow(open_page: Open, saved: Callable[..., Path], artifacts: Path, width: int) -> None:
    page = open_page(saved("run"), width=width)
    go(page, 33)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width
    lanes, graph = (page.locator(one).bounding_box()["y"] for one in (".s-lanes", ".s-graph"))
    assert (lanes < graph) == (width < 900)
    page.screenshot(path=artifacts / f"page-run-{width}.png", full_page=True)
    if width == 480:
        assert re.fullmatch(r"turns \d+ to \d+ of 44", page.locator(".s-lanes h3 .s-quiet").inner_text())


def test_a_picture_of_a_long_run(open_page: Open, saved: Callable[..., Path], artifacts: Path) -> None:
    page = open_page(saved("long"))
    go(page, 1207)
    page.screenshot(path=artifacts / "page-long.png", full_page=True)
    assert "of 2000" in page.locator(".s-lanes h3 .s-quiet").inner_text()


def test_of_many_lanes_the_one_whose_turn_it_is_stays_in_view(open_page: Open, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    long_run(36, 1200).save_html(path)
    page = open_page(path)
    window = page.locator(".s-window")
    told = page.evaluate("JSON.parse(document.querySelector('[data-dxs] script').textContent).told")
    for at in (100, 500, 501, 760, 1190):
        go(page, at)
        lane = f".s-panel [data-lane='{told[at - 1][0]}'] > g"
        box, row = window.bounding_box(), page.locator(lane).first.bounding_box()
        assert box["height"] <= 482
        assert box["y"] - 1 <= row["y"] and row["y"] + row["height"] <= box["y"] + box["height"] + 1


def test_a_click_on_the_map_goes_there(open_page: Open, saved: Callable[..., Path]) -> None:
    page = open_page(saved("long"))
    ground = page.locator(".s-map rect.b").bounding_box()
    page.mouse.click(ground["x"] + ground["width"] / 2, ground["y"] + 10)
    assert abs(turn(page) - 1000) < 10
    frame = page.locator(".s-map rect.d").bounding_box()
    assert frame["x"] <= ground["x"] + ground["width"] / 2 <= frame["x"] + frame["width"]
