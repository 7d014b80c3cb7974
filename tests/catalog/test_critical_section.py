"""The contract edit over many seeds: no overlap, one token at the end, a record per edit, however each one left."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from dexpatterns import catalog
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.dex.scenario import At, Faults, Invoke, Scenario, Section
from dexpatterns.dex.sections import overlaps, visits
from dexpatterns.dex.watch import TokenWatch
from dexpatterns.edits import EditRow
from dexpatterns.engine import simulator
from dexpatterns.engine.trace import Trace

PATTERN = catalog.load("critical-section")
WORLD = PATTERN.world
FLOW, ALL_EXITS_FLOW = PATTERN.flows

FLAGS: list[dict[str, tuple[int, ...]]] = [
    {},
    {"should_fail_handoff": (1,)},
    {"should_fail_save": (2,)},
    {"withdrawn": (3,)},
    {"should_fail_handoff": (1, 3), "should_fail_save": (2, 3), "withdrawn": (3, 2)},
    {"should_fail_handoff": (1,), "should_fail_save": (2,), "withdrawn": (3,)},
]
ALL_EXITS_FLAGS: list[dict[str, Any]] = [
    *FLAGS,
    {"should_fail_confirm": (1,)},
    {"patience": {2: timedelta(minutes=4)}},
    {
        "should_fail_handoff": (1,),
        "should_fail_confirm": (2,),
        "should_fail_save": (3,),
        "withdrawn": (3,),
        "patience": {1: timedelta(minutes=1), 2: timedelta(minutes=3), 3: timedelta(minutes=5)},
    },
]


def runs(flow: Any, input: Any, scenario: Scenario | None, seeds: int, faults: Faults | None = None) -> Iterator[Trace]:
    machine = FlowMachine(flow, input, scenario=scenario, faults=faults)
    for seed in range(seeds):
        yield simulator.simulate(machine, seed=seed, input=machine.input)


def records(trace: Trace) -> list[dict[str, Any]]:
    (made,) = trace.final["outputs"]
    return list(made)


def check(trace: Trace, section: Section, edits: list[Any]) -> None:
    assert overlaps(visits(trace, section)) == [], trace.seed
    watch = TokenWatch(PATTERN.token)
    tokens = watch.step(watch.initial(), trace.started)
    for turn in trace.turns:
        tokens = watch.step(tokens, turn.events)
        assert watch.fault(tokens) is None, (trace.seed, turn)
    assert trace.final["status"] == "COMPLETED", (trace.seed, trace.final)
    assert trace.final["channels"]["contractEditToken"] == ["contract"], trace.seed
    assert sorted(record["id"] for record in records(trace)) == sorted(edit.id for edit in edits), trace.seed


def way_out(edit: Any) -> str:
    if edit.should_fail_handoff:
        return "handoff failed"
    if edit.withdrawn:
        return "withdrawn"
    return "save failed" if edit.should_fail_save else "saved"


@pytest.mark.parametrize("flags", FLAGS, ids=str)
def test_edits_never_overlap_and_every_way_out_gives_the_token_back(flags: dict[str, tuple[int, ...]]) -> None:
    edits = PATTERN.make_input(3, **flags)
    expected = {edit.id: way_out(edit) for edit in edits}
    for trace in runs(FLOW, edits, PATTERN.scenario, 1_000):
        check(trace, PATTERN.section, edits)
        assert {record["id"]: record["way_out"] for record in records(trace)} == expected
        for record in records(trace):
            assert (record["started_at"] is None) == (record["way_out"] == "handoff failed")
            assert record["started_at"] is None or record["started_at"] <= record["ended_at"]


@pytest.mark.parametrize("flags", ALL_EXITS_FLAGS, ids=str)
def test_all_exits_keep_the_token_whichever_flags_are_set(flags: dict[str, Any]) -> None:
    edits = WORLD.make_all_exits_input(3, **flags)
    for trace in runs(ALL_EXITS_FLOW, edits, WORLD.ALL_EXITS_SCENARIO, 150):
        check(trace, WORLD.ALL_EXITS_SECTION, edits)


@pytest.mark.parametrize("name", ["stop-request", "turn-away", "perhaps-stop-request", "perhaps-turn-away"])
def test_all_exits_keep_the_token_whenever_a_call_comes(name: str) -> None:
    edits = WORLD.make_all_exits_input(3, patience={1: timedelta(minutes=5)}, should_fail_confirm=(2,))
    for trace in runs(ALL_EXITS_FLOW, edits, WORLD.ALL_EXITS_SCENARIOS[name], 150):
        check(trace, WORLD.ALL_EXITS_SECTION, edits)


def test_lost_attempts_break_nothing() -> None:
    edits = PATTERN.make_input(3)
    outs = set()
    for trace in runs(FLOW, edits, PATTERN.scenario, 300, Faults(lost_attempts=3)):
        check(trace, PATTERN.section, edits)
        outs |= {record["way_out"] == "saved" for record in records(trace)}
    assert outs == {True, False}


def ways_out(name: str, **flags: Any) -> set[str]:
    edits = WORLD.make_all_exits_input(3, **flags)
    scenario = WORLD.ALL_EXITS_SCENARIOS.get(name, WORLD.ALL_EXITS_SCENARIO)
    return {record["way_out"] for trace in runs(ALL_EXITS_FLOW, edits, scenario, 60) for record in records(trace)}


@pytest.mark.parametrize(
    ("name", "flags", "way_out"),
    [
        ("", {"should_fail_confirm": (1,)}, "confirmation failed"),
        ("", {"patience": {1: timedelta(minutes=1)}}, "cancellation asked"),
        ("turn-away", {}, "cancellation asked"),
        ("stop-request", {}, "stopped"),
    ],
)
def test_each_further_way_out_is_taken(name: str, flags: dict[str, Any], way_out: str) -> None:
    assert ways_out(name, **flags) >= {way_out, "saved"}


def test_a_cancelled_handoff_that_held_the_token_hands_it_to_another() -> None:
    """D-24: its wait had consumed the token, its execute was not saved."""
    edits = WORLD.make_all_exits_input(2, patience={1: timedelta(milliseconds=500), 2: timedelta(hours=1)})
    durations = {**WORLD.ALL_EXITS_SCENARIO.durations, WORLD.AdmitReviewer: timedelta(seconds=2)}
    returned = 0
    for trace in runs(ALL_EXITS_FLOW, edits, Scenario(durations=durations), 60):
        check(trace, WORLD.ALL_EXITS_SECTION, edits)
        returned += any(event.kind == "returned" for turn in trace.turns for event in turn.events)
        assert (trace.turns[-1].time or 0) < 3600, "the join does not wait for the patience of those who are through"
        assert {record["id"]: record["way_out"] for record in records(trace)}["edit-2"] == "saved"
    assert returned


def test_a_call_turns_away_whoever_is_not_inside() -> None:
    edits = WORLD.make_all_exits_input(5)
    for trace in runs(ALL_EXITS_FLOW, edits, WORLD.ALL_EXITS_SCENARIOS["turn-away"], 60):
        check(trace, WORLD.ALL_EXITS_SECTION, edits)
        cancelled = [event.step for turn in trace.turns for event in turn.events if event.kind == "cancelled"]
        # Six minutes are not enough for more than three edits of two minutes and more.
        assert len(cancelled) >= 2
        assert set(cancelled) == {"AdmitReviewer"}
        assert len(visits(trace, WORLD.ALL_EXITS_SECTION)) == 5 - len(cancelled)


def test_a_call_that_comes_while_the_branches_start_leaves_nobody_without_a_record() -> None:
    """D-25: whom it cancels is settled when it is saved, whom it records when it begins."""
    edits = WORLD.make_all_exits_input(3)
    durations = dict.fromkeys(WORLD.ALL_EXITS_SCENARIO.durations, timedelta())
    scenario = Scenario(durations=durations, events=(At(timedelta(), Invoke("turn_away")),))
    for trace in runs(ALL_EXITS_FLOW, edits, scenario, 300):
        check(trace, WORLD.ALL_EXITS_SECTION, edits)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("stop-cancel", "CANCELED"),
        ("stop-terminate", "TERMINATED"),
        ("stop-fail", "FAILED"),
        ("timeout-fail", "FAILED"),
        ("timeout-cancel", "CANCELED"),
    ],
)
def test_a_flow_closed_from_outside_ends_every_branch_and_returns_no_list(name: str, status: str) -> None:
    """D-27, D-28."""
    edits = PATTERN.make_input(4)
    for trace in runs(FLOW, edits, PATTERN.scenarios[name], 60):
        _check_closed(trace, PATTERN.section, status, [])


@pytest.mark.parametrize(
    ("name", "status", "outputs"), [("force-complete", "COMPLETED", [[]]), ("force-fail", "FAILED", [])]
)
def test_a_flow_closed_by_a_call_ends_every_branch(name: str, status: str, outputs: list[Any]) -> None:
    """D-18, D-26."""
    edits = WORLD.make_all_exits_input(4)
    for trace in runs(ALL_EXITS_FLOW, edits, WORLD.ALL_EXITS_SCENARIOS[name], 60):
        _check_closed(trace, WORLD.ALL_EXITS_SECTION, status, outputs)


def _check_closed(trace: Trace, section: Section, status: str, outputs: list[Any]) -> None:
    assert trace.final["status"] == status
    assert trace.final["outputs"] == outputs
    assert trace.final["steps"] == []
    assert overlaps(visits(trace, section)) == []
    # Six minutes are not enough for four edits of two minutes and more: branches were left, and ended with the Flow.
    (closed,) = [event for event in trace.turns[-1].events if event.kind == "closed"]
    assert any(step.step in ("EnterContractEdit", "AdmitReviewer") for step in _started(trace, closed.ended))


def _started(trace: Trace, paths: tuple[Any, ...]) -> list[Any]:
    return [
        event for turn in trace.turns for event in turn.events if event.kind == "step_started" and event.path in paths
    ]


def test_every_scenario_of_the_folder_is_tried() -> None:
    assert set(PATTERN.scenarios) == {"stop-cancel", "stop-terminate", "stop-fail", "timeout-fail", "timeout-cancel"}
    calls = {"stop-request", "turn-away", "force-complete", "force-fail"}
    assert set(WORLD.ALL_EXITS_SCENARIOS) == calls | {f"perhaps-{name}" for name in calls}


def test_every_order_of_entry_is_seen() -> None:
    """D-16: which waiting branch gets the token is not promised."""
    orders = {tuple(visit.label for visit in visits(trace, PATTERN.section))
              for trace in runs(FLOW, PATTERN.input, PATTERN.scenario, 200)}  # fmt: skip
    assert len(orders) == 6


@pytest.mark.parametrize("flow", [FLOW, ALL_EXITS_FLOW], ids=lambda flow: type(flow).__name__)
def test_no_edits_make_an_empty_list(flow: Any) -> None:
    (trace,) = runs(flow, [], None, 1)
    assert (trace.final["status"], trace.final["outputs"]) == ("COMPLETED", [[]])
    assert trace.final["channels"]["contractEditToken"] == ["contract"]


def test_a_name_is_just_a_name() -> None:
    names = {1: "<script>alert(1)</script>", 2: "../../x", 3: "🙂", 4: "🙂", 5: "{0} %s \\ \" '"}
    edits = PATTERN.make_input(5, reviewer=names, text={1: "</text>"})
    for trace in runs(FLOW, edits, PATTERN.scenario, 20):
        check(trace, PATTERN.section, edits)
        assert {int(record["id"][5:]): record["reviewer"] for record in records(trace)} == names
        labels = [visit.label for visit in visits(trace, PATTERN.section)]
        assert len(set(labels)) == 5
        assert {"<script>alert(1)</script>", "../../x"} < set(labels)


def test_an_edit_lasts_as_long_as_its_row_says() -> None:
    rows = [EditRow(f"r{n}", f"e{n}", f"t{n}", edit_seconds=10 * n, save_seconds=n) for n in range(1, 5)]
    edits, scenario = PATTERN.from_edits(rows)
    for trace in runs(FLOW, edits, scenario, 20):
        check(trace, PATTERN.section, edits)
        for visit in visits(trace, PATTERN.section):
            start, end = (trace.turns[turn - 1].time for turn in (visit.start_turn, visit.end_turn))
            assert start is not None
            assert end is not None
            assert end - start == pytest.approx(11 * int(visit.label[1:]))


def test_the_contract_is_what_the_last_saved_edit_says() -> None:
    edits = PATTERN.make_input(3, should_fail_save=(1,))
    for trace in runs(FLOW, edits, PATTERN.scenario, 20):
        saved = [record for record in records(trace) if record["way_out"] == "saved"]
        last = max(saved, key=lambda record: record["ended_at"])
        assert trace.final["attributes"] == {"contract": f"draft {last['id'][5:]}"}
