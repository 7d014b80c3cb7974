"""When a saved Wait is ready, and what it takes: pure functions of the Wait, the fired timers and the queues.

They keep D-14, D-15 and D-17. Which of several ready Waits completes is not decided here (D-16).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from dexpatterns.dex.wait import ChannelCondition, TimerCondition, Wait

__all__ = ["WAITS", "WaitPlan", "fired_flags", "picked", "takes", "timer_order"]

Condition = ChannelCondition | TimerCondition


class WaitPlan:
    """A Wait that the machine has met, once: two executions with the same plan wait alike."""

    __slots__ = ("channels", "home", "key", "only", "wait")

    def __init__(self, wait: Wait) -> None:
        self.wait = wait
        self.channels: tuple[str, ...] = wait.channels or ("",)
        self.home = self.channels[0]
        self.key = repr(wait)
        only = wait.conditions[0] if wait.kind == "until" and len(wait.conditions) == 1 else None
        self.only = only if isinstance(only, ChannelCondition) else None
        """The condition of a Wait for one Channel and nothing else, as most are."""

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, WaitPlan) and self.key == other.key)

    def __repr__(self) -> str:
        return f"WaitPlan({self.key})"


@lru_cache(maxsize=4096)
def timer_order(wait: Wait) -> tuple[tuple[float, int], ...]:
    """The Wait's timers as (seconds, index in argument order), in the order in which they fire (D-17)."""
    return tuple(sorted((timer.duration.total_seconds(), i) for i, timer in enumerate(wait.timers)))


def fired_flags(wait: Wait, fired: int) -> tuple[bool, ...]:
    """For each timer in argument order, whether it is among the first `fired` to fire."""
    if not wait.timers:
        return ()
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
            upper[condition.channel] = None if most is None or condition.at_most is None else most + condition.at_most
    counts = [(name, size(name) if most is None else min(size(name), most)) for name, most in sorted(upper.items())]
    return tuple([(name, n) for name, n in counts if n])


def _together(conditions: tuple[Condition, ...], size: Callable[[str], int]) -> bool:
    """Whether the Channels can satisfy all these conditions at once; two on one Channel need the messages of both."""
    needs: dict[str, int] = {}
    for condition in conditions:
        if isinstance(condition, ChannelCondition):
            needs[condition.channel] = needs.get(condition.channel, 0) + condition.at_least
    return all(size(name) >= n for name, n in needs.items())


# Timers are told apart by their place, or by their id: two without one may be equal.


def _all(wait: Wait, fired: int, size: Callable[[str], int]) -> tuple[Condition, ...] | None:
    ready = fired == len(wait.timers) and _together(wait.conditions, size)
    return wait.conditions if ready else None


def _any(wait: Wait, fired: int, size: Callable[[str], int]) -> tuple[Condition, ...] | None:
    first = next((timer for timer, done in zip(wait.timers, fired_flags(wait, fired), strict=True) if done), None)
    if first is not None:
        return (first,)
    return next(((c,) for c in wait.conditions if isinstance(c, ChannelCondition) and _together((c,), size)), None)


def _combination(wait: Wait, fired: int, size: Callable[[str], int]) -> tuple[Condition, ...] | None:
    done = {timer for timer, flag in zip(wait.timers, fired_flags(wait, fired), strict=True) if flag}

    def ready(conditions: tuple[Condition, ...]) -> bool:
        return done.issuperset(c for c in conditions if isinstance(c, TimerCondition)) and _together(conditions, size)

    return next((conditions for conditions in wait.combinations if ready(conditions)), None)


_READY: dict[str, Callable[[Wait, int, Callable[[str], int]], tuple[Condition, ...] | None]] = {
    "skip": lambda wait, fired, size: (),
    "until": _all,
    "all_of": _all,
    "any_of": _any,
    "any_combination_of": _combination,
}
WAITS = frozenset(_READY)
"""Every kind of Wait that there is (D-14)."""
