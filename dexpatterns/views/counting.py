"""How many branches wait, work, are queued or have ended after each turn: for those that have no lane of their own.

Counted by differences at the turns where something begins or ends, so the cost is that of the marks, not of
branches times turns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import accumulate

from dexpatterns.views.swim import Swim

__all__ = ["counts"]


def counts(swim: Swim, lanes: Collection[int], first: int, last: int) -> dict[str, list[int]]:
    """For each phase the number of these lanes that are in it, turn by turn from first to last.

    A lane between two of its executions' marks is queued.
    """
    alive = _sum(((life.first, life.last) for i, life in enumerate(swim.lives) if i in lanes), first, last)
    ended = _sum(((life.last + 1, last) for i, life in enumerate(swim.lives) if i in lanes and life.ended), first, last)
    waiting = _sum(((wait.first, wait.last) for wait in swim.waits if wait.lane in lanes), first, last)
    running = _sum(((bar.first, bar.last) for bar in swim.bars if bar.lane in lanes), first, last)
    queued = [max(a - w - r, 0) for a, w, r in zip(alive, waiting, running, strict=True)]
    return {"waiting": waiting, "running": running, "queued": queued, "ended": ended}


def _sum(spans: Iterable[tuple[int, int]], first: int, last: int) -> list[int]:
    change = [0] * (last - first + 2)
    for begin, end in spans:
        if begin <= last and end >= first and begin <= end:
            change[max(begin, first) - first] += 1
            change[min(end, last) - first + 1] -= 1
    return list(accumulate(change))[:-1]
