"""Where orders and locks stand after any turn, kept turn by turn from the events of a run.

A trace is enough: limits of locks come from its end, everything else from what happened. The ledger says what the
machine would describe, gives every order a number and a short label for its badge, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dexpatterns.engine.trace import Trace
from dexpatterns.js7.retelling import retell
from dexpatterns.js7.state import OrderState

__all__ = ["Ledger", "Weights"]

Weights = dict[str, int | None]
"""Weight by order; None is all of the lock."""


class Ledger:
    """The books of one run; `apply` takes in the events of a turn."""

    def __init__(self, trace: Trace) -> None:
        known: dict[str, Any] = trace.final.get("locks", {})
        self.limits: dict[str, int] = {path: known[path]["lock"]["limit"] for path in sorted(known)}
        self.orders: dict[str, OrderState] = {}
        """Those that came and are not gone; children that were joined are gone."""
        self.holders: dict[str, Weights] = {path: {} for path in self.limits}
        self.queues: dict[str, Weights] = {path: {} for path in self.limits}
        """Who waits, first come first, and for how much."""
        self.pending: set[str] = set()
        """Orders of the scenario that are still to come, or may come again."""
        self.numbers: dict[str, int] = {}
        """A number from 1 for every order, of a child that of its parent; it stays when the order is gone."""
        self.labels: dict[str, str] = {}
        """The number as a badge shows it, with a letter for every fork: `1`, `1a`, `1ab`."""
        self._expected: frozenset[str] = frozenset()

    def apply(self, events: Iterable[Any]) -> None:
        """Take in what happened, in its order."""
        for event in events:
            if event.kind == "ControllerReady":
                self._expected = frozenset(event.orders)
                self.pending.update(event.orders)
                for order in event.orders:
                    self._name(order)
                continue
            if event.kind == "OrderDeleted":
                self._delete(event.order)
            else:
                self._count(event)
                retell(self.orders, event)

    def held(self, order: str) -> Weights:
        """What an order holds, by lock."""
        return {path: held[order] for path, held in self.holders.items() if order in held}

    def wanted(self, order: str) -> Weights:
        """What an order waits for, by lock."""
        return {path: queue[order] for path, queue in self.queues.items() if order in queue}

    def status(self) -> str:
        """RUNNING while anything can happen, else how it ended: FINISHED, FAILED, or STUCK where orders wait."""
        if self.pending or any(map(_may_go_on, self.orders.values())):
            return "RUNNING"
        states = {order.state for order in self.orders.values()}
        if states & {"WaitingForLock", "Forked"}:
            return "STUCK"
        return "FINISHED" if states <= {"Finished"} else "FAILED"

    def _name(self, order: str) -> None:
        if order not in self.numbers:
            number = 1 + max(self.numbers.values(), default=0)
            self.numbers[order], self.labels[order] = number, str(number)

    def _count(self, event: Any) -> None:
        order = event.order
        if event.kind == "OrderAdded":
            self._name(order)
            self.pending.discard(order)
        elif event.kind == "OrderForked":
            for place, (_, child) in enumerate(event.children):
                letter = chr(ord("a") + place) if place < 26 else f".{place + 1}"
                self.numbers[child], self.labels[child] = self.numbers[order], f"{self.labels[order]}{letter}"
        elif event.kind == "OrderLocksQueued":
            for path, weight in event.demands:
                self.queues.setdefault(path, {})[order] = weight
        elif event.kind == "OrderLocksAcquired":
            for path, weight in event.demands:
                self.queues.setdefault(path, {}).pop(order, None)
                self.holders.setdefault(path, {})[order] = weight
        elif event.kind == "OrderLocksReleased":
            for path in event.lock_paths:
                self.holders[path].pop(order, None)
        elif event.kind == "OrderStateReset":
            for queue in self.queues.values():
                queue.pop(order, None)
        elif event.kind == "OrderJoined":
            for _, child in self.orders[order].children:
                self.orders.pop(child, None)

    def _delete(self, order: str) -> None:
        """An order of the scenario that finished is deleted because it may come again; a cancelled one does not."""
        if self.orders.pop(order).state == "Finished" and order in self._expected:
            self.pending.add(order)


def _may_go_on(order: OrderState) -> bool:
    """Whether a job, a person or a clock may move it."""
    if order.state in ("Processing", "Prompting"):
        return True
    return order.state in ("Sleeping", "DelayingRetry") and not order.suspended
