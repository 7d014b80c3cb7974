"""A move in the making: the next state before it is handed out, and the events that tell of it.

`Rules` is what stays the same for a whole machine (the Flow, its handlers, its scenario); a `Draft` is one move
under these rules. The operations here keep the counts and groups right; what a move *means* is said by the modules
that use them: `attempts`, `settling`, `saving`, `cancelling`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dexpatterns.dex import events as ev
from dexpatterns.dex import locking
from dexpatterns.dex.definition import FlowSpec, StepSpec, timeout_policy
from dexpatterns.dex.handlers import Handlers, Move
from dexpatterns.dex.options import FlowStatus, StepOptions
from dexpatterns.dex.scenario import Anytime, At, Faults, Invoke, Scenario, Stop
from dexpatterns.dex.state import BEGIN, Execution, State, WaitPlan, call_name, children_of, weight_of
from dexpatterns.dex.wait import Wait
from dexpatterns.engine.machine import Event, Lineage
from dexpatterns.engine.masked import Masks
from dexpatterns.engine.queue import EMPTY
from dexpatterns.engine.values import NOTHING, Data, freeze, new

__all__ = ["HANDLE_TIMEOUT", "Draft", "External", "Rules"]

HANDLE_TIMEOUT = "handle_timeout"
_METHODS = ("wait_for", "execute")


class External(NamedTuple):
    """An event of the scenario, in the machine's terms."""

    kind: str
    """'call' or 'stop': the kind of its choice."""
    name: str
    seconds: float | None
    """When it happens, if the scenario gives a time."""
    times: int
    owed: bool
    input: Data
    what: Invoke | Stop


class Rules:
    """What one machine knows of its Flow: looked up by every move, changed by none."""

    __slots__ = (
        "_fixed", "_handlers", "_locks", "_ways", "events", "faults", "handlers", "hit_steps", "masks", "plans",
        "scenario", "spec", "steps", "timeout_policy",
    )  # fmt: skip

    def __init__(self, spec: FlowSpec, scenario: Scenario, faults: Faults, *, memo: bool, rerun: bool = False) -> None:
        self.spec = spec
        self.steps: dict[str, StepSpec] = spec.by_name
        self.scenario = scenario
        self.events = tuple(map(_external, scenario.events))
        self.faults = faults
        self.handlers = Handlers(spec, memo=memo, rerun=rerun)
        self.plans: dict[Wait, WaitPlan] = {}
        self.masks: Masks | None = None
        """The names that are masked, when branches count as interchangeable (`symmetry`)."""
        self.timeout_policy = timeout_policy(spec, scenario.options)
        budget = faults.lost_attempts or faults.late_attempts
        self.hit_steps = frozenset(
            step.name for step in spec.steps if budget and (faults.steps is None or step.cls in faults.steps)
        )
        """The Steps whose attempts a fault may hit; RPCs and the timeout handler are never hit (D-10)."""
        self._locks = {(step.name, "wait_for"): step.options.wait_for_locks for step in spec.steps}
        self._locks |= {(step.name, "execute"): step.options.execute_locks for step in spec.steps}
        self._handlers: dict[tuple[str, str], Callable[..., Any]] = {
            (step.name, method): getattr(step, method) for step in spec.steps for method in _METHODS
        }
        self._fixed = {
            (step.name, method): scenario.duration(step.cls, method, None, 1)
            for step in spec.steps
            for method in _METHODS
            if not scenario.asks(step.cls, method)
        }
        timeouts = {key: spec.by_name[key[0]].options.timeout_seconds(key[1]) for key in self._fixed}
        self._ways = {
            key: (low <= timeouts[key]) | (high > timeouts[key]) << 1 for key, (low, high) in self._fixed.items()
        }

    def options(self, e: Execution) -> StepOptions:
        return e.options if e.options is not None else self.steps[e.step].options

    def dropped_route(self, step: str, options: StepOptions) -> str:
        """The Step to which the failure route led that these options drop; '' when they drop none (D-12)."""
        own = self.steps[step].options.execute_failure_route
        return "" if own is None or options.execute_failure_route is not None else self.spec.by_class[own[0]].name

    def lockset(self, e: Execution, method: str) -> tuple[str, ...]:
        """The Attribute locks that a call takes before it begins, sorted (D-20)."""
        if e.options is None:
            return self._locks[e.step, method]
        return e.options.execute_locks if method == "execute" else e.options.wait_for_locks

    def duration(self, e: Execution, attempt: int) -> tuple[float, float]:
        """The shortest and longest time of an attempt, in seconds."""
        fixed = self._fixed.get((e.step, e.method))
        if fixed is not None:
            return fixed
        # What depends on a name here shows in how attempts may end, and so in the state.
        input = e.input if self.masks is None else self.masks.reveal(e.input)
        return self.scenario.duration(self.steps[e.step].cls, e.method, input.thaw(), attempt)

    def ways_to_end(self, e: Execution, attempt: int) -> int:
        """How an attempt may end by its duration and its method timeout, as bits of `Execution.ends` (D-10)."""
        if not e.is_step:
            return 1
        if e.options is None:
            known = self._ways.get((e.step, e.method))
            if known is not None:
                return known
        low, high = self.duration(e, attempt)
        timeout = self.options(e).timeout_seconds(e.method)
        return (low <= timeout) | (high > timeout) << 1

    def handler(self, e: Execution) -> Callable[..., Any]:
        if e.is_step:
            return self._handlers[e.step, e.method]
        handler = self.spec.handle_timeout if e.method == HANDLE_TIMEOUT else self.spec.rpcs[e.step].method
        assert handler is not None
        return handler

    def plan(self, wait: Wait) -> WaitPlan:
        found = self.plans.get(wait)
        if found is None:
            found = self.plans[wait] = WaitPlan(wait)
        return found


def _external(event: At | Anytime) -> External:
    what = event.what
    if isinstance(what, Invoke):
        kind, name, data = "call", what.rpc_name, NOTHING if what.input is NOTHING else freeze(what.input)
    else:
        kind, name, data = "stop", what.options.type.name, NOTHING
    if isinstance(event, At):
        return External(kind, name, event.time.total_seconds(), 1, True, data, what)
    return External(kind, name, None, event.times, event.owed, data, what)


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

    def queue(self, e: Execution, method: str) -> None:
        """Queue a call of a Step; `e` is a copy that nobody else has seen."""
        self.state.executions = self.state.executions.set(e.path, self._queued(e, method))
        if e.lockset:
            locking.join_group(self.state, e)

    def _queued(self, e: Execution, method: str) -> Execution:
        lockset = self.rules.lockset(e, method)
        e.queue(method, call_name(e.step, method), lockset)
        # A call that needs locks is counted by its group (`locking`).
        e.weight = weight_of(True) if lockset else weight_of(True, BEGIN)
        return e

    def start(
        self, parent: Execution, moves: Sequence[Move], why: str, recovery: tuple[str, str] | None = None
    ) -> None:
        """Start the moves' Steps where `parent` stood, which has ended."""
        state, rules, told = self.state, self.rules, self.events.append
        place, by = parent.path, parent.step
        paths = children_of(place, len(moves))
        children = []
        for path, (step, input, options) in zip(paths, moves, strict=True):
            child = Execution.start(path, place, step, input, options, recovery)
            dropped = "" if options is None else rules.dropped_route(step, options)
            told(new(ev.Stepped, (path, step, input, place, by, why, dropped)))
            children.append(self._queued(child, "wait_for" if rules.steps[step].has_wait else "execute"))
        state.executions = state.executions.replace(place, paths, children)
        for child in children:
            if child.lockset:
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
