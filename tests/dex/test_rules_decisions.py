"""What a decision does, and how a Flow ends, stays open or is stuck (D-18, D-19)."""

from __future__ import annotations

from typing import Any

import pytest

from dexpatterns.dex import (
    Anytime,
    Channel,
    ChannelMap,
    Context,
    Faults,
    FlowMachine,
    Invoke,
    RPCResult,
    Scenario,
    StartFlowOptions,
    StepMovement,
    StepOptions,
    Stop,
    Timer,
    Wait,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
)
from dexpatterns.dex.handlers import DECISIONS
from dexpatterns.dex.saving import _MEANING
from tests.dex.flows import NO_RETRY, drive, flow, run_all, seconds, step

BOX: Channel[Any] = Channel("box", Any)
GATE: Channel[Any] = Channel("gate", Any)
BY_KEY: ChannelMap[Any] = ChannelMap("byKey", Any)
KEEPS = (BOX, GATE, BY_KEY)


def go(*steps: Any) -> Any:
    return lambda c, i: go_to_many(*[StepMovement.of(one, k) for k, one in enumerate(steps)])


waits = step("Waits", lambda c, i: dead_end(), lambda c, i: Wait.until(GATE.for_one()))


def give(context: Context, names: list[str]) -> None:
    for name in names:
        {"box": BOX, "gate": GATE}[name].publish(context, name)


def test_d18_every_kind_of_decision_has_a_meaning() -> None:
    assert set(_MEANING) == {*DECISIONS, "rpc"}


def test_d18_go_to_and_go_to_many_start_their_steps_in_the_order_of_the_movements() -> None:
    one = step("One", lambda c, i: dead_end())
    d = drive(flow(step("Start", lambda c, i: go_to(one, "x")), one), "begin Start", "commit Start")
    assert d.phases() == {"One 0.1": "queued"}
    d = drive(flow(step("Start", go(one, waits, one)), one, waits, keeps=KEEPS), "begin Start", "commit Start")
    assert d.phases() == {"One 0.1.0.0": "queued", "Waits 0.1.1.0": "queued", "One 0.1.2.0": "queued"}


def test_d18_a_dead_end_ends_its_path_and_the_flow_goes_on() -> None:
    ends = step("Ends", lambda c, i: dead_end())
    d = drive(flow(step("Start", go(ends, waits)), ends, waits, keeps=KEEPS), "begin Start", "commit Start")
    d.take("begin Ends", "commit Ends")
    assert d.status == "RUNNING" and d.phases() == {"Waits 0.1.1.0": "queued"}


PHASES = {
    "queued": (),
    "running": ("begin Other",),
    "between attempts": ("begin Other", "lose Other"),
    "waiting": ("begin Other", "commit Other"),
}


@pytest.mark.parametrize("phase", PHASES)
def test_d18_graceful_completion_waits_until_no_step_is_active(phase: str) -> None:
    asks = step("Asks", lambda c, i: graceful_complete("done"))
    waiting = (lambda c, i: Wait.until(GATE.for_one())) if phase == "waiting" else None
    other = step("Other", lambda c, i: dead_end(), waiting)
    machine = FlowMachine(
        flow(step("Start", go(asks, other)), asks, other, keeps=KEEPS, rpcs={"give": give}),
        faults=Faults(lost_attempts=1),
        scenario=Scenario(events=[Anytime(Invoke("give", ["gate"]))]),
    )
    d = drive(machine, "begin Start", "commit Start", *PHASES[phase], "begin Asks", "commit Asks")
    assert d.status == "RUNNING" and d.seen["outputs"] == [] and d.of("graceful_asked")
    finish = {
        "queued": ("begin Other", "commit Other"),
        "running": ("commit Other",),
        "between attempts": ("retry Other", "commit Other"),
        "waiting": ("call give", "commit give", "begin Other", "commit Other"),
    }
    d.take(*finish[phase])
    assert d.status == "COMPLETED" and d.seen["outputs"] == ["done"]


def test_d18_after_a_graceful_completion_new_steps_may_start_and_another_close_wins() -> None:
    asks = step("Asks", lambda c, i: graceful_complete("graceful"))
    more = step("More", lambda c, i: force_fail("changed my mind"))
    other = step("Other", lambda c, i: go_to(more, None))
    d = drive(flow(step("Start", go(asks, other)), asks, other, more), "begin Start", "commit Start")
    d.take("begin Asks", "commit Asks", "begin Other", "commit Other", "begin More", "commit More")
    assert d.status == "FAILED" and d.seen["reason"] == "changed my mind" and d.seen["outputs"] == []


def test_d18_an_rpc_in_flight_does_not_hold_a_graceful_completion_back() -> None:
    asks = step("Asks", lambda c, i: graceful_complete())
    machine = FlowMachine(
        flow(asks, keeps=KEEPS, rpcs={"give": give}), scenario=Scenario(events=[Anytime(Invoke("give", ["box"]))])
    )
    d = drive(machine, "begin Asks", "call give", "commit Asks")
    assert d.status == "COMPLETED" and d.choices == [] and d.seen["channels"]["box"] == []


def test_d18_a_failed_step_that_goes_by_its_route_keeps_a_graceful_completion_waiting() -> None:
    rescuer = step("Rescue", lambda c, i: dead_end())

    def fail(context: Context, input: Any) -> Any:
        raise ValueError

    worker = step("Work", fail, options=lambda: NO_RETRY.on_execute_failure_proceed_to(rescuer))
    asks = step("Asks", lambda c, i: graceful_complete())
    d = drive(flow(step("Start", go(asks, worker)), asks, worker, rescuer), "begin Start", "commit Start")
    d.take("begin Asks", "commit Asks", "begin Work", "commit Work")
    assert d.status == "RUNNING"
    assert d.take("begin Rescue", "commit Rescue").status == "COMPLETED"


@pytest.mark.parametrize(
    ("decide", "status", "reason"),
    [(lambda: force_complete("now"), "COMPLETED", ""), (lambda: force_fail("enough"), "FAILED", "enough")],
)
def test_d18_a_forced_close_comes_at_once_and_every_other_branch_ends(decide: Any, status: str, reason: str) -> None:
    closer = step("Close", lambda c, i: (BOX.publish(c, "last words"), decide())[1])
    other = step("Other", lambda c, i: dead_end())
    d = drive(flow(step("Start", go(closer, other, waits)), closer, other, waits, keeps=KEEPS))
    d.take("begin Start", "commit Start", "begin Waits", "commit Waits", "begin Other", "begin Close", "commit Close")
    assert (d.status, d.seen["reason"]) == (status, reason)
    assert d.choices == [] and d.seen["steps"] == [] and d.seen["locks"] == {}
    assert d.seen["channels"]["box"] == ["last words"], "what the decider wrote is saved"
    assert d.of("closed")[0].ended == ((0, 1, 1, 0), (0, 1, 2, 0))


def closes_if_empty(*channels: Any, fills: Any = None, cancels: Any = (), beside: Any = ()) -> Any:
    fallback = step("Fallback", lambda c, i: dead_end())

    def decide(context: Context, input: Any) -> Any:
        if fills is not None:
            fills(context)
        decision = force_complete_if_channels_empty("all done", StepMovement.of(fallback, "again"), *channels)
        return decision.with_canceling_steps(*cancels)

    closer = step("Close", decide)
    return flow(step("Start", go(closer, *beside)), closer, *beside, fallback, keeps=KEEPS, rpcs={"give": give})


def test_d18_completion_if_channels_are_empty_is_judged_at_the_commit() -> None:
    scenario = Scenario(events=[Anytime(Invoke("give", ["box"]))])
    machine = FlowMachine(closes_if_empty(BOX), scenario=scenario)
    d = drive(machine, "begin Start", "commit Start", "begin Close", "commit Close")
    assert d.status == "COMPLETED" and d.seen["outputs"] == ["all done"]
    d = drive(machine, "begin Start", "commit Start", "begin Close", "call give", "commit give", "commit Close")
    assert d.status == "RUNNING" and d.phases() == {"Fallback 0.2": "queued"}
    assert d.of("step_started")[-1].why == "fallback" and d.seen["outputs"] == []


def test_d18_all_the_channels_must_be_empty_and_a_channel_map_means_all_its_keys() -> None:
    d = drive(closes_if_empty(BOX, BY_KEY, fills=lambda c: BY_KEY.publish(c, "k", 1)))
    d.take("begin Start", "commit Start", "begin Close", "commit Close")
    assert d.phases() == {"Fallback 0.2": "queued"}, "its own publications count"
    d = drive(closes_if_empty(GATE, BY_KEY, fills=lambda c: BOX.publish(c, 1)))
    assert d.take("begin Start", "commit Start", "begin Close", "commit Close").status == "COMPLETED"


def test_d18_what_the_decision_gives_back_counts_too() -> None:
    """The fallback is judged after the cancellations: a token that came back makes the Channel full."""
    holder = step("Holder", lambda c, i: dead_end(), lambda c, i: Wait.until(BOX.for_one()))
    machine = FlowMachine(
        closes_if_empty(BOX, cancels=(holder,), beside=(holder,)),
        scenario=Scenario(events=[Anytime(Invoke("give", ["box"]))]),
    )
    moves = ("begin Start", "commit Start", "call give", "commit give", "begin Holder", "commit Holder")
    d = drive(machine, *moves, "begin Close", "commit Close")
    assert d.seen["channels"]["box"] == ["box"] and d.phases() == {"Fallback 0.1.0.1": "queued"}
    d = drive(machine, *moves, "begin Holder", "commit Holder", "begin Close", "commit Close")
    assert d.status == "COMPLETED"


def test_d18_the_fallback_is_judged_before_any_wait_completes() -> None:
    """Its own message would go to a waiter at once; it still lies there when the decision is judged (D-22)."""
    d = drive(closes_if_empty(GATE, fills=lambda c: GATE.publish(c, 1), beside=(waits,)), "begin Start", "commit Start")
    d.take("begin Waits", "commit Waits", "begin Close", "commit Close")
    assert d.kinds == ["saved", "published", "step_started", "wait_completed"]


# D-19: open, idle, stuck.


def stuck_machine(*events: Any, wait: Any = None, timeout: Any = None) -> FlowMachine:
    waiting = waits if wait is None else step("Waits", lambda c, i: dead_end(), lambda c, i: wait)
    return FlowMachine(
        flow(step("Start", go(waiting, waiting)), waiting, keeps=KEEPS, rpcs={"give": give}),
        scenario=Scenario(events=list(events), options=StartFlowOptions(timeout=timeout)),
    )


def both_wait(machine: FlowMachine) -> Any:
    d = drive(machine, "begin Start", "commit Start", "begin Waits.wait_for 0.1.0.0", "commit Waits.wait_for 0.1.0.0")
    return d.take("begin Waits", "commit Waits.wait_for 0.1.1.0")


def test_d19_a_flow_whose_paths_have_all_ended_stays_open_and_an_rpc_can_start_work_again() -> None:
    ends = step("Ends", lambda c, i: dead_end())

    def again(context: Context, input: Any) -> Any:
        return RPCResult(next_steps=(StepMovement.of(ends, "again"),))

    machine = FlowMachine(flow(ends, rpcs={"again": again}), scenario=Scenario(events=[Anytime(Invoke("again", 1))]))
    d = drive(machine, "begin Ends", "commit Ends")
    assert d.status == "RUNNING" and machine.outcome(d.state) == "RUNNING, idle" and machine.stuck(d.state) is None
    assert d.take("call again", "commit again").phases() == {"Ends 2.0.0.1": "queued"}
    assert machine.outcome(d.state) is None


def test_d19_stuck_says_who_waits_for_what() -> None:
    machine = stuck_machine()
    d = drive(machine, "begin Start", "commit Start", "begin Waits.wait_for 0.1.0.0", "commit Waits.wait_for 0.1.0.0")
    assert machine.stuck(d.state) is None, "the other one has not begun to wait"
    d.take("begin Waits", "commit Waits.wait_for 0.1.1.0")
    assert machine.stuck(d.state) == (
        "Waits 0.1.0.0 waits for gate.for_one(), Waits 0.1.1.0 waits for gate.for_one(); "
        "nothing is left that would publish"
    )
    assert machine.outcome(d.state) is None


def test_d19_an_event_that_is_allowed_but_not_owed_is_mentioned() -> None:
    machine = stuck_machine(Anytime(Invoke("give", ["gate"])), Anytime(Stop()))
    d = both_wait(machine)
    said = machine.stuck(d.state)
    assert said is not None
    assert said.endswith("unless an event comes that is allowed but not owed: call give, stop CANCEL")


@pytest.mark.parametrize(
    "machine",
    [
        stuck_machine(Anytime(Invoke("give", ["gate"]), owed=True)),
        stuck_machine(timeout=seconds(1)),
        stuck_machine(wait=Wait.any_of(GATE.for_one(), Timer.by_duration(seconds(1)))),
    ],
    ids=["an owed event", "a timeout", "a timer"],
)
def test_d19_what_is_sure_to_come_makes_it_not_stuck(machine: FlowMachine) -> None:
    d = both_wait(machine)
    assert machine.stuck(d.state) is None and machine.choices(d.state).owed


def test_d19_a_closed_flow_is_not_stuck() -> None:
    machine = stuck_machine(Anytime(Stop()))
    d = both_wait(machine).take("stop CANCEL")
    assert machine.stuck(d.state) is None and machine.outcome(d.state) == "CANCELED"


def test_d19_a_long_list_of_waiters_is_cut() -> None:
    many = step("Start", lambda c, i: go_to_many(*[StepMovement.of(waits, k) for k in range(9)]))
    d = run_all(drive(flow(many, waits, keeps=KEEPS)))
    assert "and 5 more" in (d.machine.stuck(d.state) or "")


def test_d19_work_between_attempts_is_not_stuck() -> None:
    def fail(context: Context, input: Any) -> Any:
        raise ValueError

    other = step("Other", fail, options=StepOptions())
    d = drive(flow(step("Start", go(waits, other)), waits, other, keeps=KEEPS), "begin Start", "commit Start")
    d.take("begin Waits", "commit Waits", "begin Other", "commit Other")
    assert d.machine.stuck(d.state) is None
