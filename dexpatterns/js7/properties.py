"""What can be asked of workflows, orders and locks in every state that they reach.

`no_starvation` asks for more than a state can show: a circle of states. `starvation` judges it, and `check` knows.
"""

from __future__ import annotations

from typing import Any

from dexpatterns.engine.machine import Machine
from dexpatterns.engine.properties import Property, View
from dexpatterns.errors import InputError
from dexpatterns.js7 import waits
from dexpatterns.js7.fields import suggest
from dexpatterns.js7.state import DONE, FAILED, STOPPED, OrderState, State

__all__ = ["NoStarvation", "no_deadlock", "no_lock_kept", "no_overcommitment", "no_starvation"]


class _OfOrders(Property):
    """A property of orders and locks."""

    def check(self, machine: Machine[Any]) -> None:
        if machine.kind != "js7":
            raise InputError(f"property {self.name!r} is one of JS7 orders, got a machine of {machine.kind!r}")


class _NoOvercommitment(_OfOrders):
    name = "no over-commitment"

    def fault(self, memory: Any, view: View) -> str | None:
        for lock in view.state.locks.states.values():
            if lock.exclusive is not None and lock.shares:
                return f"{lock.lock} is held by {lock.exclusive} alone and by {', '.join(lock.holders)} in shares"
            if lock.used > lock.lock.limit:
                return f"{lock.lock} with limit {lock.lock.limit} is held with weights of {lock.used} in all"
        return None


class _NoLockKept(_OfOrders):
    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.name = "no lock kept" + (", not by stopped orders or for failed children either" if strict else "")

    def fault(self, memory: Any, view: View) -> str | None:
        state: State = view.state
        for lock in state.locks.states.values():
            for id in lock.holders:
                why = self._why(state, state.order(id))
                if why:
                    return f"{lock.lock} is held by {id}, which {why}"
        return None

    def _why(self, state: State, order: OrderState | None) -> str:
        if order is None:
            return "is gone"
        if order.state in FAILED | DONE or (self.strict and order.state in STOPPED):
            return f"is {order.state}"
        if self.strict and order.state == "Forked":
            for _, id in order.children:
                child = state.order(id)
                if child is not None and child.state in STOPPED | {"Failed"}:
                    return f"waits for its child {id}, which is {child.state}"
        return ""


class _NoDeadlock(_OfOrders):
    name = "no deadlock"

    def fault(self, memory: Any, view: View) -> str | None:
        if not any(lock.waiting for lock in view.state.locks.states.values()):
            return None
        machine: Any = view.machine
        found = waits.circle(machine.rules, view.state)
        return waits.tell_circle(view.state, found) if found else None


class NoStarvation(_OfOrders):
    """Judged by `starvation`, over the graph of all states."""

    def __init__(self, order: Any) -> None:
        if not isinstance(order, str) or not order:
            raise InputError(f"no_starvation: expected the id of an order, got {order!r}")
        self.order = order
        self.name = f"no starvation of {order}"

    def check(self, machine: Machine[Any]) -> None:
        super().check(machine)
        known: Any = machine
        ids = [order.id for order in known.orders]
        if self.order.partition("|")[0] not in ids:
            raise InputError(f"no_starvation: no order {self.order!r} comes{suggest(self.order, ids)}")

    def fault(self, memory: Any, view: View) -> str | None:
        raise InputError(f"property {self.name!r} needs the whole graph of states; use js7.check")


def no_overcommitment() -> Property:
    """No lock is held with more weight than its limit, or by one alone and by others (J201)."""
    return _NoOvercommitment()


def no_lock_kept(strict: bool = False) -> Property:
    """No lock is held by an order that failed, finished or was cancelled.

    A stopped order may keep its locks, and so may one that waits for a failed child (J342, J313); with `strict`
    neither may.
    """
    return _NoLockKept(strict)


def no_deadlock() -> Property:
    """No orders wait for each other in a circle (J214)."""
    return _NoDeadlock()


def no_starvation(order: str) -> Property:
    """The order never waits for ever for its locks: not in a dead end, and not while others go round ahead of it.

    What goes round is fair: a job that may end does end. Orders come as often as they may (`Order(repeats=True)`).
    """
    return NoStarvation(order)

