"""Small Flows and the hands to move them, shared by the tests of the rules.

`step` and `flow` make a Flow out of functions, so that a test shows what its rule is about and nothing else.
`drive` makes moves by the beginning of their text and insists that exactly one move is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from dexpatterns.dex import (
    Context,
    Flow,
    FlowMachine,
    PersistenceSchema,
    RetryPolicy,
    Step,
    StepDecision,
    StepList,
    StepOptions,
    Wait,
    rpc,
)
from dexpatterns.engine.machine import Choice, Event
from dexpatterns.engine.simulator import simulate
from dexpatterns.engine.trace import Trace

Handler = Callable[[Context, Any], Any]

ONCE = RetryPolicy(maximum_attempts=1)
TWICE = RetryPolicy(maximum_attempts=2)
NO_RETRY = StepOptions(execute_retry=ONCE, wait_for_retry=ONCE)


def seconds(n: float) -> timedelta:
    return timedelta(seconds=n)


def step(
    name: str, execute: Handler, wait_for: Handler | None = None, options: StepOptions | Callable[[], Any] | None = None
) -> type[Step[Any]]:
    """A Step class of this name; `options` may be a function when they name Steps that come later."""

    def run(self: Any, context: Context, input: Any) -> StepDecision:
        return execute(context, input)  # type: ignore[no-any-return]

    def wait(self: Any, context: Context, input: Any) -> Wait:
        assert wait_for is not None
        return wait_for(context, input)  # type: ignore[no-any-return]

    def get_step_options(self: Any) -> StepOptions | None:
        return options() if callable(options) else options

    body: dict[str, Any] = {"execute": run, "get_step_options": get_step_options}
    if wait_for is not None:
        body["wait_for"] = wait
    return type(name, (Step,), body)


def flow(
    *steps: type[Step[Any]],
    keeps: Iterable[Any] = (),
    rpcs: Mapping[str, Any] | None = None,
    locks: Mapping[str, Iterable[Any]] | None = None,
    handle_timeout: Callable[[Context], Any] | None = None,
    start: bool = True,
    name: str = "Tiny",
) -> Flow[Any]:
    """A Flow that starts with the first Step. `rpcs` take (context, input); `locks` are those of RPCs by name."""

    def get_steps(self: Any) -> StepList[Any]:
        if not start:
            return StepList.without_start_step(*[cls() for cls in steps])
        return StepList.start_step(steps[0]()).other_steps(*[cls() for cls in steps[1:]])

    def get_persistence_schema(self: Any) -> PersistenceSchema:
        return PersistenceSchema.of(*keeps)

    body: dict[str, Any] = {"get_steps": get_steps, "get_persistence_schema": get_persistence_schema}
    for rpc_name, handler in (rpcs or {}).items():
        body[rpc_name] = rpc(lock_attributes=tuple((locks or {}).get(rpc_name, ())))(_method(handler))
    if handle_timeout is not None:
        body["handle_timeout"] = _timeout_method(handle_timeout)
    return type(name, (Flow,), body)()  # type: ignore[no-any-return]


def _method(handler: Handler) -> Callable[..., Any]:
    def call(self: Any, context: Context, input: Any) -> Any:
        return handler(context, input)

    return call


def _timeout_method(handler: Callable[[Context], Any]) -> Callable[..., Any]:
    def handle_timeout(self: Any, context: Context) -> StepDecision:
        return handler(context)  # type: ignore[no-any-return]

    return handle_timeout


class Drive:
    """A machine that is moved by hand. What happened is in `events`; each move's own events in `moves`."""

    def __init__(self, machine: FlowMachine) -> None:
        self.machine = machine
        self.state, started = machine.start()
        self.moves: list[tuple[Event, ...]] = [started]

    def take(self, *moves: str) -> Drive:
        """Make the moves; each is the text of one possible move, or the words that it begins with."""
        for move in moves:
            self.state, events = self.machine.apply(self.state, self.meant(move))
            self.moves.append(events)
        return self

    def meant(self, move: str) -> Choice:
        possible = {str(choice): choice for choice in self.machine.choices(self.state)}
        found = [move] if move in possible else [text for text in possible if text.startswith((f"{move} ", f"{move}."))]
        assert len(found) == 1, f"{move!r} means {found or 'nothing'} of {list(possible)}"
        return possible[found[0]]

    @property
    def choices(self) -> list[str]:
        return [str(choice) for choice in self.machine.choices(self.state)]

    @property
    def events(self) -> list[Event]:
        return [event for move in self.moves for event in move]

    def of(self, kind: str) -> list[Any]:
        """The events of a kind so far."""
        return [event for event in self.events if event.kind == kind]

    @property
    def kinds(self) -> list[str]:
        """The kinds of the last move's events."""
        return [event.kind for event in self.moves[-1]]

    @property
    def seen(self) -> dict[str, Any]:
        """The state as `describe` tells it."""
        return self.machine.describe(self.state)

    @property
    def status(self) -> str:
        return str(self.seen["status"])

    def phases(self) -> dict[str, str]:
        """The phase of each living execution, by Step and lineage."""
        return {f"{one['step']} {one['id']}": one["phase"] for one in self.seen["steps"]}


def drive(machine: FlowMachine | Flow[Any], *moves: str) -> Drive:
    """A machine (or a Flow without input) after these moves."""
    return Drive(machine if isinstance(machine, FlowMachine) else FlowMachine(machine)).take(*moves)


def run_all(driven: Drive, limit: int = 1_000) -> Drive:
    """Make the first possible move until there is none."""
    while driven.choices and limit:
        driven.take(driven.choices[0])
        limit -= 1
    assert limit, "it does not end"
    return driven


def sample(machine: FlowMachine | Flow[Any], seed: int = 0) -> Trace:
    """One simulated run, with handlers run as often as they would be."""
    return simulate(machine if isinstance(machine, FlowMachine) else FlowMachine(machine, memo=False), seed=seed)


def told(trace: Trace, kind: str) -> list[Any]:
    """The events of a kind in a trace."""
    return [event for turn in trace.turns for event in turn.events if event.kind == kind]
