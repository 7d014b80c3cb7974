"""Handlers are users' code: async ones end in no real time (D-28a), and whatever a handler does wrong fails its
attempt and nothing else (D-5, D-10)."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from enum import Flag
from typing import Any

import pytest

from dexpatterns.dex import (
    Attribute,
    Channel,
    ChannelMap,
    ConditionCombination,
    Context,
    Flow,
    FlowMachine,
    PersistenceSchema,
    RPCResult,
    Step,
    StepDecision,
    StepList,
    StepMovement,
    StepOptions,
    Timer,
    Wait,
    dead_end,
    force_complete,
    go_to,
    go_to_many,
)
from dexpatterns.dex.instant import finish
from dexpatterns.engine.values import freeze
from dexpatterns.errors import InvalidStepResultError
from tests.dex.flows import NO_RETRY, ONCE, drive, flow, run_all, sample, seconds, step

BOX: Channel[Any] = Channel("box", Any)
TEXTS = Channel("texts", str)
BY_KEY: ChannelMap[Any] = ChannelMap("byKey", Any)
NOTE: Attribute[Any] = Attribute("note", Any)
KEEPS = (BOX, TEXTS, BY_KEY, NOTE)


# D-28a: async handlers.


class AsyncWork(Step[Any]):
    """Waits and works as coroutines; `work` is what its execute awaits."""

    def __init__(self, work: Callable[[Context], Awaitable[Any]]) -> None:
        self.work = work

    async def wait_for(self, context: Context, input: Any) -> Wait:
        await asyncio.sleep(3600)
        return Wait.skip_immediately()

    async def execute(self, context: Context, input: Any) -> StepDecision:
        return force_complete(await self.work(context))

    def get_step_options(self) -> StepOptions:
        return NO_RETRY


class AsyncFlow(Flow[Any]):
    def __init__(self, work: Callable[[Context], Awaitable[Any]]) -> None:
        self.work = work

    def get_steps(self) -> StepList[Any]:
        return StepList.start_step(AsyncWork(self.work))

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(*KEEPS)


def ran(work: Callable[[Context], Awaitable[Any]]) -> Any:
    """The run of a Flow whose execute awaits this."""
    return run_all(drive(FlowMachine(AsyncFlow(work))))


async def forever(context: Context | None = None) -> None:
    await asyncio.get_running_loop().create_future()


def test_d28a_an_async_handler_runs_to_its_end_and_sleep_takes_no_real_time() -> None:
    async def work(context: Context) -> Any:
        started = asyncio.get_running_loop().time()
        BOX.publish(context, "before")
        await asyncio.gather(asyncio.sleep(10_000), asyncio.sleep(7_000))
        BOX.publish(context, "after")
        return asyncio.get_running_loop().time() - started

    before = time.monotonic()
    d = ran(work)
    assert d.seen["outputs"] == [10_000.0] and d.seen["channels"]["box"] == ["before", "after"]
    assert time.monotonic() - before < 5


def test_d28a_what_happens_inside_keeps_its_order_by_the_loops_own_time() -> None:
    async def work(context: Context) -> Any:
        seen: list[Any] = []

        async def after(delay: float) -> None:
            await asyncio.sleep(delay)
            seen.append(delay)

        await asyncio.gather(after(3), after(1), after(2))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(forever(), timeout=5)
        async with asyncio.timeout(1):
            seen.append(await asyncio.to_thread(lambda: "thread"))
        return seen

    assert ran(work).seen["outputs"] == [[1, 2, 3, "thread"]]


def test_d28a_what_an_async_handler_raises_fails_its_attempt() -> None:
    async def work(context: Context) -> Any:
        await asyncio.sleep(1)
        raise KeyError("async")

    d = ran(work)
    assert d.of("failed")[0].error_type == "KeyError" and d.status == "FAILED"


def leaves_a_task(context: Context) -> Any:
    async def work() -> Any:
        asyncio.get_running_loop().create_task(forever())
        return "left one"

    return work()


def leaves_a_stubborn_task(context: Context) -> Any:
    async def stubborn() -> None:
        while True:
            try:
                await forever()
            except asyncio.CancelledError:
                continue

    async def work() -> Any:
        asyncio.get_running_loop().create_task(stubborn())
        await asyncio.sleep(0)
        return "left one"

    return work()


def leaves_a_generator(context: Context) -> Any:
    async def numbers() -> Any:
        for n in range(9):
            await asyncio.sleep(0)
            yield n

    async def work() -> Any:
        async for n in numbers():
            if n == 3:
                break
        return "left one"

    return work()


def leaves_a_task_that_fails(context: Context) -> Any:
    async def fails() -> None:
        raise ValueError("nobody looks")

    async def work() -> Any:
        asyncio.get_running_loop().create_task(fails())
        return "left one"

    return work()


@pytest.mark.parametrize(
    ("work", "error"),
    [
        (forever, "InvalidStepResultError"),
        (lambda c: asyncio.wait_for(forever(), None), "InvalidStepResultError"),
        (lambda c: asyncio.gather(forever(), forever()), "InvalidStepResultError"),
        (leaves_a_task, None),
        (leaves_a_stubborn_task, None),
        (leaves_a_generator, None),
    ],
)
def test_d28a_nothing_of_a_handler_is_left_for_the_next_one(
    work: Any, error: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """No pending task, no warning, no log, and the next handler runs as if it were the first."""
    with caplog.at_level(logging.DEBUG, "asyncio"):
        d = ran(work)
        if error is None:
            assert d.seen["outputs"] == ["left one"]
        else:
            assert d.of("failed")[0].error_type == error
            assert d.status == "FAILED"
        gc.collect()
        following = ran(lambda c: asyncio.sleep(1, "fine"))
    assert following.seen["outputs"] == ["fine"]
    assert [record.getMessage() for record in caplog.records if record.levelno > logging.DEBUG] == []


def test_d28a_a_task_that_fails_unseen_fails_nothing_else_and_is_logged_as_anywhere(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert ran(leaves_a_task_that_fails).seen["outputs"] == ["left one"]
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ValueError]


def test_d28a_a_task_that_is_left_is_cancelled_while_its_context_is_open() -> None:
    ends: list[str] = []

    async def work(context: Context) -> Any:
        async def tidy() -> None:
            try:
                await forever()
            finally:
                ends.append(f"attempt {context.attempt}")

        asyncio.get_running_loop().create_task(tidy())
        await asyncio.sleep(0)
        return 1

    assert ran(work).seen["outputs"] == [1] and ends == ["attempt 1"]


def test_d28a_it_works_inside_a_loop_that_runs_already_as_in_a_notebook() -> None:
    async def cell() -> Any:
        outer = asyncio.get_running_loop()
        d = ran(lambda c: asyncio.sleep(60, "done"))
        assert asyncio.get_running_loop() is outer
        failed = ran(forever)
        assert asyncio.get_running_loop() is outer
        await asyncio.sleep(0)
        return d.seen["outputs"], failed.status

    assert asyncio.run(cell()) == (["done"], "FAILED")


def test_d28a_a_handler_may_be_ordinary_and_return_a_coroutine() -> None:
    async def later(context: Context) -> StepDecision:
        await asyncio.sleep(1)
        return force_complete("later")

    assert run_all(drive(flow(step("Work", lambda c, i: later(c))))).seen["outputs"] == ["later"]
    assert finish(asyncio.sleep(5, "x")) == "x"


# What a handler may do wrong, each told by Step, attempt and cause.


class Odd:
    """Not data."""


class BadText(Exception):
    def __str__(self) -> str:
        raise SystemExit("even its text")


@dataclass
class Loose:
    """A dataclass that can be changed."""

    n: int = 0


@dataclass(frozen=True)
class Deep:
    parts: tuple[Any, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)


class Access(Flag):
    READ = 1
    WRITE = 2


def raise_(error: BaseException) -> Any:
    raise error


def endless() -> Any:
    return endless()


other_box: Channel[Any] = Channel("otherBox", Any)
odd: Any = Odd()
nested: list[Any] = []
nested.append(nested)

EXECUTES: list[tuple[str, Callable[[Context, Any], Any], str, str]] = [
    ("returns None", lambda c, i: None, "InvalidStepResultError", "None"),
    ("returns a text", lambda c, i: str(c), "InvalidStepResultError", "str"),
    ("returns a Wait", lambda c, i: Wait.skip_immediately(), "InvalidStepResultError", "Wait"),
    ("returns an RPC's result", lambda c, i: RPCResult(), "InvalidStepResultError", "RPCResult"),
    ("returns a class", lambda c, i: StepDecision, "InvalidStepResultError", "type"),
    ("makes a decision of no kind", lambda c, i: replace(dead_end(), kind="fly"), "InvalidStepResultError", "StepDec"),
    ("makes a reason of no text", lambda c, i: replace(dead_end(), reason=odd), "InvalidStepResultError", "StepDec"),
    ("is a generator", lambda c, i: (yield), "InvalidStepResultError", "generator"),
    ("raises", lambda c, i: raise_(ValueError("why")), "ValueError", "why"),
    ("exits", lambda c, i: raise_(SystemExit(3)), "SystemExit", "3"),
    ("raises a bare BaseException", lambda c, i: raise_(BaseException("bare")), "BaseException", "bare"),
    ("raises GeneratorExit", lambda c, i: raise_(GeneratorExit()), "GeneratorExit", ""),
    ("raises what has no text", lambda c, i: raise_(BadText()), "BadText", "could not be made"),
    ("raises StopIteration", lambda c, i: next(iter(())), "StopIteration", ""),
    ("never comes back from itself", lambda c, i: endless(), "RecursionError", "recursion"),
    ("publishes no data", lambda c, i: BOX.publish(c, odd), "ValueNotDataError", "Odd"),
    ("publishes what can be changed", lambda c, i: BOX.publish(c, Loose()), "ValueNotDataError", "frozen=True"),
    ("publishes what holds itself", lambda c, i: BOX.publish(c, nested), "ValueNotDataError", "deeply"),
    ("hides it deep inside", lambda c, i: BOX.publish(c, Deep((1, {"k": [odd]}))), "ValueNotDataError", "['k'][0]"),
    ("publishes another type", TEXTS.publish, "InvalidStepResultError", "expected str, got 1 (int)"),
    ("uses a bad key", lambda c, i: BY_KEY.publish(c, f"a/{i}", 1), "InvalidStepResultError", "'/'"),
    ("sets no data", lambda c, i: NOTE.set(c, odd), "ValueNotDataError", "Odd"),
    ("records no data", lambda c, i: c.record_event("x", odd), "ValueNotDataError", "Odd"),
    ("completes with no data", lambda c, i: force_complete(odd), "ValueNotDataError", "Odd"),
    ("goes on with no data", lambda c, i: go_to(starter(), odd), "ValueNotDataError", "Odd"),
    ("goes nowhere", lambda c, i: go_to_many(*[][:0]), "InvalidStepResultError", "got none"),
    ("goes to no Step", lambda c, i: go_to(vars(c)["x"] if i > 1 else odd, 1), "InvalidStepResultError", "Odd"),
    ("changes the context", lambda c, i: setattr(c, "more", 1), "AttributeError", "more"),
]  # fmt: skip


def starter() -> Any:
    return FAULTY["cls"]


FAULTY: dict[str, Any] = {}


@pytest.mark.parametrize(("execute", "error", "words"), [case[1:] for case in EXECUTES], ids=[c[0] for c in EXECUTES])
def test_d10_whatever_execute_does_wrong_fails_that_attempt_and_leaves_nothing(
    execute: Callable[[Context, Any], Any], error: str, words: str
) -> None:
    def spoiled(context: Context, input: Any) -> Any:
        BOX.publish(context, "must not stay")
        return execute(context, input)

    FAULTY["cls"] = cls = step("Faulty", spoiled, options=NO_RETRY)
    d = drive(FlowMachine(flow(cls, keeps=KEEPS), 1), "begin Faulty", "commit Faulty")
    (failed,) = d.of("failed")
    assert (failed.step, failed.method, failed.attempt, failed.error_type) == ("Faulty", "execute", 1, error)
    assert words in failed.detail
    assert d.status == "FAILED" and d.seen["channels"]["box"] == []


both = ConditionCombination.of

WAITS: list[tuple[str, Callable[[Context, Any], Any], str]] = [
    ("returns None", lambda c, i: None, "None"),
    ("returns a decision", lambda c, i: dead_end(), "StepDecision"),
    ("makes a Wait of no kind", lambda c, i: Wait(str(i)), "Wait"),
    ("waits on a stranger", lambda c, i: Wait.until((other_box if i else BOX).for_one()), "otherBox"),
    ("bound below zero", lambda c, i: Wait.until(BOX.for_n(-i)), "zero or more"),
    ("bounds crossed", lambda c, i: Wait.until(BOX.for_range(at_least=2, at_most=i)), "at_most >= at_least"),
    ("no bound", lambda c, i: Wait.until(BOX.for_range(**{}.copy())), "bound"),
    ("no condition", lambda c, i: Wait.all_of(*[][:0]), "got none"),
    ("no combination", lambda c, i: Wait.any_combination_of(*[][:0]), "got none"),
    ("an empty combination", lambda c, i: Wait.any_combination_of(ConditionCombination.of(*[][:0])), "got none"),
    (
        "one id for two",
        lambda c, i: Wait.any_of(BOX.for_one(condition_id="x"), BOX.for_n(i + 1, condition_id="x")),
        "names two",
    ),
    ("no id", lambda c, i: Wait.any_combination_of(both((BOX if i else TEXTS).for_one())), "condition_id"),
    ("negative timer", lambda c, i: Wait.until(Timer.by_duration(seconds(-i))), "zero or more"),
]  # fmt: skip


@pytest.mark.parametrize(("wait_for", "words"), [case[1:] for case in WAITS], ids=[case[0] for case in WAITS])
def test_d5_what_wait_for_makes_wrong_fails_that_attempt(wait_for: Any, words: str) -> None:
    made: list[Any] = []

    def hidden(context: Context, input: Any) -> Any:
        made.append(input)
        return wait_for(context, input)

    cls = step("Faulty", lambda c, i: dead_end(), hidden, StepOptions(wait_for_retry=ONCE))
    d = drive(FlowMachine(flow(cls, keeps=KEEPS), 1), "begin Faulty", "commit Faulty")
    (failed,) = d.of("failed")
    assert (failed.method, failed.error_type) == ("wait_for", "InvalidStepResultError") and words in failed.detail


@pytest.mark.parametrize(
    "use",
    [
        lambda c: BOX.publish(c, 1), BOX.size, BOX.results, NOTE.get,
        lambda c: NOTE.set(c, 1), NOTE.delete, lambda c: c.attempt, lambda c: c.flow_id,
        lambda c: c.record_event("x"), lambda c: c.has_timer_fired(), lambda c: c.is_cancellation_requested(),
    ],
)  # fmt: skip
def test_d6_a_context_that_is_kept_cannot_be_used_after_its_attempt(use: Any) -> None:
    kept: list[Context] = []
    keeps = step("Keeps", lambda c, i: (BOX.size(c), NOTE.get(c), c.attempt, kept.append(c), go_to(uses, 0))[-1])
    uses = step("Uses", lambda c, i: (use(kept[0]), dead_end())[1], options=NO_RETRY)
    d = drive(flow(keeps, uses, keeps=KEEPS), "begin Keeps", "commit Keeps")
    with pytest.raises(InvalidStepResultError, match="after it had ended"):
        use(kept[0])
    d.take("begin Uses", "commit Uses")
    assert d.of("failed")[0].error_type == "InvalidStepResultError" and d.seen["channels"]["box"] == []


def test_d10_a_keyboard_interrupt_is_the_persons_and_stops_everything() -> None:
    with pytest.raises(KeyboardInterrupt):
        drive(flow(step("Work", lambda c, i: raise_(KeyboardInterrupt()))), "begin Work")


def test_d8_a_result_that_is_changed_after_it_was_handed_in_changes_nothing() -> None:
    mine: list[Any] = ["first"]

    def work(context: Context, input: Any) -> Any:
        BOX.publish(context, mine)
        NOTE.set(context, mine)
        decision = go_to(show, mine)
        mine.append("later")
        return decision

    show = step("Show", lambda c, i: force_complete([i, NOTE.get(c)]))
    d = drive(FlowMachine(flow(step("Work", work), show, keeps=KEEPS), memo=False), "begin Work")
    mine.append("after the attempt")
    d.take("commit Work", "begin Show", "commit Show")
    assert d.seen["channels"]["box"] == [["first"]]
    assert d.seen["outputs"] == [[["first", "later"], ["first"]]], "the decision is read when it is returned"


def test_d8_every_kind_of_value_survives_the_way_through_the_state() -> None:
    values = [
        None, True, 1, 1.0, -0.0, "x", b"y", (1, [2]), {"k": (1,)}, Deep((1,), {"a": [1]}), Access.READ | Access.WRITE
    ]  # fmt: skip

    def tell(context: Context, input: Any) -> Any:
        assert input == values and [type(v) for v in input] == [type(v) for v in values]
        return force_complete(repr(input))

    assert run_all(drive(FlowMachine(flow(step("Tell", tell)), values))).seen["outputs"] == [repr(values)]
    assert freeze(Access(0)) != freeze(Access.READ) and freeze([Access.READ]).plain == ["READ"]


def test_d8_times_that_name_one_instant_in_two_ways_are_two_values() -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    others = [noon.replace(fold=1), noon.astimezone(timezone(timedelta(hours=1))), noon.replace(tzinfo=None)]
    assert freeze(noon) == freeze(datetime(2026, 1, 1, 12, tzinfo=UTC))
    for one in (noon, *others, noon):
        assert [freeze(one) == freeze(other) for other in others] == [one is other for other in others]
        assert freeze(one).thaw().fold == one.fold


def test_d10_the_simulator_meets_faulty_handlers_too() -> None:
    cls = step("Faulty", lambda c, i: None)
    trace = sample(FlowMachine(flow(cls), memo=False))
    assert trace.final["status"] == "FAILED" and "InvalidStepResultError" in trace.final["reason"]


def test_d10_a_movement_with_options_that_do_not_fit_fails_the_attempt() -> None:
    lost = StepOptions(execute_lock_attributes=(Attribute("unknown", int).lock(),))
    plain = step("Plain", lambda c, i: dead_end())
    cls = step("Faulty", lambda c, i: go_to_many(StepMovement.of(plain, 0, options=lost)), options=NO_RETRY)
    d = drive(flow(cls, plain), "begin Faulty", "commit Faulty")
    assert d.of("failed")[0].error_type == "InvalidStepResultError" and "unknown" in d.of("failed")[0].detail
