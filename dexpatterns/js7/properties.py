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

__all__ = ["NoStarvation", "no_deadlock", "no_lock_kept", "no_overcommitment", "no_starvation", "usual_properties"]


_SAY: dict[str, tuple[str, str]] = {
    "overcommitment": ("no over-commitment", "锁从不被超额占有"),
    "kept": ("no lock kept", "结束的订单不保留锁"),
    "kept strictly": (
        "no lock kept, not by stopped orders or for failed children either",
        "锁不被保留，停止的订单和等待失败子订单的父订单也不保留",
    ),
    "deadlock": ("no deadlock", "没有死锁"),
    "starvation": ("no starvation of {order}", "{order} 不会饿死"),
    "alone and shared": (
        "{lock} is held by {order} alone and by {orders} in shares",
        "{lock} 被 {order} 独占，同时又被 {orders} 按份占有",
    ),
    "too much": (
        "{lock} with limit {limit} is held with weights of {used} in all",
        "{lock} 的上限是 {limit}，占有的权重合计却是 {used}",
    ),
    "held by": ("{lock} is held by {order}, which {why}", "{lock} 被 {order} 占有，而它{why}"),
    "gone": ("is gone", "已不存在"),
    "is": ("is {state}", "处于 {state}"),
    "waits for": ("waits for its child {child}, which is {state}", "在等子订单 {child}，后者处于 {state}"),
    "and": (", ", "、"),
}


def _say(lang: str, key: str, **fields: object) -> str:
    return _SAY[key][1 if lang == "zh" else 0].format(**fields)


class _OfOrders(Property):
    """A property of orders and locks."""

    said = ""
    """Its line of `_SAY`."""

    def check(self, machine: Machine[Any]) -> None:
        if machine.kind != "js7":
            raise InputError(f"property {self.name!r} is one of JS7 orders, got a machine of {machine.kind!r}")

    def title(self, lang: str = "en") -> str:
        return _say(lang, self.said)

    def fault(self, memory: Any, view: View) -> str | None:
        return self.told(memory, view)


class _NoOvercommitment(_OfOrders):
    said = "overcommitment"
    name = "no over-commitment"

    def told(self, memory: Any, view: View, lang: str = "en") -> str | None:
        for lock in view.state.locks.states.values():
            if lock.exclusive is not None and lock.shares:
                shares = _say(lang, "and").join(lock.holders)
                return _say(lang, "alone and shared", lock=lock.lock, order=lock.exclusive, orders=shares)
            if lock.used > lock.lock.limit:
                return _say(lang, "too much", lock=lock.lock, limit=lock.lock.limit, used=lock.used)
        return None


class _NoLockKept(_OfOrders):
    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.said = "kept strictly" if strict else "kept"
        self.name = self.title()

    def told(self, memory: Any, view: View, lang: str = "en") -> str | None:
        state: State = view.state
        for lock in state.locks.states.values():
            for id in lock.holders:
                why = self._why(state, state.order(id), lang)
                if why:
                    return _say(lang, "held by", lock=lock.lock, order=id, why=why)
        return None

    def _why(self, state: State, order: OrderState | None, lang: str) -> str:
        if order is None:
            return _say(lang, "gone")
        if order.state in FAILED | DONE or (self.strict and order.state in STOPPED):
            return _say(lang, "is", state=order.state)
        if self.strict and order.state == "Forked":
            for _, id in order.children:
                child = state.order(id)
                if child is not None and child.state in STOPPED | {"Failed"}:
                    return _say(lang, "waits for", child=id, state=child.state)
        return ""


class _NoDeadlock(_OfOrders):
    said = "deadlock"
    name = "no deadlock"

    def told(self, memory: Any, view: View, lang: str = "en") -> str | None:
        if not any(lock.waiting for lock in view.state.locks.states.values()):
            return None
        machine: Any = view.machine
        found = waits.circle(machine.rules, view.state)
        return waits.tell_circle(view.state, found, lang) if found else None


class NoStarvation(_OfOrders):
    """Judged by `starvation`, over the graph of all states."""

    def __init__(self, order: Any) -> None:
        if not isinstance(order, str) or not order:
            raise InputError(f"no_starvation: expected the id of an order, got {order!r}")
        self.order = order
        self.name = self.title()

    def title(self, lang: str = "en") -> str:
        return _say(lang, "starvation", order=self.order)

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


def usual_properties() -> tuple[Property, ...]:
    """What is asked when nothing else is said."""
    return no_overcommitment(), no_lock_kept(), no_deadlock()
