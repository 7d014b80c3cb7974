"""What is data can be copied and pickled; what holds code says so, and what to keep instead."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

import dexpatterns as d
from dexpatterns import js7
from dexpatterns.engine.schedule import Schedule
from dexpatterns.errors import InputError

PATTERN = d.catalog.load("critical-section")
INPUT = PATTERN.make_input(reviewers=2)
RUN = d.simulate(
    PATTERN.flow, INPUT, sections=[PATTERN.section], tokens=[PATTERN.token], scenario=PATTERN.scenario, seed=3
)


class Only(d.Step[int]):
    def execute(self, context: d.Context, input: int) -> d.StepDecision:
        return d.dead_end()


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))  # noqa: S301  # its own bytes


WAYS: dict[str, Callable[[Any], Any]] = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}

DATA = {
    "trace": RUN.trace,
    "schedule": Schedule.of(RUN.trace),
    "input": RUN.trace.input,
    "scenario": d.Scenario({Only: timedelta(seconds=2)}, [d.Anytime(d.Invoke("r"))]),
    "faults": d.Faults(lost_attempts=1, steps=[Only]),
    "bounds": d.Bounds(states=5),
    "section": d.Section(Only),
    "wait": d.Wait.until(d.Timer.by_duration(timedelta(hours=1))),
    "options": d.StepOptions().on_execute_failure_proceed_to(Only),
    "job": js7.Job(per_order={"X": js7.Job(outcomes="failed")}),
    "order": js7.Order("X", "W", {"n": 1}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", DATA)
def test_data_is_copied_and_pickled(name: str, way: str) -> None:
    made = WAYS[way](DATA[name])
    assert type(made) is type(DATA[name])
    assert made == DATA[name]


def test_a_copied_scenario_still_says_how_long_things_take() -> None:
    made = pickled(DATA["scenario"])
    assert made.duration(Only, "execute", 1, 1) == (2.0, 2.0)


@pytest.mark.parametrize("way", ["copy", "deepcopy"])
def test_a_copied_simulation_goes_on_by_itself(way: str) -> None:
    one = d.Simulation(PATTERN.flow, INPUT).take(0)
    two = WAYS[way](one)
    two.take(0)
    assert (len(one.run.trace.turns), len(two.run.trace.turns)) == (1, 2)
    assert two.undo().run.trace == one.run.trace


def test_a_simulation_is_not_pickled_and_says_what_to_keep() -> None:
    one = d.Simulation(PATTERN.flow, INPUT).take(0)
    with pytest.raises(InputError, match=r"it holds the code of Flow 'ContractEditFlow'; keep simulation\.run"):
        pickle.dumps(one)
    assert d.replay(PATTERN.flow, INPUT, one.run.schedule).trace == one.run.trace
