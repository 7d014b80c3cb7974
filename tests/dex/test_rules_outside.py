"""What comes from outside, how a Flow is closed, what it answers, and that handlers may run twice (D-26 to D-29)."""

from __future__ import annotations

from typing import Any

import pytest

from dexpatterns.dex import (
    Anytime,
    At,
    Attribute,
    Channel,
    Context,
    Faults,
    Flow,
    FlowMachine,
    FlowTimeoutPolicy,
    Invoke,
    PersistenceSchema,
    RPCResult,
    Scenario,
    StartFlowOptions,
    StepList,
    StepMovement,
    StepOptions,
    Stop,
    StopFlowOptions,
    StopType,
    Timer,
    Wait,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
    rpc,
)
from dexpatterns.engine.machine import Choice
from dexpatterns.errors import ScheduleError
from tests.dex.flows import NO_RETRY, TWICE, drive, flow, run_all, sample, seconds, step, told

BOX: Channel[Any] = Channel("box", Any)
COUNT = Attribute("count", int)
KEEPS = (BOX, COUNT)
plain = step("Plain", lambda c, i: dead_end())
waits = step("Waits", lambda c, i: dead_end(), lambda c, i: Wait.until(BOX.for_one()))


def with_events(*events: Any, **rpcs: Any) -> FlowMachine:
    """An idle Flow with these RPCs, and these events in its scenario."""
    return FlowMachine(
        flow(plain, waits, start=False, keeps=KEEPS, rpcs=rpcs), scenario=Scenario(events=list(events)), memo=False
    )


def timed(policy: FlowTimeoutPolicy | None = None, **more: Any) -> Scenario:
    return Scenario(options=StartFlowOptions(timeout=seconds(5), timeout_policy=policy), **more)


def several(*steps: Any) -> Any:
    return step("Start", lambda c, i: go_to_many(*[StepMovement.of(one, k) for k, one in enumerate(steps)]))


# D-26: an RPC is one call, in two choices.


def test_d26_an_rpc_begins_and_commits_and_saves_all_at_once() -> None:
    def act(context: Context, n: int) -> Any:
        COUNT.set(context, COUNT.get(context) + n)
        BOX.publish(context, n)
        return RPCResult("answer", next_steps=(StepMovement.of(plain, n), StepMovement.of(waits, n)))

    d = drive(with_events(Anytime(Invoke("act", 2)), act=act), "call act")
    assert d.choices == ["commit act 2.0.0.0"] and d.seen["attributes"] == {} and d.seen["channels"] == {"box": []}
    assert d.seen["calls"][0]["step"] == "act" and d.seen["calls"][0]["input"] == 2
    d.take("commit act")
    assert d.seen["attributes"] == {"count": 2} and d.seen["channels"] == {"box": [2]} and d.seen["calls"] == []
    assert d.phases() == {"Plain 2.0.0.1.0.0": "queued", "Waits 2.0.0.1.1.0": "queued"}
    assert d.of("step_started")[0].why == "rpc" and d.of("step_started")[0].by == "act"


def test_d26_an_rpc_may_come_at_any_moment_while_the_flow_is_open_idle_included() -> None:
    machine = FlowMachine(
        flow(plain, waits, keeps=KEEPS, rpcs={"ask": lambda c, i: None}),
        scenario=Scenario(events=[Anytime(Invoke("ask", 0), times=9)]),
    )
    d = drive(machine)
    for move in ("", "begin Plain", "commit Plain"):
        if move:
            d.take(move)
        assert sum(choice.startswith("call ask") for choice in d.choices) == 1, "each use is one choice, not nine"
    assert d.seen["steps"] == []
    d.take("call ask", "call ask")
    assert len(d.seen["calls"]) == 2, "and two may be in flight"


def test_d26_one_that_raises_saves_nothing_is_not_retried_and_the_flow_goes_on() -> None:
    def act(context: Context, n: int) -> Any:
        COUNT.set(context, 1)
        raise KeyError("bad question")

    d = drive(with_events(Anytime(Invoke("act", 1)), act=act), "call act", "commit act")
    (failed,) = d.of("failed")
    assert (failed.method, failed.error_type, failed.then, failed.limit) == ("rpc", "KeyError", "caller", 1)
    assert d.status == "RUNNING" and d.seen["attributes"] == {} and d.choices == []


def test_d26_on_a_closed_flow_an_rpc_is_refused() -> None:
    machine = with_events(Anytime(Invoke("ask", 0)), Anytime(Stop()), ask=lambda c, i: None)
    d = drive(machine, "stop CANCEL")
    assert d.choices == []
    with pytest.raises(ScheduleError, match="closed"):
        machine.apply(d.state, Choice("call", "ask", (2, 0, 0, 0)))


class Asks(Flow[Any]):
    """RPCs of both forms, one of them `async`."""

    def get_steps(self) -> StepList[Any]:
        return StepList.without_start_step(plain())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(*KEEPS)

    @rpc
    def bare(self, context: Context) -> RPCResult[str]:
        BOX.publish(context, "bare")
        return RPCResult(next_steps=(StepMovement.of(plain, None),))

    @rpc
    async def given(self, context: Context, input: str) -> None:
        BOX.publish(context, input)


def test_d26_an_rpc_takes_an_input_or_none_and_returns_a_result_or_none() -> None:
    events = [Anytime(Invoke("bare")), Anytime(Invoke("given", "input"))]
    d = drive(FlowMachine(Asks, scenario=Scenario(events=events)), "call bare", "commit bare", "call given")
    assert d.take("commit given").seen["channels"] == {"box": ["bare", "input"]}
    assert d.take("begin Plain", "commit Plain").of("failed") == [], "a Step may be given None"


# D-26a: what a scenario owes.


def owned(*events: Any) -> Any:
    return drive(with_events(*events, a=BOX.publish, b=BOX.publish))


def test_d26a_at_happens_once_and_two_keep_their_order_if_their_times_differ() -> None:
    d = owned(At(seconds(5), Invoke("a", 1)), At(seconds(2), Invoke("b", 2)), At(seconds(5), Invoke("b", 3)))
    assert d.choices == ["call b 2.1.0.0"] and d.machine.choices(d.state).owed
    d.take("call b", "commit b")
    assert d.choices == ["call a 2.0.0.0", "call b 2.2.0.0"], "equal times, either order"
    d.take("call b", "commit b", "call a", "commit a")
    assert d.choices == []


def test_d26a_anytime_happens_at_most_so_often_and_is_not_owed() -> None:
    d = owned(Anytime(Invoke("a", 1), times=2))
    assert not d.machine.choices(d.state).owed and d.machine.outcome(d.state) == "RUNNING, idle"
    d.take("call a", "commit a", "call a", "commit a")
    assert d.choices == [] and d.seen["channels"]["box"] == [1, 1]


def test_d26a_anytime_owed_surely_happens_so_often() -> None:
    d = owned(Anytime(Invoke("a", 1), times=2, owed=True))
    assert d.machine.choices(d.state).owed and d.machine.outcome(d.state) is None
    d.take("call a", "commit a")
    assert d.machine.choices(d.state).owed
    d.take("call a", "commit a")
    assert not d.machine.choices(d.state).owed


def test_d26a_the_simulator_keeps_the_times_pays_what_is_owed_and_leaves_out_what_is_not() -> None:
    machine = with_events(
        At(seconds(7), Invoke("a", "at 7")), Anytime(Invoke("a", "owed"), times=3, owed=True),
        Anytime(Invoke("a", "free"), times=2), a=BOX.publish,
    )  # fmt: skip
    free = set()
    for seed in range(60):
        trace = sample(machine, seed)
        (time,) = (turn.time for turn in trace.turns if turn.choice == Choice("call", "a", (2, 0, 0, 0)))
        assert time == 7.0
        messages = trace.final["channels"]["box"]
        assert messages.count("at 7") == 1 and messages.count("owed") == 3
        free.add(messages.count("free"))
    assert free == {0, 1, 2}


def test_d26a_a_close_ends_every_debt() -> None:
    d = owned(At(seconds(1), Stop()), At(seconds(5), Invoke("a", 1)), Anytime(Invoke("b", 2), owed=True))
    d.take("stop CANCEL")
    assert d.choices == [] and not d.machine.choices(d.state).owed and d.machine.outcome(d.state) == "CANCELED"


def test_d26a_the_flow_timeout_is_enabled_and_owed() -> None:
    d = drive(FlowMachine(flow(plain), scenario=timed()), "begin Plain", "commit Plain")
    assert d.choices == ["timeout Tiny 1.0"] and d.machine.choices(d.state).owed


# D-27: the timeout of the Flow, and stops from outside.


@pytest.mark.parametrize(
    ("policy", "status"),
    [(None, "FAILED"), (FlowTimeoutPolicy.FAIL, "FAILED"), (FlowTimeoutPolicy.CANCEL, "CANCELED")],
)
def test_d27_the_timeout_closes_the_flow_by_its_policy(policy: Any, status: str) -> None:
    d = drive(FlowMachine(flow(waits, keeps=KEEPS), scenario=timed(policy)), "begin Waits", "commit Waits")
    d.take("timeout Tiny")
    assert d.status == status and d.choices == [] and d.of("closed")[0].ended == ((0, 0),)


def test_d27_with_a_handler_the_default_is_to_run_it_while_the_other_branches_go_on() -> None:
    def handle(context: Context) -> Any:
        BOX.publish(context, "late")
        return graceful_complete(9)

    handled = flow(waits, plain, keeps=KEEPS, handle_timeout=handle)
    d = drive(FlowMachine(handled, scenario=timed()), "begin Waits", "timeout Tiny", "commit Waits")
    assert d.status == "RUNNING" and d.seen["calls"][0]["step"] == "handle_timeout"
    d.take("commit handle_timeout")
    assert d.status == "RUNNING" and d.phases() == {"Waits 0.0": "queued"}, "its message woke the one that waited"
    d.take("begin Waits", "commit Waits")
    assert d.status == "COMPLETED" and d.seen["outputs"] == [9]
    for policy, status in ((FlowTimeoutPolicy.FAIL, "FAILED"), (FlowTimeoutPolicy.CANCEL, "CANCELED")):
        assert drive(FlowMachine(handled, scenario=timed(policy)), "timeout Tiny").status == status


def test_d27_the_timeout_comes_once_and_its_decision_is_applied_as_an_executes_is() -> None:
    first = several(plain, waits)
    handled = flow(first, plain, waits, keeps=KEEPS, handle_timeout=lambda c: force_fail("too late"))
    d = drive(FlowMachine(handled, scenario=timed()), "begin Start", "commit Start", "timeout Tiny")
    assert not any(choice.startswith("timeout") for choice in d.choices)
    d.take("commit handle_timeout")
    assert d.status == "FAILED" and d.seen["reason"] == "too late"


def test_d27_the_handler_is_retried_by_the_default_policy_and_fails_the_flow_for_good() -> None:
    def handle(context: Context) -> Any:
        raise ValueError(f"attempt {context.attempt}")

    d = run_all(drive(FlowMachine(flow(plain, handle_timeout=handle), scenario=timed()), "timeout Tiny"))
    failed = [e for e in d.of("failed") if e.method == "handle_timeout"]
    assert len(failed) == 150 and failed[-1].then == "flow_failed" and failed[0].delay == 1.0
    assert d.status == "FAILED" and d.seen["reason"].endswith("attempt 150")


def test_d27_in_the_simulator_the_timeout_comes_by_the_clock() -> None:
    trace = sample(FlowMachine(flow(waits, keeps=KEEPS), scenario=timed(), memo=False))
    assert [turn.time for turn in trace.turns if turn.choice.kind == "timeout"] == [5.0]
    early = sample(FlowMachine(flow(step("Ends", lambda c, i: force_complete())), scenario=timed(), memo=False))
    assert told(early, "flow_timeout") == [] and early.final["status"] == "COMPLETED"


@pytest.mark.parametrize(
    ("kind", "status"),
    [(StopType.CANCEL, "CANCELED"), (StopType.TERMINATE, "TERMINATED"), (StopType.FAIL, "FAILED")],
)
def test_d27_a_stop_ends_every_branch(kind: StopType, status: str) -> None:
    stop = Stop(StopFlowOptions(type=kind, reason="enough"))
    machine = FlowMachine(
        flow(several(plain, waits), plain, waits, keeps=KEEPS),
        scenario=Scenario(events=[Anytime(stop)], options=StartFlowOptions(timeout=seconds(9))),
        faults=Faults(1, 1),
    )
    d = drive(machine, "begin Start", "late Start", "retry Start", "commit Start", "begin Waits", "commit Waits")
    d.take("begin Plain", f"stop {kind.name}")
    assert (d.status, d.seen["reason"]) == (status, "enough") and d.choices == []
    assert d.seen["steps"] == [] and d.seen["late"] == [] and d.seen["locks"] == {}
    assert machine.outcome(d.state) == f"{status}: enough"


def test_d27_after_a_close_nothing_is_consumed_or_published_and_messages_are_not_returned() -> None:
    publishes = step("Publishes", lambda c, i: (BOX.publish(c, "late"), dead_end())[1])
    holder = step("Holds", lambda c, i: dead_end(), lambda c, i: Wait.until(BOX.for_one()))
    closer = step("Close", lambda c, i: force_complete())
    three = go_to_many(*[StepMovement.of(one, 0) for one in (publishes, holder, closer)])
    first = step("Start", lambda c, i: (BOX.publish(c, "token"), three)[1])
    machine = FlowMachine(flow(first, publishes, holder, closer, keeps=KEEPS))
    d = drive(machine, "begin Start", "commit Start", "begin Holds", "commit Holds", "begin Publishes", "begin Close")
    assert d.seen["channels"]["box"] == []
    d.take("commit Close")
    assert d.seen["channels"]["box"] == [] and d.of("returned") == [] and d.choices == []
    for move in ("commit Publishes.execute 0.1.0.0", "begin Holds.execute 0.1.1.0"):
        with pytest.raises(ScheduleError, match="closed"):
            machine.apply(d.state, Choice.parse(move))


# D-28: status and outputs.


def completing(*decisions: Any) -> list[Any]:
    """The outputs of a Flow whose Steps make these decisions in turn."""
    steps = [step(f"S{k}", lambda c, i, said=said: said) for k, said in enumerate(decisions)]
    d = drive(flow(several(*steps), *steps, plain, keeps=KEEPS), "begin Start", "commit Start")
    for k in range(len(steps)):
        if d.status == "RUNNING":
            d.take(f"begin S{k}", f"commit S{k}")
    d.take(*(("begin Plain", "commit Plain") if d.phases() else ()))
    return [d.status, *d.seen["outputs"]]


def test_d28_the_result_lists_the_outputs_of_completing_steps_in_commit_order() -> None:
    assert completing(graceful_complete("b"), graceful_complete("a")) == ["COMPLETED", "b", "a"]
    assert completing(graceful_complete(1), force_complete(2), graceful_complete(3)) == ["COMPLETED", 1, 2]


def test_d28_a_given_none_is_an_entry_and_an_omitted_output_is_none() -> None:
    assert completing(graceful_complete(None), graceful_complete(), force_complete()) == ["COMPLETED", None]
    assert completing(force_complete(None)) == ["COMPLETED", None]


def test_d28_completion_if_channels_are_empty_is_an_entry_only_when_it_closed() -> None:
    fallback = StepMovement.of(plain, 0)
    assert completing(graceful_complete("x"), force_complete_if_channels_empty("y", fallback, BOX)) == [
        "COMPLETED", "x", "y",
    ]  # fmt: skip
    full = step("Full", lambda c, i: (BOX.publish(c, 1), force_complete_if_channels_empty("y", fallback, BOX))[1])
    asks = step("Asks", lambda c, i: graceful_complete("x"))
    d = drive(flow(several(full, asks), full, asks, plain, keeps=KEEPS), "begin Start", "commit Start", "begin Full")
    d.take("commit Full", "begin Asks", "commit Asks", "begin Plain", "commit Plain")
    assert d.seen["outputs"] == ["x"]


@pytest.mark.parametrize("how", ["fail", "stop"])
def test_d28_the_outputs_are_empty_unless_the_flow_completed(how: str) -> None:
    asks, fails = step("Asks", lambda c, i: graceful_complete("x")), step("Fails", lambda c, i: force_fail("no"))
    machine = FlowMachine(flow(several(asks, fails), asks, fails), scenario=Scenario(events=[Anytime(Stop())]))
    d = drive(machine, "begin Start", "commit Start", "begin Asks", "commit Asks")
    assert d.status == "RUNNING" and d.seen["outputs"] == []
    d.take(*(("begin Fails", "commit Fails") if how == "fail" else ("stop CANCEL",)))
    assert d.status in ("FAILED", "CANCELED") and d.seen["outputs"] == [] and d.of("closed")[0].outputs == ()


# D-29: handlers may run more than once.


def test_d29_external_effects_are_shown_as_they_would_happen_doubles_and_late_ones_included() -> None:
    """The world outside sees every attempt, and no attempt that was never made."""
    outside: list[int] = []

    def work(context: Context, input: Any) -> Any:
        outside.append(context.attempt)
        BOX.publish(context, "saved")
        return dead_end()

    for lost, late in ((0, 0), (1, 0), (0, 1), (2, 2)):
        machine = FlowMachine(flow(step("Work", work), keeps=KEEPS), faults=Faults(lost, late), memo=False)
        seen = set()
        for seed in range(30):
            outside.clear()
            trace = sample(machine, seed)
            assert outside == [e.attempt for e in told(trace, "began")], "as often as it began, no more"
            assert trace.final["channels"] == {"box": ["saved"]}, "only the saved result counts, and once"
            seen.add(len(outside))
        assert (seen == {1}) == (lost + late == 0)


def test_d29_a_failed_attempt_may_have_acted_outside_and_is_made_again() -> None:
    outside: list[int] = []

    def work(context: Context, input: Any) -> Any:
        outside.append(context.attempt)
        if context.attempt == 1:
            raise ValueError("after the effect")
        return dead_end()

    machine = FlowMachine(flow(step("Work", work, options=StepOptions(execute_retry=TWICE))), memo=False)
    d = drive(machine, "begin Work", "commit Work")
    assert outside == [1], "the second attempt acts when it is made, not before"
    d.take("retry Work", "commit Work")
    assert outside == [1, 2] and d.status == "RUNNING"


def test_d29_a_handler_that_is_cancelled_before_it_begins_does_nothing_outside() -> None:
    outside: list[str] = []
    target = step("Target", lambda c, i: (outside.append("target"), dead_end())[1], options=NO_RETRY)
    cancels = step("Cancels", lambda c, i: dead_end().with_canceling_steps(target))
    machine = FlowMachine(flow(several(target, cancels), target, cancels), memo=False)
    drive(machine, "begin Start", "commit Start", "begin Cancels", "commit Cancels")
    assert outside == []


def test_d29_a_wait_that_is_never_over_runs_no_execute() -> None:
    outside: list[str] = []
    slow = step(
        "Slow", lambda c, i: (outside.append("x"), go_to(plain, 0))[1],
        lambda c, i: Wait.until(Timer.by_duration(seconds(3600))),
    )  # fmt: skip
    machine = FlowMachine(flow(slow, plain), scenario=Scenario(events=[At(seconds(5), Stop())]), memo=False)
    assert sample(machine).final["status"] == "CANCELED" and outside == []
