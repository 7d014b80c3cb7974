"""What is data can be copied and pickled; what holds code says so, and what to keep instead."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import dexpatterns as d
from dexpatterns import js7
from dexpatterns.engine.schedule import Schedule
from dexpatterns.engine.values import freeze
from dexpatterns.errors import InputError

PATTERN = d.catalog.load("critical-section")
INPUT = PATTERN.make_input(reviewers=2)
RUN = d.simulate(
    PATTERN.flow, INPUT, sections=[PATTERN.section], tokens=[PATTERN.token], scenario=PATTERN.scenario, seed=3
)


FLAG = d.catalog.load("is-editing-flag")
BROKEN = d.check(FLAG.flow, FLAG.make_input(reviewers=2), sections=[FLAG.section])
PROVED = d.check(PATTERN.flow, INPUT, sections=[PATTERN.section], tokens=[PATTERN.token])
NESTED = d.catalog.load("nested-locks-opposite-order")
ORDERS = js7.simulate(NESTED.items, NESTED.orders, jobs=NESTED.jobs)
DEADLOCK = js7.check(NESTED.items, NESTED.orders, jobs=NESTED.jobs)


class Failing(d.Step[int]):
    def execute(self, context: d.Context, input: int) -> d.StepDecision:
        return d.force_fail("always")


class FailingFlow(d.Flow[int]):
    def get_steps(self) -> d.StepList[int]:
        return d.StepList.start_step(Failing())


class WakeFlow(FailingFlow):
    @d.rpc()
    def wake(self, context: d.Context) -> None:
        pass


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


@pytest.mark.parametrize("way", WAYS)
def test_a_copied_scenario_still_calls_an_rpc_without_input(way: str) -> None:
    """`NOTHING` is known by being itself, so there may be no other."""
    scenario = d.Scenario(events=[d.Anytime(d.Invoke("wake"))])
    made = WAYS[way](scenario)
    assert repr(made) == repr(scenario)
    assert d.check(WakeFlow, 1, scenario=made).states == d.check(WakeFlow, 1, scenario=scenario).states


def test_a_frozen_value_that_was_pickled_elsewhere_is_found_among_its_equals() -> None:
    values = [None, "text", 1, True, (1, 2), [1, [2]], {"a": (1.5, None)}, timedelta(2)]
    frozen = [freeze(value) for value in values]
    assert len(set(frozen)) == len(values)
    script = f"""
import datetime, pickle
from dexpatterns.engine.values import freeze
for read, value in zip(pickle.loads(bytes.fromhex("{pickle.dumps(frozen).hex()}")), {values!r}):
    own = freeze(value)
    assert read == own and read.thaw() == value, read
    assert hash(read) == hash(own), f"the hash of {{read}} is that of another process"
"""
    subprocess.run([sys.executable, "-c", script], check=True)


NEWS = d.Channel("news", int)
BY_KEY = d.ChannelMap("byKey", int)
WAITS = [
    d.Wait.skip_immediately(),
    d.Wait.until(NEWS.for_one()),
    d.Wait.any_of(NEWS.at_most(2), BY_KEY.for_one("k"), d.Timer.by_duration(timedelta(1))),
    d.Wait.any_combination_of(d.ConditionCombination.of(NEWS.for_one(condition_id="n"))),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wait", WAITS, ids=str)
def test_a_copied_wait_is_the_same_wait(wait: d.Wait, way: str) -> None:
    made = WAYS[way](wait)
    assert (made, hash(made), repr(made), made.text) == (wait, hash(wait), repr(wait), wait.text)
    assert (made.timers, made.channels, made.definitions) == (wait.timers, wait.channels, wait.definitions)


def test_a_wait_that_was_pickled_elsewhere_is_found_among_its_equals() -> None:
    script = f"""
import pickle
import dexpatterns as d
read = pickle.loads(bytes.fromhex("{pickle.dumps(WAITS[1]).hex()}"))
assert read in {{d.Wait.until(d.Channel("news", int).for_one())}}
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("decision", [d.dead_end(), d.force_complete(), d.force_complete(None)], ids=str)
def test_a_copied_decision_has_an_output_only_if_it_had_one(decision: d.StepDecision, way: str) -> None:
    assert WAYS[way](decision) == decision


def test_a_copied_scenario_still_says_how_long_things_take() -> None:
    made = pickled(DATA["scenario"])
    assert made.duration(Only, "execute", 1, 1) == (2.0, 2.0)


@pytest.mark.parametrize("way", ["copy", "deepcopy"])
def test_a_copy_of_a_run_or_report_keeps_all(way: str) -> None:
    """Nothing of them changes; the machine is there, and what the run shows."""
    for thing in (RUN, BROKEN, BROKEN.counterexample):
        made = WAYS[way](thing)
        assert made == thing
        assert repr(made) == repr(thing)
    run = WAYS[way](BROKEN).counterexample
    assert run.report.counterexample is run
    assert run.machine is BROKEN.study


def views_of(run: d.Run) -> list[str]:
    return [
        str(run.timeline()), run.timeline().svg, run.graph(flow=None).text(), run.events().to_string(),
        run.intervals().to_string(), run.schedule, repr(run),
    ]  # fmt: skip


@pytest.mark.parametrize("run", [RUN, ORDERS], ids=["a Flow's", "orders'"])
def test_a_pickled_run_is_as_one_that_was_saved_and_loaded(run: d.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.json")
    loaded, made = d.load_run(tmp_path / "run.json"), pickled(run)
    assert made == loaded
    assert (made.machine, made.report) == (None, None)
    assert views_of(made) == views_of(loaded)
    assert made.timeline().svg == run.timeline().svg
    assert pickled(made) == made


def test_a_pickled_run_needs_no_code_of_the_flow() -> None:
    """As in another process that has not loaded the catalog."""
    read = "import pickle, sys; print(repr(pickle.load(sys.stdin.buffer)))"
    command = [sys.executable, "-c", read]
    done = subprocess.run(command, input=pickle.dumps(RUN), capture_output=True, check=True)
    assert done.stdout.decode().strip() == repr(RUN)


@pytest.mark.parametrize("report", [BROKEN, PROVED, DEADLOCK], ids=["broken", "proved", "orders"])
def test_a_pickled_report_says_the_same(report: d.Report) -> None:
    made = pickled(report)
    assert repr(made) == repr(report)
    assert (made.verdict, made.results, made.outcomes) == (report.verdict, report.results, report.outcomes)
    for lang in ("en", "zh"):
        assert str(made.explained(lang)) == str(report.explained(lang))
    assert (made.properties, made.study) == ((), None)
    if report.counterexample is not None:
        assert made.counterexample.report is made
        assert made.counterexample.schedule == report.counterexample.schedule
    assert made._repr_html_().startswith("<")
    assert pickled(made) == made


def test_a_pickled_report_of_a_flow_that_always_fails_still_says_so() -> None:
    report = d.check(FailingFlow, 1)
    assert (report.vain, pickled(report).vain) == (True, True)


def test_a_run_of_an_unknown_machine_is_not_pickled() -> None:
    run = d.Run(RUN.trace._replace(machine="abacus"))
    with pytest.raises(InputError, match="a run of a machine 'abacus' cannot be pickled"):
        pickle.dumps(run)


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
