"""How an order leaves blocks other than by their end: it fails, is stopped, is cancelled, or finishes early.

The order of events is that of J311 to J351: first the outcome, then the Locks from the inside out, then what became
of the order. Which locks lie on the way is `walking`'s business.
"""

from __future__ import annotations

from dexpatterns.engine.values import Data
from dexpatterns.js7 import events as ev
from dexpatterns.js7.draft import Draft
from dexpatterns.js7.instructions import Fork, ForkList
from dexpatterns.js7.state import RESETTABLE, OrderState
from dexpatterns.js7.walking import Way, stops, way_out

__all__ = ["cancel", "fail", "fork_of", "leave"]


def fail(draft: Draft, order: OrderState, outcome: Data | None = None, uncatchable: bool = False) -> None:
    """The order fails where it stands; without an outcome its last one says why (J311)."""
    if outcome is not None:
        order = draft.emit(ev.OrderOutcomeAdded(order.id, outcome))
    workflow = draft.rules.workflow(order)
    if stops(workflow, order.position):
        draft.emit(ev.OrderStopped(order.id))
        return
    way = leave(draft, order, catchable=not uncatchable)
    if way.caught:
        draft.emit(ev.OrderCaught(order.id, way.end))
    elif _joins_failed(draft, order):
        draft.emit(ev.OrderFailedInFork(order.id, way.end))
    else:
        draft.emit(ev.OrderFailed(order.id, way.end))


def leave(draft: Draft, order: OrderState, catchable: bool = False) -> Way:
    """Release every Lock on the way out; where the way ends is told, not gone."""
    way = way_out(draft.rules.workflow(order), order.position, catchable)
    for paths in way.left:
        draft.release(order.id, paths)
    return way


def _joins_failed(draft: Draft, order: OrderState) -> bool:
    parent = draft.order(order.parent) if order.parent is not None else None
    return parent is not None and fork_of(draft, parent).join_if_failed


def fork_of(draft: Draft, parent: OrderState) -> Fork | ForkList:
    """The instruction that a forked order stands at."""
    instruction = draft.rules.workflow(parent).at(parent.position)
    assert isinstance(instruction, (Fork, ForkList))
    return instruction


def cancel(draft: Draft, order: OrderState) -> None:
    """The order ends here (J231)."""
    if order.state in RESETTABLE:
        order = draft.reset(order)
    leave(draft, order)
    draft.emit(ev.OrderCancelled(order.id))
