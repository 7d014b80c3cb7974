"""What can happen to a Flow, as data: the vocabulary between the machine and everything that reads its runs.

Each event is a named tuple with a `kind`; `path` is the lineage of the execution (or call) concerned and
`step` its type name. A value is a `Data` (`engine.values`): `.plain` is JSON, `.thaw()` the live value.
This module decides nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.values import Data

__all__ = [
    "EVENTS", "AttributeChanged", "Began", "Cancelled", "Closed", "Consumed", "Failed", "FlowStarted",
    "GracefulAsked", "LateEnded", "Published", "Recorded", "Returned", "Saved", "Stepped", "Stopped",
    "TimedOut", "TimerFired", "Waiting",
]  # fmt: skip


class FlowStarted(NamedTuple):
    """The Flow was started with its input."""

    flow: str
    input: Data

    @property
    def kind(self) -> str:
        return "flow_started"


class Stepped(NamedTuple):
    """An execution of a Step was started. Its siblings have the same `parent` (D-21)."""

    path: Lineage
    step: str
    input: Data
    parent: Lineage
    """Whose result started it: an execution, or the call of an RPC or of the timeout handler; () for the start."""
    by: str
    """The Step (or RPC) whose result started it; '' for the Flow's start."""
    why: str
    """'go_to', 'route' (failure route, D-12), 'fallback' (D-18), 'start', 'rpc'."""
    dropped_route: str = ""
    """Where the Step's failure route leads, if options that came with the movement replaced it by none (D-12)."""

    @property
    def kind(self) -> str:
        return "step_started"


class Began(NamedTuple):
    """An attempt of a call began: it reads its snapshot now (D-6)."""

    path: Lineage
    step: str
    method: str
    """'wait_for', 'execute', 'rpc' or 'handle_timeout'."""
    attempt: int
    reads: tuple[tuple[str, Any], ...]
    """What the handler read of the snapshot: (name, value as `Data`); a size as ('size of NAME', n)."""
    locks: tuple[str, ...]

    @property
    def kind(self) -> str:
        return "began"


class Recorded(NamedTuple):
    """`context.record_event` was called in this attempt (D-9)."""

    path: Lineage
    step: str
    name: str
    value: Data

    @property
    def kind(self) -> str:
        return "recorded"


class Saved(NamedTuple):
    """A call's result was saved; its writes, publications and decision follow as events of the same turn (D-7)."""

    path: Lineage
    step: str
    method: str
    attempt: int
    decision: str
    """'wait', 'go_to', 'dead_end', 'graceful_complete', ... or '' for an RPC without a decision."""

    @property
    def kind(self) -> str:
        return "saved"


class Failed(NamedTuple):
    """An attempt failed: it raised, was lost, or was given up (D-10)."""

    path: Lineage
    step: str
    method: str
    attempt: int
    error_type: str
    detail: str
    how: str
    """'raised', 'lost' or 'late' (given up, its code runs on)."""
    then: str
    """'retry', 'route' (D-12), 'proceed' (D-13), 'flow_failed', or 'caller' for an RPC (D-26)."""
    delay: float
    """Seconds until the next attempt, when `then` is 'retry' (D-11)."""
    limit: int | None
    """How many attempts the policy allows; None is without limit."""

    @property
    def kind(self) -> str:
        return "failed"


class LateEnded(NamedTuple):
    """Code that ran on after it was given up or cancelled has come to its end; the Flow ignores it (D-10)."""

    path: Lineage
    step: str
    method: str
    attempt: int

    @property
    def kind(self) -> str:
        return "late_ended"


class AttributeChanged(NamedTuple):
    """A write was saved (D-7). `old` or `new` is None where there is no value; `name` of a map is `name/key`."""

    path: Lineage
    step: str
    name: str
    old: Data | None
    new: Data | None

    @property
    def kind(self) -> str:
        return "attribute_changed"


class Published(NamedTuple):
    """A message was published at the end of its Channel (D-3)."""

    path: Lineage
    step: str
    channel: str
    value: Data

    @property
    def kind(self) -> str:
        return "published"


class Returned(NamedTuple):
    """Messages went back to the front of their Channel, since their consumer was cancelled (D-24)."""

    path: Lineage
    step: str
    channel: str
    values: tuple[Data, ...]

    @property
    def kind(self) -> str:
        return "returned"


class Waiting(NamedTuple):
    """A Wait was saved (D-17)."""

    path: Lineage
    step: str
    wait: str
    """The Wait in words."""
    channels: tuple[str, ...]

    @property
    def kind(self) -> str:
        return "waiting"


class TimerFired(NamedTuple):
    """A timer of a saved Wait fired (D-17). `timer` counts the Wait's timers in argument order."""

    path: Lineage
    step: str
    timer: int
    seconds: float

    @property
    def kind(self) -> str:
        return "timer_fired"


class Consumed(NamedTuple):
    """A Wait completed and took these messages; its `execute` is queued (D-16, D-17)."""

    path: Lineage
    step: str
    taken: tuple[tuple[str, tuple[Data, ...]], ...]
    """(channel, messages) in Channel order; empty when nothing was taken."""
    rivals: tuple[Lineage, ...]
    """Others that were ready for the same messages, at most eight of them."""

    @property
    def kind(self) -> str:
        return "wait_completed"


class Cancelled(NamedTuple):
    """An execution was cancelled by a decision (D-21, D-23). `phase` is where it was."""

    path: Lineage
    step: str
    phase: str
    """'queued', 'running', 'retrying' or 'waiting'."""
    method: str
    by: Lineage
    by_step: str

    @property
    def kind(self) -> str:
        return "cancelled"


class GracefulAsked(NamedTuple):
    """A graceful completion was asked for; the Flow completes when no Step is active (D-18)."""

    path: Lineage
    step: str

    @property
    def kind(self) -> str:
        return "graceful_asked"


class Stopped(NamedTuple):
    """A stop arrived from outside (D-27)."""

    type: str
    reason: str

    @property
    def kind(self) -> str:
        return "stop"


class TimedOut(NamedTuple):
    """The Flow's timeout was reached (D-27). `policy` says what follows."""

    policy: str

    @property
    def kind(self) -> str:
        return "flow_timeout"


class Closed(NamedTuple):
    """The Flow closed; every execution that was left ended with it (D-27)."""

    status: str
    reason: str
    outputs: tuple[Data, ...]
    ended: tuple[Lineage, ...]
    """The executions that the close ended, in lineage order."""

    @property
    def kind(self) -> str:
        return "closed"


EVENTS: dict[str, type[Any]] = {
    "flow_started": FlowStarted,
    "step_started": Stepped,
    "began": Began,
    "recorded": Recorded,
    "saved": Saved,
    "failed": Failed,
    "late_ended": LateEnded,
    "attribute_changed": AttributeChanged,
    "published": Published,
    "returned": Returned,
    "waiting": Waiting,
    "timer_fired": TimerFired,
    "wait_completed": Consumed,
    "cancelled": Cancelled,
    "graceful_asked": GracefulAsked,
    "stop": Stopped,
    "flow_timeout": TimedOut,
    "closed": Closed,
}
"""Every event class by its kind, for reading a saved run."""
