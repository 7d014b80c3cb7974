"""What one machine knows of its Flow and its world: looked up by every move, changed by none.

A `CallSpec` says all that holds for the calls of one method under one set of options, so that whoever begins, saves,
times or fails a call asks one record. Nothing here knows a state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from dexpatterns.dex.definition import FlowSpec, timeout_policy
from dexpatterns.dex.handlers import Handlers
from dexpatterns.dex.options import FlowTimeoutPolicy, RetryPolicy, StepOptions, WaitForFailurePolicy
from dexpatterns.dex.scenario import Anytime, At, Faults, Invoke, Scenario, Stop
from dexpatterns.dex.wait import Wait
from dexpatterns.dex.waiting import WaitPlan
from dexpatterns.engine.masked import Masks
from dexpatterns.engine.values import NOTHING, Data, freeze

__all__ = ["HANDLE_TIMEOUT", "RPC", "CallSpec", "External", "Rules"]

HANDLE_TIMEOUT = "handle_timeout"
RPC = "rpc"
_AT_ONCE = (0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class CallSpec:
    """A method of a Step, an RPC or the timeout handler, with the options that hold for its calls."""

    owner: str
    """The name of the Step or RPC."""
    method: str
    """'wait_for', 'execute', 'rpc' or 'handle_timeout'."""
    name: str
    """Whom a choice moves, in words: `Step.method`, or the name of an RPC."""
    is_step: bool
    handler: Callable[..., Any]
    options: StepOptions | None = None
    """Options that came with the movement and replace the Step's own (D-12)."""
    locks: tuple[str, ...] = ()
    """The Attribute locks that a call takes before it begins, sorted (D-20)."""
    retry: RetryPolicy | None = None
    """None for what is not tried again: an RPC (D-26)."""
    timeout: float = inf
    """The method timeout in seconds (D-10)."""
    span: tuple[float, float] | None = _AT_ONCE
    """The shortest and longest time of an attempt, in seconds; None where it depends on the input or the attempt."""
    may_be_hit: bool = False
    """Whether a fault may hit an attempt."""
    then: str = "flow_failed"
    """What follows a failure for good, as `Failed.then` (D-12, D-13, D-26, D-27)."""
    route: tuple[str, StepOptions | None] | None = None
    """The Step that follows then, and its options if they differ (D-12)."""
    ways: int | None = 1
    """How an attempt may end, as bits of `Execution.ends`; None where that depends on the input or the attempt."""


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
    """The Flow, its handlers, its scenario and its faults."""

    __slots__ = (
        "_calls", "_first", "events", "faults", "handlers", "hit_steps", "masks", "plans", "scenario", "spec",
        "timeout_policy",
    )  # fmt: skip

    def __init__(self, spec: FlowSpec, scenario: Scenario, faults: Faults, *, memo: bool, rerun: bool = False) -> None:
        self.spec = spec
        self.scenario = scenario
        self.events = tuple(map(_external, scenario.events))
        self.faults = faults
        self.handlers = Handlers(spec, memo=memo, rerun=rerun)
        self.plans: dict[Wait, WaitPlan] = {}
        self.masks: Masks | None = None
        """The names that are masked, when branches count as interchangeable (`symmetry`)."""
        self.timeout_policy: FlowTimeoutPolicy | None = timeout_policy(spec, scenario.options)
        budget = faults.lost_attempts or faults.late_attempts
        self.hit_steps = frozenset(
            step.name for step in spec.steps if budget and (faults.steps is None or step.cls in faults.steps)
        )
        """The Steps whose attempts a fault may hit; RPCs and the timeout handler are never hit (D-10)."""
        self._first = {step.name: "wait_for" if step.has_wait else "execute" for step in spec.steps}
        self._calls: dict[tuple[str, str, StepOptions | None], CallSpec] = {}

    def call(self, owner: str, method: str, options: StepOptions | None = None) -> CallSpec:
        """What holds for the calls of a method, under these options or the Step's own."""
        key = (owner, method, options)
        found = self._calls.get(key)
        if found is None:
            found = self._calls[key] = _MADE.get(method, _call_of_step)(self, *key)
        return found

    def first_call(self, step: str, options: StepOptions | None) -> CallSpec:
        """The call with which an execution of a Step starts."""
        return self.call(step, self._first[step], options)

    def dropped_route(self, step: str, options: StepOptions) -> str:
        """The Step to which the failure route led that these options drop; '' when they drop none (D-12)."""
        own = self.spec.by_name[step].options.execute_failure_route
        return "" if own is None or options.execute_failure_route is not None else self.spec.by_class[own[0]].name

    def duration(self, call: CallSpec, input: Data, attempt: int) -> tuple[float, float]:
        """The shortest and longest time of an attempt, in seconds."""
        if call.span is not None:
            return call.span
        # What depends on a name here shows in how attempts may end, and so in the state.
        shown = input if self.masks is None else self.masks.reveal(input)
        return self.scenario.duration(self.spec.by_name[call.owner].cls, call.method, shown.thaw(), attempt)

    def ways_to_end(self, call: CallSpec, input: Data, attempt: int) -> int:
        """How an attempt may end by its duration and its method timeout, as bits of `Execution.ends` (D-10)."""
        return call.ways if call.ways is not None else _ways(self.duration(call, input, attempt), call.timeout)

    def plan(self, wait: Wait) -> WaitPlan:
        found = self.plans.get(wait)
        if found is None:
            found = self.plans[wait] = WaitPlan(wait)
        return found


def _call_of_step(rules: Rules, owner: str, method: str, options: StepOptions | None) -> CallSpec:
    step = rules.spec.by_name[owner]
    held = options if options is not None else step.options
    timeout = held.timeout_seconds(method)
    asks = rules.scenario.asks(step.cls, method)
    span = None if asks else rules.scenario.duration(step.cls, method, None, 1)
    then, route = "flow_failed", None
    if method == "execute":
        handler, locks, retry = step.execute, held.execute_locks, held.execute_retry
        if held.execute_failure_route is not None:
            cls, following = held.execute_failure_route
            then, route = "route", (rules.spec.by_class[cls].name, following)
    else:
        handler, locks, retry = step.wait_for, held.wait_for_locks, held.wait_for_retry
        if held.wait_for_failure is WaitForFailurePolicy.PROCEED:
            then = "proceed"
    return CallSpec(
        owner, method, f"{owner}.{method}", True, handler, options, locks, retry, timeout, span,
        owner in rules.hit_steps, then, route, None if span is None else _ways(span, timeout),
    )  # fmt: skip


def _call_of_rpc(rules: Rules, owner: str, method: str, options: StepOptions | None) -> CallSpec:
    rpc = rules.spec.rpcs[owner]
    return CallSpec(owner, method, owner, False, rpc.method, locks=rpc.locks, then="caller")


def _call_of_timeout(rules: Rules, owner: str, method: str, options: StepOptions | None) -> CallSpec:
    handler = rules.spec.handle_timeout
    assert handler is not None
    return CallSpec(owner, method, owner, False, handler, retry=RetryPolicy())


_MADE = {RPC: _call_of_rpc, HANDLE_TIMEOUT: _call_of_timeout}


def _ways(span: tuple[float, float], timeout: float) -> int:
    low, high = span
    return (low <= timeout) | (high > timeout) << 1


def _external(event: At | Anytime) -> External:
    what = event.what
    if isinstance(what, Invoke):
        kind, name, data = "call", what.rpc_name, NOTHING if what.input is NOTHING else freeze(what.input)
    else:
        kind, name, data = "stop", what.options.type.name, NOTHING
    if isinstance(event, At):
        return External(kind, name, event.time.total_seconds(), 1, True, data, what)
    return External(kind, name, None, event.times, event.owed, data, what)
