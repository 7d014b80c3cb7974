"""A run of orders that comes from a file: whether it can be shown, before anything of it is.

That each event has its fields was seen when the file was read. Here it is asked whether the last state is one of
orders and locks, and whether each event can be told and may follow those before it; that a machine would have made it,
nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NotRequired, TypedDict

from dexpatterns.engine.kept import misshapen
from dexpatterns.engine.trace import Trace
from dexpatterns.js7 import outcomes
from dexpatterns.js7.ledger import Ledger
from dexpatterns.js7.positions import Position, is_position
from dexpatterns.js7.story import sentence

__all__ = ["fault"]


class _Order(TypedDict):
    state: str
    seen: str
    workflow: str
    position: list[int | str]
    suspended: bool


class _Limit(TypedDict):
    limit: int


class _Acquired(TypedDict):
    TYPE: str
    orderId: NotRequired[str]
    orderToCount: NotRequired[dict[str, int]]


class _Lock(TypedDict):
    lock: _Limit
    acquired: _Acquired
    queue: list[str]


class _Final(TypedDict):
    """What is read of the shape that `Js7Machine.describe` gives a state."""

    status: str
    orders: dict[str, _Order]
    locks: dict[str, _Lock]
    pending: list[str]


def fault(trace: Trace) -> str | None:
    """The first thing that stands in the way of showing it; None where nothing does."""
    if (wrong := misshapen(trace.final, _Final)) is not None:
        return wrong
    for id, order in trace.final["orders"].items():
        if not is_position(order["position"]):
            return f"at final.orders, order {id!r}, expected {_A_POSITION}, got {order['position']!r}"
    ledger = Ledger(trace)
    for turn, events in enumerate((trace.started, *(turn.events for turn in trace.turns))):
        for place in _places(events):
            if not is_position(place):
                return f"at turn {turn} expected {_A_POSITION}, got {list(place)!r}"
        try:
            ledger.apply(events)
            for event in events:
                sentence(event)
                if (outcome := getattr(event, "outcome", None)) is not None:
                    outcomes.values_of(outcome)
        except (LookupError, TypeError, ValueError, AttributeError, AssertionError):
            return f"what happens in turn {turn} cannot follow from what was before"
    return None


_A_POSITION = "a position, numbers and branch names in turn"


def _places(events: Iterable[Any]) -> Iterable[Position]:
    """The positions that events tell."""
    places = (getattr(event, name, None) for event in events for name in ("to", "moved_to", "position"))
    return (place for place in places if place is not None)
