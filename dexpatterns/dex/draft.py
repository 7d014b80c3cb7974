"""A move in the making: the next state before it is handed out, and the events that tell of it.

The operations here keep the counts and groups right; what a move *means* is said by the modules that use them:
`attempts`, `settling`, `saving`, `cancelling`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dexpatterns.dex import events as ev
from dexpatterns.dex import locking
from dexpatterns.dex.handlers import Move
from dexpatterns.dex.options import FlowStatus
from dexpatterns.dex.rules import CallSpec, Rules
from dexpatterns.dex.state import Execution, State, children_of
from dexpatterns.engine.machine import Event, Lineage
from dexpatterns.engine.queue import EMPTY
from dexpatterns.engine.values import Data, new

__all__ = ["Draft"]


class Draft:
    """One move: its state may be changed until `done`."""

    __slots__ = ("before", "events", "new_waits", "now", "rules", "state", "touched")

    def __init__(self, rules: Rules, state: State, now: float) -> None:
        self.rules = rules
        self.before = state
        """The state that the move found."""
        self.state = state.draft()
        self.now = now
        self.events: list[Event] = []
        self.touched: list[str] = []
        """The Channels that got messages in this move."""
        self.new_waits: list[tuple[str, str, int]] = []
        """The groups that got a member in this move."""

    def put(self, e: Execution) -> None:
        """Let `e`, whose weight is set, stand in the place of what had its path."""
        self.state.executions = self.state.executions.set(e.path, e)

    def queue(self, e: Execution, call: CallSpec) -> None:
        """Queue a call of a Step; `e` is a copy that nobody else has seen."""
        e.queue(call)
        self.enter(e)

    def enter(self, e: Execution) -> None:
        """Let `e`, whose call is queued, stand at its path and among those that wait for its locks."""
        self.put(e)
        if e.call.locks:
            locking.join_group(self.state, e)

    def start(
        self, parent: Execution, moves: Sequence[Move], why: str, recovery: tuple[str, str] | None = None
    ) -> None:
        """Start the moves' Steps where `parent` stood, which has ended."""
        state, rules, told = self.state, self.rules, self.events.append
        place, by = parent.path, parent.step
        paths = children_of(place, len(moves))
        children = []
        for path, (step, input, options) in zip(paths, moves, strict=True):
            dropped = "" if options is None else rules.dropped_route(step, options)
            told(new(ev.Stepped, (path, step, input, place, by, why, dropped)))
            children.append(Execution.start(path, place, step, input, rules.first_call(step, options), recovery))
        state.executions = state.executions.replace(place, paths, children)
        for child in children:
            if child.call.locks:
                locking.join_group(state, child)

    def publish(self, path: Lineage, step: str, messages: Iterable[tuple[str, Data]]) -> None:
        state = self.state
        for channel, value in messages:
            state.channels = state.channels.set(channel, state.channels.get(channel, EMPTY).push(value))
            self.events.append(new(ev.Published, (path, step, channel, value)))
            self.touched.append(channel)

    def write(self, path: Lineage, step: str, writes: Iterable[tuple[str, Data | None]]) -> None:
        state = self.state
        for name, value in writes:
            old = state.attributes.get(name)
            if old is None and value is None:
                continue
            state.attributes = state.attributes.remove(name) if value is None else state.attributes.set(name, value)
            self.events.append(new(ev.AttributeChanged, (path, step, name, old, value)))

    def close(self, status: FlowStatus, reason: str, outputs: tuple[Data, ...] = ()) -> None:
        """Close the Flow: every branch ends, nothing is consumed or given back, no debt is left (D-27)."""
        state = self.state
        ended = tuple(e.path for e in state.executions.items())
        closed = State.empty((0,) * len(state.externals), (0, 0), False)
        closed.status, closed.reason, closed.outputs = status, reason, outputs
        closed.channels, closed.attributes = state.channels, state.attributes
        self.state = closed
        self.touched.clear()
        self.new_waits.clear()
        self.events.append(ev.Closed(status.name, reason, outputs, ended))
