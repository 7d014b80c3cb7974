"""Where JS7 orders and locks stand after a turn of a run: the counterpart of a Flow's `Moment`, by its own names.

An order is no execution of a Step and a resource lock is no Attribute lock, so this is a tuple of its own; it shares
`turn`, `time` and `status` with the other. It is read from the trace alone and agrees with what the machine
describes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from dexpatterns.engine.trace import Trace
from dexpatterns.js7.ledger import Ledger
from dexpatterns.js7.positions import Position
from dexpatterns.js7.state import SHOWN, OrderState

__all__ = ["PHASES", "LockAt", "OrderAt", "OrdersFold", "OrdersMoment", "Share", "describe"]

PHASES: Mapping[str, str] = {
    "Processing": "running", "WaitingForLock": "waiting", "Prompting": "waiting", "Sleeping": "waiting",
    "Forked": "waiting", "DelayingRetry": "retrying", "Failed": "failed", "FailedWhileFresh": "failed",
    "FailedInFork": "failed", "Stopped": "failed", "StoppedWhileFresh": "failed", "Broken": "failed",
    "Finished": "ended", "Cancelled": "ended",
}  # fmt: skip
"""The phase of a state, in the words of a graph; every other state is 'queued': something goes on at once."""


class Share(NamedTuple):
    """A part of a lock that an order holds or waits for; no weight is all of it."""

    order: str
    lock: str
    weight: int | None


class OrderAt(NamedTuple):
    """An order that came and is not gone."""

    id: str
    label: str
    """Its number as its badge shows it, of a child with a letter: `2`, `2a`."""
    number: int
    """From 1; of a child that of its parent."""
    workflow: str
    position: Position
    state: str
    """One of J301."""
    seen: str
    """What a user sees of it (J302)."""
    phase: str
    """'running', 'waiting', 'retrying', 'queued', 'failed' or 'ended'."""
    suspended: bool
    priority: int
    parent: str
    """'' of an order that was not forked."""
    job: str
    """Of a running one; '' for none, or for a job without a name."""
    attempt: int
    """Which run of that job it is for this order; 0 while none runs."""
    holds: tuple[Share, ...]
    waits: tuple[Share, ...]


class LockAt(NamedTuple):
    """A lock: how much there is of it, who holds it, and who waits, first come first."""

    path: str
    limit: int
    used: int
    """The sum of the weights; held exclusively, the limit."""
    holders: tuple[Share, ...]
    queue: tuple[Share, ...]

    @property
    def exclusive(self) -> bool:
        """Whether one order holds all of it."""
        return any(share.weight is None for share in self.holders)


class OrdersMoment(NamedTuple):
    """The state after turn `turn`; nothing in it is changed by what happens later."""

    turn: int
    time: float | None
    status: str
    """RUNNING, FINISHED, FAILED, or STUCK where orders wait for ever."""
    orders: Mapping[str, OrderAt]
    """By id, in the order of their numbers."""
    locks: Mapping[str, LockAt]
    """By path, sorted."""
    pending: tuple[str, ...]
    """Orders that are still to come, by number."""
    labels: Mapping[str, str]
    """The label of every order so far, of those too that are still to come or gone."""
    numbers: Mapping[str, int]


class OrdersFold:
    """The books of a run, kept turn by turn."""

    def __init__(self, trace: Trace) -> None:
        self.turn = 0
        self.time: float | None = None
        self.ledger = Ledger(trace)
        self._kept: dict[str, tuple[Any, OrderAt]] = {}
        self._names: tuple[Mapping[str, str], Mapping[str, int]] = ({}, {})

    def apply(self, events: Iterable[Any], turn: int, time: float | None) -> None:
        """Take in the events of one turn."""
        self.turn, self.time = turn, time
        self.ledger.apply(events)

    def moment(self) -> OrdersMoment:
        books = self.ledger
        holds: dict[str, list[Share]] = {}
        waits: dict[str, list[Share]] = {}
        locks = {}
        for path in books.holders:
            held = tuple(Share(order, path, weight) for order, weight in sorted(books.holders[path].items()))
            queue = tuple(Share(order, path, weight) for order, weight in books.queues[path].items())
            limit = books.limits.get(path, 0)
            used = limit if any(one.weight is None for one in held) else sum(one.weight or 0 for one in held)
            locks[path] = LockAt(path, limit, used, held, queue)
            for kept, shares in ((holds, held), (waits, queue)):
                for share in shares:
                    kept.setdefault(share.order, []).append(share)
        known = sorted(books.orders, key=lambda id: (books.numbers[id], books.labels[id]))
        orders = {id: self._order(id, tuple(holds.get(id, ())), tuple(waits.get(id, ()))) for id in known}
        pending = tuple(sorted(books.pending, key=books.numbers.__getitem__))
        if len(self._names[0]) < len(books.labels):
            self._names = dict(books.labels), dict(books.numbers)
        return OrdersMoment(self.turn, self.time, books.status(), orders, locks, pending, *self._names)

    def _order(self, id: str, holds: tuple[Share, ...], waits: tuple[Share, ...]) -> OrderAt:
        """The order as it is; the same as before where nothing happened to it."""
        order = self.ledger.orders[id]
        before, made = self._kept.get(id, (None, None))
        if made is None or before is not order or made.holds != holds or made.waits != waits:
            made = _order(order, self.ledger, holds, waits)
            self._kept[id] = order, made
        return made


def _order(order: OrderState, books: Ledger, holds: tuple[Share, ...], waits: tuple[Share, ...]) -> OrderAt:
    return OrderAt(
        order.id, books.labels[order.id], books.numbers[order.id], order.workflow, order.position, order.state,
        "SUSPENDED" if order.suspended else SHOWN[order.state], PHASES.get(order.state, "queued"), order.suspended,
        order.priority, order.parent or "", order.job, order.ran(order.job) if order.state == "Processing" else 0,
        holds, waits,
    )  # fmt: skip


def describe(at: OrdersMoment) -> dict[str, Any]:
    """The moment as plain data, in the shape of `Machine.describe`."""
    return {
        "status": at.status,
        "orders": {
            order.id: {
                "state": order.state, "seen": order.seen, "workflow": order.workflow,
                "position": list(order.position), "suspended": order.suspended, "priority": order.priority,
            }
            for order in at.orders.values()
        },
        "locks": {path: _snapshot(lock) for path, lock in at.locks.items()},
        "pending": sorted(at.pending),
    }  # fmt: skip


def _snapshot(lock: LockAt) -> dict[str, Any]:
    acquired: dict[str, Any] = {"TYPE": "Available"}
    if lock.exclusive:
        acquired = {"TYPE": "Exclusive", "orderId": lock.holders[0].order}
    elif lock.holders:
        acquired = {"TYPE": "NonExclusive", "orderToCount": {one.order: one.weight for one in lock.holders}}
    told = {"path": lock.path, "limit": lock.limit}
    return {"lock": told, "acquired": acquired, "queue": [one.order for one in lock.queue]}
