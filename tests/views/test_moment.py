"""A moment folded over a run's events is the state that the machine itself describes, at every turn."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import (
    Attribute,
    Context,
    Faults,
    Flow,
    PersistenceSchema,
    Scenario,
    Section,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    catalog,
    dead_end,
    go_to,
    go_to_many,
    load_run,
    simulate,
)
from dexpatterns.dex.machine import FlowMachine
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import DexpatternsError, InputError
from dexpatterns.views.moment import Fold, Moment, describe, moment, moments
from tests.handmade import TOKEN, after, critical, edits

SECTION = Section("EditContract", "SaveContractEdit", name="edit", label=lambda edit: edit.reviewer)
STEPS = 120


def worlds() -> list[Any]:
    """Every Flow of the catalog with every scenario that fits it."""
    found = []
    for pattern in (one for one in catalog.patterns() if one.form == "dex"):
        world = pattern.world
        inputs = [pattern.input, getattr(world, "ALL_EXITS_INPUT", None)]
        scenarios = [Scenario(), *pattern.scenarios.values(), *getattr(world, "ALL_EXITS_SCENARIOS", {}).values()]
        for flow in pattern.flows:
            for n, scenario in enumerate(scenarios):
                for value in inputs:
                    try:
                        machine = FlowMachine(flow, value, scenario=scenario, faults=Faults(2, 2))
                    except DexpatternsError:
                        continue  # that scenario or input is of the pattern's other Flow
                    found.append(pytest.param(machine, id=f"{machine.name}-{n}"))
                    break
    return found


def agree(told: dict[str, Any], at: Moment) -> None:
    ours = describe(at)
    for field in ("status", "reason", "outputs", "attributes", "locks"):
        assert ours[field] == told[field], field
    assert ours["channels"] == {name: queue for name, queue in told["channels"].items() if queue}

    def place(code: dict[str, Any]) -> Any:
        return code["id"], code["method"], code["attempt"]

    assert sorted(ours["late"], key=place) == sorted(told["late"], key=place)
    for mine, theirs in zip(ours["steps"], told["steps"], strict=True):
        # Of a queued Step the events do not say yet whether it waits first.
        assert mine | {"method": mine["method"] or theirs["method"]} == theirs
    for mine, theirs in zip(ours["calls"], told["calls"], strict=True):
        assert mine == theirs | {"input": None}


@pytest.mark.parametrize("machine", worlds())
def test_a_moment_is_what_the_machine_describes_at_every_turn(machine: FlowMachine) -> None:
    for seed in range(4):
        draw = random.Random(seed)
        state, events = machine.start()
        fold = Fold()
        fold.apply(events, 0, None)
        agree(machine.describe(state), fold.moment())
        for turn in range(1, STEPS):
            choices = machine.choices(state)
            if not choices:
                break
            state, events = machine.apply(state, draw.choice(choices))
            fold.apply(events, turn, None)
            agree(machine.describe(state), fold.moment())


def test_the_worlds_have_calls_stops_and_every_flow() -> None:
    machines = [param.values[0] for param in worlds()]
    assert {machine.name for machine in machines} == {
        type(flow).__name__ for pattern in catalog.patterns() for flow in pattern.flows
    }
    assert any(machine.rules.events and machine.rules.events[0].kind == "call" for machine in machines)
    assert any(machine.rules.events and machine.rules.events[0].kind == "stop" for machine in machines)


SHARED = Attribute("shared", int)


class Begin(Step[int]):
    def execute(self, context: Context, n: int) -> StepDecision:
        return go_to_many(*[StepMovement.of(Locks, i) for i in range(n)])


class Locks(Step[int]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(SHARED.lock(),))

    def execute(self, context: Context, n: int) -> StepDecision:
        SHARED.set(context, SHARED.get(context) + 1)
        return go_to(Ends, n)


class Ends(Step[int]):
    def execute(self, context: Context, n: int) -> StepDecision:
        return dead_end()


class LocksFlow(Flow[int]):
    def get_steps(self) -> StepList[int]:
        return StepList.start_step(Begin()).other_steps(Locks(), Ends())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(SHARED)


def test_a_lock_is_held_from_the_begin_to_the_end_of_the_call() -> None:
    trace = simulate(LocksFlow, 3).trace
    held = [at.locks for at in moments(trace)]
    assert {len(locks) for locks in held} == {0, 1}
    for turn, locks in zip(trace.turns, held[1:], strict=True):
        begins = turn.choice.name == "Locks.execute" and turn.choice.kind == "begin"
        assert (locks.get("shared") == turn.choice.path) is begins


# By hand.


def test_a_token_is_held_from_hand_to_hand_and_given_back() -> None:
    trace = critical(2)
    held = {tuple(at.held.values()) for at in moments(trace, tokens=[TOKEN])}
    assert held == {(), ((TOKEN,),)}
    (enter,) = moment(trace, 7, tokens=[TOKEN]).held
    inside = moment(trace, 12, [SECTION], [TOKEN])
    assert list(inside.held) == [after(enter, 2)]
    assert inside.inside == {"edit": ((after(enter, 2),),)}


def test_the_name_of_a_channel_map_stands_for_its_entries() -> None:
    story, (one, *_) = edits("a")
    story.begin(one, "wait_for").wait(one, channel="token/a").take(one, channel="token/a")
    assert moment(story.trace(), tokens=["token"]).held == {one: ("token/a",)}


def test_returned_messages_are_in_front_again_and_are_still_of_who_published_them() -> None:
    story, (one, two, *_) = edits("a", "b")
    story.begin(one, "wait_for").wait(one, takes=True).begin(two).save(two, publish=TOKEN)
    before = moment(story.trace()).channels[TOKEN]
    story.begin((9, 0), "rpc", step="stop").save((9, 0), cancel=((one, "queued"),), give_back=(one,), method="rpc")
    queue = moment(story.trace()).channels[TOKEN]
    assert [message.by for message in queue] == [(0, 0), two]
    assert queue[1:] == before


def test_an_earlier_moment_does_not_change_with_later_turns() -> None:
    trace = critical(3)
    each = list(moments(trace, [SECTION], [TOKEN]))
    assert each == [moment(trace, n, [SECTION], [TOKEN]) for n in range(len(trace.turns) + 1)]
    assert each[0].steps[0].phase == "queued"
    assert each[-1].steps == ()


@pytest.mark.parametrize("at", [-1, 45, True, 1.0, "1"])
def test_a_turn_that_there_is_not_is_refused(at: Any) -> None:
    with pytest.raises(InputError, match=r"at: expected a turn from 0 \(the start\) to 44 \(the last\)"):
        moment(critical(4), at)


def test_a_run_of_a_machine_that_is_not_known_is_refused() -> None:
    trace = Trace("abacus", "Sum", None, None, (), (), {}, None)
    with pytest.raises(InputError, match="a run of machine 'abacus' cannot be shown"):
        moment(trace)


def test_a_loaded_run_has_the_same_moments(tmp_path: Path) -> None:
    pattern = catalog.load("critical-section")
    run = simulate(pattern.flow, pattern.make_input(2), scenario=pattern.scenario, seed=3)
    run.save(tmp_path / "run.json")
    loaded = load_run(tmp_path / "run.json")
    assert list(map(describe, moments(loaded.trace))) == list(map(describe, moments(run.trace)))
