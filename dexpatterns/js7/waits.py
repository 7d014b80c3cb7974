"""Who waits for whom, and for whom nothing can ever come: a pure look at one state.

An order is *lively* when it may go on by a job, a clock or an answer, or once all lively ones have given back what
they hold. The others wait for ever: because of a circle among them (a deadlock, J214), or because of an order that
was stopped, has failed or is suspended. Nothing here looks ahead; a lively order is taken to come to its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dexpatterns.js7.draft import Rules
from dexpatterns.js7.instructions import Demand, LockInstruction
from dexpatterns.js7.locks import LockState
from dexpatterns.js7.state import DONE, OrderState, State

__all__ = ["Link", "circle", "demands_of", "helpless", "links", "tell_circle", "tell_waits"]

_LIVELY = frozenset(("Processing", "Prompting", "Sleeping", "DelayingRetry", "Fresh", "Ready", "Processed"))


class Link(NamedTuple):
    """One order waits for another: for a lock that it holds, a place that it has in a queue, or for it as a child."""

    order: str
    other: str
    lock: str
    """'' when `other` is a child that is waited for."""


def demands_of(rules: Rules, order: OrderState) -> tuple[Demand, ...]:
    """What a waiting order waits for."""
    instruction = rules.workflow(order).at(order.position) if order.state == "WaitingForLock" else None
    return instruction.demands if isinstance(instruction, LockInstruction) else ()


def helpless(rules: Rules, state: State) -> dict[str, OrderState]:
    """The orders that wait for locks or children and can never go on by what is under way."""
    waiting = [o for o in state.orders.values() if o.state in ("WaitingForLock", "Forked")]
    if not waiting:
        return {}
    stuck = {o.id: o for o in waiting}
    still = {o.id for o in state.orders.values() if o.state not in _LIVELY | DONE or o.suspended}
    while True:
        freed = [id for id, order in stuck.items() if id in still and _may_go_on(rules, state, order, still)]
        if not freed:
            return {id: order for id, order in stuck.items() if id in still}
        still -= set(freed)


def _may_go_on(rules: Rules, state: State, order: OrderState, still: set[str]) -> bool:
    """Whether all that it waits for comes from those that are not `still`."""
    if order.suspended:
        return False
    if order.state == "Forked":
        return not any(id in still and not _joinable(state, id) for _, id in order.children)
    return not any(_blocks(state.locks[demand.lock], demand, still, rules.fair, order.id)
                   for demand in demands_of(rules, order))  # fmt: skip


def _joinable(state: State, id: str) -> bool:
    child = state.order(id)
    return child is not None and child.state in ("FailedInFork", "Cancelled")


def _blocks(lock: LockState, demand: Demand, still: set[str], fair: bool, order: str) -> bool:
    """Whether the demand cannot be met once all but those that are `still` have left the lock and its queue."""
    held = {one: weight for one, weight in lock.holders.items() if one in still}
    if any(weight is None for weight in held.values()) or (held and demand.weight is None):
        return True
    if demand.weight is not None and sum(weight or 0 for weight in held.values()) + demand.weight > lock.lock.limit:
        return True
    return fair and any(one in still for one in _ahead(lock, order))


def _ahead(lock: LockState, order: str) -> Iterator[str]:
    for one in lock.queue:
        if one == order:
            return
        yield one


def links(rules: Rules, state: State, order: OrderState) -> Iterator[Link]:
    """Whom the order waits for."""
    if order.state == "Forked":
        for _, id in order.children:
            if not _joinable(state, id):
                yield Link(order.id, id, "")
    for demand in demands_of(rules, order):
        lock = state.locks[demand.lock]
        room = lock.lock.limit - lock.used
        if lock.exclusive is not None or (lock.shares if demand.weight is None else demand.weight > room):
            for other in lock.holders:
                yield Link(order.id, other, demand.lock)
        if rules.fair:
            for other in _ahead(lock, order.id):
                yield Link(order.id, other, demand.lock)


def circle(rules: Rules, state: State) -> tuple[Link, ...]:
    """A shortest circle among those that wait for ever; empty when there is none."""
    stuck = helpless(rules, state)
    edges = {id: [one for one in links(rules, state, order) if one.other in stuck] for id, order in stuck.items()}
    found: tuple[Link, ...] = ()
    for start in sorted(edges):
        made = _shortest(edges, start)
        if made and (not found or len(made) < len(found)):
            found = made
    return found


def _shortest(edges: dict[str, list[Link]], start: str) -> tuple[Link, ...]:
    via: dict[str, Link] = {}
    queue = [start]
    for here in queue:
        for link in edges[here]:
            if link.other == start:
                way = [link]
                while way[-1].order != start:
                    way.append(via[way[-1].order])
                return tuple(reversed(way))
            if link.other not in via:
                via[link.other] = link
                queue.append(link.other)
    return ()


_SAY = {
    "holds": ("{order} holds {held} and waits for {lock}", "{order} 占有 {held}，等待 {lock}"),
    "lacks": ("{order} waits for {lock}", "{order} 等待 {lock}"),
    "child": ("{order} waits for its child {other}", "{order} 等待它的子订单 {other}"),
    "child holds": (
        "{order} holds {held} and waits for its child {other}", "{order} 占有 {held}，等待它的子订单 {other}"
    ),
    "held": ("{order} waits for {lock}, held by {who}", "{order} 等待 {lock}，由 {who} 占有"),
    "for child": ("{order} waits for its child {who}", "{order} 等待它的子订单 {who}"),
    "more": ("and {n} more", "另有 {n} 个"),
    "and": (" and ", "、"),
    "comma": (", ", "，"),
    "semicolon": ("; ", "；"),
}  # fmt: skip


def tell_circle(state: State, found: tuple[Link, ...], lang: str = "en") -> str:
    """The circle in words: X holds A and waits for B, Y holds B and waits for A."""
    n = 1 if lang == "zh" else 0
    told = []
    for i, link in enumerate(found):
        wanted = found[i - 1]  # what the one before waits for, and this one has
        held = [path for path in state.locks if state.locks[path].held_by(link.order)]
        if wanted.lock in held:
            held = [wanted.lock]
        kind = ("child holds" if held else "child") if not link.lock else "holds" if held else "lacks"
        text = _SAY[kind][n]
        told.append(text.format(order=link.order, other=link.other, lock=link.lock, held=_SAY["and"][n].join(held)))
    return _SAY["comma"][n].join(told)


def tell_waits(rules: Rules, state: State, most: int = 4, lang: str = "en") -> str:
    """Who waits for ever, for what, and who has it."""
    n = 1 if lang == "zh" else 0
    told = []
    stuck = helpless(rules, state)
    for order in list(stuck.values())[:most]:
        of: dict[str, list[str]] = {}
        for link in links(rules, state, order):
            of.setdefault(link.lock, []).append(link.other)
        for lock, others in of.items():
            who = _SAY["comma"][n].join(f"{one} ({_stands(state, one)})" for one in others)
            told.append(_SAY["held" if lock else "for child"][n].format(order=order.id, lock=lock, who=who))
    if len(stuck) > most:
        told.append(_SAY["more"][n].format(n=len(stuck) - most))
    return _SAY["semicolon"][n].join(told)


def _stands(state: State, id: str) -> str:
    order = state.order(id)
    return "gone" if order is None else order.state + (", SUSPENDED" if order.suspended else "")
