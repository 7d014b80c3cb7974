"""What the machine remembers: orders, locks, and the orders that are still to come, as values.

`OrderState.after(event)` is the order once the event has happened, or None where the event cannot happen to it: the
table of J301 in both directions. Nothing here decides which event comes next; what a search compares of it stands in
`keys`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.texts import visible
from dexpatterns.engine.tree import FIELD, Tree
from dexpatterns.engine.values import Data
from dexpatterns.js7 import events as ev
from dexpatterns.js7 import outcomes
from dexpatterns.js7.locks import Locks
from dexpatterns.js7.positions import Position, following, outer, step_into

__all__ = [
    "ANSWER", "CANCELLABLE", "DONE", "FAIL", "FAILED", "RESETTABLE", "SHOWN", "STOPPED", "SUCCEED", "WAKE",
    "OrderState", "State",
]  # fmt: skip

SUCCEED, FAIL, WAKE, ANSWER = range(1, 5)
"""The counts that the tree of orders keeps: jobs that may succeed, that may fail, waits for the clock, prompts."""
_ONE = tuple(1 << i * FIELD for i in range(5))

DONE = frozenset(("Finished", "Cancelled", "Deleted"))
FAILED = frozenset(("Failed", "FailedWhileFresh", "FailedInFork"))
STOPPED = frozenset(("Stopped", "StoppedWhileFresh"))
RESETTABLE = frozenset(("WaitingForLock", "Prompting", "Sleeping", "DelayingRetry"))
"""States that OrderStateReset leads out of (J231)."""
CANCELLABLE = RESETTABLE | STOPPED | {"Fresh", "Ready", "Failed", "FailedWhileFresh", "Broken"}
"""States in which a cancellation takes effect at once (J231)."""
_FAILABLE = frozenset(("Fresh", "Ready", "Processed", "Broken"))

SHOWN = {
    "Fresh": "SCHEDULED", "Ready": "WAITING", "Processing": "RUNNING", "Processed": "INPROGRESS", "Forked": "WAITING",
    "WaitingForLock": "WAITING", "Prompting": "PROMPTING", "Sleeping": "WAITING", "DelayingRetry": "WAITING",
    "Failed": "FAILED", "FailedWhileFresh": "FAILED", "FailedInFork": "FAILED", "Stopped": "FAILED",
    "StoppedWhileFresh": "FAILED", "Broken": "FAILED", "Finished": "FINISHED", "Cancelled": "CANCELLED",
    "Deleted": "DELETED",
}  # fmt: skip
"""What a user sees of a state that is not suspended (J302)."""


class OrderState:
    """One order at one moment."""

    __slots__ = (
        "arguments", "children", "delete", "ends", "history", "id", "ident", "job", "mark", "parent", "place",
        "position", "priority", "question", "runs", "state", "suspended", "workflow",
    )  # fmt: skip

    id: str
    place: Lineage
    """Its number among the orders that came, followed by that of its branch, and so on."""
    workflow: str
    position: Position
    state: str
    """One of J301."""
    suspended: bool
    mark: str
    """'cancel', 'suspend', 'suspend reset': what is to happen as soon as it can; '' for nothing."""
    priority: int
    arguments: Data
    history: tuple[tuple[Position, Data], ...]
    """Outcomes, with the position at which each was added."""
    runs: tuple[tuple[str, int], ...]
    """How often each job ran for it."""
    delete: bool
    children: tuple[tuple[str, str], ...]
    """(branch, order) of a forked one."""
    parent: str | None
    job: str
    ends: int
    """How its running job may end, as bits: 1 it succeeds, 2 it fails."""
    question: Data | None
    ident: int | None
    """The number of this content in one machine's searches; made when first asked for."""

    def __init__(
        self, id: str, place: Lineage, workflow: str, position: Position, state: str, arguments: Data,
        *, priority: int = 0, delete: bool = False, parent: str | None = None,
        history: tuple[tuple[Position, Data], ...] = (),
    ) -> None:  # fmt: skip
        self.id, self.place, self.workflow, self.position, self.state = id, place, workflow, position, state
        self.arguments, self.priority, self.delete, self.parent, self.history = (
            arguments, priority, delete, parent, history,
        )  # fmt: skip
        self.suspended = False
        self.mark = self.job = ""
        self.runs, self.children = (), ()
        self.ends = 0
        self.question = self.ident = None

    def evolve(self, **changes: Any) -> OrderState:
        """A copy with some fields changed."""
        made = object.__new__(OrderState)
        made.arguments = self.arguments
        made.children = self.children
        made.delete = self.delete
        made.ends = self.ends
        made.history = self.history
        made.id = self.id
        made.job = self.job
        made.mark = self.mark
        made.parent = self.parent
        made.place = self.place
        made.position = self.position
        made.priority = self.priority
        made.question = self.question
        made.runs = self.runs
        made.state = self.state
        made.suspended = self.suspended
        made.workflow = self.workflow
        made.ident = None
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    @property
    def outcome(self) -> Data:
        """The last one."""
        return self.history[-1][1] if self.history else outcomes.SUCCEEDED

    @property
    def failed(self) -> bool:
        """Whether its last outcome lets it go no further."""
        return bool(self.history) and not outcomes.good(self.history[-1][1])

    @property
    def halted(self) -> bool:
        """Whether only a person moves it on."""
        return self.suspended or self.state in STOPPED

    def ran(self, job: str) -> int:
        """How often this job ran for it."""
        return next((times for name, times in self.runs if name == job), 0)

    def after(self, event: Any) -> OrderState | None:
        """The order once this event has happened; None when it cannot happen in this state (J35)."""
        return _AFTER[type(event)](self, event)

    def __repr__(self) -> str:
        return f"<Order {visible(self.id)}: {self.state} at {list(self.position)}>"


_COPIED = tuple(name for name in OrderState.__slots__ if name != "ident")


def weigh(order: OrderState) -> int:
    """What the tree of orders counts of this one."""
    if order.state == "Processing":
        return 1 + (order.ends & 1) * _ONE[SUCCEED] + (order.ends >> 1) * _ONE[FAIL]
    if order.state == "Prompting":
        return 1 + _ONE[ANSWER]
    if order.state in ("Sleeping", "DelayingRetry") and not order.suspended:
        return 1 + _ONE[WAKE]
    return 1


# --- what an event makes of an order ---------------------------------------------------------------------------------

_Change = Callable[[OrderState, Any], OrderState | None]


def _from(states: str, **changes: Any) -> _Change:
    """From one of these states, to what is said."""
    allowed = frozenset(states.split())

    def change(order: OrderState, _: Any) -> OrderState | None:
        return order.evolve(**changes) if order.state in allowed and not order.halted else None

    return change


def _added(order: OrderState, event: ev.OrderAdded) -> OrderState | None:
    return order if order.state == "Fresh" else None


def _moved(order: OrderState, event: ev.OrderMoved) -> OrderState | None:
    if order.state not in ("Fresh", "Ready", "Processed", "Sleeping"):
        return None
    return order.evolve(position=event.to, state="Fresh" if order.state == "Fresh" else "Ready")


def _acquired(order: OrderState, _: Any) -> OrderState | None:
    if order.state not in ("Ready", "WaitingForLock"):
        return None
    return order.evolve(state="Ready", position=step_into(order.position, "lock"))


def _released(order: OrderState, _: Any) -> OrderState | None:
    """To behind the innermost Lock around."""
    at: Position | None = order.position
    while at is not None and (len(at) < 3 or at[-2] != "lock"):
        at = outer(at)
    around = outer(at) if at is not None else None
    return None if around is None else order.evolve(position=following(around))


def _started_job(order: OrderState, event: ev.OrderProcessingStarted) -> OrderState | None:
    if order.state != "Ready" or order.halted:
        return None
    runs = dict(order.runs) | {event.job: event.attempt}
    return order.evolve(state="Processing", job=event.job, runs=tuple(sorted(runs.items())), ends=3)


def _processed(order: OrderState, event: ev.OrderProcessed) -> OrderState | None:
    if order.state != "Processing":
        return None
    return order.evolve(state="Processed", job="", ends=0, history=_with(order, event.outcome))


_MOST_OUTCOMES = 1_000
"""Of a longer history the older half becomes one outcome with all of its named values."""


def _with(order: OrderState, outcome: Data) -> tuple[tuple[Position, Data], ...]:
    history = order.history
    if len(history) >= _MOST_OUTCOMES:
        older, history = history[: _MOST_OUTCOMES // 2], history[_MOST_OUTCOMES // 2 :]
        values: dict[str, Any] = {}
        for _, one in older:
            values |= outcomes.values_of(one)
        history = ((older[-1][0], outcomes.succeeded(values)), *history)
    return (*history, (order.position, outcome))


def _outcome_added(order: OrderState, event: ev.OrderOutcomeAdded) -> OrderState | None:
    return None if order.state in DONE else order.evolve(history=_with(order, event.outcome))


def _caught(order: OrderState, event: ev.OrderCaught) -> OrderState | None:
    if order.state not in ("Fresh", "Ready", "Processed") or order.halted:
        return None
    history = (*order.history, (event.moved_to, outcomes.CAUGHT)) if order.failed else order.history
    state = "Fresh" if order.state == "Fresh" else "Ready"
    return order.evolve(state=state, position=event.moved_to, history=history)


def _retrying(order: OrderState, event: ev.OrderRetrying) -> OrderState | None:
    if order.state != "Ready" or order.halted:
        return None
    return order if event.delayed_until is None else order.evolve(state="DelayingRetry")


def _prompted(order: OrderState, event: ev.OrderPrompted) -> OrderState | None:
    return None if order.state != "Ready" or order.halted else order.evolve(state="Prompting", question=event.question)


def _answered(order: OrderState, _: Any) -> OrderState | None:
    return order.evolve(state="Ready", question=None) if order.state == "Prompting" else None


def _forked(order: OrderState, event: ev.OrderForked) -> OrderState | None:
    return None if order.state != "Ready" or order.halted else order.evolve(state="Forked", children=event.children)


def _joined(order: OrderState, event: ev.OrderJoined) -> OrderState | None:
    if order.state != "Forked" or order.halted:
        return None
    return order.evolve(state="Processed", children=(), history=_with(order, event.outcome))


def _failed(order: OrderState, event: ev.OrderFailed) -> OrderState | None:
    if order.state not in _FAILABLE or order.halted:
        return None
    state = "FailedWhileFresh" if order.state == "Fresh" else "Failed"
    return order.evolve(state=state, position=event.moved_to, mark=_cancelling(order))


def _failed_in_fork(order: OrderState, event: ev.OrderFailedInFork) -> OrderState | None:
    if order.parent is None or order.state not in _FAILABLE - {"Fresh"} or order.halted:
        return None
    return order.evolve(state="FailedInFork", position=event.moved_to)


def _stopped(order: OrderState, _: Any) -> OrderState | None:
    if order.state not in _FAILABLE or order.halted:
        return None
    return order.evolve(state="StoppedWhileFresh" if order.state == "Fresh" else "Stopped", mark=_cancelling(order))


def _cancelling(order: OrderState) -> str:
    """A failure takes back the wish to suspend."""
    return order.mark if order.mark == "cancel" else ""


def _reset(order: OrderState, _: Any) -> OrderState | None:
    return order.evolve(state="Ready", mark="", question=None) if order.state in RESETTABLE else None


def _suspension_marked(order: OrderState, event: ev.OrderSuspensionMarked) -> OrderState | None:
    mark = "suspend reset" if event.reset_state else "suspend"
    return None if order.state in DONE | FAILED else order.evolve(mark=mark)


def _suspended(order: OrderState, _: Any) -> OrderState | None:
    states = RESETTABLE - {"WaitingForLock"} | {"Fresh", "Ready"}
    return order.evolve(suspended=True, mark="") if order.state in states else None


def _cancellation_marked(order: OrderState, _: Any) -> OrderState | None:
    return None if order.state in DONE else order.evolve(mark="cancel")


def _cancelled(order: OrderState, _: Any) -> OrderState | None:
    if order.state not in CANCELLABLE:
        return None
    return order.evolve(state="Cancelled", suspended=False, mark="", question=None)


def _resumption_marked(order: OrderState, _: Any) -> OrderState | None:
    return order.evolve(mark="") if order.mark.startswith("suspend") else None


def _resumed(order: OrderState, event: ev.OrderResumed) -> OrderState | None:
    states = {"Failed": "Ready", "Stopped": "Ready", "Broken": "Ready", "StoppedWhileFresh": "Fresh"}
    state = states.get(order.state, order.state if order.suspended else None)
    if state is None:
        return None
    history = _rewritten(order, event)
    if event.as_succeeded and order.failed:
        history = (*history, (order.position, outcomes.SUCCEEDED))
    position = order.position if event.position is None else event.position
    return order.evolve(state=state, position=position, suspended=False, mark="", history=history)


def _rewritten(order: OrderState, event: ev.OrderResumed) -> tuple[tuple[Position, Data], ...]:
    """The history without what lies behind the new position, and with the operations done (J236)."""
    history = list(order.history)
    if event.position is not None:
        places = [position for position, _ in history]
        if event.position in places:
            del history[places.index(event.position) :]
    for operation in event.history_operations.plain if event.history_operations is not None else ():
        position = tuple(operation["position"])
        found = next((i for i, (at, _) in enumerate(history) if at == position), None)
        kind = operation["TYPE"]
        if kind == "Append":
            history.append((position, outcomes.read(operation["outcome"], kind)))
        elif found is not None and kind == "Delete":
            del history[found]
        elif found is not None and kind == "Replace":
            history[found] = (position, outcomes.read(operation["outcome"], kind))
        elif found is not None:
            history.insert(found, (tuple(operation["newPosition"]), outcomes.read(operation["outcome"], kind)))
    return tuple(history)


def _prioritized(order: OrderState, event: ev.OrderPriorityChanged) -> OrderState | None:
    return None if order.state in DONE else order.evolve(priority=event.priority)


def _broken(order: OrderState, _: Any) -> OrderState | None:
    return None if order.state in DONE else order.evolve(state="Broken")


def _finished(order: OrderState, event: ev.OrderFinished) -> OrderState | None:
    if order.state != "Ready" or order.halted:
        return None
    history = order.history if event.outcome is None else _with(order, event.outcome)
    return order.evolve(state="Finished", history=history, mark="")


def _deleted(order: OrderState, _: Any) -> OrderState | None:
    return order.evolve(state="Deleted") if order.state in ("Finished", "Cancelled") and order.parent is None else None


_AFTER: dict[type[Any], _Change] = {
    ev.OrderAdded: _added,
    ev.OrderStarted: _from("Fresh", state="Ready"),
    ev.OrderMoved: _moved,
    ev.OrderLocksQueued: _from("Ready", state="WaitingForLock"),
    ev.OrderLocksAcquired: _acquired,
    ev.OrderLocksReleased: _released,
    ev.OrderProcessingStarted: _started_job,
    ev.OrderProcessed: _processed,
    ev.OrderOutcomeAdded: _outcome_added,
    ev.OrderCaught: _caught,
    ev.OrderRetrying: _retrying,
    ev.OrderAwoke: _from("DelayingRetry", state="Ready"),
    ev.OrderSleeping: _from("Ready", state="Sleeping"),
    ev.OrderPrompted: _prompted,
    ev.OrderPromptAnswered: _answered,
    ev.OrderForked: _forked,
    ev.OrderJoined: _joined,
    ev.OrderFailed: _failed,
    ev.OrderFailedInFork: _failed_in_fork,
    ev.OrderStopped: _stopped,
    ev.OrderStateReset: _reset,
    ev.OrderSuspensionMarked: _suspension_marked,
    ev.OrderSuspended: _suspended,
    ev.OrderResumptionMarked: _resumption_marked,
    ev.OrderResumed: _resumed,
    ev.OrderCancellationMarked: _cancellation_marked,
    ev.OrderCancelled: _cancelled,
    ev.OrderPriorityChanged: _prioritized,
    ev.OrderBroken: _broken,
    ev.OrderFinished: _finished,
    ev.OrderDeleted: _deleted,
}


class State:
    """All orders by id, all locks, and which orders of the scenario are still to come (id to place)."""

    __slots__ = ("locks", "orders", "pending")

    def __init__(self, locks: Locks, orders: Tree | None = None, pending: Tree | None = None) -> None:
        self.locks = locks
        self.orders = Tree(weigh) if orders is None else orders
        self.pending = Tree() if pending is None else pending

    def order(self, id: str) -> OrderState | None:
        found: OrderState | None = self.orders.get(id)
        return found

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, State)
            and self.locks == other.locks
            and tuple(self.pending) == tuple(other.pending)
            and tuple(map(_value, self.orders.values())) == tuple(map(_value, other.orders.values()))
        )

    def __hash__(self) -> int:
        return hash((self.locks, tuple(self.pending), tuple(map(_value, self.orders.values()))))


def _value(order: OrderState) -> tuple[Any, ...]:
    return tuple([getattr(order, name) for name in _COPIED])
