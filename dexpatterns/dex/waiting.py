"""When a saved Wait is ready, and what it takes: pure functions of the Wait, the fired timers and the queues.

They keep D-14, D-15 and D-17. Which of several ready Waits completes is not decided here (D-16).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from dexpatterns.dex.wait import ChannelCondition, TimerCondition, Wait

__all__ = ["fired_flags", "picked", "takes", "timer_order"]

Condition = ChannelCondition | TimerCondition


@lru_cache(maxsize=4096)
def timer_order(wait: Wait) -> tuple[tuple[float, int], ...]:
    """The Wait's timers as (seconds, index in argument order), in the order in which they fire (D-17)."""
    return tuple(sorted((timer.duration.total_seconds(), i) for i, timer in enumerate(wait.timers)))


def fired_flags(wait: Wait, fired: int) -> tuple[bool, ...]:
    """For each timer in argument order, whether it is among the first `fired` to fire."""
    done = {index for _, index in timer_order(wait)[:fired]}
    return tuple(i in done for i in range(len(wait.timers)))


def picked(wait: Wait, fired: int, size: Callable[[str], int]) -> tuple[Condition, ...] | None:
    """The conditions for which the Wait completes now; None while it is not ready (D-15)."""
    return _READY[wait.kind](wait, fired, size)


def takes(conditions: Iterable[Condition], size: Callable[[str], int]) -> tuple[tuple[str, int], ...]:
    """How many messages the picked conditions take of each Channel, in Channel order (D-15).

    Each condition first gets its minimum, then the rest goes out in argument order: so all that matters for one
    Channel is the sum of the upper bounds.
    """
    upper: dict[str, int | None] = {}
    for condition in conditions:
        if isinstance(condition, ChannelCondition):
            most = upper.get(condition.channel, 0)
            upper[condition.channel] = (
                None if most is None or condition.at_most is None else most + condition.at_most
            )
    counts = ((name, size(name) if most is None else min(size(name), most)) for name, most in sorted(upper.items()))
    return tuple((name, n) for name, n in counts if n)


def _together(wait: Wait, conditions: tuple[Condition, ...], fired: int, size: Callable[[str], int]) -> bool:
    """Whether all these conditions hold at once; two on one Channel need the messages of both."""
    if len(conditions) == 1:
        return _holds(wait, conditions[0], fired, size)
    needs: dict[str, int] = {}
    for condition in conditions:
        if isinstance(condition, TimerCondition):
            if not _holds(wait, condition, fired, size):
                return False
        else:
            needs[condition.channel] = needs.get(condition.channel, 0) + condition.at_least
    return all(size(name) >= n for name, n in needs.items())


def _holds(wait: Wait, condition: Condition, fired: int, size: Callable[[str], int]) -> bool:
    if isinstance(condition, ChannelCondition):
        return size(condition.channel) >= condition.at_least
    return fired > 0 and fired_flags(wait, fired)[wait.timers.index(condition)]


def _all(wait: Wait, fired: int, size: Callable[[str], int]) -> tuple[Condition, ...] | None:
    return wait.conditions if _together(wait, wait.conditions, fired, size) else None


def _any(wait: Wait, fired: int, size: Callable[[str], int]) -> tuple[Condition, ...] | None:
    timers_first = sorted(wait.conditions, key=lambda c: not isinstance(c, TimerCondition))
    return next(((c,) for c in timers_first if _holds(wait, c, fired, size)), None)


def _combination(wait: Wait, fired: int, size: Callable[[str], int]) -> tuple[Condition, ...] | None:
    return next((c for c in wait.combinations if _together(wait, c, fired, size)), None)


_READY: dict[str, Callable[[Wait, int, Callable[[str], int]], tuple[Condition, ...] | None]] = {
    "skip": lambda wait, fired, size: (),
    "until": _all,
    "all_of": _all,
    "any_of": _any,
    "any_combination_of": _combination,
}
