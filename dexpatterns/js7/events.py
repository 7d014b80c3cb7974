"""What can happen to an order, as data: the vocabulary between the machine and everything that reads its runs.

Each event is a named tuple; `kind` and `name` are the name that JS7 gives it, `order` is the order's id, and `data`
its fields as JSON (J114). Two events are equal when kind and fields are. This module decides nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dexpatterns.engine.values import Data
from dexpatterns.js7.positions import Position

__all__ = [
    "EVENTS", "ControllerReady", "OrderAdded", "OrderAwoke", "OrderBroken", "OrderCancellationMarked",
    "OrderCancelled", "OrderCaught", "OrderDeleted", "OrderEvent", "OrderFailed", "OrderFailedInFork",
    "OrderFinished", "OrderForked", "OrderJoined", "OrderLocksAcquired", "OrderLocksQueued", "OrderLocksReleased",
    "OrderMoved", "OrderOutcomeAdded", "OrderPriorityChanged", "OrderProcessed", "OrderProcessingStarted",
    "OrderPromptAnswered", "OrderPrompted", "OrderResumed", "OrderResumptionMarked", "OrderRetrying",
    "OrderSleeping", "OrderStarted", "OrderStateReset", "OrderStopped", "OrderSuspended", "OrderSuspensionMarked",
]  # fmt: skip

Demands = tuple[tuple[str, int | None], ...]
"""(lock, weight), in the order of the instruction; no weight is exclusive."""

_NAMES = {
    "lock_paths": "lockPaths", "moved_to": "movedTo", "delayed_until": "delayedUntil", "as_succeeded": "asSucceeded",
    "history_operations": "historyOperations", "workflow": "workflowPath", "job": "jobName",
    "delete_when_terminated": "deleteWhenTerminated",
}  # fmt: skip
_UNSAID = frozenset(("order", "seconds"))


class OrderEvent:
    """What all events have in common."""

    __slots__ = ()

    order: str
    """The order that it is about."""

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def name(self) -> str:
        return type(self).__name__

    @property
    def data(self) -> dict[str, Any]:
        """The fields as JSON; what is not there has no field."""
        fields: dict[str, Any] = self._asdict()  # type: ignore[attr-defined]  # every event is a named tuple too
        return {
            _NAMES.get(name, name): _json(name, value)
            for name, value in fields.items()
            if name not in _UNSAID and value is not None
        }

    def __eq__(self, other: object) -> bool:
        mine: Any = self
        theirs: Any = other
        return type(mine) is type(theirs) and tuple(mine) == tuple(theirs)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), *self))  # type: ignore[misc]


def _json(name: str, value: Any) -> Any:
    if isinstance(value, Data):
        return value.plain
    if name == "demands":
        return [{"lockPath": lock} | ({} if weight is None else {"count": weight}) for lock, weight in value]
    if name == "children":
        ids = [(branch.partition("+")[2], order) for branch, order in value]
        return [({"branchId": branch} if branch else {}) | {"orderId": order} for branch, order in ids]
    if name == "reset_state":
        return {"resetState": True} if value else {}
    return list(value) if isinstance(value, tuple) else value


# The shapes that events have.


class _Order(NamedTuple):
    order: str


class _Demands(NamedTuple):
    order: str
    demands: Demands


class _Locks(NamedTuple):
    order: str
    lock_paths: tuple[str, ...]


class _To(NamedTuple):
    order: str
    to: Position


class _MovedTo(NamedTuple):
    order: str
    moved_to: Position


class _Outcome(NamedTuple):
    order: str
    outcome: Data


class _MaybeOutcome(NamedTuple):
    order: str
    outcome: Data | None


class _Resumption(NamedTuple):
    order: str
    position: Position | None
    history_operations: Data | None
    as_succeeded: bool


class _Expected(NamedTuple):
    order: str
    orders: tuple[str, ...]


class _Added(NamedTuple):
    order: str
    workflow: str
    arguments: Data | None
    priority: int | None
    delete_when_terminated: bool | None


class _Job(NamedTuple):
    order: str
    job: str
    attempt: int


class _Retrying(NamedTuple):
    order: str
    delayed_until: int | None
    seconds: float


class _Until(NamedTuple):
    order: str
    until: int
    seconds: float


class _Question(NamedTuple):
    order: str
    question: Data


class _Children(NamedTuple):
    order: str
    children: tuple[tuple[str, str], ...]


class _Mode(NamedTuple):
    order: str
    reset_state: bool


class _Cancelling(NamedTuple):
    order: str
    mode: Data


class _Priority(NamedTuple):
    order: str
    priority: int


# The events.


class ControllerReady(OrderEvent, _Expected):
    """The orders of the scenario may come; `order` is ''."""

    __slots__ = ()


class OrderAdded(OrderEvent, _Added):
    """It came, with its arguments and a priority other than 0."""

    __slots__ = ()


class OrderStarted(OrderEvent, _Order):
    """It came to its first instruction that does more than move it (J304)."""

    __slots__ = ()


class OrderMoved(OrderEvent, _To):
    """It went on to another instruction."""

    __slots__ = ()


class OrderLocksQueued(OrderEvent, _Demands):
    """It waits for all of these locks (J212)."""

    __slots__ = ()


class OrderLocksAcquired(OrderEvent, _Demands):
    """It holds all of these locks, and stands at the first instruction under them (J303)."""

    __slots__ = ()


class OrderLocksReleased(OrderEvent, _Locks):
    """It gave these locks back, and stands behind their instruction."""

    __slots__ = ()


class OrderProcessingStarted(OrderEvent, _Job):
    """A job runs for it, the n-th time for this order."""

    __slots__ = ()


class OrderProcessed(OrderEvent, _Outcome):
    """The job ended."""

    __slots__ = ()


class OrderOutcomeAdded(OrderEvent, _Outcome):
    """Something other than a job ended so."""

    __slots__ = ()


class OrderCaught(OrderEvent, _MovedTo):
    """A Try catches its failure (J321)."""

    __slots__ = ()


class OrderRetrying(OrderEvent, _Retrying):
    """It is tried once more, now or `seconds` later; `delayed_until` counts milliseconds of the virtual clock."""

    __slots__ = ()


class OrderAwoke(OrderEvent, _Order):
    """The delay before a retry is over."""

    __slots__ = ()


class OrderSleeping(OrderEvent, _Until):
    """It sleeps for `seconds`; `until` counts milliseconds of the virtual clock."""

    __slots__ = ()


class OrderPrompted(OrderEvent, _Question):
    """It asks a person."""

    __slots__ = ()


class OrderPromptAnswered(OrderEvent, _Order):
    """The person answered."""

    __slots__ = ()


class OrderForked(OrderEvent, _Children):
    """Its children run, each as (branch of the position, order); it waits for all of them."""

    __slots__ = ()


class OrderJoined(OrderEvent, _Outcome):
    """Its children are done, and gone (J315)."""

    __slots__ = ()


class OrderFailed(OrderEvent, _MovedTo):
    """It failed for good, and holds no lock from here on out (J312)."""

    __slots__ = ()


class OrderFailedInFork(OrderEvent, _MovedTo):
    """A child failed whose parent joins failed children (J313)."""

    __slots__ = ()


class OrderStopped(OrderEvent, _Order):
    """It failed where it stays, with all its locks (J342)."""

    __slots__ = ()


class OrderStateReset(OrderEvent, _Order):
    """It no longer waits for what it waited for (J221)."""

    __slots__ = ()


class OrderSuspensionMarked(OrderEvent, _Mode):
    """It is to be suspended as soon as that can be (J232)."""

    __slots__ = ()

    @property
    def data(self) -> dict[str, Any]:
        return {"mode": _json("reset_state", self.reset_state)}


class OrderSuspended(OrderEvent, _Order):
    """It stands still until it is resumed."""

    __slots__ = ()


class OrderResumptionMarked(OrderEvent, _Resumption):
    """It is not to be suspended after all."""

    __slots__ = ()


class OrderResumed(OrderEvent, _Resumption):
    """It goes on (J234, J343)."""

    __slots__ = ()


class OrderCancellationMarked(OrderEvent, _Cancelling):
    """It is to be cancelled as soon as that can be (J231)."""

    __slots__ = ()


class OrderCancelled(OrderEvent, _Order):
    """It ended before its end."""

    __slots__ = ()


class OrderPriorityChanged(OrderEvent, _Priority):
    """Its place among those that wait is another from the next sweep on (J226)."""

    __slots__ = ()


class OrderBroken(OrderEvent, _Order):
    """It cannot go on in any way. The machine here breaks no order; the word is kept for runs from elsewhere."""

    __slots__ = ()


class OrderFinished(OrderEvent, _MaybeOutcome):
    """It came to its end."""

    __slots__ = ()


class OrderDeleted(OrderEvent, _Order):
    """It is gone."""

    __slots__ = ()


EVENTS: dict[str, type[Any]] = {cls.__name__: cls for cls in OrderEvent.__subclasses__()}
"""Every event class by its kind."""
