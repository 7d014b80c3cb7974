"""What handlers' source shows, and that what cannot be read is marked, never guessed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from dexpatterns.dex import decision as decisions
from dexpatterns.dex.attribute import Attribute, AttributeMap
from dexpatterns.dex.channel import Channel, ChannelMap
from dexpatterns.dex.context import Context
from dexpatterns.dex.decision import (
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
from dexpatterns.dex.flow import Flow
from dexpatterns.dex.options import StepOptions
from dexpatterns.dex.rpc import rpc
from dexpatterns.dex.sources import HandlerEdges, read_handler
from dexpatterns.dex.step import Step
from dexpatterns.dex.wait import ConditionCombination, Timer, Wait

TOKEN = Channel("token", str)
DONE = Channel("done", str)
SEATS = ChannelMap("seats", int)
TEXT = Attribute("text", str)
NOTES = AttributeMap("notes", str)
HOUR = timedelta(hours=1)
PAUSE = Wait.until(Timer.by_duration(HOUR))


class Enter(Step[str]):
    """The handlers that tests below read; each is an `execute` or a `wait_for` of its own."""

    later: Step[Any]

    def __init__(self) -> None:
        self.later = Leave()
        self.token = TOKEN

    def plain(self, context: Context, input: str) -> StepDecision:
        TOKEN.publish(context, "t")
        SEATS.publish(context, input, 3)
        NOTES.set(context, input, "x")
        TEXT.delete(context)
        if TOKEN.size(context) or NOTES.get(context, input):
            return go_to(Work, input)
        return dead_end()

    def waits(self, context: Context, input: str) -> Wait:
        if TEXT.get(context):
            return Wait.skip_immediately()
        return Wait.any_of(Timer.by_duration(HOUR), TOKEN.for_one(), SEATS.at_most(input, 2))

    def combines(self, context: Context, input: str) -> Wait:
        timer = Timer.by_duration(HOUR, condition_id="t")
        return Wait.any_combination_of(
            ConditionCombination.of(TOKEN.for_one(condition_id="a"), timer),
            ConditionCombination.of(DONE.for_n(2, condition_id="b")),
        )

    def every_kind(self, context: Context, input: str) -> StepDecision:
        if input == "a":
            return graceful_complete(input)
        if input == "b":
            return force_complete()
        if input == "c":
            return force_fail("no")
        return force_complete_if_channels_empty(None, StepMovement.of(Leave, None), TOKEN, SEATS)

    def many(self, context: Context, input: str) -> StepDecision:
        moves = [StepMovement.of(Work, part) for part in input.split()]
        moves.append(StepMovement.of(Leave, None))
        return go_to_many(*moves, *(StepMovement.of(Work, part) for part in input))

    def of_self(self, context: Context, input: str) -> StepDecision:
        mine = self.token
        mine.publish(context, "t")
        return decisions.go_to(self.later, None)

    def cancels(self, context: Context, input: str) -> StepDecision:
        decision = go_to(Leave, None)
        decision = decision.with_canceling_steps(Work, Leave)
        return decision.with_canceling_sibling_steps(Work)

    def with_options(self, context: Context, input: str) -> StepDecision:
        options = StepOptions().on_execute_failure_proceed_to(Leave)
        return go_to_many(StepMovement.of(Work, input, options=options))

    async def awaits(self, context: Context, input: str) -> StepDecision:
        return await self.helper(context, TOKEN)

    async def helper(self, context: Context, channel: Channel[str]) -> StepDecision:
        channel.publish(context, "t")
        return release(context)

    def recursive(self, context: Context, input: str) -> StepDecision:
        TEXT.set(context, input)
        return self.recursive(context, input) if input else dead_end()

    def with_a_function_inside(self, context: Context, input: str) -> StepDecision:
        def last(part: str) -> str:
            return part[-1]

        return go_to(Work, min(input.split(), key=last))

    # What cannot be read.

    def by_parameter(self, context: Context, input: Any) -> StepDecision:
        return go_to(input, "x")

    def from_elsewhere(self, context: Context, input: Any) -> StepDecision:
        return input.decide()  # type: ignore[no-any-return]

    def of_unknown(self, context: Context, input: Any) -> StepDecision:
        input.channel.publish(context, "t")
        return dead_end()

    def escapes(self, context: Context, input: Any) -> StepDecision:
        self.kept = context
        return dead_end()

    def escapes_in_a_list(self, context: Context, input: Any) -> StepDecision:
        for each in [context]:
            TOKEN.publish(each, "t")
        return dead_end()

    def spreads(self, context: Context, input: Any) -> StepDecision:
        release(*[context])
        return dead_end()

    def spreads_before_it(self, context: Context, input: Any) -> StepDecision:
        return given(*input, context)  # type: ignore[call-arg]  # whatever input holds

    def publishes_by_class(self, context: Context, input: Any) -> StepDecision:
        Channel.publish(TOKEN, context, "t")
        return dead_end()

    def loops(self, context: Context, input: Any) -> StepDecision:
        for channel in (TOKEN, DONE):
            channel.publish(context, "t")
        return dead_end()

    def grows(self, context: Context, input: Any) -> StepDecision:
        moves: list[Any] = []
        moves.append(input)
        return go_to_many(*moves)

    def shadows(self, context: Context, input: Any) -> StepDecision:
        go_to = input
        return go_to(Work, "x")  # type: ignore[no-any-return]

    def reassigns(self, context: Context, input: Any) -> StepDecision:
        channel = TOKEN
        if input:
            channel = DONE
        channel.publish(context, "t")
        return dead_end()

    def rebinds_context(self, context: Context, input: Any) -> StepDecision:
        context = input
        TOKEN.publish(context, "t")
        return dead_end()

    def by_property(self, context: Context, input: Any) -> StepDecision:
        self.moving.publish(context, "t")
        return dead_end()

    def unpacks(self, context: Context, input: Any) -> StepDecision:
        _token, made = self.token, decisions.go_to(self.later, None)
        self.token.publish(context, "t")
        return dead_end() if input else made

    def waits_elsewhere(self, context: Context, input: Any) -> Wait:
        return Wait.until(input.condition)

    @property
    def moving(self) -> Channel[str]:
        raise AssertionError("reading the source must not run an author's property")


def release(context: Context) -> StepDecision:
    DONE.publish(context, "d")
    return go_to(Leave, None)


def given(one: Any, context: Context) -> StepDecision:
    return release(context)


class Work(Step[str]):
    def execute(self, context: Context, input: str) -> StepDecision:
        return dead_end()


class Leave(Step[None]):
    def execute(self, context: Context, input: None) -> StepDecision:
        return dead_end()


def edges(name: str, method: str = "execute") -> HandlerEdges:
    return read_handler("Enter", method, getattr(Enter(), name)).edges


READ: list[tuple[str, dict[str, Any]]] = [
    (
        "plain",
        {
            "goes_to": ((Work, "go_to"),),
            "publishes": ("token", "seats"),
            "reads": ("size of token", "notes"),
            "writes": ("notes", "text"),
            "decisions": ("go_to", "dead_end"),
        },
    ),
    ("waits", {"consumes": ("token", "seats"), "reads": ("text",)}),
    ("combines", {"consumes": ("token", "done")}),
    (
        "every_kind",
        {
            "goes_to": ((Leave, "fallback"),),
            "decisions": ("graceful_complete", "force_complete", "force_fail", "force_complete_if_channels_empty"),
        },
    ),
    ("many", {"goes_to": ((Work, "go_to_many"), (Leave, "go_to_many")), "decisions": ("go_to_many",)}),
    ("of_self", {"goes_to": ((Leave, "go_to"),), "publishes": ("token",), "decisions": ("go_to",)}),
    (
        "cancels",
        {
            "goes_to": ((Leave, "go_to"), (Work, "cancel"), (Leave, "cancel"), (Work, "cancel_sibling")),
            "decisions": ("go_to",),
        },
    ),
    ("with_options", {"goes_to": ((Leave, "route"), (Work, "go_to_many")), "decisions": ("go_to_many",)}),
    ("awaits", {"goes_to": ((Leave, "go_to"),), "publishes": ("token", "done"), "decisions": ("go_to",)}),
    ("with_a_function_inside", {"goes_to": ((Work, "go_to"),), "decisions": ("go_to",)}),
    ("recursive", {"writes": ("text",), "decisions": ("dead_end",)}),
]


@pytest.mark.parametrize(("name", "expected"), READ, ids=[case[0] for case in READ])
def test_what_a_handler_does_is_read_from_its_source(name: str, expected: dict[str, Any]) -> None:
    found = edges(name)
    assert found.complete
    told = {
        field: getattr(found, field)
        for field in ("goes_to", "publishes", "consumes", "reads", "writes", "decisions")
        if getattr(found, field)
    }
    assert told == expected


UNREAD: dict[str, tuple[str, ...]] = {
    "by_parameter": (), "from_elsewhere": (), "of_unknown": (), "escapes": (), "escapes_in_a_list": ("token",),
    "spreads": (), "spreads_before_it": (), "publishes_by_class": (), "loops": (), "grows": (), "shadows": (),
    "reassigns": (), "rebinds_context": ("token",), "by_property": (), "waits_elsewhere": (), "unpacks": ("token",),
}  # fmt: skip
"""What is published all the same, as far as it can be read, by handler."""


@pytest.mark.parametrize("name", UNREAD)
def test_what_cannot_be_read_is_marked_and_not_guessed(name: str) -> None:
    found = edges(name)
    assert not found.complete
    assert found.publishes == UNREAD[name]
    assert (Work, "go_to") not in found.goes_to


def test_a_handler_whose_source_is_not_at_hand_is_not_complete() -> None:
    names: dict[str, Any] = {}
    exec("def execute(context, input):\n    return None\n", names)  # noqa: S102  # code without a file is the case
    assert read_handler("Enter", "execute", names["execute"]).edges == HandlerEdges("Enter", "execute", complete=False)
    assert not read_handler("Enter", "execute", len).edges.complete


def test_a_file_that_was_changed_after_its_import_is_not_believed(tmp_path: Any, monkeypatch: Any) -> None:
    file = tmp_path / "changing_flow.py"
    file.write_text("def execute(context, input):\n    return None\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = __import__("changing_flow")
    file.write_text("def other(context, input):\n    return None\n")
    assert not read_handler("Enter", "execute", module.execute).edges.complete
    del sys.modules["changing_flow"]


def test_names_are_followed_into_closures() -> None:
    def made(step: type[Step[str]], channel: Channel[str]) -> Callable[..., StepDecision]:
        def execute(context: Context, input: str) -> StepDecision:
            channel.publish(context, input)
            return go_to(step, input)

        return execute

    found = read_handler("Enter", "execute", made(Work, DONE)).edges
    assert (found.complete, found.goes_to, found.publishes) == (True, ((Work, "go_to"),), ("done",))


class Desk(Flow[str]):
    def __init__(self) -> None:
        self.work = Work()

    @rpc(lock_attributes=(TEXT.lock(),))
    def begin(self, context: Context, name: str) -> RPCResult[str]:
        TEXT.set(context, name)
        return RPCResult[str](name, next_steps=(StepMovement.of(self.work, name),)).with_canceling_steps(Leave)

    @rpc
    def given(self, context: Context, moves: Iterable[StepMovement]) -> RPCResult[None]:
        return RPCResult(next_steps=moves)

    def handle_timeout(self, context: Context) -> StepDecision:
        return force_fail("late")


def test_an_rpc_starts_steps_and_cancels_them() -> None:
    found = read_handler("begin", "rpc", Desk().begin).edges
    assert found == HandlerEdges("begin", "rpc", goes_to=((Leave, "cancel"), (Work, "rpc")), writes=("text",))
    assert not read_handler("given", "rpc", Desk().given).edges.complete


def test_a_timeout_handler_is_read_as_an_execute_is() -> None:
    found = read_handler("handle_timeout", "handle_timeout", Desk().handle_timeout).edges
    assert found == HandlerEdges("handle_timeout", "handle_timeout", decisions=("force_fail",))


@dataclass(frozen=True)
class Fork:
    """Helpers that call each other must end, and in little time."""

    def a(self, context: Context, n: Any) -> StepDecision:
        return self.b(context, [n]) if n else self.b(context, (n,))

    def b(self, context: Context, n: Any) -> StepDecision:
        return self.a(context, [n]) if n else dead_end()


def test_helpers_that_call_each_other_are_read_once() -> None:
    found = read_handler("Enter", "execute", Fork().a).edges
    assert (found.complete, found.decisions) == (True, ("dead_end",))


def test_an_expression_of_thousands_of_parts_is_marked(tmp_path: Any, monkeypatch: Any) -> None:
    parts = "+".join(["1"] * 1500)
    (tmp_path / "long_flow.py").write_text(f"def execute(context, input):\n    return {parts}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert not read_handler("Enter", "execute", __import__("long_flow").execute).edges.complete
    del sys.modules["long_flow"]
