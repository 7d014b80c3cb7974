"""Cancellation: whom a result may cancel, in which order, and what becomes of messages and code (D-21 to D-25)."""

from __future__ import annotations

from typing import Any

import pytest

from dexpatterns.dex import (
    Anytime,
    Attribute,
    Channel,
    Context,
    Faults,
    FlowMachine,
    Invoke,
    RPCResult,
    Scenario,
    StartFlowOptions,
    StepMovement,
    StepOptions,
    Timer,
    Wait,
    dead_end,
    force_complete,
    go_to,
    go_to_many,
)
from tests.dex.flows import NO_RETRY, drive, flow, sample, seconds, step, told

TOKEN: Channel[Any] = Channel("token", Any)
BOX: Channel[Any] = Channel("box", Any)
COUNT = Attribute("count", int)
KEEPS = (TOKEN, BOX, COUNT)


def many(*movements: tuple[Any, Any]) -> Any:
    return go_to_many(*[StepMovement.of(cls, input) for cls, input in movements])


def starter(*movements: tuple[Any, Any], tokens: Any = ()) -> Any:
    def start(context: Context, input: Any) -> Any:
        for token in tokens:
            TOKEN.publish(context, token)
        return many(*movements)

    return step("Start", start)


holds = step(
    "Holds", lambda c, i: (BOX.publish(c, TOKEN.results(c)[0]), dead_end())[1], lambda c, i: Wait.until(TOKEN.for_one())
)
plain = step("Plain", lambda c, i: dead_end())
stops = step("Stops", lambda c, i: dead_end().with_canceling_steps(holds))


# D-21: whom.


@pytest.mark.parametrize(
    ("moves", "phase", "method"),
    [
        ((), "queued", "wait_for"),
        (("begin Holds",), "running", "wait_for"),
        (("begin Holds", "lose Holds"), "retrying", "wait_for"),
        (("begin Holds", "commit Holds"), "waiting", "wait_for"),
        (("begin Holds", "commit Holds", "call give", "commit give"), "queued", "execute"),
        (("begin Holds", "commit Holds", "call give", "commit give", "begin Holds"), "running", "execute"),
    ],
)
def test_d21_every_queued_or_active_execution_of_the_classes_is_cancelled(
    moves: tuple[str, ...], phase: str, method: str
) -> None:
    machine = FlowMachine(
        flow(starter((holds, 0), (stops, 0), (plain, 0)), holds, stops, plain, keeps=KEEPS, rpcs={"give": give}),
        scenario=Scenario(events=[Anytime(Invoke("give", "x"))]),
        faults=Faults(lost_attempts=1),
    )
    d = drive(machine, "begin Start", "commit Start", *moves, "begin Stops", "commit Stops")
    (cancelled,) = d.of("cancelled")
    assert (cancelled.step, cancelled.phase, cancelled.method) == ("Holds", phase, method)
    assert (cancelled.by, cancelled.by_step) == ((0, 1, 1, 0), "Stops")
    assert d.phases() == {"Plain 0.1.2.0": "queued"}


def give(context: Context, value: Any) -> None:
    TOKEN.publish(context, value)


def test_d21_sibling_cancellation_hits_those_with_the_same_parent_alone() -> None:
    chooser = step("Chooser", lambda c, i: dead_end().with_canceling_sibling_steps(plain))
    group = step("Group", lambda c, i: many((plain, i), (chooser, i)))
    d = drive(flow(starter((group, 1), (group, 2), (plain, 3)), group, plain, chooser, keeps=KEEPS))
    d.take("begin Start", "commit Start")
    d.take("begin Group.execute 0.1.0.0", "commit Group", "begin Group", "commit Group")
    assert len(d.seen["steps"]) == 5
    d.take("begin Chooser.execute 0.1.0.1.1.0", "commit Chooser")
    assert [e.path for e in d.of("cancelled")] == [(0, 1, 0, 1, 0, 0)]
    d.take("begin Chooser.execute 0.1.1.1.1.0", "commit Chooser")
    assert d.phases() == {"Plain 0.1.2.0": "queued"}


def test_d21_who_is_whose_sibling_tells_states_apart() -> None:
    """The same Steps are alive, once as siblings and once not: the chooser will hit the other one, or will not."""
    chooser = step("Chooser", lambda c, i: dead_end().with_canceling_sibling_steps(plain))
    wrap = step("Wrap", lambda c, i: go_to(chooser, 0))
    kin = step("Kin", lambda c, i: many((plain, 0), (chooser, 0)))
    strangers = step("Strangers", lambda c, i: many((plain, 0), (wrap, 0)))
    machine = FlowMachine(
        flow(starter((kin, 0), (strangers, 0)), kin, strangers, wrap, chooser, plain, keeps=KEEPS)
    )  # fmt: skip
    d = drive(machine, "begin Start", "commit Start", "begin Kin", "commit Kin", "begin Strangers", "commit Strangers")
    d.take("begin Wrap", "commit Wrap")
    alone = []
    for other in ("1", "0"):
        one = drive(machine)
        one.state = d.state
        for name in ("Plain", "Chooser"):
            (path,) = (p for p in (f"0.1.{other}.1.0.0", f"0.1.{other}.1.1.0", f"0.1.{other}.1.1.1")
                       if f"begin {name}.execute {p}" in one.choices)  # fmt: skip
            one.take(f"begin {name}.execute {path}", f"commit {name}.execute {path}")
        alone.append(one.state)
    siblings, apart = alone
    assert [e.step for e in siblings.executions.items()] == [e.step for e in apart.executions.items()]
    assert machine.key(siblings) != machine.key(apart)


def test_d21_an_rpc_cancels_too_and_the_kinds_of_selectors_add_up() -> None:
    def stop(context: Context, input: Any) -> Any:
        return RPCResult("ok", next_steps=(StepMovement.of(plain, "new"),)).with_canceling_steps(plain, holds)

    machine = FlowMachine(
        flow(starter((plain, 1), (holds, 2), (stops, 3)), plain, holds, stops, keeps=KEEPS, rpcs={"stop": stop}),
        scenario=Scenario(events=[Anytime(Invoke("stop", 0))]),
    )
    d = drive(machine, "begin Start", "commit Start", "call stop", "commit stop")
    assert [e.step for e in d.of("cancelled")] == ["Plain", "Holds"]
    assert d.phases() == {"Stops 0.1.2.0": "queued", "Plain 2.0.0.1": "queued"}
    both = step("Both", lambda c, i: dead_end().with_canceling_steps(holds).with_canceling_sibling_steps(plain))
    d = drive(flow(starter((both, 0), (plain, 1), (holds, 2)), both, plain, holds, keeps=KEEPS))
    d.take("begin Start", "commit Start", "begin Both", "commit Both")
    assert d.seen["steps"] == []


# D-22: the order at commit.


def test_d22_the_decider_cannot_cancel_itself_nor_what_it_starts() -> None:
    again = step("Again", lambda c, i: many((again, i + 1), (plain, 0)).with_canceling_steps(again, plain))
    d = drive(flow(starter((again, 0), (again, 10), (plain, 0)), again, plain, keeps=KEEPS))
    d.take("begin Start", "commit Start")
    d.take("begin Again.execute 0.1.0.0", "commit Again")
    assert [e.path for e in d.of("cancelled")] == [(0, 1, 1, 0), (0, 1, 2, 0)]
    assert d.phases() == {"Again 0.1.0.1.0.0": "queued", "Plain 0.1.0.1.1.0": "queued"}


def test_d22_writes_first_then_the_cancelled_then_the_next_steps_then_the_waits_that_are_ready() -> None:
    first = step("First", lambda c, i: dead_end(), lambda c, i: Wait.until(BOX.for_one()))

    def decide(context: Context, input: Any) -> Any:
        COUNT.set(context, 1)
        BOX.publish(context, "own")
        return go_to(plain, 0).with_canceling_steps(holds)

    decides = step("Decides", decide)
    d = drive(
        flow(starter((first, 0), (holds, 0), (decides, 0), tokens=["t"]), first, holds, decides, plain, keeps=KEEPS),
        "begin Start", "commit Start", "begin First", "commit First", "begin Holds", "commit Holds",
        "begin Decides", "commit Decides",
    )  # fmt: skip
    assert d.kinds == [
        "saved", "attribute_changed", "published", "cancelled", "returned", "step_started", "wait_completed"
    ]  # fmt: skip


def test_d22_an_absent_finished_or_already_cancelled_target_is_no_error() -> None:
    d = drive(flow(starter((stops, 0), (stops, 1), (holds, 2)), stops, holds, keeps=KEEPS))
    d.take("begin Start", "commit Start", "begin Stops.execute 0.1.0.0", "commit Stops", "begin Stops", "commit Stops")
    assert len(d.of("cancelled")) == 1 and d.of("failed") == [] and d.status == "RUNNING"


def test_d22_children_of_a_target_are_not_selected() -> None:
    target = step("Target", lambda c, i: many((plain, 0), (plain, 1)))
    cancels = step("Cancels", lambda c, i: dead_end().with_canceling_steps(target))
    d = drive(flow(starter((target, 0), (target, 1), (cancels, 0)), target, cancels, plain, keeps=KEEPS))
    d.take("begin Start", "commit Start", "begin Target.execute 0.1.0.0", "commit Target")
    d.take("begin Cancels", "commit Cancels")
    assert d.phases() == {"Plain 0.1.0.1.0.0": "queued", "Plain 0.1.0.1.1.0": "queued"}


def test_d22_a_class_that_the_flow_does_not_register_fails_the_attempt() -> None:
    stranger = step("Stranger", lambda c, i: dead_end())
    for decision in (dead_end().with_canceling_steps(stranger), dead_end().with_canceling_sibling_steps(stranger)):
        cancels = step("Cancels", lambda c, i, said=decision: said, options=NO_RETRY)
        failed = drive(flow(cancels), "begin Cancels", "commit Cancels").of("failed")[0]
        assert failed.error_type == "InvalidStepResultError" and "Stranger" in failed.detail


def test_d22_what_the_start_or_an_rpc_began_has_no_siblings_but_those_of_that_commit() -> None:
    chooser = step("Chooser", lambda c, i: dead_end().with_canceling_sibling_steps(plain, chooser, first))
    first = step("First", lambda c, i: dead_end())

    def more(context: Context, input: Any) -> Any:
        return RPCResult(next_steps=(StepMovement.of(plain, 0), StepMovement.of(chooser, 0)))

    machine = FlowMachine(
        flow(first, plain, chooser, rpcs={"more": more}),
        scenario=Scenario(events=[Anytime(Invoke("more", 0), times=2)]),
    )
    d = drive(machine, "call more", "commit more", "call more", "commit more")
    d.take("begin Chooser.execute 2.0.0.1.1.0", "commit Chooser")
    assert [e.path for e in d.of("cancelled")] == [(2, 0, 0, 1, 0, 0)]
    assert "First 0.0" in d.phases()


def test_d22_a_call_in_flight_cannot_be_cancelled_not_even_by_a_step_of_its_name() -> None:
    ask = step("ask", lambda c, i: dead_end())
    cancels = step("Cancels", lambda c, i: dead_end().with_canceling_steps(ask))
    machine = FlowMachine(
        flow(starter((cancels, 0), (ask, 0)), cancels, ask, keeps=KEEPS, rpcs={"ask": lambda c, i: None}),
        scenario=Scenario(events=[Anytime(Invoke("ask", 0))]),
    )
    d = drive(machine, "begin Start", "commit Start", "call ask", "begin Cancels", "commit Cancels")
    assert [e.path for e in d.of("cancelled")] == [(0, 1, 1, 0)] and d.choices == ["commit ask 2.0.0.0"]


def test_d22_the_timeout_handler_has_no_siblings_and_rpc_calls_in_flight_cannot_be_cancelled() -> None:
    first = step("First", lambda c, i: dead_end())
    machine = FlowMachine(
        flow(
            first, plain, rpcs={"ask": lambda c, i: None},
            handle_timeout=lambda c: go_to(plain, 0).with_canceling_sibling_steps(first),
        ),
        scenario=Scenario(events=[Anytime(Invoke("ask", 0))], options=StartFlowOptions(timeout=seconds(1))),
    )  # fmt: skip
    d = drive(machine, "timeout Tiny", "call ask", "commit handle_timeout")
    assert d.of("cancelled") == [] and d.phases() == {"First 0.0": "queued", "Plain 1.1": "queued"}
    assert "commit ask 2.0.0.0" in d.choices


def test_d22_when_the_timeout_handler_decides_all_executions_are_in_the_snapshot() -> None:
    first = step("First", lambda c, i: many((plain, 0), (plain, 1)))
    machine = FlowMachine(
        flow(first, plain, handle_timeout=lambda c: dead_end().with_canceling_steps(plain, first)),
        scenario=Scenario(options=StartFlowOptions(timeout=seconds(1))),
    )
    d = drive(machine, "begin First", "commit First", "timeout Tiny", "commit handle_timeout")
    assert d.seen["steps"] == [] and len(d.of("cancelled")) == 2


# D-23: what a cancelled execution does: nothing.


def test_d23_a_cancelled_execution_publishes_nothing_is_not_retried_and_goes_no_route() -> None:
    rescuer = step("Rescue", lambda c, i: dead_end())

    def work(context: Context, input: Any) -> Any:
        COUNT.set(context, 99)
        BOX.publish(context, "never")
        raise ValueError

    target = step("Target", work, options=lambda: StepOptions().on_execute_failure_proceed_to(rescuer))
    cancels = step("Cancels", lambda c, i: dead_end().with_canceling_steps(target))
    machine = flow(starter((target, 0), (cancels, 0)), target, cancels, rescuer, keeps=KEEPS)
    for before in (("begin Target",), ("begin Target", "commit Target")):
        d = drive(machine, "begin Start", "commit Start", *before, "begin Cancels", "commit Cancels")
        while d.choices:
            d.take(d.choices[0])
        assert d.seen["steps"] == [] and d.seen["attributes"] == {} and d.seen["channels"]["box"] == []
        assert [e.step for e in d.of("step_started")] == ["Start", "Target", "Cancels"]


def test_d23_what_its_own_wait_for_committed_stays() -> None:
    def wait(context: Context, input: Any) -> Wait:
        COUNT.set(context, 1)
        BOX.publish(context, "said before waiting")
        return Wait.any_of(TOKEN.for_one(), Timer.by_duration(seconds(1)))

    target = step("Target", lambda c, i: dead_end(), wait)
    cancels = step("Cancels", lambda c, i: dead_end().with_canceling_steps(target))
    d = drive(flow(starter((target, 0), (cancels, 0)), target, cancels, keeps=KEEPS), "begin Start", "commit Start")
    d.take("begin Target", "commit Target", "begin Cancels", "commit Cancels")
    assert d.seen["attributes"] == {"count": 1} and d.seen["channels"]["box"] == ["said before waiting"]
    assert d.choices == [], "its timer is gone with it"


# D-24: messages go back to the front.


def held(*moves: str, tokens: int = 4, holders: int = 2, faults: Any = None) -> Any:
    """Holders that took the first tokens in turn, and a Step that cancels them all."""
    machine = FlowMachine(
        flow(
            starter(*[(holds, k) for k in range(holders)], (stops, 0), tokens=[f"t{k}" for k in range(tokens)]),
            holds, stops, keeps=KEEPS,
        ),
        faults=faults,
    )  # fmt: skip
    return drive(machine, "begin Start", "commit Start", *moves)


def takes(k: int) -> tuple[str, str]:
    return f"begin Holds.wait_for 0.1.{k}.0", f"commit Holds.wait_for 0.1.{k}.0"


@pytest.mark.parametrize(
    "more",
    [(), ("begin Holds.execute",), ("begin Holds.execute", "lose Holds.execute")],
    ids=["queued", "running", "retrying"],
)
def test_d24_consumed_messages_go_back_to_the_front_while_the_result_is_not_saved(more: tuple[str, ...]) -> None:
    d = held(*takes(0), *more, faults=Faults(lost_attempts=1), holders=1)
    assert d.seen["channels"]["token"] == ["t1", "t2", "t3"]
    d.take("begin Stops", "commit Stops")
    assert d.seen["channels"]["token"] == ["t0", "t1", "t2", "t3"]
    assert [(e.channel, [v.plain for v in e.values]) for e in d.of("returned")] == [("token", ["t0"])]


def test_d24_after_the_result_is_saved_nothing_goes_back() -> None:
    d = held(*takes(0), "begin Holds.execute", "commit Holds.execute", "begin Stops", "commit Stops", holders=1)
    assert d.seen["channels"] == {"box": ["t0"], "token": ["t1", "t2", "t3"]} and d.of("returned") == []


def test_d24_several_at_once_are_taken_in_lineage_order_whoever_took_first() -> None:
    d = held(*takes(2), *takes(0), *takes(1), "begin Stops", "commit Stops", holders=3)
    assert d.seen["channels"]["token"] == ["t1", "t2", "t0", "t3"], "0.1.0.0 held t1, 0.1.1.0 t2, 0.1.2.0 t0"
    in_turn = held(*takes(0), *takes(1), *takes(2), "begin Stops", "commit Stops", holders=3)
    assert in_turn.seen["channels"]["token"] == ["t0", "t1", "t2", "t3"]


def test_d24_messages_of_one_wait_keep_their_order_and_each_goes_to_its_own_channel() -> None:
    takes_all = step(
        "TakesAll", lambda c, i: dead_end(), lambda c, i: Wait.all_of(TOKEN.for_n(2), BOX.for_one(), TOKEN.for_one())
    )
    cancels = step("Cancels", lambda c, i: dead_end().with_canceling_steps(takes_all))

    def start(context: Context, input: Any) -> Any:
        for k in range(4):
            TOKEN.publish(context, k)
            BOX.publish(context, -k)
        return many((takes_all, 0), (cancels, 0))

    d = drive(flow(step("Start", start), takes_all, cancels, keeps=KEEPS), "begin Start", "commit Start")
    d.take("begin TakesAll", "commit TakesAll")
    assert d.seen["channels"] == {"box": [-1, -2, -3], "token": [3]}
    d.take("begin Cancels", "commit Cancels")
    assert d.seen["channels"] == {"box": [0, -1, -2, -3], "token": [0, 1, 2, 3]}


def test_d24_a_child_stands_where_its_parent_stood_and_calls_come_last() -> None:
    """Lineage order: what the start began, then the timeout handler, then RPCs by place and number of use."""
    passes = step("Passes", lambda c, i: many((holds, i), (holds, i)))

    def more(context: Context, input: Any) -> Any:
        return RPCResult(next_steps=(StepMovement.of(holds, 0),))

    machine = FlowMachine(
        flow(
            starter((passes, 0), (holds, 1), (stops, 2), tokens=range(6)), passes, holds, stops, keeps=KEEPS,
            rpcs={"more": more, "most": more}, handle_timeout=lambda c: go_to(holds, 0),
        ),
        scenario=Scenario(
            events=[Anytime(Invoke("more", 0), times=2), Anytime(Invoke("most", 0))],
            options=StartFlowOptions(timeout=seconds(1)),
        ),
    )  # fmt: skip
    d = drive(machine, "begin Start", "commit Start", "call most", "commit most", "call more", "commit more")
    d.take("timeout Tiny", "commit handle_timeout", "call more", "commit more", "begin Passes", "commit Passes")
    order = ["0.1.0.1.0.0", "0.1.0.1.1.0", "0.1.1.0", "1.1", "2.0.0.1", "2.0.1.1"]
    for path in reversed(order):
        d.take(f"begin Holds.wait_for {path}", f"commit Holds.wait_for {path}")
    d.take("begin Stops", "commit Stops")
    assert [e.path for e in d.of("cancelled")] == [tuple(map(int, path.split("."))) for path in [*order, "2.1.0.1"]]
    assert d.seen["channels"]["token"] == [5, 4, 3, 2, 1, 0]


def test_d24_states_that_differ_in_where_a_call_stands_are_not_one_while_calls_may_still_come() -> None:
    """Of two calls that did the same, one has ended: which one tells where the next call's Step will stand."""

    def more(context: Context, input: Any) -> Any:
        return RPCResult(next_steps=(StepMovement.of(plain, 0),))

    def keys(times: int) -> set[Any]:
        machine = FlowMachine(
            flow(plain, start=False, rpcs={"more": more}),
            scenario=Scenario(events=[Anytime(Invoke("more", 0), times=times), Anytime(Invoke("more", 0))]),
        )

        def left(place: int) -> Any:
            d = drive(machine, "call more 2.0.0.0", "commit more", "call more 2.1.0.0", "commit more")
            return d.take(f"begin Plain.execute 2.{1 - place}.0.1", "commit Plain").state

        return {machine.key(left(place)) for place in (0, 1)}

    assert len(keys(times=1)) == 1 and len(keys(times=2)) == 2


def test_d24_a_returned_message_goes_to_a_waiter_at_once() -> None:
    other = step("Other", lambda c, i: force_complete(TOKEN.results(c)), lambda c, i: Wait.until(TOKEN.for_one()))
    machine = flow(starter((holds, 0), (other, 0), (stops, 0), tokens=["t"]), holds, other, stops, keeps=KEEPS)
    d = drive(machine, "begin Start", "commit Start", *takes(0), "begin Other", "commit Other")
    d.take("begin Stops", "commit Stops")
    assert d.kinds == ["saved", "cancelled", "returned", "wait_completed"]
    assert d.take("begin Other", "commit Other").seen["outputs"] == [["t"]]


# D-25: the story of the second token.


def test_d25_a_canceller_that_publishes_a_token_for_its_target_can_make_a_second_one() -> None:
    """The canceller decides whom to cancel only when its result is saved: by then the target may have finished."""
    works = step(
        "Works", lambda c, i: (TOKEN.publish(c, "token"), dead_end())[1], lambda c, i: Wait.until(TOKEN.for_one())
    )
    rescues = step("Rescues", lambda c, i: (TOKEN.publish(c, "token"), dead_end().with_canceling_steps(works))[1])
    machine = flow(starter((works, 0), (rescues, 0), tokens=["token"]), works, rescues, keeps=KEEPS)
    moves = ("begin Start", "commit Start", "begin Works", "commit Works", "begin Works", "begin Rescues")
    d = drive(machine, *moves, "commit Works", "commit Rescues")
    assert d.seen["channels"]["token"] == ["token", "token"] and d.of("cancelled") == []
    d = drive(machine, *moves, "commit Rescues")
    assert d.seen["channels"]["token"] == ["token", "token"], "and when the cancellation hits, the engine gives it back"
    tokens = {len(sample(FlowMachine(machine, memo=False), seed).final["channels"]["token"]) for seed in range(40)}
    assert tokens == {2}


def test_d25_without_the_extra_token_there_is_one_in_every_order() -> None:
    works = step(
        "Works", lambda c, i: (TOKEN.publish(c, "token"), dead_end())[1], lambda c, i: Wait.until(TOKEN.for_one())
    )
    cancels = step("Cancels", lambda c, i: dead_end().with_canceling_steps(works))
    machine = flow(starter((works, 0), (cancels, 0), tokens=["token"]), works, cancels, keeps=KEEPS)
    hit = 0
    for seed in range(40):
        trace = sample(FlowMachine(machine, memo=False), seed)
        assert trace.final["channels"]["token"] == ["token"]
        hit += bool(told(trace, "cancelled"))
    assert 0 < hit < 40
