"""Who held which lock with which weight, when, and who waited: a fold over the events of a run.

A trace is enough: no machine is needed, and a run that was saved is read the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError

__all__ = ["Holding", "holdings"]


class Holding(NamedTuple):
    """One time that an order held a lock, or waited for it. Turns are half open: it had ended by `end_turn`."""

    lock: str
    order: str
    what: str
    """'held' or 'waited'."""
    weight: int | None
    """None: all of the lock."""
    start_turn: int
    end_turn: int
    """Of one that is still going on, the turn after the last."""
    start: float | None
    """Virtual seconds since the start; None where there is no clock."""
    end: float | None
    """None also while it is still going on."""
    outcome: str
    """Of what was held 'released', of a wait 'granted' or 'given up' (its order's state was reset); or 'open'."""


class _Open(NamedTuple):
    weight: int | None
    turn: int
    time: float | None


def holdings(trace: Trace, lock: str | None = None) -> tuple[Holding, ...]:
    """All times of one lock, or of all of them, in the order in which they began."""
    if not isinstance(trace, Trace):
        raise InputError(f"holdings: expected the trace of a run, got {trace!r}; write holdings(run.trace)")
    found = [one for one in _fold(trace) if lock is None or one.lock == lock]
    return tuple(sorted(found, key=lambda one: (one.start_turn, one.end_turn)))


def _fold(trace: Trace) -> Iterator[Holding]:
    held: dict[tuple[str, str], _Open] = {}
    waiting: dict[tuple[str, str], _Open] = {}

    def close(
        what: str, running: dict[tuple[str, str], _Open], key: tuple[str, str], turn: int, time: float | None, how: str
    ) -> Iterator[Holding]:
        begun = running.pop(key, None)
        if begun is not None:
            lock, order = key
            yield Holding(lock, order, what, begun.weight, begun.turn, turn, begun.time, time, how)

    for turn in trace.turns:
        number, time = turn.number, turn.time
        for event in turn.events:
            order: str = event.order  # type: ignore[attr-defined]  # every event of this machine has one
            fields: Any = event
            if event.kind == "OrderLocksQueued":
                for lock, weight in fields.demands:
                    waiting[lock, order] = _Open(weight, number, time)
            elif event.kind == "OrderLocksAcquired":
                for lock, weight in fields.demands:
                    yield from close("waited", waiting, (lock, order), number, time, "granted")
                    held[lock, order] = _Open(weight, number, time)
            elif event.kind == "OrderLocksReleased":
                for lock in fields.lock_paths:
                    yield from close("held", held, (lock, order), number, time, "released")
            elif event.kind == "OrderStateReset":
                for key in [key for key in waiting if key[1] == order]:
                    yield from close("waited", waiting, key, number, time, "given up")
    after = len(trace.turns) + 1
    for what, running in (("held", held), ("waited", waiting)):
        for (lock, order), begun in running.items():
            yield Holding(lock, order, what, begun.weight, begun.turn, after, begun.time, None, "open")
