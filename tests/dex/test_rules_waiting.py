"""Waiting: what makes a Wait ready, what it takes, who gets a message, and when timers fire (D-14 to D-17)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from dexpatterns.dex import (
    Anytime,
    At,
    Channel,
    ChannelMap,
    ConditionCombination,
    Context,
    FlowMachine,
    Invoke,
    Scenario,
    StartFlowOptions,
    StepMovement,
    Timer,
    Wait,
    dead_end,
    force_complete,
    go_to,
    go_to_many,
)
from dexpatterns.dex.waiting import WAITS, fired_flags, picked, takes, timer_order
from dexpatterns.engine.machine import Choice
from dexpatterns.errors import ScheduleError
from tests.dex.flows import drive, flow, run_all, sample, seconds, step, told

A: Channel[Any] = Channel("a", Any)
B: Channel[Any] = Channel("b", Any)
BY_KEY: ChannelMap[Any] = ChannelMap("byKey", Any)
ONE_SECOND, TWO_SECONDS, HOUR = (Timer.by_duration(seconds(n)) for n in (1, 2, 3600))
both = ConditionCombination.of


def waiter(wait: Callable[[], Wait], name: str = "Waits") -> Any:
    """A Step that waits so and completes the Flow with what it took."""
    return step(name, lambda c, i: force_complete([A.results(c), B.results(c)]), lambda c, i: wait())


def publish(context: Context, messages: list[tuple[str, Any]]) -> None:
    for name, value in messages:
        (A if name == "a" else B).publish(context, value)


def filled(wait: Callable[[], Wait], a: int, b: int) -> Any:
    """A Flow whose one execution has saved this Wait over queues of so many messages."""
    waits = waiter(wait)

    def fill(context: Context, input: Any) -> Any:
        publish(context, [("a", f"a{k}") for k in range(a)] + [("b", f"b{k}") for k in range(b)])
        return go_to(waits, None)

    start = step("Start", fill)
    return drive(flow(start, waits, keeps=[A, B]), "begin Start", "commit Start", "begin Waits", "commit Waits")


# D-14 and D-15: ready or not, and what is taken.

READY: list[tuple[str, Callable[[], Wait], int, int, list[int] | None]] = [
    # what is waited for; messages in a and b; how many of each it takes, None while it is not ready
    ("for_one", lambda: Wait.until(A.for_one()), 0, 0, None),
    ("for_one", lambda: Wait.until(A.for_one()), 3, 0, [1, 0]),
    ("for_n", lambda: Wait.until(A.for_n(2)), 1, 0, None),
    ("for_n", lambda: Wait.until(A.for_n(2)), 3, 0, [2, 0]),
    ("at_least", lambda: Wait.until(A.at_least(2)), 1, 0, None),
    ("at_least takes all", lambda: Wait.until(A.at_least(2)), 4, 0, [4, 0]),
    ("at_most is ready at once", lambda: Wait.until(A.at_most(2)), 0, 0, [0, 0]),
    ("at_most", lambda: Wait.until(A.at_most(2)), 5, 0, [2, 0]),
    ("for_range from", lambda: Wait.until(A.for_range(at_least=1)), 3, 0, [3, 0]),
    ("for_range to", lambda: Wait.until(A.for_range(at_most=1)), 3, 0, [1, 0]),
    ("for_range", lambda: Wait.until(A.for_range(at_least=2, at_most=3)), 1, 0, None),
    ("for_range", lambda: Wait.until(A.for_range(at_least=2, at_most=3)), 5, 0, [3, 0]),
    ("skip", Wait.skip_immediately, 2, 2, [0, 0]),
    ("all_of", lambda: Wait.all_of(A.for_one(), B.for_one()), 2, 0, None),
    ("all_of takes for every one", lambda: Wait.all_of(A.for_one(), B.for_n(2)), 2, 2, [1, 2]),
    ("all_of needs the messages of both", lambda: Wait.all_of(A.for_one(), A.for_one()), 1, 0, None),
    ("all_of needs the messages of both", lambda: Wait.all_of(A.for_one(), A.for_one()), 3, 0, [2, 0]),
    ("minimum, then rest", lambda: Wait.all_of(A.at_least(1), A.for_n(2)), 2, 0, None),
    ("minimum, then rest", lambda: Wait.all_of(A.for_range(at_least=1, at_most=2), A.for_one()), 2, 0, [2, 0]),
    ("minimum, then rest", lambda: Wait.all_of(A.for_range(at_least=1, at_most=2), A.for_one()), 9, 0, [3, 0]),
    ("any_of", lambda: Wait.any_of(A.for_one(), B.for_one()), 0, 0, None),
    ("any_of picks in argument order", lambda: Wait.any_of(A.for_one(), B.for_one()), 1, 1, [1, 0]),
    ("any_of picks in argument order", lambda: Wait.any_of(B.for_one(), A.for_one()), 1, 1, [0, 1]),
    ("any_of picks the first ready", lambda: Wait.any_of(A.for_n(2), B.for_one()), 1, 1, [0, 1]),
    (
        "a combination takes for itself only",
        lambda: Wait.any_combination_of(
            both(A.for_n(2, condition_id="two a"), B.for_one(condition_id="b")), both(A.for_one(condition_id="a"))
        ),
        1, 1, [1, 0],
    ),
    (
        "the first ready combination in argument order",
        lambda: Wait.any_combination_of(
            both(B.for_one(condition_id="b"), A.for_one(condition_id="a")), both(A.for_n(2, condition_id="two a"))
        ),
        2, 2, [1, 1],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("wait", "a", "b", "taken"), [case[1:] for case in READY], ids=[case[0] for case in READY])
def test_d15_a_wait_is_ready_and_takes_in_fifo_order(
    wait: Callable[[], Wait], a: int, b: int, taken: list[int] | None
) -> None:
    d = filled(wait, a, b)
    if taken is None:
        assert d.phases() == {"Waits 0.1": "waiting"} and d.choices == []
        assert [len(queue) for queue in d.seen["channels"].values()] == [a, b]
        return
    d.take("begin Waits.execute", "commit Waits")
    assert d.seen["outputs"] == [[[f"a{k}" for k in range(taken[0])], [f"b{k}" for k in range(taken[1])]]]
    assert d.seen["channels"] == {
        "a": [f"a{k}" for k in range(taken[0], a)],
        "b": [f"b{k}" for k in range(taken[1], b)],
    }


def test_d14_every_kind_of_wait_is_tried_here() -> None:
    assert {case[1]().kind for case in READY} == WAITS


def test_d15_any_of_prefers_timers_and_then_channels_in_argument_order() -> None:
    sizes = {"a": 1, "b": 1}.__getitem__
    wait = Wait.any_of(A.for_one(), TWO_SECONDS, B.for_one(), ONE_SECOND)
    assert picked(wait, 0, sizes) == (A.for_one(),)
    assert picked(wait, 1, sizes) == (ONE_SECOND,), "the one that fired"
    assert picked(wait, 2, sizes) == (TWO_SECONDS,), "both fired: the first by argument order"
    assert takes(picked(wait, 2, sizes) or (), sizes) == ()


def test_d15_a_timer_of_a_combination_must_have_fired_itself() -> None:
    soon = Timer.by_duration(seconds(1), condition_id="soon")
    late = Timer.by_duration(seconds(9), condition_id="late")
    a = A.for_one(condition_id="a")
    wait = Wait.any_combination_of(both(late, a), both(soon))
    assert [picked(wait, fired, {"a": 1}.__getitem__) for fired in range(3)] == [None, (soon,), (late, a)]


def test_d15_two_equal_timers_are_two() -> None:
    wait = Wait.all_of(ONE_SECOND, Timer.by_duration(seconds(1)))
    d = filled(lambda: wait, 0, 0).take("fire Waits")
    assert d.phases() == {"Waits 0.1": "waiting"}
    assert d.take("fire Waits").kinds == ["timer_fired", "wait_completed"]
    assert filled(lambda: Wait.any_of(ONE_SECOND, ONE_SECOND), 0, 0).take("fire Waits").kinds[-1] == "wait_completed"


def test_d15_each_key_of_a_channel_map_is_a_queue_of_its_own() -> None:
    waits = step(
        "Waits", lambda c, i: force_complete([BY_KEY.results(c, "x"), BY_KEY.results(c, "y"), BY_KEY.size(c, "y")]),
        lambda c, i: Wait.until(BY_KEY.for_one("x")),
    )  # fmt: skip

    def fill(context: Context, input: Any) -> Any:
        BY_KEY.publish(context, "y", 1)
        return go_to(waits, None)

    def give(context: Context, key: str) -> None:
        BY_KEY.publish(context, key, 2)

    machine = FlowMachine(
        flow(step("Start", fill), waits, keeps=[BY_KEY], rpcs={"give": give}),
        scenario=Scenario(events=[Anytime(Invoke("give", "x"))]),
    )
    d = drive(machine, "begin Start", "commit Start", "begin Waits", "commit Waits")
    assert d.phases() == {"Waits 0.1": "waiting"}
    d.take("call give", "commit give", "begin Waits", "commit Waits")
    assert d.seen["outputs"] == [[[2], [], 1]] and d.seen["channels"] == {"byKey/x": [], "byKey/y": [1]}


# D-15a: what is ready completes before anything else happens.


def test_d15a_a_wait_that_is_ready_when_it_is_saved_completes_in_that_commit() -> None:
    d = filled(lambda: Wait.until(A.for_one()), 1, 0)
    assert d.kinds == ["saved", "waiting", "wait_completed"]
    assert d.choices == ["begin Waits.execute 0.1"]


def test_d15a_nothing_comes_between_the_message_and_the_one_that_waits_for_it() -> None:
    """Not even its own timer, an RPC, a stop, the timeout or a handler of another branch."""
    waits = waiter(lambda: Wait.any_of(A.for_one(), HOUR))
    idle = step("Idle", lambda c, i: dead_end())
    start = step("Start", lambda c, i: go_to_many(*[StepMovement.of(s, None) for s in (waits, waits, idle)]))
    machine = FlowMachine(
        flow(start, waits, idle, keeps=[A, B], rpcs={"give": publish}),
        scenario=Scenario(
            events=[Anytime(Invoke("give", [("a", 1)]), times=2)], options=StartFlowOptions(timeout=seconds(5))
        ),
    )
    d = drive(machine, "begin Start", "commit Start")
    d.take("begin Waits.wait_for 0.1.0.0", "commit Waits", "begin Waits.wait_for 0.1.1.0", "commit Waits", "call give")
    others = d.choices
    assert len(others) == 6
    d.take("commit give")
    assert d.choices == ["take Waits 0.1.0.0", "take Waits 0.1.1.0"]
    for other in others:
        with pytest.raises(ScheduleError, match="possible are: take"):
            d.machine.apply(d.state, Choice.parse(other))
    d.take("take Waits 0.1.1.0")
    assert d.phases() == {"Waits 0.1.0.0": "waiting", "Waits 0.1.1.0": "queued", "Idle 0.1.2.0": "queued"}


def test_d15a_enough_for_all_still_leaves_the_order_to_a_choice_and_the_last_one_completes_by_itself() -> None:
    waits = waiter(lambda: Wait.until(A.for_one()))
    start = step("Start", lambda c, i: go_to_many(*[StepMovement.of(waits, None)] * 3))
    machine = FlowMachine(
        flow(start, waits, keeps=[A, B], rpcs={"give": publish}),
        scenario=Scenario(events=[Anytime(Invoke("give", [("a", 1), ("a", 2), ("a", 3)]))]),
    )
    d = drive(machine, "begin Start", "commit Start")
    for k in range(3):
        d.take(f"begin Waits.wait_for 0.1.{k}.0", "commit Waits")
    d.take("call give", "commit give")
    assert [choice.split()[0] for choice in d.choices] == ["take"] * 3
    d.take("take Waits 0.1.2.0", "take Waits 0.1.0.0")
    assert d.kinds == ["wait_completed", "wait_completed"], "one that is ready alone completes within the move"
    assert {e.path: e.taken[0][1][0].plain for e in d.of("wait_completed")} == {
        (0, 1, 2, 0): 1,
        (0, 1, 0, 0): 2,
        (0, 1, 1, 0): 3,
    }


def test_d15a_the_one_just_saved_has_no_precedence() -> None:
    """A Step that waits for one more and then publishes nothing, beside one whose need its own wait_for fills."""
    patient = waiter(lambda: Wait.until(A.for_one()), "Patient")

    def bring(context: Context, input: Any) -> Wait:
        A.publish(context, "brought")
        return Wait.until(A.for_one())

    bringer = step("Bringer", lambda c, i: dead_end(), bring)
    start = step("Start", lambda c, i: go_to_many(StepMovement.of(bringer, None), StepMovement.of(patient, None)))
    d = drive(flow(start, bringer, patient, keeps=[A, B]), "begin Start", "commit Start")
    d.take("begin Patient", "commit Patient", "begin Bringer", "commit Bringer")
    assert d.choices == ["take Bringer 0.1.0.0", "take Patient 0.1.1.0"]


def test_d15a_waits_that_want_different_numbers_are_settled_too() -> None:
    """One message is not enough for the pair, so the single one is ready alone; with three it is a choice."""
    pair, one = waiter(lambda: Wait.until(A.for_n(2)), "Pair"), waiter(lambda: Wait.until(A.for_one()), "One")
    start = step("Start", lambda c, i: go_to_many(StepMovement.of(pair, None), StepMovement.of(one, None)))

    def given(n: int) -> Any:
        machine = FlowMachine(
            flow(start, pair, one, keeps=[A, B], rpcs={"give": publish}),
            scenario=Scenario(events=[Anytime(Invoke("give", [("a", k) for k in range(n)]))]),
        )
        return drive(
            machine, "begin Start", "commit Start", "begin Pair", "commit Pair", "begin One", "commit One",
            "call give", "commit give",
        )  # fmt: skip

    assert given(1).kinds == ["saved", "published", "wait_completed"]
    assert given(2).choices == ["take One 0.1.1.0", "take Pair 0.1.0.0"]
    assert given(2).take("take One").phases() == {"Pair 0.1.0.0": "waiting", "One 0.1.1.0": "queued"}
    assert given(3).take("take One").phases() == {"Pair 0.1.0.0": "queued", "One 0.1.1.0": "queued"}


# D-16: which of several waiting branches gets a message is a choice.


def crowd(n: int) -> FlowMachine:
    waits = step("Waits", lambda c, i: force_complete(i), lambda c, i: Wait.until(A.for_one()))
    late = step("Late", lambda c, i: (A.publish(c, "token"), dead_end())[1])
    start = step(
        "Start", lambda c, i: go_to_many(*[StepMovement.of(waits, k) for k in range(n)], StepMovement.of(late, 0))
    )
    return FlowMachine(flow(start, waits, late, keeps=[A, B]), memo=False)


def test_d16_every_waiter_is_a_choice() -> None:
    d = drive(crowd(40), "begin Start", "commit Start")
    for k in range(40):
        d.take(f"begin Waits.wait_for 0.1.{k}.0", f"commit Waits.wait_for 0.1.{k}.0")
    d.take("begin Late", "commit Late")
    assert d.choices == [f"take Waits 0.1.{k}.0" for k in range(40)]
    choices = d.machine.choices(d.state)
    for k in range(40):
        _, (event,) = d.machine.apply(d.state, choices[k])
        assert event.path == (0, 1, k, 0) and len(event.rivals) == 8 and event.path not in event.rivals


def test_d16_over_many_seeds_every_waiter_is_seen_to_win_and_none_is_favoured() -> None:
    wins = Counter(sample(crowd(5), seed).final["outputs"][0] for seed in range(400))
    assert set(wins) == {0, 1, 2, 3, 4}
    assert min(wins.values()) > 40, "80 each are expected; first come first served would give 400 to one"


def test_d16_rivals_are_those_that_were_ready_for_the_same_channel() -> None:
    on_a, on_b = waiter(lambda: Wait.until(A.for_one()), "OnA"), waiter(lambda: Wait.until(B.for_one()), "OnB")
    start = step("Start", lambda c, i: go_to_many(*[StepMovement.of(s, None) for s in (on_a, on_a, on_b)]))
    machine = FlowMachine(
        flow(start, on_a, on_b, keeps=[A, B], rpcs={"give": publish}),
        scenario=Scenario(events=[Anytime(Invoke("give", [("a", 1), ("b", 1)]))]),
    )
    d = drive(machine, "begin Start", "commit Start", "begin OnB", "commit OnB")
    d.take("begin OnA.wait_for 0.1.0.0", "commit OnA", "begin OnA.wait_for 0.1.1.0", "commit OnA", "call give")
    d.take("commit give")
    assert len(d.choices) == 3, "three are ready, so which is next is a choice, whoever wants what"
    d.take("take OnA 0.1.0.0")
    assert d.of("wait_completed")[0].rivals == ((0, 1, 1, 0),)
    assert d.of("wait_completed")[1].step == "OnB", "the only one that is ready then"


# D-17: consuming, results, timers.


def test_d17_messages_are_consumed_before_execute_begins() -> None:
    d = filled(lambda: Wait.until(A.for_n(2)), 3, 0)
    assert d.seen["channels"]["a"] == ["a2"] and d.phases() == {"Waits 0.1": "queued"}


def test_d17_results_are_per_channel_everything_the_wait_took_and_empty_for_what_was_not_picked() -> None:
    d = run_all(filled(lambda: Wait.all_of(A.for_one(), A.for_n(2), B.at_most(1)), 4, 0))
    assert d.seen["outputs"] == [[["a0", "a1", "a2"], []]]
    d = run_all(filled(lambda: Wait.any_of(B.for_one(), A.for_one()), 1, 1))
    assert d.seen["outputs"] == [[[], ["b0"]]]


def timers(*durations: float, also: Any = None) -> Any:
    conditions = [Timer.by_duration(seconds(n)) for n in durations]
    wait = Wait.all_of(*conditions) if also is None else Wait.any_of(*conditions, also)

    def tell(context: Context, input: Any) -> Any:
        places = range(-1, len(durations) + 2)
        return force_complete([context.has_timer_fired(), *[context.has_timer_fired(place) for place in places]])

    return step("Waits", tell, lambda c, i: wait)


def test_d17_timers_of_one_wait_fire_in_order_of_duration_equal_ones_in_argument_order() -> None:
    d = drive(flow(timers(5, 1, 3, 1), keeps=[A, B]), "begin Waits", "commit Waits")
    while d.choices[0].startswith("fire"):
        assert len(d.choices) == 1
        d.take("fire Waits")
    assert [(e.timer, e.seconds) for e in d.of("timer_fired")] == [(1, 1.0), (3, 1.0), (2, 3.0), (0, 5.0)]
    assert timer_order(Wait.all_of(TWO_SECONDS, ONE_SECOND)) == ((1.0, 1), (2.0, 0))


def test_d17_has_timer_fired_tells_each_timer_by_argument_order_and_false_where_there_is_none() -> None:
    d = run_all(drive(flow(timers(5, 1), keeps=[A, B])))
    assert d.seen["outputs"] == [[True, False, True, True, False, False]]
    d = drive(flow(timers(5, 1, also=A.for_one()), keeps=[A, B]), "begin Waits", "commit Waits", "fire Waits")
    assert run_all(d).seen["outputs"] == [[True, False, False, True, False, False]]
    woken = FlowMachine(
        flow(timers(5, also=A.for_one()), keeps=[A, B], rpcs={"give": publish}),
        scenario=Scenario(events=[Anytime(Invoke("give", [("a", 1)]))]),
    )
    d = drive(woken, "begin Waits", "commit Waits", "call give", "commit give", "begin Waits", "commit Waits")
    assert d.seen["outputs"] == [[False] * 5]
    assert fired_flags(Wait.all_of(TWO_SECONDS, ONE_SECOND), 1) == (False, True)


def test_d17_timers_of_different_waits_fire_in_any_order() -> None:
    slow, fast = timers(9), step("Fast", lambda c, i: dead_end(), lambda c, i: Wait.until(ONE_SECOND))
    start = step("Start", lambda c, i: go_to_many(StepMovement.of(slow, None), StepMovement.of(fast, None)))
    d = drive(flow(start, slow, fast, keeps=[A, B]), "begin Start", "commit Start")
    d.take("begin Waits", "commit Waits", "begin Fast", "commit Fast")
    assert d.choices == ["fire Waits.wait_for 0.1.0.0", "fire Fast.wait_for 0.1.1.0"]


def test_d17_the_simulator_fires_timers_by_the_clock_from_the_moment_that_the_wait_is_saved() -> None:
    waits = timers(3, 1)
    start = step("Start", lambda c, i: go_to(waits, None))
    machine = FlowMachine(
        flow(start, waits, keeps=[A, B]),
        scenario=Scenario({start: seconds(4), (waits, "wait_for"): seconds(2)}),
        memo=False,
    )
    fired = [(turn.time, turn.events[0].seconds) for turn in sample(machine).turns if turn.choice.kind == "fire"]
    assert fired == [(7.0, 1.0), (9.0, 3.0)]


def test_d17_a_message_that_comes_in_time_wins_over_the_timer_in_the_simulator() -> None:
    waits = timers(10, also=A.for_one())
    machine = FlowMachine(
        flow(waits, keeps=[A, B], rpcs={"give": publish}),
        scenario=Scenario(events=[At(seconds(9.5), Invoke("give", [("a", 1)]))]),
        memo=False,
    )
    trace = sample(machine)
    assert told(trace, "timer_fired") == [] and trace.final["outputs"] == [[False] * 5]
