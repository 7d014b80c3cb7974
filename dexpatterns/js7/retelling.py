"""Orders as their events tell of them: a run's trace is enough, no workflow and no machine is needed.

`retold` follows the events from the start; each order that ever came is in it as it was last, one that is gone too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dexpatterns.engine.values import freeze
from dexpatterns.js7 import events as ev
from dexpatterns.js7.positions import TOP, step_into
from dexpatterns.js7.state import OrderState

__all__ = ["retell", "retold"]

_NOTHING = freeze({})


def retell(orders: dict[str, OrderState], event: Any) -> None:
    """Let an event happen to the orders that are known so far."""
    if isinstance(event, ev.ControllerReady):
        return
    if isinstance(event, ev.OrderAdded):
        arguments = _NOTHING if event.arguments is None else event.arguments
        orders[event.order] = OrderState(
            event.order, (), event.workflow, TOP, "Fresh", arguments, priority=event.priority or 0,
            delete=bool(event.delete_when_terminated),
        )  # fmt: skip
        return
    order = orders[event.order]
    if isinstance(event, ev.OrderForked):
        for branch, id in event.children:
            orders[id] = OrderState(
                id, (), order.workflow, step_into(order.position, branch), "Ready", order.arguments,
                priority=order.priority, parent=order.id, history=order.history,
            )  # fmt: skip
    after = order.after(event)
    assert after is not None
    orders[event.order] = after


def retold(events: Iterable[Any]) -> dict[str, OrderState]:
    """Every order after all of these events, by id."""
    orders: dict[str, OrderState] = {}
    for event in events:
        retell(orders, event)
    return orders
