"""What an author writes is frozen data that is checked when it is made (D-3, D-4, D-10 to D-14, D-18, D-20, D-26).

Scenarios, faults and sections are authored too; the table of their faults is at the end.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from datetime import timedelta
from functools import reduce
from typing import Any

import pytest

from dexpatterns.dex.attribute import Attribute, AttributeLock, AttributeMap
from dexpatterns.dex.channel import Channel, ChannelMap
from dexpatterns.dex.context import Context
from dexpatterns.dex.decision import (
    NO_OUTPUT,
    RPCResult,
    StepDecision,
    StepMovement,
    dead_end,
    force_complete,
    force_complete_if_channels_empty,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
)
from dexpatterns.dex.definition import compile_flow
from dexpatterns.dex.flow import Flow, PersistenceSchema, StepList
from dexpatterns.dex.options import (
    FlowStatus,
    FlowTimeoutPolicy,
    RecoveryErrorInfo,
    RetryPolicy,
    StartFlowOptions,
    StepOptions,
    StopFlowOptions,
    StopType,
    WaitForFailurePolicy,
)
from dexpatterns.dex.rpc import mark_of, rpc
from dexpatterns.dex.scenario import Anytime, At, Faults, Invoke, Scenario, Section, Stop, check_world
from dexpatterns.dex.step import Step
from dexpatterns.dex.wait import ConditionCombination, Timer, TimerCondition, Wait
from dexpatterns.engine.values import NOTHING
from dexpatterns.errors import DexpatternsError, FlowDefinitionError, InputError, InvalidStepResultError

TOKEN = Channel("token", str)
SEATS = ChannelMap("seats", int)
TEXT = Attribute("text", str)
NOTES = AttributeMap("notes", str)
SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)


class Work(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class Rest(Step[None]):
    def get_step_type(self) -> str:
        return "Resting"

    def execute(self, context: Context, input: None) -> StepDecision:
        return dead_end()


class Book:
    """Stands where a Context stands, and writes down what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def ask(*arguments: Any) -> Any:
            self.asked.append((name, *arguments))
            return [name]

        return ask


def test_d3_a_channel_asks_its_context_for_everything_by_its_entry() -> None:
    book: Any = Book()
    TOKEN.publish(book, "t")
    assert TOKEN.size(book) == ["_size"]  # type: ignore[comparison-overlap]  # the book's answer
    assert TOKEN.results(book) == ["_results"]
    SEATS.publish(book, "a", 1)
    SEATS.size(book, "a")
    SEATS.results(book, "a")
    assert book.asked == [
        ("_publish", TOKEN, "token", "t"),
        ("_size", TOKEN, "token"),
        ("_results", TOKEN, "token"),
        ("_publish", SEATS, "seats/a", 1),
        ("_size", SEATS, "seats/a"),
        ("_results", SEATS, "seats/a"),
    ]


def test_d4_an_attribute_asks_its_context_for_everything_by_its_entry() -> None:
    book: Any = Book()
    assert TEXT.get(book) == ["_get"]  # type: ignore[comparison-overlap]  # the book's answer
    TEXT.set(book, "x")
    TEXT.delete(book)
    NOTES.get(book, "a")
    NOTES.set(book, "a", "x")
    NOTES.delete(book, "a")
    assert book.asked == [
        ("_get", TEXT, "text"),
        ("_set", TEXT, "text", "x"),
        ("_delete", TEXT, "text"),
        ("_get", NOTES, "notes/a"),
        ("_set", NOTES, "notes/a", "x"),
        ("_delete", NOTES, "notes/a"),
    ]


@pytest.mark.parametrize(
    ("declared", "default"),
    [
        (bool, False),
        (int, 0),
        (float, 0.0),
        (str, None),
        (list[int], None),
        (int | None, None),
        (None, None),
        (Any, None),
    ],
)
def test_d4_without_a_value_it_is_false_zero_or_none_by_its_declared_type(declared: Any, default: Any) -> None:
    for found in (Attribute("a", declared).default, AttributeMap("a", declared).default):
        assert (type(found), found) == (type(default), default)


@pytest.mark.parametrize("key", ["", "a/b", "/", 3, None])
def test_d3_d4_a_key_is_a_text_that_is_not_empty_and_holds_no_slash(key: Any) -> None:
    book: Any = Book()
    uses: list[Callable[[], Any]] = [
        lambda: SEATS.publish(book, key, 1), lambda: SEATS.size(book, key), lambda: SEATS.results(book, key),
        lambda: SEATS.for_one(key), lambda: SEATS.for_n(key, 1), lambda: SEATS.at_least(key, 1),
        lambda: SEATS.at_most(key, 1), lambda: SEATS.for_range(key, at_least=1), lambda: NOTES.get(book, key),
        lambda: NOTES.set(book, key, ""), lambda: NOTES.delete(book, key), lambda: NOTES.lock(key),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(InvalidStepResultError, match=r"Map '(seats|notes)'.*expected a key.*plain text"):
            use()
    assert book.asked == []


def test_a_definition_is_equal_by_class_name_and_type_and_never_changes() -> None:
    assert Channel[str]("token", str) == TOKEN
    assert hash(Channel("token", str)) == hash(TOKEN)
    assert TOKEN not in (
        Channel("token", int),
        ChannelMap("token", str),
        Attribute("token", str),
        Channel("t", str),
        "token",
    )
    assert copy.deepcopy(TOKEN) == pickle.loads(pickle.dumps(TOKEN)) == TOKEN  # noqa: S301  # our own bytes
    assert repr(TOKEN) == "Channel('token', str)"
    assert Channel("notify", None).value_type is type(None)
    for definition in (TOKEN, SEATS, TEXT, NOTES):
        with pytest.raises(dataclasses.FrozenInstanceError, match="make another"):
            definition.name = "other"
        with pytest.raises(dataclasses.FrozenInstanceError, match="make another"):
            del definition.name
        with pytest.raises(AttributeError):
            definition.anything = 1


FROZEN = [
    TOKEN.for_one(), Timer.by_duration(SECOND), Wait.until(TOKEN.for_one()), ConditionCombination.of(TOKEN.for_one()),
    StepMovement.of(Work, "a"), go_to(Work, "a"), RPCResult(1), RetryPolicy(), StepOptions(), StartFlowOptions(),
    StopFlowOptions(), TEXT.lock(), StepList.empty(), PersistenceSchema.of(), Scenario(), Faults(), Section(Work),
    At(SECOND, Stop()), Anytime(Stop()), Invoke("a"), Stop(), RecoveryErrorInfo("a", "b"),
]  # fmt: skip


@pytest.mark.parametrize("record", FROZEN, ids=lambda record: type(record).__name__)
def test_every_record_is_frozen_and_slotted(record: Any) -> None:
    fields = getattr(record, "_fields", None) or [f.name for f in dataclasses.fields(record)]
    for name in (*fields, "no_such_field"):
        # A frozen class made anew for its slots refuses an unknown name by a TypeError.
        with pytest.raises((AttributeError, TypeError)):
            setattr(record, name, None)
    assert not hasattr(record, "__dict__")
    assert repr(record)


def test_d14_conditions_say_how_many_messages_they_need_and_take() -> None:
    conditions = [
        TOKEN.for_one(), TOKEN.for_n(3), TOKEN.at_least(2), TOKEN.at_most(4), TOKEN.for_range(at_least=1, at_most=5),
        TOKEN.for_range(at_least=2), TOKEN.for_range(at_most=4), TOKEN.for_range(at_least=0, at_most=0),
        SEATS.for_one("a"), SEATS.for_n("a", 3),
        SEATS.at_least("a", 2), SEATS.at_most("a", 4), SEATS.for_range("a", at_least=1, at_most=5),
    ]  # fmt: skip
    assert [(c.channel, c.at_least, c.at_most) for c in conditions] == [
        ("token", 1, 1), ("token", 3, 3), ("token", 2, None), ("token", 0, 4), ("token", 1, 5), ("token", 2, None),
        ("token", 0, 4), ("token", 0, 0), ("seats/a", 1, 1), ("seats/a", 3, 3), ("seats/a", 2, None), ("seats/a", 0, 4),
        ("seats/a", 1, 5),
    ]  # fmt: skip
    assert {c.definition for c in conditions} == {TOKEN, SEATS}
    assert [c.text for c in conditions[:5]] == [
        "token.for_one()", "token.for_n(3)", "token.at_least(2)", "token.at_most(4)",
        "token.for_range(at_least=1, at_most=5)",
    ]  # fmt: skip
    assert TOKEN.for_one(condition_id="a").condition_id == "a"
    assert TOKEN.for_one() == TOKEN.for_n(1) != TOKEN.for_one(condition_id="a")
    assert hash(TOKEN.for_one()) == hash(TOKEN.for_n(1))


def test_d14_a_wait_keeps_its_conditions_in_argument_order() -> None:
    hour, second = Timer.by_duration(HOUR), Timer.by_duration(SECOND)
    wait = Wait.any_of(TOKEN.for_one(), hour, SEATS.for_n("a", 2), second, TOKEN.at_least(1))
    assert wait.kind == "any_of"
    assert wait.conditions == (TOKEN.for_one(), hour, SEATS.for_n("a", 2), second, TOKEN.at_least(1))
    assert wait.timers == (hour, second)
    assert wait.channels == ("token", "seats/a")
    assert wait.definitions == (TOKEN, SEATS)
    assert wait.text == "any_of(token.for_one(), timer 1:00:00, seats/a.for_n(2), timer 0:00:01, token.at_least(1))"
    assert Wait.all_of(hour, hour).timers == (hour, hour)


def test_d14_each_kind_of_wait_is_told_in_words() -> None:
    waits = [Wait.skip_immediately(), Wait.until(TOKEN.for_one()), Wait.until(Timer.by_duration(HOUR))]
    assert [(wait.kind, wait.text) for wait in waits] == [
        ("skip", "skip_immediately()"), ("until", "token.for_one()"), ("until", "timer 1:00:00"),
    ]  # fmt: skip
    assert Wait.all_of(TOKEN.for_one()) == Wait.all_of(Channel("token", str).for_n(1))
    assert hash(Wait.all_of(TOKEN.for_one())) == hash(Wait.all_of(TOKEN.for_n(1)))
    assert Wait.until(TOKEN.for_one()) != Wait.all_of(TOKEN.for_one())


def test_d14_a_condition_that_two_combinations_share_by_its_id_counts_once() -> None:
    def timer() -> TimerCondition:
        return Timer.by_duration(HOUR, condition_id="t")

    one, two = TOKEN.for_one(condition_id="a"), SEATS.for_one("k", condition_id="b")
    wait = Wait.any_combination_of(ConditionCombination.of(one, timer()), ConditionCombination.of(timer(), two))
    assert wait.conditions == (one, timer(), two)
    assert wait.combinations == ((one, timer()), (timer(), two))
    assert wait.timers == (timer(),)
    assert wait.text == "any_combination_of((token.for_one(), timer 1:00:00), (timer 1:00:00, seats/k.for_one()))"


INVALID: list[tuple[str, Callable[[], Any], tuple[str, ...]]] = [
    ("below zero", lambda: TOKEN.for_n(-1), ("'token'", "at_least", "zero or more, got -1")),
    ("most below zero", lambda: TOKEN.at_most(-2), ("'token'", "at_most", "zero or more, got -2")),
    ("no whole number", lambda: TOKEN.for_n(1.0), ("'token'", "whole number", "got 1.0")),  # type: ignore[arg-type]
    ("a bool for a number", lambda: TOKEN.at_least(True), ("'token'", "whole number", "got True")),
    ("crossed", lambda: SEATS.for_range("a", at_least=3, at_most=1), ("'seats/a'", "at_least=3, at_most=1", "swap")),
    ("no bound", TOKEN.for_range, ("for_range on 'token'", "expected a bound", "at_least=")),
    ("no bound of a map", lambda: SEATS.for_range("a"), ("for_range on 'seats/a'", "expected a bound")),
    ("empty id", lambda: TOKEN.for_one(condition_id=""), ("condition_id", "not empty")),
    ("id of a timer", lambda: Timer.by_duration(HOUR, condition_id=3), ("condition_id", "got 3")),  # type: ignore[arg-type]
    ("seconds for a time", lambda: Timer.by_duration(5), ("timer", "timedelta(seconds=...)", "got 5")),  # type: ignore[arg-type]
    ("time below zero", lambda: Timer.by_duration(-SECOND), ("timer", "zero or more")),
    ("all of nothing", Wait.all_of, ("Wait.all_of", "expected a condition, got none", "skip_immediately")),
    ("any of nothing", Wait.any_of, ("Wait.any_of", "expected a condition, got none")),
    ("combination of nothing", ConditionCombination.of, ("ConditionCombination.of", "got none")),
    ("no combination", Wait.any_combination_of, ("any_combination_of", "expected a combination, got none")),
    ("a channel", lambda: Wait.until(TOKEN), ("Wait.until", "got a Channel", "for_one()")),  # type: ignore[arg-type]
    ("a wait in a wait", lambda: Wait.any_of(Wait.skip_immediately()), ("Wait.any_of", "got a Wait")),  # type: ignore[arg-type]
    (
        "a condition for a combination",
        lambda: Wait.any_combination_of(TOKEN.for_one(condition_id="a")),  # type: ignore[arg-type]
        ("any_combination_of", "got a ChannelCondition", "ConditionCombination.of"),
    ),
    (
        "a combination without ids",
        lambda: Wait.any_combination_of(ConditionCombination.of(TOKEN.for_one())),
        ("any_combination_of", "'token.for_one()'", "condition_id="),
    ),
    (
        "one id for two",
        lambda: Wait.all_of(TOKEN.for_one(condition_id="a"), TOKEN.for_n(2, condition_id="a")),
        ("Wait.all_of", "'a' names two", "token.for_one()", "token.for_n(2)", "id of its own"),
    ),
    (
        "one id for two in different combinations",
        lambda: Wait.any_combination_of(
            ConditionCombination.of(TOKEN.for_one(condition_id="a")),
            ConditionCombination.of(Timer.by_duration(HOUR, condition_id="a")),
        ),
        ("any_combination_of", "'a' names two"),
    ),
    ("no movement", go_to_many, ("go_to_many", "expected a movement, got none", "dead_end()")),
    ("a class for a movement", lambda: go_to_many(Work), ("go_to_many", "StepMovement.of")),  # type: ignore[arg-type]
    ("go to a name", lambda: go_to("Work", 1), ("go_to", "expected a Step class, got a str")),  # type: ignore[arg-type]
    ("go to a class", lambda: StepMovement.of(int, 1), ("StepMovement.of", "got int", "derives from Step")),  # type: ignore[arg-type]
    ("go to Step itself", lambda: go_to(Step, 1), ("go_to", "got Step")),
    (
        "options that are none",
        lambda: StepMovement.of(Work, "a", options={}),  # type: ignore[arg-type]
        ("'Work'", "expected StepOptions, got {}"),
    ),
    ("cancel a name", lambda: dead_end().with_canceling_steps("Work"), ("with_canceling_steps", "a str")),  # type: ignore[arg-type]
    (
        "cancel a sibling by name",
        lambda: dead_end().with_canceling_sibling_steps("Work"),  # type: ignore[arg-type]
        ("with_canceling_sibling_steps", "a str"),
    ),
    ("fail without words", lambda: force_fail(3), ("force_fail", "expected a reason", "got 3")),  # type: ignore[arg-type]
    (
        "no channel to be empty",
        lambda: force_complete_if_channels_empty(None, StepMovement.of(Work, "a")),
        ("force_complete_if_channels_empty", "expected a Channel, got none", "force_complete()"),
    ),
    (
        "an attribute to be empty",
        lambda: force_complete_if_channels_empty(None, StepMovement.of(Work, "a"), TEXT),  # type: ignore[arg-type]
        ("force_complete_if_channels_empty", "Attribute('text', str)"),
    ),
    (
        "no fallback",
        lambda: force_complete_if_channels_empty(None, None, TOKEN),  # type: ignore[arg-type]
        ("force_complete_if_channels_empty", "expected a StepMovement"),
    ),
    ("one movement for a tuple", lambda: RPCResult(next_steps=StepMovement.of(Work, "")), ("next_steps", "a tuple")),  # type: ignore[arg-type]
    ("no movement of an rpc", lambda: RPCResult(next_steps=(Work,)), ("RPCResult next_steps", "StepMovement.of")),  # type: ignore[arg-type]
    ("interval below zero", lambda: RetryPolicy(-SECOND), ("RetryPolicy initial_interval", "zero or more")),
    ("interval in seconds", lambda: RetryPolicy(3), ("RetryPolicy initial_interval", "timedelta")),  # type: ignore[arg-type]
    (
        "coefficient below one",
        lambda: RetryPolicy(backoff_coefficient=0.5),
        ("backoff_coefficient", "1 or more, got 0.5"),
    ),
    ("endless coefficient", lambda: RetryPolicy(backoff_coefficient=float("inf")), ("backoff_coefficient", "inf")),
    ("no coefficient", lambda: RetryPolicy(backoff_coefficient=float("nan")), ("backoff_coefficient", "nan")),
    ("attempts below zero", lambda: RetryPolicy(maximum_attempts=-1), ("maximum_attempts", "got -1")),
    ("half an attempt", lambda: RetryPolicy(maximum_attempts=1.5), ("maximum_attempts", "got 1.5")),  # type: ignore[arg-type]
    ("policy that is none", lambda: StepOptions(execute_retry=3), ("execute_retry", "expected a RetryPolicy")),  # type: ignore[arg-type]
    (
        "timeout below zero",
        lambda: StepOptions(execute_method_timeout=-SECOND),
        ("execute_method_timeout", "zero or more"),
    ),
    ("failure policy in words", lambda: StepOptions(wait_for_failure="PROCEED"), ("wait_for_failure", "PROCEED")),  # type: ignore[arg-type]
    (
        "an attribute for a lock",
        lambda: StepOptions(execute_lock_attributes=(TEXT,)),  # type: ignore[arg-type]
        ("execute_lock_attributes", "attribute.lock()"),
    ),
    (
        "a lock without its tuple",
        lambda: StepOptions(wait_for_lock_attributes=TEXT.lock()),  # type: ignore[arg-type]
        ("wait_for_lock_attributes", "a tuple of locks", "(attribute.lock(),)"),
    ),
    (
        "route to a name",
        lambda: StepOptions().on_execute_failure_proceed_to("Work"),  # type: ignore[arg-type]
        ("on_execute_failure_proceed_to", "expected a Step class, got a str"),
    ),
    (
        "routes without end",
        lambda: reduce(lambda options, _: StepOptions().on_execute_failure_proceed_to(Work, options), range(101), None),
        ("execute_failure_route", "expected at most 100 routes within one another", "leave the options of a route out"),
    ),
    (
        "route with a policy",
        lambda: StepOptions().on_execute_failure_proceed_to(Work, RetryPolicy()),  # type: ignore[arg-type]
        ("on_execute_failure_proceed_to", "expected StepOptions"),
    ),
]


@pytest.mark.parametrize(("make", "parts"), [case[1:] for case in INVALID], ids=[case[0] for case in INVALID])
def test_d5_what_a_handler_may_make_wrong_is_refused_where_it_is_made(
    make: Callable[[], Any], parts: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidStepResultError) as refused:
        make()
    assert not [part for part in parts if part not in str(refused.value)], str(refused.value)
    assert type(refused.value).__name__ == "InvalidStepResultError"


def test_d18_each_decision_is_data() -> None:
    move, other = StepMovement.of(Work, "a"), StepMovement.of(Rest, None, options=StepOptions())
    assert (move.step, move.input, move.options) == (Work, "a", None)
    assert other.options == StepOptions()
    assert go_to(Work, "a") == StepDecision("go_to", (move,))
    for made in (move, go_to(Work, "a").movements[0]):
        by_hand = StepMovement(Work, "a")
        assert (made, hash(made), repr(made)) == (by_hand, hash(by_hand), repr(by_hand))
    assert go_to_many(move, other).movements == (move, other)
    assert dead_end() == StepDecision("dead_end")
    assert graceful_complete(1) == StepDecision("graceful_complete", output=1)
    assert force_complete(None) == StepDecision("force_complete", output=None)
    assert force_fail("no") == StepDecision("force_fail", reason="no")
    decision = force_complete_if_channels_empty(1, move, TOKEN, SEATS)
    assert (decision.kind, decision.output, decision.movements, decision.channels) == (
        "force_complete_if_channels_empty", 1, (move,), (TOKEN, SEATS),
    )  # fmt: skip


def test_d18_an_instance_stands_for_its_class() -> None:
    assert go_to(Work(), "a") == go_to(Work, "a")
    assert StepMovement.of(Work(), "a") == StepMovement.of(Work, "a")
    assert dead_end().with_canceling_steps(Work()).cancels == (Work,)


def test_d28_an_omitted_output_is_not_a_given_none() -> None:
    assert graceful_complete().output is NO_OUTPUT
    assert force_complete().output is NO_OUTPUT
    assert graceful_complete(None).output is None
    assert repr(NO_OUTPUT) == "NO_OUTPUT"


def test_d21_cancelling_makes_a_copy_that_adds_to_what_was_there() -> None:
    decision = go_to(Work, "a")
    longer = decision.with_canceling_steps(Work).with_canceling_steps(Rest).with_canceling_sibling_steps(Rest, Work)
    assert (decision.cancels, decision.cancel_siblings) == ((), ())
    assert (longer.kind, longer.movements) == (decision.kind, decision.movements)
    assert (longer.cancels, longer.cancel_siblings) == ((Work, Rest), (Rest, Work))
    result = RPCResult(1, next_steps=[StepMovement.of(Work, "a")])
    assert result.with_canceling_steps(Work).with_canceling_steps(Rest).cancels == (Work, Rest)
    assert result.with_canceling_steps(Work).next_steps == result.next_steps == (StepMovement.of(Work, "a"),)
    assert (result.cancels, result.output) == ((), 1)


def test_d2_d26_what_is_not_overridden_has_its_default() -> None:
    work, book = Work(), Any
    assert work.get_step_type() == "Work"
    assert work.get_step_options() is None
    assert work.wait_for(book, "a") == Wait.skip_immediately()  # type: ignore[arg-type]  # it is not looked at
    with pytest.raises(NotImplementedError, match="'Step' has no execute"):
        Step[str]().execute(book, "a")  # type: ignore[arg-type]
    flow = Flow[str]()
    assert (flow.get_flow_type(), flow.get_steps(), flow.get_persistence_schema()) == (
        "Flow", StepList.empty(), PersistenceSchema.of(),
    )  # fmt: skip
    with pytest.raises(NotImplementedError, match="'Flow' has no handle_timeout"):
        flow.handle_timeout(book)  # type: ignore[arg-type]


def test_d26_the_mark_leaves_the_method_as_it_is() -> None:
    def peek(self: Any, context: Context) -> None:
        return None

    assert mark_of(peek) is None
    assert rpc(peek) is peek
    bare, locking = mark_of(peek), mark_of(rpc(lock_attributes=[TEXT.lock(), NOTES.lock("a")])(peek))
    assert bare is not None
    assert bare.lock_attributes == ()
    assert locking is not None
    assert locking.lock_attributes == (TEXT.lock(), NOTES.lock("a"))


def test_d20_a_lock_names_its_entry() -> None:
    assert TEXT.lock() == AttributeLock(TEXT, "text")
    assert NOTES.lock("a") == AttributeLock(NOTES, "notes/a")
    locks = (TEXT.lock(), NOTES.lock("b"), NOTES.lock("a"), TEXT.lock())
    options = StepOptions(execute_lock_attributes=locks, wait_for_lock_attributes=[NOTES.lock("b")])  # type: ignore[arg-type]
    assert options.execute_locks == ("notes/a", "notes/b", "text")
    assert options.wait_for_locks == ("notes/b",)


def test_d11_delays_grow_up_to_the_longest_one() -> None:
    assert [RetryPolicy().delay_seconds(k) for k in (1, 2, 3, 7, 8, 2000)] == [1.0, 2.0, 4.0, 64.0, 100.0, 100.0]
    policy = RetryPolicy(timedelta(seconds=10), 3, timedelta(seconds=60))
    assert [policy.delay_seconds(k) for k in (1, 2, 3)] == [10.0, 30.0, 60.0]
    assert [RetryPolicy(backoff_coefficient=1).delay_seconds(k) for k in (1, 9)] == [1.0, 1.0]
    assert RetryPolicy(timedelta(0), 0, timedelta(0), 0, timedelta(0)).delay_seconds(2) == 2.0


def attempts(policy: RetryPolicy) -> int:
    made, delays = 1, 0.0
    while policy.allows(made, delays):
        delays += policy.delay_seconds(made)
        made += 1
    return made


def test_d11_the_first_limit_reached_ends_the_retries() -> None:
    assert attempts(RetryPolicy()) == 150
    assert attempts(RetryPolicy(maximum_attempts=3)) == 3
    assert attempts(RetryPolicy(maximum_attempts=1)) == 1
    assert attempts(RetryPolicy(maximum_attempts=99, total_duration=timedelta(seconds=7))) == 4
    assert attempts(RetryPolicy(total_duration=timedelta(seconds=6.9))) == 3
    assert attempts(RetryPolicy(timedelta(seconds=5), total_duration=timedelta(seconds=4))) == 1
    tenth = timedelta(seconds=0.1)
    assert attempts(RetryPolicy(tenth, 1, total_duration=3 * tenth)) == 4
    assert [RetryPolicy(maximum_attempts=n).limit for n in (None, 0, 2)] == [None, None, 2]


def test_d10_d13_options_that_are_left_out_none_or_zero_are_the_defaults() -> None:
    options = StepOptions()
    assert options.execute_method_timeout == options.wait_for_method_timeout == timedelta(hours=2)
    assert options.wait_for_failure is WaitForFailurePolicy.FAIL_FLOW
    assert options.execute_retry == options.wait_for_retry == RetryPolicy()
    nothing: Any = None
    assert options == StepOptions(
        wait_for_retry=nothing, execute_retry=nothing, wait_for_method_timeout=timedelta(0),
        execute_method_timeout=nothing, wait_for_failure=nothing, wait_for_lock_attributes=nothing,
        execute_lock_attributes=(),
    )  # fmt: skip
    with pytest.raises(TypeError):
        StepOptions(RetryPolicy())  # type: ignore[call-arg]


def test_d12_a_route_is_a_copy_of_the_options_with_its_own_options() -> None:
    options = StepOptions(execute_retry=RetryPolicy(maximum_attempts=2))
    routed = options.on_execute_failure_proceed_to(Rest, StepOptions(execute_retry=RetryPolicy(maximum_attempts=1)))
    assert options.execute_failure_route is None
    assert routed.execute_retry == options.execute_retry
    assert routed.execute_failure_route == (Rest, StepOptions(execute_retry=RetryPolicy(maximum_attempts=1)))
    assert options.on_execute_failure_proceed_to(Rest()).execute_failure_route == (Rest, None)  # type: ignore[arg-type]


def test_d27_d28_the_words_for_starting_stopping_and_ending() -> None:
    assert {status.name for status in FlowStatus} == {"RUNNING", "COMPLETED", "FAILED", "CANCELED", "TERMINATED"}
    assert {policy.name for policy in FlowTimeoutPolicy} == {"FAIL", "CANCEL", "HANDLER"}
    assert {kind.name for kind in StopType} == {"CANCEL", "TERMINATE", "FAIL"}
    assert (StartFlowOptions().timeout, StartFlowOptions().timeout_policy) == (None, None)
    assert StartFlowOptions(timeout=timedelta(0)).timeout is None
    assert (StopFlowOptions().type, StopFlowOptions().reason) == (StopType.CANCEL, "")
    assert Stop().options == StopFlowOptions()


class Desk(Flow[str]):
    def get_steps(self) -> StepList[str]:
        return StepList.start_step(Work()).other_steps(Rest())

    @rpc
    def peek(self, context: Context) -> None:
        return None

    @rpc
    def rename(self, context: Context, name: str) -> None:
        return None


def test_a_duration_is_one_second_for_execute_and_none_for_wait_for_unless_it_is_given() -> None:
    scenario = Scenario(
        {
            Work: (SECOND, 3 * SECOND),
            (Work, "wait_for"): 2 * SECOND,
            (Rest, "execute"): lambda input, attempt: attempt * SECOND if input is None else HOUR,
        }
    )
    assert scenario.duration(Work, "execute", "a", 1) == (1.0, 3.0)
    assert scenario.duration(Work, "wait_for", "a", 1) == (2.0, 2.0)
    assert scenario.duration(Rest, "execute", None, 3) == (3.0, 3.0)
    assert scenario.duration(Rest, "execute", "a", 3) == (3600.0, 3600.0)
    assert scenario.duration(Rest, "wait_for", None, 1) == (0.0, 0.0)
    assert Scenario().duration(Work, "execute", "a", 1) == (1.0, 1.0)
    assert Scenario().duration(Work, "rpc", "a", 1) == (0.0, 0.0)


def test_a_scenario_keeps_its_own_durations() -> None:
    durations: dict[Any, Any] = {Work: SECOND}
    scenario = Scenario(durations, [Anytime(Stop())])
    durations[Work] = HOUR
    assert scenario.duration(Work, "execute", "a", 1) == (1.0, 1.0)
    assert scenario.events == (Anytime(Stop()),)
    with pytest.raises(TypeError):
        scenario.durations[Rest] = HOUR  # type: ignore[index]
    assert scenario == Scenario({Work: SECOND}, (Anytime(Stop()),))


def test_a_section_is_named_by_its_first_and_last_step() -> None:
    assert (Section(Work).steps, Section(Work).name) == (("Work",), "Work")
    assert (Section(Work, Rest).steps, Section(Work, Rest).name) == (("Work", "Resting"), "Work..Resting")
    named = Section("Work", Rest, name="desk", label=str)
    assert (named.steps, named.name, named.label) == (("Work", "Resting"), "desk", str)


def test_what_names_the_flows_own_steps_and_rpcs_fits() -> None:
    scenario = Scenario({Rest: SECOND}, (At(HOUR, Invoke("rename", "x")), Anytime(Invoke("peek")), At(HOUR, Stop())))
    check_world(compile_flow(Desk), scenario, Faults(1, 1, [Work]), [Section(Work, Rest)])
    check_world(compile_flow(Desk))
    assert Faults(steps=[Work]).steps == (Work,)
    assert Faults() == Faults(0, 0, None)
    assert Invoke("peek").input is NOTHING


class OddlyNamed(Work):
    def __init__(self, name: str) -> None:
        self.name = name

    def get_step_type(self) -> str:
        return self.name


class Foreign(Work):
    pass


def raising(input: Any, attempt: int) -> timedelta:
    raise ValueError("no idea")


def world(**parts: Any) -> None:
    check_world(compile_flow(Desk), **parts)


BAD_WORLD: list[tuple[str, Callable[[], Any], tuple[str, ...]]] = [
    ("duration of a name", lambda: Scenario({"Work": SECOND}), ("Scenario durations", "'Work'", "name the class")),
    (
        "duration of an rpc",
        lambda: Scenario({(Work, "rpc"): SECOND}),
        ("Scenario durations", '(StepClass, "wait_for")'),
    ),
    ("duration of a triple", lambda: Scenario({(Work, "execute", 1): SECOND}), ("Scenario durations", "Step class")),
    ("durations in a list", lambda: Scenario([(Work, SECOND)]), ("Scenario durations", "expected a dict")),  # type: ignore[arg-type]
    ("negative", lambda: Scenario({Work: -SECOND}), ("Work.execute", "zero or more", "-1 day")),
    ("seconds", lambda: Scenario({Work: 3}), ("Work.execute", "timedelta(seconds=...)", "got 3")),  # type: ignore[dict-item]
    (
        "low above high",
        lambda: Scenario({(Work, "wait_for"): (HOUR, SECOND)}),
        ("Work.wait_for", "(low, high)", "first"),
    ),
    ("half a pair", lambda: Scenario({Work: (SECOND,)}), ("Work.execute", "expected a timedelta")),  # type: ignore[dict-item]
    ("a pair of seconds", lambda: Scenario({Work: (1, 2)}), ("Work.execute", "got 1")),  # type: ignore[dict-item]
    ("a negative pair", lambda: Scenario({Work: (-SECOND, SECOND)}), ("Work.execute", "zero or more")),
    (
        "a function that gives seconds",
        lambda: Scenario({Work: lambda input, attempt: 3}).duration(Work, "execute", "a", 1),  # type: ignore[dict-item, return-value]
        ("Work.execute", "expected a timedelta, got 3"),
    ),
    (
        "a function that gives a negative time",
        lambda: Scenario({Work: lambda input, attempt: -SECOND}).duration(Work, "execute", "a", 1),
        ("Work.execute", "zero or more"),
    ),
    (
        "a function that raises",
        lambda: Scenario({Work: raising}).duration(Work, "execute", "a", 2),
        ("Work.execute", "ValueError: no idea", "attempt 2"),
    ),
    ("an event alone", lambda: Scenario(events=Anytime(Stop())), ("Scenario events", "expected a list")),  # type: ignore[arg-type]
    ("an event without its time", lambda: Scenario(events=[Stop()]), ("Scenario events", "At or Anytime")),  # type: ignore[list-item]
    ("options of a step", lambda: Scenario(options=StepOptions()), ("Scenario options", "StartFlowOptions")),  # type: ignore[arg-type]
    ("at a negative time", lambda: At(-SECOND, Stop()), ("At", "zero or more")),
    ("at a number", lambda: At(3, Stop()), ("At", "timedelta", "got 3")),  # type: ignore[arg-type]
    ("at what", lambda: At(SECOND, "stop"), ("At", "Invoke or Stop", "'stop'")),  # type: ignore[arg-type]
    ("anytime what", lambda: Anytime(Anytime(Stop())), ("Anytime", "Invoke or Stop")),  # type: ignore[arg-type]
    ("never", lambda: Anytime(Stop(), times=0), ("Anytime times", "1 or more, got 0")),
    ("half a time", lambda: Anytime(Stop(), times=1.5), ("Anytime times", "got 1.5")),  # type: ignore[arg-type]
    ("owed how", lambda: Anytime(Stop(), owed="yes"), ("Anytime owed", "'yes'")),  # type: ignore[arg-type]
    ("call nothing", lambda: Invoke(""), ("Invoke", "name of an RPC")),
    ("call a method", lambda: Invoke(Desk.peek), ("Invoke", "name of an RPC", "as a text")),  # type: ignore[arg-type]
    ("stop in words", lambda: Stop("now"), ("Stop", "StopFlowOptions", "'now'")),  # type: ignore[arg-type]
    ("stop type in words", lambda: StopFlowOptions(type="CANCEL"), ("StopFlowOptions type", "StopType.CANCEL")),  # type: ignore[arg-type]
    ("stop for a number", lambda: StopFlowOptions(reason=3), ("StopFlowOptions reason", "got 3")),  # type: ignore[arg-type]
    ("negative timeout", lambda: StartFlowOptions(timeout=-HOUR), ("StartFlowOptions timeout", "zero or more")),
    ("timeout in seconds", lambda: StartFlowOptions(timeout=3), ("StartFlowOptions timeout", "timedelta")),  # type: ignore[arg-type]
    (
        "policy in words",
        lambda: StartFlowOptions(timeout=HOUR, timeout_policy="FAIL"),  # type: ignore[arg-type]
        ("StartFlowOptions timeout_policy", "FlowTimeoutPolicy"),
    ),
    (
        "policy without a timeout",
        lambda: StartFlowOptions(timeout_policy=FlowTimeoutPolicy.FAIL),
        ("StartFlowOptions timeout_policy", "no timeout", "timeout="),
    ),
    ("fewer than no faults", lambda: Faults(lost_attempts=-1), ("Faults lost_attempts", "zero or more, got -1")),
    ("half a fault", lambda: Faults(late_attempts=0.5), ("Faults late_attempts", "got 0.5")),  # type: ignore[arg-type]
    ("faults of no step", lambda: Faults(steps=()), ("Faults steps", "got none", "every Step")),
    ("faults of one class", lambda: Faults(steps=Work), ("Faults steps", "a list of Step classes")),  # type: ignore[arg-type]
    ("faults of a name", lambda: Faults(steps=["Work"]), ("Faults steps", "'Work'", "the class itself")),  # type: ignore[list-item]
    ("empty section", Section, ("Section", "got none", "Section(FirstStep, LastStep)")),
    ("section of a number", lambda: Section(3), ("Section", "got 3")),  # type: ignore[arg-type]
    ("section of Step", lambda: Section(Step), ("Section", "expected a Step class")),
    ("section of an instance", lambda: Section(Work()), ("Section", "expected a Step class")),  # type: ignore[arg-type]
    ("section with a step twice", lambda: Section(Work, "Work"), ("Section", "'Work' is given twice")),
    ("section without a name", lambda: Section(Work, name=""), ("Section name", "not empty")),
    ("section with a text for a label", lambda: Section(Work, label="id"), ("Section label", "a function")),  # type: ignore[arg-type]
    ("section of a step named late", lambda: Section(OddlyNamed), ("Section", "'OddlyNamed'", "give the name itself")),
    (
        "another flow's duration",
        lambda: world(scenario=Scenario({Foreign: SECOND})),
        ("Scenario durations", "Flow 'Desk'", "'Foreign'", "['Rest', 'Work']"),
    ),
    ("another flow's faults", lambda: world(faults=Faults(steps=(Foreign,))), ("Faults steps", "'Desk'", "'Foreign'")),
    (
        "another flow's section",
        lambda: world(sections=[Section("Foreign")]),
        ("Section 'Foreign'", "'Desk'", "['Resting', 'Work']"),
    ),
    (
        "another flow's rpc",
        lambda: world(scenario=Scenario(events=(Anytime(Invoke("stop")),))),
        ("Invoke 'stop'", "'Desk'", "['peek', 'rename']"),
    ),
    ("an rpc at no time", lambda: Scenario(events=[Invoke("peek")]), ("Scenario events", "got Invoke('peek')")),  # type: ignore[list-item]
    (
        "an rpc without its input",
        lambda: world(scenario=Scenario(events=(Anytime(Invoke("rename")),))),
        ("Invoke 'rename'", "takes an input"),
    ),
    (
        "an rpc with an input too many",
        lambda: world(scenario=Scenario(events=(Anytime(Invoke("peek", 1)),))),
        ("Invoke 'peek'", "takes no input"),
    ),
    (
        "an rpc with another input",
        lambda: world(scenario=Scenario(events=(Anytime(Invoke("rename", 1)),))),
        ("Invoke 'rename'", "expected str, got 1 (int)"),
    ),
]


@pytest.mark.parametrize(("make", "parts"), [case[1:] for case in BAD_WORLD], ids=[case[0] for case in BAD_WORLD])
def test_a_scenario_that_cannot_be_meant_is_refused_with_the_mend(
    make: Callable[[], Any], parts: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as refused:
        make()
    assert not [part for part in parts if part not in str(refused.value)], str(refused.value)


@pytest.mark.parametrize("case", [*INVALID, *BAD_WORLD], ids=lambda case: case[0])
def test_every_refusal_says_what_was_expected_and_the_next_step_in_one_line(case: Any) -> None:
    with pytest.raises(DexpatternsError) as refused:
        case[1]()
    text = str(refused.value)
    assert "\n" not in text
    assert ";" in text or "leave it out" in text or "write" in text or "names two" in text or "pass" in text, text


def test_d26_an_rpc_may_be_called_by_a_name_of_its_own() -> None:
    class Counting(Flow[None]):
        @rpc(name="Increment")
        def increment(self, context: Context) -> RPCResult[int]:
            return RPCResult(1)

    class Twice(Counting):
        @rpc(name="Increment")
        def again(self, context: Context) -> None: ...

    assert list(compile_flow(Counting()).rpcs) == ["Increment"]
    with pytest.raises(FlowDefinitionError, match="two RPCs are named 'Increment'"):
        compile_flow(Twice())
    with pytest.raises(FlowDefinitionError, match="@rpc name: expected a text"):
        rpc(name="a/b")
