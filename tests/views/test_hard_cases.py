"""What unfriendly hands do to several views at once: odd arguments are told, and nothing looks better than it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dexpatterns import Run, Section, Simulation, catalog, compare_runs, load_run, simulate
from dexpatterns.engine.texts import visible
from dexpatterns.errors import InputError, ScheduleError
from dexpatterns.views.page import table
from dexpatterns.views.show import show
from dexpatterns.views.stepper import Stepper

PATTERN = catalog.load("critical-section")
FLOW, EDITS = PATTERN.flow, PATTERN.make_input(2)


def a_run() -> Run:
    return simulate(FLOW, EDITS, sections=[PATTERN.section], tokens=[PATTERN.token], scenario=PATTERN.scenario, seed=1)


@pytest.mark.parametrize(
    "look",
    [
        lambda run, section: run.overlaps(section),
        lambda run, section: run.intervals(section),
        lambda run, section: run.timeline(section),
    ],
)
def test_a_section_of_steps_that_the_flow_does_not_have_is_no_section_without_overlaps(
    look: Callable[[Run, Any], Any], tmp_path: Any
) -> None:
    run = a_run()
    with pytest.raises(InputError, match="has no Step 'EditContrakt'; expected one of"):
        look(run, Section("EditContrakt"))
    look(run, Section("EditContract", name="the half of it"))
    run.save(tmp_path / "run.json")
    look(load_run(tmp_path / "run.json"), Section("EditContract"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sections": [type(FLOW)]}, "sections: expected a Section, got"),
        ({"sections": type(FLOW)}, "sections: expected a list of Sections, got"),
        ({"sections": None}, "sections: expected a list of Sections, got None"),
        ({"sections": 5}, "sections: expected a list of Sections, got 5"),
        ({"tokens": None}, "tokens: expected a list of Channels or their names, got None"),
        ({"tokens": [5]}, "tokens: expected a Channel or the name of one, got 5"),
    ],
)
def test_what_is_watched_is_told_when_it_is_none(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        simulate(FLOW, EDITS, **given)
    assert said in str(error.value)


def test_what_a_loaded_run_watched_can_be_watched_again(tmp_path: Any) -> None:
    a_run().save(tmp_path / "run.json")
    loaded = load_run(tmp_path / "run.json")
    assert simulate(FLOW, EDITS, sections=loaded.sections, tokens=loaded.tokens).overlaps().empty


@pytest.mark.parametrize("move", [None, 1.0, True, -1, 99, "", "nonsense", ["begin"]])
def test_what_is_no_move_is_told_by_a_simulation_and_by_its_seat(move: Any) -> None:
    simulation = Simulation(FLOW, EDITS)
    for does in (simulation.take, simulation.seat().seated.take):
        with pytest.raises(ScheduleError):
            does(move)


@pytest.mark.parametrize(
    "message",
    [{"do": "undo", "n": n} for n in ("x", None, -1, 1.5, [])] + [{"do": "back_to", "turn": n} for n in ("x", None, 9)],
)
def test_a_message_with_an_odd_number_changes_nothing_and_is_told(message: dict[str, Any]) -> None:
    widget: Stepper = Simulation(FLOW, EDITS).take(0).seat()
    widget._hear(widget, message)
    assert widget.seated.made == 1
    assert "expected a" in widget.seat["trouble"]  # type: ignore[index]


@pytest.mark.parametrize("message", [None, [], "undo", 3, {}, {"do": ["undo"]}])
def test_a_message_that_means_nothing_leaves_the_seat_alone(message: Any) -> None:
    widget: Stepper = Simulation(FLOW, EDITS).take(0).seat()
    widget._hear(widget, message)
    assert widget.seated.made == 1


@pytest.mark.parametrize(
    ("lang", "made", "said"),
    [
        ("en", 0, ("no turn yet", "Nothing has happened yet.", "A has no turn yet, B has")),
        ("en", 1, ("its only turn", "Still open after turn 1.", "the first turn is the same; A ends there, B goes on")),
        ("zh", 0, ("还没有回合", "尚未发生任何事。", "A 还没有回合，B 已有回合")),
        ("zh", 1, ("唯一的一个回合", "第 1 回合之后仍未结束。", "第 1 回合相同；A 到此结束，B 继续")),
    ],
)
def test_a_run_of_no_turn_or_of_one_is_told_in_the_singular(lang: str, made: int, said: tuple[str, str, str]) -> None:
    simulation = Simulation(FLOW, EDITS)
    for _ in range(made):
        simulation.take(0)
    title, status, difference = said
    shown = table(show(simulation.run, lang))
    assert title in shown
    assert status in shown
    longer = Simulation(FLOW, EDITS).take(0).take(0).run
    assert compare_runs(simulation.run, longer, lang=lang).words()[0] == difference


def test_two_names_that_differ_look_different() -> None:
    names = ["Ada", "Ada\u200b", "A\u00adda", "A\u2060da", "\u180eAda", "Ada\u202e", "Ada\ufeff"]
    assert len({visible(name) for name in names}) == len(names)
    assert all(visible(name).isprintable() for name in names)
    assert [visible(name) for name in ("👩\u200d💻", "می\u200cخواهم")] == ["👩\u200d💻", "می\u200cخواهم"]
