"""One method call: its snapshot, its attempts, what is saved, and what follows a failure (D-6 to D-13)."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from datetime import timedelta
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
    RetryPolicy,
    RPCResult,
    Scenario,
    StartFlowOptions,
    StepMovement,
    StepOptions,
    Wait,
    WaitForFailurePolicy,
    dead_end,
    force_complete,
    go_to,
    go_to_many,
)
from dexpatterns.dex.context import EPOCH
from dexpatterns.dex.handlers import Effect, Outcome
from dexpatterns.dex.state import LaterPlan, Plan
from tests.dex.flows import NO_RETRY, ONCE, TWICE, drive, flow, run_all, sample, seconds, step, told

FLAG = Attribute("flag", bool)
COUNT = Attribute("count", int)
ANY = Attribute("any", Any)
BOX: Channel[Any] = Channel("box", Any)
OTHER: Channel[Any] = Channel("other", Any)

PROCEED = WaitForFailurePolicy.PROCEED


def fail(message: str = "no") -> Any:
    raise ValueError(message)


def twice(cls: Any, *inputs: Any) -> Any:
    """A Step that starts one execution of another per input."""
    return step("Start", lambda c, i: go_to_many(*[StepMovement.of(cls, one) for one in inputs]))


# D-6: a begin and a commit, and anything in between.


def test_d6_two_branches_can_both_see_the_flag_clear() -> None:
    check = step("Check", lambda c, i: (FLAG.set(c, True), force_complete(FLAG.get(c)))[1] if FLAG.get(c) else enter(c))

    def enter(context: Context) -> Any:
        FLAG.set(context, True)
        return dead_end()

    both = flow(twice(check, 1, 2), check, keeps=[FLAG])
    d = drive(both, "begin Start", "commit Start", "begin Check.execute 0.1.0.0", "begin Check.execute 0.1.1.0")
    d.take("commit Check.execute 0.1.0.0", "commit Check.execute 0.1.1.0")
    changed = d.of("attribute_changed")
    assert [(e.path, e.old, e.new.plain) for e in changed] == [
        ((0, 1, 0, 0), None, True),
        ((0, 1, 1, 0), changed[0].new, True),
    ]
    in_turn = drive(both, "begin Start", "commit Start", "begin Check.execute 0.1.0.0", "commit Check.execute 0.1.0.0")
    assert in_turn.take("begin Check", "commit Check").of("closed")[0].outputs[0].plain is True


def test_d6_the_snapshot_is_that_of_the_begin_not_of_the_commit() -> None:
    look = step("Look", lambda c, i: force_complete([COUNT.get(c), BOX.size(c)]))

    def change(context: Context, n: int) -> None:
        COUNT.set(context, n)
        BOX.publish(context, n)

    looking = flow(look, keeps=[COUNT, BOX], rpcs={"change": change})
    scenario = Scenario(events=[Anytime(Invoke("change", 7))])
    before = drive(FlowMachine(looking, 0, scenario=scenario), "begin Look", "call change", "commit change")
    assert before.seen["attributes"] == {"count": 7}
    assert before.take("commit Look").seen["outputs"] == [[0, 0]]
    after = drive(FlowMachine(looking, 0, scenario=scenario), "call change", "commit change", "begin Look")
    assert after.take("commit Look").seen["outputs"] == [[7, 1]]


# D-7: all at the commit, or nothing.


def test_d7_writes_publications_decision_and_cancellations_are_saved_in_one_move() -> None:
    later = step("Later", lambda c, i: dead_end())

    def work(context: Context, input: Any) -> Any:
        COUNT.set(context, 1)
        BOX.publish(context, "x")
        return go_to(later, None).with_canceling_steps(waits)

    waits = step("Waits", lambda c, i: dead_end(), lambda c, i: Wait.until(OTHER.for_one()))
    worker = step("Work", work)
    start = step("Start", lambda c, i: go_to_many(StepMovement.of(worker, 0), StepMovement.of(waits, 0)))
    d = drive(flow(start, worker, waits, later, keeps=[COUNT, BOX, OTHER]), "begin Start", "commit Start")
    d.take("begin Waits", "commit Waits", "begin Work")
    assert d.seen["attributes"] == {} and d.seen["channels"]["box"] == [] and len(d.seen["steps"]) == 2
    d.take("commit Work")
    assert d.seen["attributes"] == {"count": 1} and d.seen["channels"]["box"] == ["x"]
    assert d.phases() == {"Later 0.1.0.1": "queued"}
    assert d.kinds == ["saved", "attribute_changed", "published", "cancelled", "step_started"]


@pytest.mark.parametrize("how", ["commit", "lose", "late"])
def test_d7_a_failed_attempt_leaves_nothing_so_a_retry_cannot_publish_twice(how: str) -> None:
    def work(context: Context, input: Any) -> Any:
        COUNT.set(context, 5)
        BOX.publish(context, "token")
        if how == "commit" and context.attempt == 1:
            fail()
        return dead_end()

    machine = FlowMachine(flow(step("Work", work), keeps=[COUNT, BOX]), faults=Faults(1, 1))
    d = drive(machine, "begin Work", f"{how} Work")
    assert d.seen["attributes"] == {} and d.seen["channels"] == {"box": []}
    d.take("retry Work", "commit Work")
    assert d.seen["attributes"] == {"count": 5} and d.seen["channels"] == {"box": ["token"]}


# D-8: what a handler reads.


def test_d8_a_handler_reads_its_own_staged_writes_and_publications() -> None:
    def work(context: Context, input: Any) -> Any:
        seen: list[Any] = [COUNT.get(context)]
        COUNT.set(context, 3)
        seen.append(COUNT.get(context))
        COUNT.delete(context)
        seen += [COUNT.get(context), BOX.size(context), len(BOX.results(context))]
        BOX.publish(context, "a")
        BOX.publish(context, "b")
        seen += [BOX.size(context), OTHER.size(context), BOX.results(context)]
        return force_complete(seen)

    taking = step("Work", work, lambda c, i: Wait.until(BOX.for_one()))
    start = step("Start", lambda c, i: (COUNT.set(c, 9), BOX.publish(c, "first"), go_to(taking, 0))[2])
    d = run_all(drive(flow(start, taking, keeps=[COUNT, BOX, OTHER])))
    assert d.seen["outputs"] == [[9, 3, 0, 0, 1, 2, 0, ["first"]]]


@pytest.mark.parametrize("how", ["commit", "lose", "late"])
def test_d8_a_retry_reuses_the_first_snapshot(how: str) -> None:
    def look(context: Context, input: Any) -> Any:
        if how == "commit" and context.attempt == 1:
            fail()
        return force_complete([context.attempt, COUNT.get(context), BOX.size(context)])

    def change(context: Context, input: Any) -> None:
        COUNT.set(context, 7)
        BOX.publish(context, 0)

    machine = FlowMachine(
        flow(step("Look", look), keeps=[COUNT, BOX], rpcs={"change": change}),
        scenario=Scenario(events=[Anytime(Invoke("change", None))]),
        faults=Faults(1, 1),
    )
    d = drive(machine, "begin Look", f"{how} Look", "call change", "commit change", "retry Look", "commit Look")
    assert d.seen["outputs"] == [[2, 0, 0]]


def test_d8_a_handler_that_changes_what_it_was_given_changes_nothing_else() -> None:
    notes: Attribute[Any] = Attribute("notes", dict)

    def spoil(context: Context, input: list[Any]) -> Any:
        before = [list(input), BOX.results(context)[0], dict(notes.get(context))]
        input.append("spoiled")
        BOX.results(context)[0].append("spoiled")
        notes.get(context)["spoiled"] = True
        notes.get(context).clear()
        context.record_event("saw", before)
        if context.attempt < 3:
            fail()
        return go_to(show, input)

    def show_all(context: Context, input: Any) -> Any:
        return force_complete([input, notes.get(context)])

    show = step("Show", show_all)
    spoiler = step("Spoil", spoil, lambda c, i: (i.append("waited"), Wait.until(BOX.for_one()))[1])

    def begin(context: Context, input: Any) -> Any:
        mine: list[Any] = ["mine"]
        BOX.publish(context, mine)
        notes.set(context, {"a": 1})
        mine.append("later")
        return go_to(spoiler, ["in"])

    d = run_all(drive(FlowMachine(flow(step("Start", begin), spoiler, show, keeps=[BOX, notes]), memo=False)))
    assert [e.value.plain for e in d.of("recorded")] == [[["in"], ["mine"], {"a": 1}]] * 3
    assert d.of("wait_completed")[0].taken[0][1][0].plain == ["mine"]
    assert d.seen["outputs"] == [[["in", "spoiled"], {"a": 1}]]


def test_d8_values_compare_with_their_types() -> None:
    def work(context: Context, input: Any) -> Any:
        return force_complete(type(input).__name__)

    kinds = []
    for value in (True, 1, 1.0):
        d = drive(FlowMachine(flow(step("Work", work)), value), "begin Work", "commit Work")
        kinds.append(d.seen["outputs"][0])
    assert kinds == ["bool", "int", "float"]


@dataclass(frozen=True)
class Edit:
    id: int
    tags: list[str]


def test_d8_states_differ_when_values_differ_by_type_alone_and_handlers_are_told_apart() -> None:
    def keep(context: Context, input: Any) -> Any:
        ANY.set(context, input)
        return go_to(tell, input)

    tell = step("Tell", lambda c, i: force_complete([type(i).__name__, type(ANY.get(c)).__name__]))
    cls = step("Keep", keep)
    shared = FlowMachine(flow(twice(cls, True, 1, 1.0), cls, tell, keeps=[ANY]))
    ends = set()
    for place, kind in enumerate(("bool", "int", "float")):
        d = drive(shared, "begin Start", "commit Start", f"begin Keep.execute 0.1.{place}.0")
        d.take("commit Keep", "begin Tell", "commit Tell")
        assert d.seen["outputs"] == [[kind, kind]]
        ends.add(d.state)
    assert len(ends) == 3
    keys = {shared.key(drive(shared, "begin Start", "commit Start", f"begin Keep.execute 0.1.{i}.0").state)
            for i in range(3)}  # fmt: skip
    assert len(keys) == 3


# D-9: what the context tells.


def test_d9_the_context_tells_who_asks_and_from_where() -> None:
    def who(context: Context, input: Any) -> list[Any]:
        return [
            context.flow_id, context.run_id, context.step_execution_id, context.from_step_execution_id,
            context.attempt, context.recovery_error, context.wait_for_method_failed(), context.has_timer_fired(),
            context.is_cancellation_requested(),
        ]  # fmt: skip

    last = step("Last", lambda c, i: force_complete([*i, who(c, i)]))
    middle = step("Middle", lambda c, i: go_to(last, [*i, who(c, i)]))
    first = step("First", lambda c, i: go_to(middle, [who(c, i)]))
    d = run_all(drive(flow(first, middle, last, name="Who")))
    rest = [1, None, False, False, False]
    assert d.seen["outputs"] == [
        [["Who", "Who", "0.0", "", *rest], ["Who", "Who", "0.1", "0.0", *rest], ["Who", "Who", "0.2", "0.1", *rest]]
    ]


@pytest.mark.parametrize("by", ["rpc", "handle_timeout"])
def test_d9_what_a_call_began_has_no_from_id_but_its_children_have(by: str) -> None:
    child = step("Child", lambda c, i: go_to(grandchild, [c.from_step_execution_id]))
    grandchild = step("Grandchild", lambda c, i: force_complete([*i, c.from_step_execution_id]))

    def call(context: Context, input: Any) -> Any:
        return RPCResult(next_steps=(StepMovement.of(child, None),))

    scenario = Scenario(events=[Anytime(Invoke("call", None))], options=StartFlowOptions(timeout=seconds(9)))
    idle = flow(child, grandchild, start=False, rpcs={"call": call}, handle_timeout=lambda c: go_to(child, None))
    moves = ("call call", "commit call") if by == "rpc" else ("timeout Tiny", "commit handle_timeout")
    d = drive(FlowMachine(idle, scenario=scenario), *moves, "begin Child", "commit Child")
    d.take("begin Grandchild", "commit Grandchild")
    first = "2.0.0.1" if by == "rpc" else "1.1"
    assert d.seen["outputs"] == [["", first]]


def test_d9_first_attempt_at_is_virtual_and_stable_over_the_retries_of_one_call() -> None:
    def work(context: Context, input: Any) -> Any:
        context.record_event("at", context.first_attempt_at)
        if context.attempt < 3:
            fail()
        return force_complete((context.first_attempt_at - EPOCH).total_seconds())

    slow = step("Slow", lambda c, i: go_to(worker, None))
    worker = step("Work", work)
    trace = sample(FlowMachine(flow(slow, worker), memo=False, scenario=Scenario({slow: seconds(5)})))
    assert len(told(trace, "recorded")) == 3
    assert {e.value.thaw() for e in told(trace, "recorded")} == {EPOCH + timedelta(seconds=5)}
    assert trace.final["outputs"] == [5.0]


def test_d9_events_recorded_by_a_failed_attempt_are_shown_and_are_no_part_of_the_state() -> None:
    def work(note: bool) -> Any:
        def run(context: Context, input: Any) -> Any:
            if note:
                context.record_event("tried", context.attempt)
            if context.attempt == 1:
                fail()
            return dead_end()

        return drive(flow(step("Work", run), keeps=[BOX]), "begin Work", "commit Work")

    noisy, quiet = work(True), work(False)
    assert [(e.name, e.value.plain) for e in noisy.of("recorded")] == [("tried", 1)]
    assert noisy.kinds == ["failed", "recorded"] and quiet.kinds == ["failed"]
    assert noisy.state == quiet.state


def test_d9_an_event_needs_a_name() -> None:
    d = drive(flow(step("Work", lambda c, i: (c.record_event(i, 1), dead_end())[1], options=NO_RETRY)))
    assert d.take("begin Work", "commit Work").of("failed")[0].error_type == "InvalidStepResultError"


# D-10: how an attempt fails.

SLOW = StepOptions(execute_method_timeout=seconds(3), execute_retry=TWICE)


def failures(how: str) -> Any:
    """A Flow whose first attempt fails in one of four ways, after it."""

    def work(context: Context, input: Any) -> Any:
        if how == "raised" and context.attempt == 1:
            fail()
        BOX.publish(context, "done")
        return dead_end()

    worker = step("Work", work, options=SLOW)
    machine = FlowMachine(
        flow(worker, keeps=[BOX]),
        faults=Faults(1, 1),
        scenario=Scenario({worker: (seconds(1), seconds(9))}),
    )
    move = {"raised": "commit", "lost": "lose", "late": "late", "given up": "give_up"}[how]
    return drive(machine, "begin Work", f"{move} Work")


@pytest.mark.parametrize(
    ("how", "error_type", "detail", "shown"),
    [
        ("raised", "ValueError", "no", "raised"),
        ("lost", "AttemptLost", "its worker was lost", "lost"),
        ("late", "AttemptTimedOut", "it outlived its method timeout", "late"),
        ("given up", "AttemptTimedOut", "it outlived its method timeout", "late"),
    ],
)
def test_d10_a_lost_a_late_and_a_raising_attempt_are_the_same_to_the_flow(
    how: str, error_type: str, detail: str, shown: str
) -> None:
    d = failures(how)
    (failed,) = d.of("failed")
    assert (failed.error_type, failed.detail, failed.how, failed.then) == (error_type, detail, shown, "retry")
    assert d.phases() == {"Work 0.0": "retrying"}
    d.take("retry Work", "commit Work")
    assert d.seen["channels"] == {"box": ["done"]} and not d.seen["steps"]


def test_d10_late_code_runs_on_until_a_choice_ends_it_and_its_result_is_ignored() -> None:
    d = failures("late")
    assert [one["attempt"] for one in d.seen["late"]] == [1]
    d.take("retry Work", "commit Work")
    assert d.seen["channels"] == {"box": ["done"]}
    assert d.choices == ["end Work.execute 0.0.1"], "the Flow is idle, the code is not"
    d.take("end Work")
    assert d.kinds == ["late_ended"] and d.seen["late"] == [] and d.seen["channels"] == {"box": ["done"]}
    assert failures("lost").seen["late"] == []


def test_d10_the_end_of_late_code_helps_no_waiting_step() -> None:
    waits = step("Waits", lambda c, i: dead_end(), lambda c, i: Wait.until(BOX.for_one()))
    worker = step("Work", lambda c, i: go_to(waits, None))
    machine = FlowMachine(flow(worker, waits, keeps=[BOX]), faults=Faults(late_attempts=1))
    d = drive(machine, "begin Work", "late Work", "retry Work", "commit Work", "begin Waits", "commit Waits")
    assert d.choices == ["end Work.execute 0.0.1"]
    said = machine.stuck(d.state)
    assert said is not None and "unless" not in said


def test_d10_late_code_of_wait_for_and_of_execute_are_two() -> None:
    worker = step("Work", lambda c, i: dead_end(), lambda c, i: Wait.skip_immediately())
    machine = FlowMachine(flow(worker), faults=Faults(late_attempts=2))
    d = drive(machine, "begin Work", "late Work", "retry Work", "commit Work", "begin Work", "late Work")
    assert d.choices[-2:] == ["end Work.wait_for 0.0.1", "end Work.execute 0.0.1"]
    assert d.take("end Work.wait_for").of("late_ended")[0].method == "wait_for"
    assert d.take("end Work.execute").of("late_ended")[1].method == "execute"


def test_d10_the_budget_of_faults_is_per_run_and_names_the_steps_that_may_be_hit() -> None:
    a, b = step("A", lambda c, i: go_to(b, None)), step("B", lambda c, i: dead_end())
    machine = FlowMachine(flow(a, b), faults=Faults(lost_attempts=1))
    d = drive(machine, "begin A")
    assert d.choices == ["commit A.execute 0.0", "lose A.execute 0.0"]
    d.take("lose A", "retry A")
    assert d.choices == ["commit A.execute 0.0"], "the one fault is spent"
    only_b = drive(FlowMachine(flow(a, b), faults=Faults(lost_attempts=1, steps=[b])), "begin A")
    assert only_b.choices == ["commit A.execute 0.0"]
    assert only_b.take("commit A", "begin B").choices == ["commit B.execute 0.1", "lose B.execute 0.1"]


def test_d10_rpcs_and_the_timeout_handler_are_not_hit() -> None:
    machine = FlowMachine(
        flow(start=False, rpcs={"ask": lambda c, i: None}, handle_timeout=lambda c: dead_end()),
        scenario=Scenario(events=[Anytime(Invoke("ask", 1))], options=StartFlowOptions(timeout=seconds(1))),
        faults=Faults(2, 2),
    )
    d = drive(machine, "call ask", "timeout Tiny")
    assert d.choices == ["commit handle_timeout 1.0", "commit ask 2.0.0.0"]


def test_d10_cancelling_a_running_attempt_leaves_its_code_running_without_a_budget() -> None:
    target = step("Target", lambda c, i: (BOX.publish(c, "x"), dead_end())[1])
    canceller = step("Canceller", lambda c, i: dead_end().with_canceling_steps(target))
    start = step("Start", lambda c, i: go_to_many(StepMovement.of(target, 0), StepMovement.of(canceller, 0)))
    d = drive(flow(start, target, canceller, keeps=[BOX]), "begin Start", "commit Start", "begin Target")
    d.take("begin Canceller", "commit Canceller")
    assert d.choices == ["end Target.execute 0.1.0.0.1"] and d.seen["steps"] == []
    assert d.take("end Target").seen["channels"] == {"box": []}


def test_d10_after_a_close_late_code_is_dropped_from_the_state() -> None:
    worker = step("Work", lambda c, i: force_complete())
    d = drive(FlowMachine(flow(worker), faults=Faults(late_attempts=1)), "begin Work", "late Work", "retry Work")
    assert len(d.seen["late"]) == 1
    d.take("commit Work")
    assert d.status == "COMPLETED" and d.seen["late"] == [] and d.choices == []


def test_d10_what_was_to_end_a_lost_attempt_does_not_end_the_next_one() -> None:
    worker = step("Work", lambda c, i: dead_end())
    machine = FlowMachine(
        flow(worker), faults=Faults(lost_attempts=1, late_attempts=1), scenario=Scenario({worker: seconds(4)}),
        memo=False,
    )  # fmt: skip
    hit = 0
    for seed in range(250):
        trace = sample(machine, seed)
        began = {turn.events[0].attempt: turn.time for turn in trace.turns if turn.events[0].kind == "began"}
        (saved,) = (turn for turn in trace.turns if turn.choice.kind == "commit")
        assert saved.time == began[max(began)] + 4.0
        for turn in trace.turns:
            if turn.choice.kind == "end":
                # Code that was given up early ends when it would have ended.
                assert turn.time == began[turn.choice.path[-1]] + 4.0
        hit += len(began) > 1
    assert hit > 5


def test_d10_an_attempt_is_given_up_at_its_own_timeout_not_at_that_of_one_before() -> None:
    options = StepOptions(execute_method_timeout=seconds(5), execute_retry=RetryPolicy(maximum_attempts=4))
    worker = step("Work", lambda c, i: dead_end(), options=options)
    machine = FlowMachine(
        flow(worker), faults=Faults(lost_attempts=2), scenario=Scenario({worker: (seconds(4), seconds(6))}), memo=False
    )
    ends = set()
    for seed in range(400):
        began = 0.0
        for turn in sample(machine, seed).turns:
            if turn.events[0].kind == "began":
                began = turn.time or 0.0
            elif turn.choice.kind in ("commit", "give_up"):
                took = (turn.time or 0.0) - began
                assert took == 5.0 if turn.choice.kind == "give_up" else 4.0 <= took <= 5.0
            ends.add(turn.choice.kind)
    assert {"lose", "give_up", "commit"} <= ends


# D-11: when it is tried again.


def always(policy: RetryPolicy) -> Any:
    return step("Work", lambda c, i: fail(), options=StepOptions(execute_retry=policy))


@pytest.mark.parametrize(
    ("policy", "delays"),
    [
        (RetryPolicy(maximum_attempts=1), []),
        (RetryPolicy(maximum_attempts=4), [1.0, 2.0, 4.0]),
        (RetryPolicy(initial_interval=seconds(3), backoff_coefficient=1, maximum_attempts=3), [3.0, 3.0]),
        (RetryPolicy(initial_interval=seconds(4), maximum_interval=seconds(10), maximum_attempts=4), [4.0, 8.0, 10.0]),
        (RetryPolicy(total_duration=seconds(7)), [1.0, 2.0, 4.0]),
        (RetryPolicy(total_duration=seconds(6.9)), [1.0, 2.0]),
        (RetryPolicy(total_duration=seconds(3), maximum_attempts=2), [1.0]),
        (RetryPolicy(maximum_attempts=0, total_duration=seconds(1)), [1.0]),
    ],
)
def test_d11_the_first_limit_reached_ends_the_retries(policy: RetryPolicy, delays: list[float]) -> None:
    d = run_all(drive(flow(always(policy))))
    failed = d.of("failed")
    assert [e.delay for e in failed if e.then == "retry"] == delays
    assert [e.attempt for e in failed] == list(range(1, len(delays) + 2))
    assert failed[-1].then == "flow_failed"


def test_d11_the_defaults_make_150_attempts_in_four_hours_of_delays() -> None:
    d = run_all(drive(flow(always(RetryPolicy()))))
    assert len(d.of("failed")) == 150
    assert sum(e.delay for e in d.of("failed")) <= 4 * 3600
    assert max(e.delay for e in d.of("failed")) == 100.0


def test_d11_where_there_is_a_clock_the_attempts_take_their_time_of_the_total_too() -> None:
    worker = always(RetryPolicy(total_duration=seconds(19), backoff_coefficient=1))
    machine = FlowMachine(flow(worker), scenario=Scenario({worker: seconds(4)}), memo=False)
    failed = told(sample(machine), "failed")
    assert [e.attempt for e in failed] == [1, 2, 3, 4], "four of 4 s with 3 delays of 1 s are 19 s"
    assert len(run_all(drive(FlowMachine(flow(worker)))).of("failed")) == 20


def test_d29_the_next_attempt_runs_when_it_begins_and_never_before() -> None:
    machine = FlowMachine(flow(step("Work", lambda c, i: fail(), options=StepOptions(execute_retry=TWICE))), memo=False)
    d = drive(machine)
    moves = ("begin Work", "commit Work", "retry Work", "commit Work")
    assert [machine.rules.handlers.runs for _ in map(d.take, moves)] == [1, 1, 2, 2]


def test_d29_a_later_attempt_runs_once_and_lets_go_of_the_snapshot_that_it_was_to_see() -> None:
    class Look:
        runs = 0

        def __call__(self) -> Plan:
            Look.runs += 1
            return Plan(1, Outcome(Effect(None), (), ()), None)

    look = Look()
    held = weakref.ref(look)
    plan = LaterPlan(look)
    del look
    assert not hasattr(plan, "anything") and Look.runs == 0
    assert (plan.rest, list(plan)) == (None, [plan.outcome]) and Look.runs == 1
    assert held() is None


# D-12: the route after execute.


def test_d12_the_route_gets_the_same_input_and_the_error_of_the_last_attempt() -> None:
    def work(context: Context, input: Any) -> Any:
        raise KeyError(f"attempt {context.attempt}")

    def rescue(context: Context, input: Any) -> Any:
        error = context.recovery_error
        assert error is not None
        return force_complete([input, error.error_type, error.detail, context.from_step_execution_id])

    def ready(context: Context, input: Any) -> Wait:
        assert context.recovery_error is not None
        return Wait.until(BOX.for_one())

    worker = step("Work", work, options=lambda: StepOptions(execute_retry=TWICE).on_execute_failure_proceed_to(rescuer))
    rescuer = step("Rescue", rescue, ready)
    start = step("Start", lambda c, i: (BOX.publish(c, 1), go_to(worker, ["same"]))[1])
    d = drive(flow(start, worker, rescuer, keeps=[BOX]), "begin Start", "commit Start", "begin Work", "commit Work")
    assert d.of("failed")[0].then == "retry"
    d.take("retry Work", "commit Work")
    assert d.of("failed")[1].then == "route" and d.kinds == ["failed", "step_started"]
    d.take("begin Rescue.wait_for", "commit Rescue.wait_for", "begin Rescue.execute", "commit Rescue.execute")
    assert d.seen["outputs"] == [[["same"], "KeyError", "'attempt 2'", "0.1"]]


def test_d12_without_a_route_the_flow_fails_and_says_why() -> None:
    d = drive(flow(step("Work", lambda c, i: fail("broken"), options=NO_RETRY)), "begin Work", "commit Work")
    assert d.status == "FAILED" and "Work.execute: ValueError: broken" in d.seen["reason"]


def test_d12_messages_that_the_failed_execution_consumed_are_gone() -> None:
    rescuer = step("Rescue", lambda c, i: force_complete([BOX.results(c), BOX.size(c)]))
    worker = step(
        "Work", lambda c, i: fail(), lambda c, i: Wait.until(BOX.for_one()),
        lambda: NO_RETRY.on_execute_failure_proceed_to(rescuer),
    )  # fmt: skip
    start = step("Start", lambda c, i: (BOX.publish(c, "token"), go_to(worker, 0))[1])
    d = run_all(drive(flow(start, worker, rescuer, keeps=[BOX])))
    assert d.seen["outputs"] == [[[], 0]]


def test_d12_options_given_with_a_movement_replace_the_steps_options_whole() -> None:
    rescuer = step("Rescue", lambda c, i: force_complete("rescued"))
    own = StepOptions(execute_retry=TWICE, execute_lock_attributes=(COUNT.lock(),))
    worker = step("Work", lambda c, i: fail(), options=lambda: own.on_execute_failure_proceed_to(rescuer))

    def start(options: StepOptions | None) -> Any:
        first = step("Start", lambda c, i: go_to_many(StepMovement.of(worker, 0, options=options)))
        return run_all(drive(flow(first, worker, rescuer, keeps=[COUNT])))

    d = start(None)
    assert d.seen["outputs"] == ["rescued"] and len(d.of("failed")) == 2
    assert [e.locks for e in d.of("began") if e.step == "Work"] == [("count",), ("count",)]
    replaced = start(StepOptions(execute_retry=RetryPolicy(maximum_attempts=3)))
    assert replaced.status == "FAILED" and len(replaced.of("failed")) == 3, "its route is dropped with the rest"
    assert {e.locks for e in replaced.of("began")} == {()}


def test_d12_a_route_may_name_options_for_its_step() -> None:
    rescuer = step("Rescue", lambda c, i: fail("rescue"), options=NO_RETRY)
    three = StepOptions(execute_retry=RetryPolicy(maximum_attempts=3))
    worker = step("Work", lambda c, i: fail(), options=lambda: NO_RETRY.on_execute_failure_proceed_to(rescuer, three))
    d = run_all(drive(flow(worker, rescuer)))
    assert len([e for e in d.of("failed") if e.step == "Rescue"]) == 3


# D-13: when wait_for fails for good.


def test_d13_proceed_runs_execute_with_the_same_input_and_tells_it_so() -> None:
    def run(context: Context, input: Any) -> Any:
        error = context.recovery_error
        assert error is not None
        return force_complete([input, context.wait_for_method_failed(), error.error_type, BOX.results(context)])

    options = StepOptions(wait_for_retry=TWICE, wait_for_failure=PROCEED)
    worker = step("Work", run, lambda c, i: fail(), options)
    start = step("Start", lambda c, i: (BOX.publish(c, 1), go_to(worker, "same"))[1])
    d = drive(flow(start, worker, keeps=[BOX]), "begin Start", "commit Start", "begin Work", "commit Work")
    d.take("retry Work", "commit Work")
    assert [e.then for e in d.of("failed")] == ["retry", "proceed"]
    d.take("begin Work.execute", "commit Work")
    assert d.seen["outputs"] == [["same", True, "ValueError", []]] and d.seen["channels"] == {"box": [1]}


def test_d13_the_default_fails_the_flow() -> None:
    worker = step("Work", lambda c, i: dead_end(), lambda c, i: fail("cannot wait"), StepOptions(wait_for_retry=ONCE))
    d = drive(flow(worker), "begin Work", "commit Work")
    assert d.status == "FAILED" and "Work.wait_for: ValueError: cannot wait" in d.seen["reason"]


def test_d13_the_route_after_proceed_sees_the_error_of_execute() -> None:
    def rescue(context: Context, input: Any) -> Any:
        assert context.recovery_error is not None
        return force_complete([context.recovery_error.detail, context.wait_for_method_failed()])

    rescuer = step("Rescue", rescue)
    options = StepOptions(wait_for_retry=ONCE, execute_retry=ONCE, wait_for_failure=PROCEED)
    worker = step(
        "Work", lambda c, i: fail("execute"), lambda c, i: fail("wait_for"),
        lambda: options.on_execute_failure_proceed_to(rescuer),
    )  # fmt: skip
    assert run_all(drive(flow(worker, rescuer))).seen["outputs"] == [["execute", False]]
