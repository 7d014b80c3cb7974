"""A Flow that fits together becomes a spec; each way of breaking one is refused by Flow, part and mend (D-1 to D-5)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, Protocol, TypedDict

import pytest

from dexpatterns.dex.attribute import Attribute, AttributeMap
from dexpatterns.dex.channel import Channel, ChannelMap
from dexpatterns.dex.context import Context
from dexpatterns.dex.decision import (
    RPCResult,
    StepDecision,
    StepMovement,
    dead_end,
    force_complete_if_channels_empty,
    force_fail,
    go_to,
    go_to_many,
    graceful_complete,
)
from dexpatterns.dex.definition import FlowSpec, check_value, compile_flow, options_fault, timeout_policy
from dexpatterns.dex.flow import Flow, PersistenceSchema, StepList
from dexpatterns.dex.options import FlowTimeoutPolicy, RetryPolicy, StartFlowOptions, StepOptions
from dexpatterns.dex.rpc import rpc
from dexpatterns.dex.step import Step
from dexpatterns.dex.wait import Wait
from dexpatterns.errors import FlowDefinitionError


@dataclass(frozen=True)
class Edit:
    reviewer: str


TOKEN = Channel("token", str)
SEATS = ChannelMap("seats", int)
TEXT = Attribute("text", str)
NOTES = AttributeMap("notes", str)
STRAY = Channel("stray", str)
STRAY_TEXT = Attribute("strayText", str)


class Begin(Step[list[Edit]]):
    def execute(self, context: Context, edits: list[Edit]) -> StepDecision:
        TOKEN.publish(context, "t")
        return go_to_many(*[StepMovement.of(Work, edit) for edit in edits], StepMovement.of(Rest, None))


class Work(Step[Edit]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_lock_attributes=(TEXT.lock(),)).on_execute_failure_proceed_to(Mend)

    def wait_for(self, context: Context, edit: Edit) -> Wait:
        return Wait.until(TOKEN.for_one())

    async def execute(self, context: Context, edit: Edit) -> StepDecision:
        return dead_end()


class Mend(Step[Edit]):
    def get_step_type(self) -> str:
        return "Mending"

    def execute(self, context: Context, edit: Edit) -> StepDecision:
        return dead_end()


class Rest(Step[None]):
    def execute(self, context: Context, input: None) -> StepDecision:
        return graceful_complete()


class Untyped(Step):  # type: ignore[type-arg]  # an author may leave the type out
    def execute(self, context: Context, input: int) -> StepDecision:
        return dead_end()


class Whole(Flow[list[Edit]]):
    def get_steps(self) -> StepList[list[Edit]]:
        return StepList.start_step(Begin()).other_steps(Work(), Mend()).other_steps(Rest(), Untyped())

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(TEXT, TOKEN, SEATS, NOTES)

    @rpc
    def peek(self, context: Context) -> RPCResult[str]:
        return RPCResult(TEXT.get(context))

    def not_an_rpc(self, anything: int) -> int:
        return anything

    @rpc(lock_attributes=(NOTES.lock("b"), TEXT.lock(), NOTES.lock("a"), TEXT.lock()))
    def rename(self, context: Context, name: str) -> None:
        TEXT.set(context, name)

    def handle_timeout(self, context: Context) -> StepDecision:
        return force_fail("too late")


class Small(Flow[Any]):
    """A Flow of the parts that a test names."""

    def __init__(self, *parts: Any, steps: Callable[[], Any] | None = None, name: str = "Small") -> None:
        self.parts = parts
        self.steps = steps
        self.name = name

    def get_flow_type(self) -> str:
        return self.name

    def get_steps(self) -> StepList[Any]:
        if self.steps is not None:
            return self.steps()  # type: ignore[no-any-return]  # some of them are wrong on purpose
        return StepList.without_start_step(*(part for part in self.parts if isinstance(part, Step)))

    def get_persistence_schema(self) -> PersistenceSchema:
        return PersistenceSchema.of(*(part for part in self.parts if not isinstance(part, Step)))


def test_d1_a_flow_is_its_name_its_steps_in_order_its_schema_its_rpcs_and_its_timeout_handler() -> None:
    spec = compile_flow(Whole)
    assert spec.name == "Whole"
    assert isinstance(spec.flow, Whole)
    assert [step.name for step in spec.steps] == ["Begin", "Work", "Mending", "Rest", "Untyped"]
    assert [step.index for step in spec.steps] == [0, 1, 2, 3, 4]
    assert spec.start is spec.steps[0]
    assert spec.by_name["Mending"] is spec.by_class[Mend]
    assert spec.channels == {"token": TOKEN, "seats": SEATS}
    assert spec.attributes == {"text": TEXT, "notes": NOTES}
    assert (spec.is_map(SEATS), spec.is_map(TOKEN), spec.is_map(NOTES)) == (True, False, True)
    assert spec.handle_timeout is not None
    assert [(r.name, r.index, r.takes_input, r.input_type, r.locks) for r in spec.rpcs.values()] == [
        ("peek", 0, False, type(None), ()),
        ("rename", 1, True, str, ("notes/a", "notes/b", "text")),
    ]
    assert compile_flow(Small(Rest())).start is None
    assert compile_flow(Small(name="Other")).name == "Other"
    assert compile_flow(Small()).handle_timeout is None
    assert StepList.empty().all == ()


def test_d1_an_overriding_method_without_the_mark_is_no_rpc_any_more() -> None:
    class Quiet(Whole):
        def peek(self, context: Context) -> RPCResult[str]:
            return RPCResult("")

    assert list(compile_flow(Quiet()).rpcs) == ["rename"]


def test_d2_a_step_has_its_type_its_options_and_a_wait_only_if_it_overrides_it() -> None:
    spec = compile_flow(Whole())
    assert [step.has_wait for step in spec.steps] == [False, True, False, False, False]
    assert [step.input_type for step in spec.steps] == [list[Edit], Edit, Edit, type(None), int]
    work = spec.by_name["Work"]
    assert work.options.execute_locks == ("text",)
    assert work.options.execute_failure_route == (Mend, None)
    assert spec.by_name["Rest"].options == StepOptions()
    assert work.execute.__self__ is work.step  # type: ignore[attr-defined]  # a bound method


def test_d2_the_input_type_is_any_where_nothing_tells_it() -> None:
    class Local:
        pass

    class Closed(Step):  # type: ignore[type-arg]
        def execute(self, context: Context, input: Local) -> StepDecision:
            return dead_end()

    assert compile_flow(Small(Closed())).steps[0].input_type is Any


class Named(Step[Any]):
    def __init__(self, name: Any) -> None:
        self.name = name

    def get_step_type(self) -> str:
        return self.name  # type: ignore[no-any-return]  # some are no text on purpose

    def execute(self, context: Context, input: Any) -> StepDecision:
        return dead_end()


class AlsoRest(Rest):
    def get_step_type(self) -> str:
        return "Rest"


class GoesAway(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return go_to(Rest, None)


class MovesAway(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return go_to_many(StepMovement.of(Rest, None))


class FallsAway(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return force_complete_if_channels_empty(None, StepMovement.of(Rest, None), TOKEN)


class FallsOnStray(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return force_complete_if_channels_empty(None, StepMovement.of(FallsOnStray, ""), STRAY)


class RoutesAway(Step[str]):
    def get_step_options(self) -> StepOptions:
        return StepOptions().on_execute_failure_proceed_to(Rest)

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class RoutesOtherInput(RoutesAway):
    def get_step_options(self) -> StepOptions:
        return StepOptions().on_execute_failure_proceed_to(Work)


class RoutesTwice(RoutesAway):
    def get_step_options(self) -> StepOptions:
        second = StepOptions().on_execute_failure_proceed_to(Mend)
        return StepOptions().on_execute_failure_proceed_to(GoesNowhere, second)


class GoesNowhere(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class PublishesStray(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        STRAY.publish(context, input)
        return dead_end()


class WaitsForStray(Step[str]):
    def wait_for(self, context: Context, input: str) -> Wait:
        return Wait.until(STRAY.for_one())

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class ReadsStray(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        if STRAY_TEXT.get(context):
            return dead_end()
        return dead_end()


class OtherToken(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        Channel("token", int).publish(context, 1)
        NUMBERED.publish(context, 1)
        return dead_end()


NUMBERED = Channel("token", int)


class LocksStray(Step[str]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(wait_for_lock_attributes=(STRAY_TEXT.lock(),))

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class BelowZero(Step[str]):
    def wait_for(self, context: Context, input: str) -> Wait:
        return Wait.until(TOKEN.at_least(-1))

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class Crossed(Step[str]):
    def wait_for(self, context: Context, input: str) -> Wait:
        return Wait.all_of(SEATS.for_range("a", at_least=3, at_most=2))

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class BadKey(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        NOTES.set(context, "a/b", input)
        return dead_end()


class WrongMessage(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        TOKEN.publish(context, 1)  # type: ignore[arg-type]  # the fault
        return dead_end()


class WrongSeat(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        SEATS.publish(context, "a", True)
        return dead_end()


class WrongText(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        TEXT.set(context, value=None)  # type: ignore[arg-type]  # the fault
        return dead_end()


class WrongInput(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return go_to(WrongInput, 7)  # type: ignore[misc]  # the fault


class NoMovement(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return go_to_many()


class NoTypes(Step[str]):
    def execute(self, context, input: str):  # type: ignore[no-untyped-def]  # the fault
        return dead_end()


class WaitsWithoutTypes(Step[str]):
    def wait_for(self, context: Context, input: str):  # type: ignore[no-untyped-def]  # the fault
        return Wait.skip_immediately()

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class NoInput(Step[str]):
    def execute(self, context: Context) -> StepDecision:  # type: ignore[override]  # the fault
        return dead_end()


class TypeForExecute(Step[str]):
    execute = type  # type: ignore[assignment]  # the fault


class ValueForExecute(Step[str]):
    execute = 3  # type: ignore[assignment]  # the fault


class NoExecute(Step[str]):
    pass


class BadOptions(Step[str]):
    def get_step_options(self) -> StepOptions:
        return StepOptions(execute_retry=RetryPolicy(maximum_attempts=-1))

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class NoOptions(Step[str]):
    def get_step_options(self) -> StepOptions:
        return {"execute_retry": 3}  # type: ignore[return-value]  # the fault

    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class NeedsArgument(Flow[str]):
    def __init__(self, service: str) -> None:
        self.service = service


class RpcWithoutTypes(Flow[str]):
    @rpc
    def peek(self, context):  # type: ignore[no-untyped-def]  # the fault
        return None


class RpcWithTwoInputs(Flow[str]):
    @rpc
    def peek(self, context: Context, one: int, two: int) -> None:
        return None


class RpcLocksStray(Flow[str]):
    @rpc(lock_attributes=(STRAY_TEXT.lock(),))
    def peek(self, context: Context) -> None:
        return None


class RpcStartsAway(Flow[str]):
    @rpc
    def begin(self, context: Context) -> RPCResult[None]:
        return RPCResult(next_steps=(StepMovement.of(Rest, None),))


class TimeoutWithoutTypes(Flow[str]):
    def handle_timeout(self, context):  # type: ignore[no-untyped-def]  # the fault
        return dead_end()


class TimeoutGoesAway(Flow[str]):
    def handle_timeout(self, context: Context) -> StepDecision:
        return go_to(Rest, None)


BROKEN: list[tuple[str, Callable[[], Any], tuple[str, ...]]] = [
    ("no flow", lambda: compile_flow("Whole"), ("expected a Flow", "'Whole'", "derives from Flow")),  # type: ignore[arg-type]
    (
        "needs an argument",
        lambda: compile_flow(NeedsArgument),
        ("Flow 'NeedsArgument'", "could not be built without arguments", "pass an instance"),
    ),
    (
        "same step class twice",
        lambda: compile_flow(Small(Rest(), Rest())),
        ("'Small'", "Rest", "twice", "one instance"),
    ),
    (
        "same step type twice",
        lambda: compile_flow(Small(Rest(), AlsoRest())),
        ("'Small'", "the Step type 'Rest'", "twice", "get_step_type()"),
    ),
    (
        "two starts",
        lambda: compile_flow(Small(steps=lambda: StepList.start_step(Rest()).start_step(AlsoRest()))),
        ("'Small'", "start 'Rest' already", "at most one", "other_steps"),
    ),
    (
        "a class in the list",
        lambda: compile_flow(Small(steps=lambda: StepList.start_step(Rest))),  # type: ignore[arg-type]
        ("'Small'", "the class 'Rest'", "write Rest()"),
    ),
    ("no step list", lambda: compile_flow(Small(steps=lambda: [Rest()])), ("'Small'", "expected a StepList", "a list")),
    (
        "a hook that raises",
        lambda: compile_flow(Small(steps=lambda: 1 // 0)),
        ("'Small'", "get_steps() raised ZeroDivisionError", "without a Flow execution"),
    ),
    ("no definition", lambda: compile_flow(Small("token")), ("'Small'", "'token'", "pass the definitions themselves")),
    (
        "decision to a stranger",
        lambda: compile_flow(Small(GoesAway())),
        ("'Small'", "Step 'GoesAway' execute", "'Rest'", "not registered", "['GoesAway']", "add Rest()", "stricter"),
    ),
    (
        "movement to a stranger",
        lambda: compile_flow(Small(MovesAway())),
        ("'Small'", "'MovesAway'", "'Rest'", "add Rest()"),
    ),
    (
        "fallback to a stranger",
        lambda: compile_flow(Small(FallsAway(), TOKEN)),
        ("'Small'", "'FallsAway'", "'Rest'", "add Rest()"),
    ),
    (
        "route to a stranger",
        lambda: compile_flow(Small(RoutesAway())),
        ("'Small'", "'RoutesAway'", "failure route", "'Rest'", "add Rest()", "stricter"),
    ),
    (
        "route of a route to a stranger",
        lambda: compile_flow(Small(RoutesTwice(), GoesNowhere())),
        ("'Small'", "'RoutesTwice'", "'Mend'", "add Mend()"),
    ),
    (
        "route with another input",
        lambda: compile_flow(Small(RoutesOtherInput(), Work(), Mend(), TOKEN, TEXT)),
        ("'Small'", "'RoutesOtherInput'", "Step 'Work'", "expected Edit, got str", "same input"),
    ),
    (
        "unregistered channel",
        lambda: compile_flow(Small(PublishesStray(), TOKEN)),
        ("'Small'", "'PublishesStray' execute", "Channel 'stray'", "['token']", "PersistenceSchema.of"),
    ),
    (
        "unregistered channel waited for",
        lambda: compile_flow(Small(WaitsForStray())),
        ("'Small'", "'WaitsForStray' wait_for", "Channel 'stray'", "PersistenceSchema.of"),
    ),
    (
        "unregistered channel to be empty",
        lambda: compile_flow(Small(FallsOnStray())),
        ("'Small'", "'FallsOnStray'", "Channel 'stray'", "PersistenceSchema.of"),
    ),
    (
        "unregistered attribute",
        lambda: compile_flow(Small(ReadsStray())),
        ("'Small'", "'ReadsStray'", "Attribute 'strayText'", "PersistenceSchema.of"),
    ),
    (
        "another definition by the same name",
        lambda: compile_flow(Small(OtherToken(), TOKEN)),
        ("'Small'", "'OtherToken'", "Channel('token', int)", "Channel('token', str)"),
    ),
    (
        "unregistered lock",
        lambda: compile_flow(Small(LocksStray())),
        ("'Small'", "'LocksStray'", "locks Attribute 'strayText'", "PersistenceSchema.of", "stricter"),
    ),
    (
        "unregistered lock of an rpc",
        lambda: compile_flow(RpcLocksStray),
        ("'RpcLocksStray'", "RPC 'peek'", "locks Attribute 'strayText'", "PersistenceSchema.of"),
    ),
    (
        "two definitions by one name",
        lambda: compile_flow(Small(TOKEN, ChannelMap("token", str))),
        ("'Small'", "'token'", "ChannelMap", "another name"),
    ),
    ("channel without a name", lambda: Channel("", str), ("Channel ''", "not empty", "plain name")),
    ("channel with a slash", lambda: Channel("a/b", str), ("Channel 'a/b'", "no '/'", "plain name")),
    ("map with a slash", lambda: ChannelMap("a/b", str), ("ChannelMap 'a/b'", "no '/'")),
    ("attribute without a name", lambda: Attribute("", str), ("Attribute ''", "not empty")),
    ("attribute map named by a number", lambda: AttributeMap(3, str), ("AttributeMap 3", "expected a name")),  # type: ignore[call-overload]
    ("channel without a type", lambda: Channel("a", "str"), ("Channel 'a'", "expected a type", "Channel('a', str)")),
    (
        "step without a name",
        lambda: compile_flow(Small(Named(""))),
        ("'Small'", "'Named'", "get_step_type()", "not empty"),
    ),
    ("step with a slash", lambda: compile_flow(Small(Named("a/b"))), ("'Small'", "'Named'", "'a/b'", "no '/'")),
    ("step named by a number", lambda: compile_flow(Small(Named(3))), ("'Small'", "'Named'", "expected a str")),
    (
        "flow with a slash",
        lambda: compile_flow(Small(name="a/b")),
        ("Flow 'Small'", "get_flow_type()", "'a/b'", "no '/'"),
    ),
    (
        "bound below zero",
        lambda: compile_flow(Small(BelowZero(), TOKEN)),
        ("'Small'", "'BelowZero' wait_for", "'token'", "at_least", "zero or more, got -1"),
    ),
    (
        "crossed bounds",
        lambda: compile_flow(Small(Crossed(), SEATS)),
        ("'Small'", "'Crossed' wait_for", "'seats/a'", "at_least=3, at_most=2", "swap"),
    ),
    ("key with a slash", lambda: compile_flow(Small(BadKey(), NOTES)), ("'Small'", "'BadKey'", "'notes'", "'a/b'")),
    (
        "message of another type",
        lambda: compile_flow(Small(WrongMessage(), TOKEN)),
        ("'Small'", "'WrongMessage'", "Channel 'token'", "expected str, got 1 (int)"),
    ),
    (
        "bool for int",
        lambda: compile_flow(Small(WrongSeat(), SEATS)),
        ("'Small'", "'WrongSeat'", "ChannelMap 'seats'", "expected int, got True (bool)"),
    ),
    (
        "none for str",
        lambda: compile_flow(Small(WrongText(), TEXT)),
        ("'Small'", "'WrongText'", "Attribute 'text'", "expected str, got None"),
    ),
    (
        "input of another type",
        lambda: compile_flow(Small(WrongInput())),
        ("'Small'", "'WrongInput'", "input of Step 'WrongInput'", "expected str, got 7 (int)"),
    ),
    (
        "go_to_many without movement",
        lambda: compile_flow(Small(NoMovement())),
        ("'Small'", "'NoMovement' execute", "go_to_many() has no movement", "dead_end()"),
    ),
    (
        "execute without annotations",
        lambda: compile_flow(Small(NoTypes())),
        ("'Small'", "'NoTypes' execute", "none on context and the result", "annotate the handler in full"),
    ),
    (
        "wait_for without annotations",
        lambda: compile_flow(Small(WaitsWithoutTypes())),
        ("'Small'", "'WaitsWithoutTypes' wait_for", "none on the result"),
    ),
    ("rpc without annotations", lambda: compile_flow(RpcWithoutTypes), ("'RpcWithoutTypes'", "RPC 'peek'", "context")),
    (
        "timeout handler without annotations",
        lambda: compile_flow(TimeoutWithoutTypes),
        ("'TimeoutWithoutTypes'", "handle_timeout", "context and the result"),
    ),
    (
        "execute without an input",
        lambda: compile_flow(Small(NoInput())),
        ("'Small'", "'NoInput' execute", "(self, context, input)", "got (self, context)"),
    ),
    (
        "a builtin for execute",
        lambda: compile_flow(Small(TypeForExecute())),
        ("'Small'", "'TypeForExecute' execute", "(self, context, input)"),
    ),
    (
        "a value for execute",
        lambda: compile_flow(Small(ValueForExecute())),
        ("'Small'", "'ValueForExecute' execute", "expected a method", "got 3 (int)", "as a def"),
    ),
    (
        "rpc with two inputs",
        lambda: compile_flow(RpcWithTwoInputs),
        ("'RpcWithTwoInputs'", "RPC 'peek'", "(self, context, input)", "got (self, context, one, two)"),
    ),
    (
        "no execute",
        lambda: compile_flow(Small(NoExecute())),
        ("'Small'", "'NoExecute'", "expected an execute", "override"),
    ),
    (
        "options that are refused",
        lambda: compile_flow(Small(BadOptions())),
        ("'Small'", "'BadOptions'", "get_step_options()", "maximum_attempts", "-1"),
    ),
    (
        "options that are none",
        lambda: compile_flow(Small(NoOptions())),
        ("'Small'", "'NoOptions'", "StepOptions", "a dict"),
    ),
    (
        "rpc starts a stranger",
        lambda: compile_flow(RpcStartsAway),
        ("'RpcStartsAway'", "RPC 'begin'", "'Rest'", "add Rest()"),
    ),
    (
        "timeout handler goes to a stranger",
        lambda: compile_flow(TimeoutGoesAway),
        ("'TimeoutGoesAway'", "handle_timeout", "'Rest'", "add Rest()"),
    ),
    (
        "handler policy without a handler",
        lambda: timeout_policy(
            compile_flow(Small()),
            StartFlowOptions(timeout=timedelta(hours=1), timeout_policy=FlowTimeoutPolicy.HANDLER),
        ),
        ("'Small'", "HANDLER", "handle_timeout", "choose FAIL or CANCEL"),
    ),
    ("a mark on no method", lambda: rpc(3), ("@rpc", "expected a method, got 3", "above a def")),  # type: ignore[call-overload]
    (
        "a mark with an attribute for a lock",
        lambda: rpc(lock_attributes=(TEXT,)),  # type: ignore[arg-type]
        ("@rpc lock_attributes", "attribute.lock()"),
    ),
]


@pytest.mark.parametrize(("make", "parts"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_d5_a_broken_definition_is_refused_by_flow_part_and_mend(
    make: Callable[[], Any], parts: tuple[str, ...]
) -> None:
    with pytest.raises(FlowDefinitionError) as refused:
        make()
    missing = [part for part in parts if part not in str(refused.value)]
    assert not missing, str(refused.value)
    assert "\n" not in str(refused.value)


def test_d5_a_fault_in_the_source_is_told_with_file_and_line() -> None:
    with pytest.raises(
        FlowDefinitionError, match=r"Step 'NoMovement' execute \(.*test_definition\.py, line \d+\)"
    ) as refused:
        compile_flow(Small(NoMovement()))
    told = re.search(r"(\S+), line (\d+)", str(refused.value))
    assert told is not None
    assert "go_to_many()" in Path(__file__).read_text(encoding="utf-8").splitlines()[int(told[2]) - 1]


class CancelsStranger(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end().with_canceling_steps(Rest)


def test_d22_whom_a_decision_cancels_is_judged_when_it_is_saved_not_here() -> None:
    spec = compile_flow(Small(CancelsStranger()))
    assert spec.routes[0].goes_to == ((Rest, "cancel"),)


def test_d5_options_that_come_with_a_movement_are_held_against_the_flow_too() -> None:
    spec = compile_flow(Whole())
    assert options_fault(spec, StepOptions().on_execute_failure_proceed_to(Mend), Edit) is None
    assert "'GoesAway'" in str(options_fault(spec, StepOptions().on_execute_failure_proceed_to(GoesAway)))
    assert "strayText" in str(options_fault(spec, StepOptions(execute_lock_attributes=[STRAY_TEXT.lock()])))  # type: ignore[arg-type]


def test_d27_the_timeout_policy_follows_the_handler_unless_it_is_said() -> None:
    whole, small = compile_flow(Whole()), compile_flow(Small())
    hour = timedelta(hours=1)

    def policy(spec: FlowSpec, **options: Any) -> FlowTimeoutPolicy | None:
        return timeout_policy(spec, StartFlowOptions(**options))

    assert policy(whole, timeout=hour) is FlowTimeoutPolicy.HANDLER
    assert policy(small, timeout=hour) is FlowTimeoutPolicy.FAIL
    assert policy(whole, timeout=hour, timeout_policy=FlowTimeoutPolicy.CANCEL) is FlowTimeoutPolicy.CANCEL
    assert policy(whole) is None
    assert policy(whole, timeout=timedelta(0)) is None


class Colour(Enum):
    RED = 1


class Shape(Protocol):
    sides: int


class Point(TypedDict):
    x: int


UserId = NewType("UserId", str)

OF_THE_TYPE: list[tuple[Any, Any]] = [
    (str, ""), (int, 0), (float, 0.5), (bool, True), (None, None), (type(None), None), (Any, None), (object, None),
    (list[int], ["elements are not looked at"]), (list, []), (dict[str, int], {}), (tuple[int, ...], ()),
    (int | None, None), (int | None, 3), (str | int, "a"), (Edit, Edit("a")), (Sequence[int], [1]),
    (Literal["a", 1], 1), (Colour, Colour.RED), (Annotated[int, "units"], 3),
    (Annotated[int, ["not hashable"]], 3), (UserId, "u"), (Shape, 3), (Point, {"x": 1}),
]  # fmt: skip
OF_ANOTHER: list[tuple[Any, Any, str]] = [
    (str, None, "expected str, got None"),
    (int, True, "expected int, got True (bool)"),
    (bool, 1, "expected bool, got 1 (int)"),
    (float, 1, "expected float, got 1 (int)"),
    (int, 1.0, "expected int, got 1.0 (float)"),
    (None, 0, "expected None, got 0 (int)"),
    (list[int], (1,), "expected list[int], got a tuple"),
    (int | None, "a", "expected int | None, got 'a' (str)"),
    (Edit, None, "expected Edit, got None"),
    (Edit, {"reviewer": "a"}, "expected Edit, got a dict"),
    (Literal["a", 1], True, "expected Literal['a', 1], got True (bool)"),
    (str, Colour.RED, "expected str, got a Colour"),
    (Annotated[int, ["not hashable"]], "3", "got '3' (str)"),
    (UserId, 3, "got 3 (int)"),
    (Point, [], "got a list"),
    (str, "x".join("y" * 999).encode(), "expected str, got a bytes"),
    (int, "x" * 999, "..."),
]


@pytest.mark.parametrize(("declared", "value"), OF_THE_TYPE, ids=repr)
def test_d5_a_value_is_of_the_declared_type_by_its_class(declared: Any, value: Any) -> None:
    assert check_value(declared, value) is None


@pytest.mark.parametrize(("declared", "value", "text"), OF_ANOTHER, ids=lambda part: repr(part)[:40])
def test_d5_a_value_of_another_class_is_told_with_what_was_expected(declared: Any, value: Any, text: str) -> None:
    fault = check_value(declared, value)
    assert fault is not None
    assert text in fault
    assert len(fault) < 200
