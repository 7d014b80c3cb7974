"""The stepper as a widget: its turn is synced, another move can be tried, and it is kept in a notebook as data."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
import traitlets

from dexpatterns import Run, load_run
from dexpatterns.errors import InputError
from dexpatterns.views.stepper import SHOW_MIME, Stepper
from tests.views.long_run import long_run
from tests.views.test_show import RUN, SHOW, refuted


@pytest.fixture
def stepper() -> Stepper:
    made = RUN.stepper()
    assert isinstance(made, Stepper)
    return made


def hear(stepper: Stepper, message: Any) -> None:
    """What the browser sends."""
    stepper._handle_custom_msg(message, [])


def test_it_shows_the_run_from_its_start(stepper: Stepper) -> None:
    assert (stepper.turn, stepper.lang, stepper.seat) == (0, "en", None)
    assert stepper.show == SHOW


def test_a_counterexample_is_opened_at_its_end() -> None:
    assert refuted().stepper().turn == 8


def test_the_turn_can_be_set_and_observed(stepper: Stepper) -> None:
    seen: list[int] = []
    stepper.observe(lambda change: seen.append(change["new"]), "turn")
    stepper.turn = 5
    stepper.set_state({"turn": 6})  # as the browser does
    assert seen == [5, 6]
    assert stepper.turn == 6


@pytest.mark.parametrize("turn", [-1, 45, 10**9])
def test_a_turn_that_there_is_not_is_refused(stepper: Stepper, turn: int) -> None:
    with pytest.raises(InputError, match=f"expected a turn from 0 .* to 44 .*, got {turn}"):
        stepper.turn = turn
    assert stepper.turn == 0


def test_the_axis_is_one_of_two_and_of_time_only_with_a_clock(stepper: Stepper) -> None:
    stepper.axis = "time"
    assert stepper.show["by_time"]
    with pytest.raises(traitlets.TraitError):
        stepper.axis = "seconds"
    with pytest.raises(InputError, match="no clock, so it has turns only"):
        refuted().stepper().axis = "time"


def test_of_a_long_run_the_lanes_by_time_are_made_when_they_are_asked_for() -> None:
    stepper = long_run(4, 500).stepper()
    assert (stepper.show["by_time"], stepper.by_time) == ([], [])
    stepper.set_state({"axis": "time"})  # as the browser does
    cut = [[first, last] for first, last, _ in stepper.show["windows"]]
    assert [[first, last] for first, last, _ in stepper.by_time] == cut
    assert all("data-high" in picture for *_, picture in stepper.by_time)


def test_a_turn_is_a_number(stepper: Stepper) -> None:
    with pytest.raises(traitlets.TraitError):
        stepper.turn = "3"


def test_in_a_notebook_there_is_a_text_and_the_whole_show(stepper: Stepper) -> None:
    stepper.turn = 3
    data, _ = stepper._repr_mimebundle_()
    assert data["text/plain"] == repr(stepper) == "<Stepper of ContractEditFlow: turn 3 of 44>"
    assert "application/vnd.jupyter.widget-view+json" in data
    kept = data[SHOW_MIME]
    assert kept["format"] == 1
    assert json.loads(zlib.decompress(base64.b64decode(kept["zlib"]))) == SHOW


def test_only_what_the_browser_needs_is_synced(stepper: Stepper) -> None:
    state = stepper.get_state()
    assert {"show", "turn", "lang", "seat"} <= state.keys()
    json.dumps({key: state[key] for key in ("show", "turn", "lang", "seat")})
    assert "mountStepper" in state["_esm"]


# Another move.


def test_another_move_opens_the_seat_after_the_turn(stepper: Stepper) -> None:
    hear(stepper, {"do": "try", "turn": 9})
    assert stepper.seat is not None
    json.dumps(stepper.seat)
    moves = stepper.seated.moves
    assert stepper.seated.made == 9
    assert len(moves) == SHOW["moves"][9]


def test_a_move_is_taken_and_taken_back(stepper: Stepper) -> None:
    hear(stepper, {"do": "try", "turn": 9})
    before = stepper.seat
    choice = stepper.seated.moves[0].choice
    hear(stepper, {"do": "take", "choice": str(choice), "made": 9})
    assert stepper.seated.made == 10
    assert stepper.seat != before
    hear(stepper, {"do": "undo"})
    assert stepper.seat["made"] == before["made"] if "made" in before else stepper.seated.made == 9
    hear(stepper, {"do": "back"})
    assert stepper.seat is None


@pytest.mark.parametrize("message", [None, {}, {"do": "dance"}, {"do": "take"}, "try", 3, {"do": ["try"]}])
def test_a_message_that_means_nothing_does_nothing(stepper: Stepper, message: Any) -> None:
    hear(stepper, message)
    assert (stepper.seat, stepper.turn) == (None, 0)


def test_a_loaded_run_stays(tmp_path: Any) -> None:
    RUN.save(tmp_path / "run.json")
    made = load_run(tmp_path / "run.json").stepper()
    assert made.show["stays"] == "no_machine"
    hear(made, {"do": "try", "turn": 1})
    assert made.seat is None
    with pytest.raises(InputError, match="loaded"):
        made.try_here(1)


def test_a_run_in_chinese() -> None:
    run: Run = RUN
    made = run.stepper("zh")
    assert made.lang == "zh"
    assert made.show["texts"]["play"] == "播放"
