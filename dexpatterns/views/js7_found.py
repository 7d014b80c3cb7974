"""Workflows as far as a run shows them, for a run that was loaded and knows its items no more.

Every instruction that an order stood at is there, in the blocks that its position names; of what nobody came to there
is nothing, and where instructions in between are not known, one stands for each of them as `…`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dexpatterns.engine.trace import Trace
from dexpatterns.js7.expression import Name, Number, Text
from dexpatterns.js7.instructions import (
    Block,
    Branch,
    Demand,
    ExecuteNamed,
    Fail,
    Fork,
    ForkList,
    If,
    Instruction,
    Lock,
    LockInstruction,
    Options,
    Prompt,
    Retry,
    Sleep,
    Try,
    Workflow,
)
from dexpatterns.js7.ledger import Ledger
from dexpatterns.js7.positions import Position, normalized
from dexpatterns.js7.scenario import World

__all__ = ["found"]

UNKNOWN = "…"


def found(trace: Trace) -> World:
    """The workflows and locks of a run."""
    seen: dict[str, dict[Position, Any]] = {}
    ledger = Ledger(trace)
    for events in (trace.started, *(turn.events for turn in trace.turns)):
        for event in events:
            told: Any = event
            order = ledger.orders.get(told.order)
            if order is not None:
                places = seen.setdefault(order.workflow, {})
                here = _plain(order.position)
                if event.kind in _KINDS:
                    places[here] = told
                elif event.kind == "OrderOutcomeAdded" and places.get(here) is None:
                    places[here] = told  # it ended here, for whatever reason
                elif event.kind in ("OrderMoved", "OrderCaught"):
                    # The way there names blocks; what stands there is told by what happens next.
                    places.setdefault(_plain(getattr(told, "to", ()) or told.moved_to), None)
            ledger.apply((event,))
    workflows = {path: Workflow(path, _block((), places)) for path, places in sorted(seen.items())}
    locks = {path: Lock(path, limit) for path, limit in ledger.limits.items()}
    return World(workflows, locks)


def _plain(position: Position) -> Position:
    return tuple(normalized(part) if isinstance(part, str) else part for part in position)


def _block(prefix: Position, places: Mapping[Position, Any]) -> Block:
    """All that is known below a position; a place that was only passed may be the end of the block."""
    size = len(prefix)
    known = [
        int(place[size])
        for place, told in places.items()
        if place[:size] == prefix and len(place) > size and (told is not None or len(place) > size + 1)
    ]
    return Block(tuple(_instruction((*prefix, n), places) for n in range(max(known, default=-1) + 1)))


def _instruction(here: Position, places: Mapping[Position, Any]) -> Instruction:
    told = places.get(here)
    if told is not None and told.kind in _LEAVES:
        return _LEAVES[told.kind](told)
    size = len(here)
    branches = list(dict.fromkeys(
        str(place[size]) for place in places if place[:size] == here and len(place) > size + 1
    ))  # fmt: skip

    def below(branch: str) -> Block:
        return _block((*here, branch), places)

    if branches and told is not None and told.kind == "OrderOutcomeAdded":
        told = None
    if told is not None and told.kind == "OrderForked":
        named = [branch for branch, _ in told.children]
        if "fork" in named:
            return ForkList(children=Name(UNKNOWN), child_to_id=_NO_FUNCTION, body=below("fork"))
        return Fork(branches=tuple(Branch(one.partition("+")[2], below(one)) for one in named))
    if told is not None and told.kind == "OrderOutcomeAdded":
        kind = told.outcome.plain["TYPE"]
        return Fail(message=None) if kind == "Failed" else ExecuteNamed(job_name=UNKNOWN)
    if told is not None:
        demands = tuple(Demand(lock, weight) for lock, weight in told.demands)
        return LockInstruction(demands=demands, body=below("lock"))
    first = branches[0].partition("+")[0] if branches else ""
    if first in ("try", "catch"):
        return Try(body=below("try"), catch=below("catch"))
    if first == "options":
        return Options(body=below("options"))
    if first in ("then", "else"):
        thens = tuple((Name(UNKNOWN), below(one)) for one in sorted(branches) if one != "else")
        cases = thens or ((Name(UNKNOWN), Block()),)
        return If(cases=cases, otherwise=below("else") if "else" in branches else None)
    return ExecuteNamed(job_name=UNKNOWN)


_NO_FUNCTION: Any = None
"""Nothing is drawn of how children get their ids."""

_LEAVES: Mapping[str, Callable[[Any], Instruction]] = {
    "OrderProcessingStarted": lambda told: ExecuteNamed(job_name=told.job or "job"),
    "OrderPrompted": lambda told: Prompt(question=Text(str(told.question.plain))),
    "OrderSleeping": lambda told: Sleep(duration=Number(told.seconds)),
    "OrderRetrying": lambda told: Retry(),
}
_KINDS = frozenset((*_LEAVES, "OrderForked", "OrderLocksQueued", "OrderLocksAcquired"))
"""Events that say what instruction their order stands at."""
