"""Attribute locks: taken together, for one call, in turn (D-20)."""

from __future__ import annotations

from typing import Any

from dexpatterns.dex import (
    Anytime,
    At,
    Attribute,
    AttributeMap,
    Channel,
    Faults,
    FlowMachine,
    Invoke,
    Scenario,
    StepMovement,
    StepOptions,
    Wait,
    WaitForFailurePolicy,
    dead_end,
    force_complete,
    go_to,
    go_to_many,
)
from tests.dex.flows import ONCE, TWICE, drive, flow, run_all, sample, seconds, step, told

X, Y = Attribute("x", int), Attribute("y", int)
SEATS = AttributeMap("seats", int)
BOX: Channel[Any] = Channel("box", Any)
KEEPS = (X, Y, SEATS, BOX)


def locking(*locks: Any, wait_for: Any = (), **more: Any) -> StepOptions:
    return StepOptions(execute_lock_attributes=locks, wait_for_lock_attributes=wait_for, **more)


def go(*steps: Any) -> Any:
    return step("Start", lambda c, i: go_to_many(*[StepMovement.of(one, k) for k, one in enumerate(steps)]))


def started(*steps: Any, **more: Any) -> Any:
    machine = FlowMachine(flow(go(*steps), *dict.fromkeys(steps), keeps=KEEPS), **more)
    return drive(machine, "begin Start", "commit Start")


in_x = step("InX", lambda c, i: dead_end(), options=locking(X.lock()))
in_y = step("InY", lambda c, i: dead_end(), options=locking(Y.lock()))
in_both = step("InBoth", lambda c, i: dead_end(), options=locking(Y.lock(), X.lock()))
free = step("Free", lambda c, i: (X.set(c, X.get(c) + 100), dead_end())[1])


def test_d20_calls_that_lock_the_same_attribute_take_turns() -> None:
    d = started(in_x, in_x, in_x)
    assert len(d.choices) == 3, "which one is next is a choice"
    d.take("begin InX.execute 0.1.1.0")
    assert d.seen["locks"] == {"x": "0.1.1.0"} and d.choices == ["commit InX.execute 0.1.1.0"]
    d.take("commit InX")
    assert d.seen["locks"] == {} and len(d.choices) == 2


def test_d20_a_call_without_the_lock_is_not_held_back_by_it() -> None:
    d = started(in_x, free).take("begin InX", "begin Free", "commit Free")
    assert d.seen["attributes"] == {"x": 100} and d.seen["locks"] == {"x": "0.1.0.0"}


def test_d20_a_set_of_locks_is_taken_together_or_not_at_all() -> None:
    d = started(in_x, in_both, in_y).take("begin InX")
    assert d.choices == ["begin InY.execute 0.1.2.0", "commit InX.execute 0.1.0.0"]
    assert d.seen["locks"] == {"x": "0.1.0.0"}, "the one that wants both holds neither"
    d.take("begin InY", "commit InX")
    assert "begin InBoth.execute 0.1.1.0" not in d.choices
    d.take("commit InY", "begin InBoth")
    assert d.seen["locks"] == {"x": "0.1.1.0", "y": "0.1.1.0"} and d.of("began")[-1].locks == ("x", "y")


def test_d20_each_key_of_an_attribute_map_has_a_lock_of_its_own() -> None:
    first = step("First", lambda c, i: dead_end(), options=locking(SEATS.lock("1"), SEATS.lock("1")))
    second = step("Second", lambda c, i: dead_end(), options=locking(SEATS.lock("2")))
    d = started(first, second, first).take("begin First.execute 0.1.0.0", "begin Second")
    assert d.seen["locks"] == {"seats/1": "0.1.0.0", "seats/2": "0.1.1.0"}
    assert [c for c in d.choices if c.startswith("begin")] == []


def test_d20_the_lock_is_kept_between_the_attempts_of_a_call() -> None:
    def fail_once(context: Any, input: Any) -> Any:
        if context.attempt == 1:
            raise ValueError
        return dead_end()

    flaky = step("Flaky", fail_once, options=locking(X.lock(), execute_retry=TWICE))
    d = started(flaky, in_x).take("begin Flaky", "commit Flaky")
    assert d.seen["locks"] == {"x": "0.1.0.0"} and d.choices == ["retry Flaky.execute 0.1.0.0"]
    d.take("retry Flaky")
    assert d.of("began")[-1].locks == ("x",)
    d.take("commit Flaky")
    assert d.seen["locks"] == {} and d.choices == ["begin InX.execute 0.1.1.0"]


def test_d20_the_lock_is_released_after_the_last_attempt_whichever_way_it_goes() -> None:
    def fail(context: Any, input: Any) -> Any:
        raise ValueError

    rescuer = step("Rescue", lambda c, i: dead_end())
    proceed = {"wait_for_retry": ONCE, "wait_for_failure": WaitForFailurePolicy.PROCEED}
    routed = step(
        "Routed", fail, options=lambda: locking(X.lock(), execute_retry=ONCE).on_execute_failure_proceed_to(rescuer)
    )
    proceeding = step("Proceeding", lambda c, i: dead_end(), fail, locking(wait_for=(X.lock(),), **proceed))
    d = drive(flow(go(routed, proceeding), routed, proceeding, rescuer, keeps=KEEPS), "begin Start", "commit Start")
    d.take("begin Routed", "commit Routed")
    assert d.seen["locks"] == {} and "Rescue 0.1.0.1" in d.phases()
    d.take("begin Proceeding.wait_for")
    assert d.seen["locks"] == {"x": "0.1.1.0"}
    d.take("commit Proceeding")
    assert d.seen["locks"] == {} and d.phases()["Proceeding 0.1.1.0"] == "queued"


def test_d20_a_lock_of_wait_for_is_released_before_the_waiting_and_does_not_cover_execute() -> None:
    waits = step(
        "Waits", lambda c, i: dead_end(), lambda c, i: Wait.until(BOX.for_one()), locking(wait_for=(X.lock(),))
    )
    feeds = step("Feeds", lambda c, i: (BOX.publish(c, 1), dead_end())[1])
    d = started(waits, feeds).take("begin Waits")
    assert d.seen["locks"] == {"x": "0.1.0.0"}
    d.take("commit Waits")
    assert d.seen["locks"] == {} and d.phases()["Waits 0.1.0.0"] == "waiting"
    d.take("begin Feeds", "commit Feeds", "begin Waits.execute")
    assert d.seen["locks"] == {} and d.of("began")[-1].locks == ()


def test_d20_no_lock_spans_two_steps() -> None:
    second = step("Second", lambda c, i: dead_end(), options=locking(X.lock()))
    first = step("First", lambda c, i: go_to(second, i), options=locking(X.lock()))
    d = drive(flow(go(first, in_x), first, second, in_x, keeps=KEEPS), "begin Start", "commit Start", "begin First")
    d.take("commit First")
    assert d.seen["locks"] == {}
    assert d.choices == ["begin Second.execute 0.1.0.1", "begin InX.execute 0.1.1.0"], "another may come between"


def test_d20_the_snapshot_is_taken_after_the_lock_is_held() -> None:
    """So no update is lost: the second one reads what the first one saved."""
    adds = step("Adds", lambda c, i: (X.set(c, X.get(c) + 1), dead_end())[1], options=locking(X.lock()))
    d = started(adds, adds)
    d.take("begin Adds.execute 0.1.0.0", "commit Adds", "begin Adds", "commit Adds")
    assert d.seen["attributes"] == {"x": 2}
    for seed in range(20):
        assert sample(FlowMachine(flow(go(*[adds] * 6), adds, keeps=KEEPS), memo=False), seed).final["attributes"] == {
            "x": 6
        }


def test_d20_a_call_that_waits_for_its_lock_has_not_begun_and_can_be_cancelled() -> None:
    canceller = step("Cancels", lambda c, i: dead_end().with_canceling_steps(in_both))
    d = started(in_x, in_both, in_both, canceller).take("begin InX", "begin Cancels", "commit Cancels")
    assert [(e.phase, e.step) for e in d.of("cancelled")] == [("queued", "InBoth")] * 2
    assert d.seen["late"] == [], "it had not begun, so no code of it runs on"
    d.take("commit InX")
    assert d.choices == [] and d.seen["locks"] == {}


def test_d20_cancelling_a_call_releases_its_locks_at_once_although_its_code_may_still_run() -> None:
    canceller = step("Cancels", lambda c, i: dead_end().with_canceling_steps(in_x))
    d = started(in_x, in_both, canceller).take("begin InX", "begin Cancels", "commit Cancels")
    assert d.seen["locks"] == {} and d.choices == ["begin InBoth.execute 0.1.1.0", "end InX.execute 0.1.0.0.1"]


def test_d20_cancelling_a_call_between_attempts_releases_its_locks() -> None:
    canceller = step("Cancels", lambda c, i: dead_end().with_canceling_steps(in_x))
    d = started(in_x, in_both, canceller, faults=Faults(lost_attempts=1))
    d.take("begin InX", "lose InX", "begin Cancels")
    assert d.seen["locks"] == {"x": "0.1.0.0"}
    d.take("commit Cancels")
    assert d.seen["locks"] == {} and d.choices == ["begin InBoth.execute 0.1.1.0"]


def test_d20_rpcs_take_locks_and_have_not_begun_while_one_is_held() -> None:
    ends = step("Ends", lambda c, i: dead_end(), options=locking(X.lock()))
    machine = FlowMachine(
        flow(go(ends, ends), ends, keeps=KEEPS, rpcs={"ask": lambda c, i: None}, locks={"ask": (X.lock(),)}),
        scenario=Scenario(events=[Anytime(Invoke("ask", 1), times=2)]),
    )
    d = drive(machine, "begin Start", "commit Start", "begin Ends.execute 0.1.0.0")
    assert not any(c.startswith("call") for c in d.choices)
    d.take("commit Ends", "call ask")
    assert d.seen["locks"] == {"x": "2.0.0.0"}
    assert d.choices == ["commit ask 2.0.0.0"], "neither the Step nor the next call can begin"
    d.take("commit ask")
    assert d.choices == ["begin Ends.execute 0.1.1.0", "call ask 2.0.1.0"]


def test_d20_in_the_simulator_an_rpc_that_is_due_waits_for_its_lock() -> None:
    ends = step("Ends", lambda c, i: dead_end(), options=locking(X.lock()))
    machine = FlowMachine(
        flow(ends, keeps=KEEPS, rpcs={"ask": lambda c, i: None}, locks={"ask": (X.lock(),)}),
        scenario=Scenario({ends: seconds(10)}, events=[At(seconds(3), Invoke("ask", 1))]),
        memo=False,
    )
    trace = sample(machine)
    assert [turn.time for turn in trace.turns if turn.choice.kind == "call"] == [10.0]
    assert len(told(trace, "saved")) == 2


def test_d20_over_many_seeds_locked_calls_never_overlap_and_none_is_favoured() -> None:
    first = set()
    for seed in range(60):
        trace = sample(FlowMachine(flow(go(*[in_x] * 4), in_x, keeps=KEEPS), memo=False), seed)
        inside = 0
        for turn in trace.turns:
            for event in turn.events:
                if getattr(event, "step", "") == "InX" and event.kind in ("began", "saved"):
                    inside += 1 if event.kind == "began" else -1
                    assert inside <= 1
        first.add(next(e.path for e in told(trace, "began") if e.step == "InX"))
    assert len(first) == 4


def test_d20_a_close_leaves_no_lock_behind() -> None:
    closer = step("Close", lambda c, i: force_complete(), options=locking(Y.lock()))
    d = started(in_x, closer, in_both).take("begin InX", "begin Close", "commit Close")
    assert d.seen["locks"] == {} and d.choices == []
    assert run_all(d).status == "COMPLETED"
