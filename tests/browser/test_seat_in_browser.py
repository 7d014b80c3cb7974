"""The scheduler's seat in a real browser, moved by clicks and keys; a real `Seat` answers, without a server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import catalog, simulate
from dexpatterns.dex import Anytime, Faults, FlowMachine, Scenario, Stop
from dexpatterns.js7.machine import Js7Machine
from dexpatterns.views import bundle
from dexpatterns.views.seat import Seat, answer
from dexpatterns.views.stepper import Stepper

PAGE = """<!doctype html><meta charset="utf-8"><title>A seat</title>
<style>body{{margin:12px;background:Canvas;color-scheme:light dark}}{css}</style><div id="at"></div><script>{script}
const model = {model};
const heard = [];
const host = {{
  get: (name) => model[name],
  set: (name, value) => {{ model[name] = value; }},
  on: (name, call) => {{
    const one = [name, call];
    heard.push(one);
    return () => heard.splice(heard.indexOf(one), 1);
  }},
  send: async (message) => {{
    window.sent = (window.sent || []).concat(message);
    model.seat = JSON.parse(await ask(JSON.stringify(message)));
    for (const [name, call] of [...heard]) if (name === "seat") call();
  }},
}};
mount{what}(document.getElementById("at"), host);
</script>"""
"""`model` is what a widget would hold, `ask` is Python's answer: what the seat shows then."""

Sit = Callable[..., Any]


def seat_of(name: str = "is-editing-flag", reviewers: int = 2, lang: str = "en", **more: Any) -> Seat:
    pattern = catalog.load(name)
    machine = FlowMachine(pattern.flow, pattern.make_input(reviewers=reviewers, **more.pop("flags", {})), **more)
    tokens = [pattern.token.name] if pattern.token is not None else []
    return Seat(machine, sections=[pattern.section], tokens=tokens, lang=lang)


def halfway(lang: str = "en") -> Seat:
    """Left in the middle, with faults and an event from outside among the moves."""
    seat = seat_of(
        "critical-section", 4, lang,
        faults=Faults(lost_attempts=1, late_attempts=1), scenario=Scenario(events=[Anytime(Stop())]),
    )  # fmt: skip
    for _ in range(13):
        calm = [move for move in seat.moves if move.group == "branch"]
        seat.take(calm[seat.made % 3 % len(calm)].number)
    return seat


@pytest.fixture
def sit(open_page: Callable[..., Any], tmp_path: Path) -> Sit:
    """Open a seat in a page that asks this very `Seat` for everything."""

    def opened(seat: Seat, **more: Any) -> Any:
        def ask(text: str) -> str:
            message = json.loads(text)
            if message["do"] != "back":
                answer(seat, message)
            return json.dumps(seat.view())

        page = open_page(_write(tmp_path, "Seat", {"seat": seat.view()}), **more)
        page.expose_function("ask", ask)
        return page

    return opened


def _write(folder: Path, what: str, model: Any) -> Path:
    path = folder / "seat.html"
    held = json.dumps(model).replace("</", "<\\/")
    made = PAGE.format(css=bundle.css(), script=bundle.script("page.js"), model=held, what=what)
    path.write_text(made, encoding="utf-8")
    return path


def hinting(page: Any, said: str) -> Any:
    """The hint, once it says this."""
    return page.locator(".s-hinting", has_text=said)


def pressed(page: Any, key: str, moves: str) -> None:
    page.keyboard.press(key)
    page.get_by_text(moves, exact=True).wait_for()


def test_the_hinted_moves_break_the_anti_pattern_by_clicks_and_keys_undo_it(sit: Sit, artifacts: Path) -> None:
    seat = seat_of()
    page = sit(seat)
    page.get_by_role("button", name="Hint").click()
    hinting(page, "can break in 12 moves").wait_for()
    for done in range(1, 13):
        assert page.locator(".s-cause").count() == 0
        page.locator(".s-move.s-hinted").click()
        page.get_by_text("1 move made" if done == 1 else f"{done} moves made", exact=True).wait_for()
    box = page.locator(".s-cause").inner_text()
    assert "Broken: at most one inside contract edit." in box
    assert "By reviewer-1 and reviewer-2, in 12 moves; no run breaks it in fewer." in box
    assert "check, then act." in box
    assert page.locator(".s-pill.s-REFUTED").inner_text() == "at most one inside contract edit"
    page.screenshot(path=artifacts / "seat-broken-light.png", full_page=True)
    page.locator(".s-seat").focus()
    for left in range(11, -1, -1):
        pressed(page, "Control+z" if left % 2 else "u", f"{left} moves made" if left != 1 else "1 move made")
    assert page.locator(".s-cause").count() == 0
    assert seat.made == 0
    for key, moves in (("Shift+U", "1 move made"), ("Shift+U", "2 moves made"), ("1", "3 moves made")):
        pressed(page, key, moves)


def test_the_keys_are_used_inside_alone_and_never_in_a_text_field(sit: Sit) -> None:
    seat = halfway()
    page = sit(seat)
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<input id=\"beside\">')")
    page.locator("#beside").focus()
    page.keyboard.press("1")
    page.keyboard.press("u")
    assert page.evaluate("window.sent") is None
    assert page.locator("#beside").input_value() == "1u"
    # What the seat used, the page around it does not hear.
    page.evaluate("window.stray = []; document.addEventListener('keydown', (event) => stray.push(event.key))")
    page.locator(".s-seat").focus()
    pressed(page, "u", "12 moves made")
    page.keyboard.press("x")
    assert page.evaluate("stray") == ["x"]


def test_more_than_nine_moves_can_be_filtered(sit: Sit, artifacts: Path) -> None:
    seat = seat_of("critical-section", 12)
    seat.take(1).take(1)
    page = sit(seat)
    assert page.locator(".s-move").count() == 13
    assert page.locator(".s-move kbd").count() == 9
    page.screenshot(path=artifacts / "seat-many-light.png", full_page=True)
    page.get_by_role("searchbox").type("reviewer-12")
    assert page.locator(".s-move").count() == 1
    page.keyboard.press("Enter")
    page.get_by_text("3 moves made", exact=True).wait_for()
    assert seat.path[-1].turn is not None
    assert seat.view()["said"]["who"] == "reviewer-12"
    assert page.get_by_role("searchbox").input_value() == ""


def test_every_move_and_every_reason_is_there_and_named_for_a_screen_reader(sit: Sit) -> None:
    seat = halfway()
    view = seat.view()
    page = sit(seat)
    labels = [one.get_attribute("aria-label") for one in page.locator(".s-move").all()]
    assert [label.partition(".")[0] for label in labels] == [str(move["n"]) for move in view["moves"]]
    for label, move in zip(labels, view["moves"], strict=True):
        assert move["says"] in label
        assert move["who"] in label
    assert page.locator(".s-cannot p").all_inner_texts() == [one["says"] for one in view["cannot"]]
    assert page.locator(".s-properties tbody tr").count() == 3
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Undo move 13"


def test_a_click_in_the_list_of_moves_goes_back_to_there(sit: Sit) -> None:
    seat = halfway()
    page = sit(seat)
    page.locator(".s-path li button").nth(5).click()
    page.get_by_text("8 moves made", exact=True).wait_for()
    page.get_by_role("button", name="Start over").click()
    page.get_by_text("0 moves made", exact=True).wait_for()
    assert "Nothing has happened yet." in page.locator(".s-sentence").inner_text()
    assert page.get_by_role("button", name="Undo").get_attribute("aria-disabled") == "true"


def test_a_recorded_run_is_left_at_a_line_and_can_be_gone_back_to(sit: Sit) -> None:
    pattern = catalog.load("critical-section")
    run = simulate(pattern.flow, pattern.make_input(2), sections=[pattern.section], tokens=[pattern.token], seed=7)
    seat = Seat.of_run(run, 9).take(1)
    page = sit(seat)
    assert "left the recorded run at turn 9" in page.locator(".s-head").inner_text()
    rows = page.locator(".s-path li").all_inner_texts()
    assert rows[0].startswith("10")
    assert rows[1] == "here you left the recorded run"
    assert rows[2].startswith("9")
    page.locator(".s-seat").focus()
    page.keyboard.press("Escape")
    assert page.evaluate("window.sent") == [{"do": "back"}]


def test_another_move_is_tried_from_the_stepper_and_the_run_is_gone_back_to(
    open_page: Callable[..., Any], tmp_path: Path
) -> None:
    pattern = catalog.load("critical-section")
    run = simulate(pattern.flow, pattern.make_input(2), sections=[pattern.section], tokens=[pattern.token], seed=7)
    stepper = Stepper(run)

    def ask(text: str) -> str:
        stepper._hear(stepper, json.loads(text))
        return json.dumps(stepper.seat)

    page = open_page(_write(tmp_path, "Stepper", {"show": stepper.show, "turn": 9, "seat": None}))
    page.expose_function("ask", ask)
    page.get_by_role("button", name="Try another move here").click()
    page.get_by_text("left the recorded run at turn 9").wait_for()
    pressed(page, "1", "10 moves made")
    pressed(page, "u", "9 moves made")
    page.keyboard.press("Escape")
    page.locator(".s-slots").wait_for()
    assert page.locator(".s-seat").count() == 0
    assert page.locator(".s-count").inner_text().startswith("Turn 9 of")
    assert stepper.seat is None
    # The focus is in the stepper: its keys go on, also after a click.
    page.keyboard.press("ArrowRight")
    assert page.locator(".s-count").inner_text().startswith("Turn 10 of")
    page.get_by_role("button", name="Try another move here").click()
    page.get_by_role("button", name="Back to the recorded run").click()
    page.locator(".s-slots").wait_for()
    page.keyboard.press("ArrowRight")
    assert page.locator(".s-count").inner_text().startswith("Turn 11 of")


def test_a_seat_that_has_no_move_says_why(sit: Sit, artifacts: Path) -> None:
    pattern = catalog.load("nested-locks-opposite-order")
    seat = Seat(Js7Machine(pattern.items, pattern.orders, pattern.jobs))
    page = sit(seat)
    page.keyboard.press("h")
    for done in range(4):
        page.locator(".s-move.s-hinted").click()
        page.get_by_text("1 move made" if not done else f"{done + 1} moves made", exact=True).wait_for()
    assert "Stuck: nobody can move any more." in page.locator(".s-sentence").inner_text()
    assert page.locator(".s-move").count() == 0
    assert page.locator(".s-cannot").count() == 2
    page.screenshot(path=artifacts / "seat-deadlock-light.png", full_page=True)


def test_names_of_people_stay_texts(sit: Sit) -> None:
    evil = {1: "</script><script>window.pwned=1</script>", 2: "\"><img src=x onerror='window.pwned=1'>"}
    seat = seat_of("critical-section", 2, flags={"reviewer": evil})
    for _ in range(6):
        seat.take(1)
    page = sit(seat)
    page.get_by_role("button", name="Hint").click()
    hinting(page, "It cannot be broken").wait_for()
    assert page.evaluate("window.pwned") is None
    assert page.locator(".s-seat img").count() == 0
    assert any("<script>" in str(one.get_attribute("title")) for one in page.locator(".s-whose b").all())


def test_the_schedule_can_be_copied(sit: Sit) -> None:
    seat = halfway()
    page = sit(seat, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy schedule").click()
    if page.locator(".s-paper").is_visible():
        assert page.locator(".s-paper").input_value() == seat.run.schedule
    else:
        page.get_by_role("button", name="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == seat.run.schedule


@pytest.mark.parametrize(
    ("name", "lang", "theme", "width"),
    [("light", "en", "light", 1204), ("dark", "en", "dark", 1204), ("zh", "zh", "light", 1204),
     ("middle", "en", "light", 980), ("narrow", "en", "light", 504)],
)  # fmt: skip
def test_a_picture_of_the_seat(sit: Sit, artifacts: Path, name: str, lang: str, theme: str, width: int) -> None:
    page = sit(halfway(lang), theme=theme, width=width)
    page.locator(".s-next").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.screenshot(path=artifacts / f"seat-{name}.png", full_page=True)
