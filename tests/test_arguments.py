"""What a public function answers to an argument that it cannot use: an error of ours that says what was expected."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

import dexpatterns as d
from dexpatterns import js7
from dexpatterns.errors import DexpatternsError, InputError

JUNK: list[Any] = [None, 5, -1, 1.5, True, "x", b"x", object(), [], {}, [5], (None,), int, len]
FIVE: Any = 5
TEXT: Any = "x"
SECOND = timedelta(seconds=1)
TOKEN = d.Channel("token", int)


class Only(d.Step[int]):
    def execute(self, context: d.Context, input: int) -> d.StepDecision:
        return d.graceful_complete()


class OnlyFlow(d.Flow[int]):
    def get_steps(self) -> d.StepList[int]:
        return d.StepList.start_step(Only())

    def get_persistence_schema(self) -> d.PersistenceSchema:
        return d.PersistenceSchema.of(TOKEN)


SECTION = d.Section(Only)
RUN = d.simulate(OnlyFlow, 1, sections=[SECTION], tokens=[TOKEN])
WORLD: dict[str, Any] = {
    "flow": OnlyFlow, "input": 1, "sections": [SECTION], "tokens": [TOKEN], "scenario": None, "faults": None,
}  # fmt: skip
ITEMS = js7.load({"path": "W", "instructions": [{"TYPE": "Fail"}]})
ORDERS = [js7.Order("X", "W")]
ORDERED: dict[str, Any] = {"items": ITEMS, "orders": ORDERS, "jobs": None}
DEFINITION = {"name": "a", "value_type": int}


def simulation(call: Callable[[d.Simulation, Any], Any]) -> Callable[[Any], Any]:
    return lambda argument: call(d.Simulation(OnlyFlow, 1), argument)


def controlled(call: Callable[[js7.Controller, Any], Any]) -> Callable[[Any], Any]:
    return lambda argument: call(js7.Controller(ITEMS).add_order("X", "W"), argument)


CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Anytime": (d.Anytime, {"what": d.Invoke("r"), "times": 1, "owed": False}),
    "At": (d.At, {"time": SECOND, "what": d.Invoke("r")}),
    "Attribute": (d.Attribute, DEFINITION),
    "AttributeMap": (d.AttributeMap, DEFINITION),
    "Bounds": (d.Bounds, {"states": 1, "depth": 1, "seconds": 1}),
    "Channel": (d.Channel, DEFINITION),
    "ChannelMap": (d.ChannelMap, DEFINITION),
    "ConditionCombination": (d.ConditionCombination, {"conditions": (TOKEN.for_one(condition_id="a"),)}),
    "ConditionCombination.of": (d.ConditionCombination.of, {"": None}),
    "Faults": (d.Faults, {"lost_attempts": 1, "late_attempts": 1, "steps": None}),
    "FlowMachine": (d.FlowMachine, {"flow": OnlyFlow, "input": 1, "scenario": None, "faults": None}),
    "Invoke": (d.Invoke, {"rpc_name": "r"}),
    "PersistenceSchema": (d.PersistenceSchema, {"definitions": ()}),
    "PersistenceSchema.of": (d.PersistenceSchema.of, {"": None}),
    "RPCResult": (d.RPCResult, {"output": None, "next_steps": ()}),
    "Report.explained": (d.check(OnlyFlow, 1).explained, {"lang": "en"}),
    "Report.wrong": (d.check(OnlyFlow, 1).wrong, {"lang": "en"}),
    "RetryPolicy": (
        d.RetryPolicy,
        {
            "initial_interval": SECOND,
            "backoff_coefficient": 2,
            "maximum_interval": SECOND,
            "maximum_attempts": 2,
            "total_duration": SECOND,
        },
    ),
    "Run": (d.Run, {"trace": RUN.trace, "sections": (), "tokens": ()}),
    "Run.events": (RUN.events, {"lang": "en"}),
    "Run.graph": (RUN.graph, {"at": None, "lang": "en", "flow": None, "limit": 1}),
    "Run.intervals": (RUN.intervals, {"section": None}),
    "Run.overlaps": (RUN.overlaps, {"section": None}),
    "Run.save": (RUN.save, {"path": "saved"}),
    "Run.save_html": (RUN.save_html, {"path": "saved", "lang": "en", "limit": 1}),
    "Run.section": (RUN.section, {"section": None}),
    "Run.stepper": (RUN.stepper, {"lang": "en", "limit": 1}),
    "Run.timeline": (RUN.timeline, {"section": None, "lang": "en", "limit": 1, "at": None}),
    "Scenario": (d.Scenario, {"durations": {}, "events": (), "options": d.StartFlowOptions()}),
    "Section": (d.Section, {"": None}),
    "Section of a Step": (lambda **given: d.Section(Only, **given), {"name": None, "label": None}),
    "Simulation": (d.Simulation, WORLD | {"properties": None}),
    "Simulation.seat": (simulation(lambda made, lang: made.seat(lang)), {"": "en"}),
    "Simulation.take": (simulation(lambda made, choice: made.take(choice)), {"": 0}),
    "Simulation.undo": (simulation(lambda made, moves: made.undo(moves)), {"": 1}),
    "StartFlowOptions": (d.StartFlowOptions, {"timeout": SECOND, "timeout_policy": None}),
    "StepList": (d.StepList, {"start": None, "others": ()}),
    "StepList.start_step": (d.StepList.start_step, {"": None}),
    "StepList.without_start_step": (d.StepList.without_start_step, {"": None}),
    "StepMovement": (d.StepMovement, {"step": Only, "input": 1, "options": None}),
    "StepOptions": (
        d.StepOptions,
        {
            "wait_for_retry": None,
            "execute_retry": None,
            "wait_for_method_timeout": SECOND,
            "execute_method_timeout": SECOND,
            "wait_for_failure": None,
            "wait_for_lock_attributes": (),
            "execute_lock_attributes": (),
            "execute_failure_route": None,
        },
    ),
    "Stop": (d.Stop, {"options": d.StopFlowOptions()}),
    "StopFlowOptions": (d.StopFlowOptions, {"type": d.StopType.FAIL, "reason": ""}),
    "Timer.by_duration": (d.Timer.by_duration, {"duration": SECOND, "condition_id": None}),
    "Wait": (d.Wait, {"kind": "skip", "conditions": (), "combinations": ()}),
    "Wait.all_of": (d.Wait.all_of, {"": None}),
    "Wait.any_combination_of": (d.Wait.any_combination_of, {"": None}),
    "Wait.any_of": (d.Wait.any_of, {"": None}),
    "Wait.until": (d.Wait.until, {"": None}),
    "always": (d.always, {"name": "n", "predicate": len}),
    "always_ends": (d.always_ends, {"status": "COMPLETED"}),
    "audit": (
        d.audit,
        {
            "flow": OnlyFlow,
            "input": 1,
            "section": SECTION,
            "token": TOKEN,
            "scenario": None,
            "faults": None,
            "bounds": None,
            "count": 1,
            "lang": "en",
            "progress": None,
        },
    ),
    "catalog.compare": (d.catalog.compare, {"lang": "en", "catalog": ".", "progress": None}),
    "Pattern.verify": (d.catalog.load("lock-across-steps").verify, {"lang": "en"}),
    "catalog.load": (d.catalog.load, {"name": "critical-section", "catalog": None}),
    "catalog.open": (d.catalog.open, {"path": "."}),
    "catalog.patterns": (d.catalog.patterns, {"catalog": None}),
    "catalog.problems": (d.catalog.problems, {"catalog": None}),
    "check": (d.check, WORLD | {"properties": None, "bounds": None, "symmetric": None, "progress": None}),
    "compare_runs": (d.compare_runs, {"a": RUN, "b": RUN, "section": None, "lang": "en", "by": "turns", "limit": 1}),
    "exercises.check": (lambda name: d.exercises.check(name, OnlyFlow), {"name": "give-it-back"}),
    "exercises.hint": (d.exercises.hint, {"name": "give-it-back"}),
    "exercises.list": (d.exercises.list, {"lang": "en"}),
    "exercises.show": (d.exercises.show, {"name": "give-it-back", "lang": "en"}),
    "explore": (
        d.explore,
        {
            "machine": d.FlowMachine(OnlyFlow, 1),
            "properties": None,
            "bounds": None,
            "sections": (),
            "tokens": (),
            "shown_on": None,
            "progress": None,
            "explain": None,
        },
    ),
    "force_complete_if_channels_empty": (
        lambda **given: d.force_complete_if_channels_empty(1, given["fallback"], given["channel"]),
        {"fallback": d.StepMovement(Only, 1), "channel": TOKEN},
    ),
    "force_fail": (d.force_fail, {"reason": ""}),
    "go_to": (d.go_to, {"step": Only, "input": 1}),
    "go_to_many": (d.go_to_many, {"": None}),
    "graph": (d.graph, {"flow": OnlyFlow, "sections": (), "lang": "en", "limit": 1}),
    "load_flow": (d.load_flow, {"target": "file.py:Flow"}),
    "load_run": (d.load_run, {"path": "saved"}),
    "mutual_exclusion": (d.mutual_exclusion, {"section": SECTION, "limit": 1}),
    "never": (d.never, {"name": "n", "predicate": len}),
    "replay": (d.replay, WORLD | {"schedule": RUN.schedule}),
    "rpc": (d.rpc, {"": None}),
    "rpc of a method": (d.rpc, {"name": None, "lock_attributes": ()}),
    "simulate": (d.simulate, WORLD | {"seed": 1, "turns": 9}),
    "token_conserved": (d.token_conserved, {"channel": "c", "count": 1}),
    "js7.Controller": (js7.Controller, {"items": ITEMS, "jobs": None}),
    "js7.Controller.events": (controlled(lambda made, id: made.events(id)), {"": None}),
    "js7.Controller.lock": (controlled(lambda made, path: made.lock(path)), {"": "L"}),
    "js7.Controller.order": (controlled(lambda made, id: made.order(id)), {"": "X"}),
    "js7.Job": (js7.Job, {"duration": SECOND, "outcomes": ("failed",), "per_order": {}}),
    "js7.Js7Machine": (js7.Js7Machine, ORDERED),
    "js7.Order": (js7.Order, {"id": "X", "workflow": "W", "arguments": None, "priority": 0, "at": SECOND}),
    "js7.check": (js7.check, ORDERED | {"properties": None, "bounds": None, "progress": None}),
    "js7.check of starvation": (
        lambda **given: js7.check(ITEMS, ORDERS, properties=[js7.no_starvation("X")], **given),
        {"bounds": None, "progress": None},
    ),
    "js7.check_references": (js7.check_references, {"items": ITEMS}),
    "js7.dump": (js7.dump, {"items": ITEMS, "dialect": "controller", "folder": None}),
    "js7.holdings": (js7.holdings, {"trace": RUN.trace}),
    "js7.load": (js7.load, {"source": {}}),
    "js7.look": (js7.look, {"items": ITEMS}),
    "js7.no_starvation": (js7.no_starvation, {"order": "X"}),
    "js7.replay": (js7.replay, ORDERED | {"schedule": "x"}),
    "js7.simulate": (js7.simulate, ORDERED | {"seed": 1, "turns": 9}),
}
"""What is called, and with which good arguments beside the bad one; '' is one that has no name."""

NOT_CALLED = {
    **dict.fromkeys(("Context", "Report", "StepDecision"), "made by the package"),
    **dict.fromkeys(("Flow", "Step", "RecoveryErrorInfo"), "takes what its author gives it"),
    **dict.fromkeys(("FlowStatus", "FlowTimeoutPolicy", "StopType", "Verdict", "WaitForFailurePolicy"), "an Enum"),
    **dict.fromkeys(("FlowDefinitionError", "InvalidStepResultError"), "an error"),
    **dict.fromkeys(("dead_end", "never_stuck"), "takes no argument"),
    **dict.fromkeys(("force_complete", "graceful_complete"), "takes any value, and says later that it is none"),
}

ANY_VALUE = {("RPCResult", "output"), ("StepMovement", "input"), ("go_to", "input")}
"""A value of the author's own."""

CASES = [pytest.param(name, key, id=f"{name}({key})") for name, (_, good) in CALLS.items() for key in good]


def called(name: str, key: str, argument: Any) -> Any:
    function, good = CALLS[name]
    return function(argument) if not key else function(**good | {key: argument})


@pytest.mark.parametrize(("name", "key"), CASES)
def test_an_argument_is_taken_or_refused_in_our_words(
    name: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for argument in JUNK:
        with suppress(DexpatternsError):
            repr(called(name, key, argument))


@pytest.mark.parametrize(("name", "key"), [case for case in CASES if case.values not in ANY_VALUE])
def test_what_nobody_can_use_is_refused(name: str, key: str) -> None:
    with pytest.raises(DexpatternsError):
        called(name, key, object())


def test_every_public_name_is_in_the_table_or_cannot_be_called() -> None:
    tabled = {name.partition(".")[0].partition(" ")[0] for name in CALLS}
    assert set(d.__all__) - tabled == NOT_CALLED.keys() - tabled
    assert set(js7.__all__) - {name.split(".")[1].partition(" ")[0] for name in CALLS if name.startswith("js7.")} == {
        "Jobs", "Lock", "Workflow", "no_deadlock", "no_lock_kept", "no_overcommitment",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: d.replay(OnlyFlow, 1, FIVE), "expected a schedule or its text, got 5; write run.schedule"),
        (lambda: d.replay(OnlyFlow, 1, cast("str", RUN)), "expected a schedule or its text, got <Run of OnlyFlow"),
        (lambda: js7.replay(ITEMS, ORDERS, FIVE), "expected a schedule or its text, got 5"),
        (lambda: d.Simulation(OnlyFlow, 1, properties=FIVE), "properties: expected a list of properties, got 5"),
        (lambda: d.Simulation(OnlyFlow, 1, properties=[TEXT]), "properties: expected a property, got 'x'"),
        (lambda: d.Simulation(OnlyFlow, 1).undo(TEXT), "undo: expected a whole number of moves, zero or more, got 'x'"),
        (lambda: d.explore(FIVE), "machine: expected a machine, got 5; write FlowMachine(flow, input)"),
        (lambda: d.check(OnlyFlow, 1, progress=FIVE), "progress: expected a function, got 5"),
        (lambda: d.catalog.load("lost-token").verify(progress=FIVE), "progress: expected a function, got 5"),
        (lambda: d.Run(FIVE), "Run: expected a Trace, got 5; simulate, replay and load_run make runs"),
        (lambda: d.Simulation(OnlyFlow, 1).undo(-1), "zero or more, got -1"),
        (lambda: d.check(OnlyFlow, 1, symmetric=FIVE), "symmetric: expected True or names of text fields, got 5"),
        (lambda: d.always_ends(FIVE), "expected a status or its name, got 5; write FlowStatus.COMPLETED"),
        (lambda: d.always(FIVE, len), "a property needs a name, a text that is not empty, got 5"),
        (lambda: d.audit(OnlyFlow, 1, SECTION, token=TOKEN, count=0), "audit count: expected a whole number of 1"),
        (lambda: d.audit(OnlyFlow, 1, SECTION, token=TOKEN, lang="fr"), "lang: expected 'en' or 'zh', got 'fr'"),
        (lambda: d.graph(OnlyFlow, sections=FIVE), "sections: expected a list of Sections, got 5"),
        (lambda: d.graph(OnlyFlow, sections=[FIVE]), "sections: expected a Section, got 5"),
        (lambda: d.load_flow(FIVE), "expected a file and a name in it as a text, got 5; write 'orders.py:OrderFlow'"),
        (lambda: d.catalog.open(FIVE), "expected the path of a folder, got 5"),
        (lambda: d.rpc(name=FIVE), "@rpc name: expected a text that is not empty and has no '/', got 5"),
        (lambda: d.Wait("until", (FIVE,)), "expected what one of its functions makes"),
        (lambda: d.StepList(FIVE, ()), "StepList: expected a Step instance, got a int"),
        (lambda: d.PersistenceSchema(FIVE), "PersistenceSchema: expected a tuple of definitions, got 5"),
        (lambda: d.StepOptions(execute_failure_route=FIVE), "write StepOptions(...).on_execute_failure_proceed_to("),
        (lambda: js7.simulate(ITEMS, FIVE), "orders: expected a list of js7.Order, got 5"),
        (lambda: js7.dump(FIVE), "expected workflows and locks, got 5; js7.load makes them of files"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_was_expected(call: Callable[[], object], said: str) -> None:
    with pytest.raises(DexpatternsError) as refused:
        call()
    assert said in str(refused.value)


def test_one_field_or_one_section_alone_is_taken_for_a_list_of_it() -> None:
    with pytest.raises(InputError, match="has a field 'reviewer'"):
        d.check(OnlyFlow, 1, symmetric="reviewer")
    assert d.graph(OnlyFlow, sections=SECTION).data == d.graph(OnlyFlow, sections=[SECTION]).data


def test_a_path_may_be_any_path(tmp_path: Path) -> None:
    class Place(os.PathLike[str]):
        def __fspath__(self) -> str:
            return str(tmp_path)

    assert d.catalog.patterns(Place()) == ()
