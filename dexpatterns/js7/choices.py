"""Everything that may happen next to the orders, as a sequence that is counted and not built.

The tree of orders counts whose job may end, who waits for the clock, and who asks a person; the machine gives every
choice named here its meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dexpatterns.engine.machine import Choice, Choices
from dexpatterns.js7.state import ANSWER, FAIL, SUCCEED, WAKE, OrderState, State

__all__ = ["KINDS", "OrderChoices"]

KINDS = (("succeed", SUCCEED), ("fail", FAIL), ("wake", WAKE), ("answer", ANSWER))
"""A choice's kind, and the count of the tree that tells whom it concerns."""
_FIELDS = dict(KINDS)


class OrderChoices(Choices):
    """Orders that may come, jobs that may end, waits that may be over, questions that may be answered."""

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def immediate(self) -> int:
        return 0

    @property
    def urgent(self) -> bool:
        return False

    @property
    def untimed(self) -> int:
        return 0

    @property
    def owed(self) -> bool:
        return len(self) > 0

    def __len__(self) -> int:
        orders = self._state.orders
        return len(self._state.pending) + sum(orders.count(field) for _, field in KINDS)

    def __iter__(self) -> Iterator[Choice]:
        for id, place in self._state.pending:
            yield Choice("arrive", id, place)
        for kind, field in KINDS:
            for order in self._state.orders.of(field):
                yield Choice(kind, order.id, order.place)

    def __getitem__(self, k: Any) -> Any:
        size = len(self)
        if isinstance(k, slice):
            return tuple(self[i] for i in range(*k.indices(size)))
        k = k + size if k < 0 else k
        if k >= 0:
            pending = self._state.pending
            if k < len(pending):
                id, place, _ = pending.kth(0, k)
                return Choice("arrive", id, place)
            k -= len(pending)
            for kind, field in KINDS:
                here = self._state.orders.count(field)
                if k < here:
                    order: OrderState = self._state.orders.kth(field, k)[1]
                    return Choice(kind, order.id, order.place)
                k -= here
        raise IndexError(k)

    def __contains__(self, choice: object) -> bool:
        if not isinstance(choice, Choice):
            return False
        if choice.kind == "arrive":
            return self._state.pending.get(choice.name) == choice.path and choice.name in self._state.pending
        field = _FIELDS.get(choice.kind)
        order = self._state.order(choice.name)
        if field is None or order is None or order.place != choice.path:
            return False
        return may(order, field)

    def __repr__(self) -> str:
        return f"<{len(self)} choices>"


def may(order: OrderState, field: int) -> bool:
    """Whether this can happen to the order now."""
    if field in (SUCCEED, FAIL):
        return order.state == "Processing" and bool(order.ends & (1 if field == SUCCEED else 2))
    if field == WAKE:
        return order.state in ("Sleeping", "DelayingRetry") and not order.suspended
    return order.state == "Prompting"
