"""Where the turns of a run stand in a picture: a column each, or points of virtual time.

Of a run whose columns would be narrower than six pixels a window is drawn; the windows of a stepper are cut here. This
module knows numbers and draws nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

__all__ = ["MARGIN", "NARROWEST", "STUB", "WINDOW", "Axis", "Scale", "by_time", "by_turns", "windows"]

MARGIN, STUB = 14.0, 20.0
"""Left of the names, and right of the last column."""

NARROWEST, _WIDEST = 6.0, 96.0
"""Pixels of a column."""

WINDOW = 80
"""The turns of a window, at most; a stepper's has half of them at least."""


class Scale(NamedTuple):
    """What the axis reaches over, from `low` to `high`: turns, or virtual seconds where `times` has those of the turns.

    By turns each has a column of its own; by time a turn is a point, and what happens at once falls together.
    """

    low: float
    high: float
    times: Sequence[float] = ()

    def begin(self, turn: int) -> float:
        return self.end(turn) if self.times else turn - 1.0

    def end(self, turn: int) -> float:
        if not self.times:
            return float(turn)
        return self.times[min(turn, len(self.times)) - 1] if turn > 0 else 0.0


def by_turns(first: int, last: int, room: float) -> Scale:
    """A column for each turn, no wider than is needed."""
    return Scale(first - 1.0, max(float(last), first - 1.0 + room / _WIDEST))


def by_time(first: int, last: int, times: Sequence[float]) -> Scale:
    """Virtual time, from the turn before the first to the last one; `times` has those of all turns of the run."""
    low = times[first - 2] if first > 1 else 0.0
    high = times[min(last, len(times)) - 1] if times else 0.0
    return Scale(low, max(high, low + 1e-6), times)


class Axis:
    """The turns from `first` to `last` between `x` and `x + room`; after turn `at` nothing has happened yet."""

    def __init__(self, x: float, room: float, turns: tuple[int, int], *, scale: Scale, at: int | None = None) -> None:
        self.x = x
        self.first, self.last = turns
        self.at = at
        self.scale = scale
        self._pixel = room / max(scale.high - scale.low, 1e-9)
        self.right = x + room if scale.times else min(self._place(scale.end(self.last)), x + room)
        self.column = (self.right - x) / (self.last - self.first + 1)

    def _place(self, value: float) -> float:
        return self.x + (value - self.scale.low) * self._pixel

    def begin(self, turn: int) -> float:
        """The left edge of a turn's column."""
        return min(max(self._place(self.scale.begin(turn)), self.x), self.right)

    def end(self, turn: int) -> float:
        """The right edge of a turn's column; so of the turn before the first one that a wait reaches over."""
        return min(max(self._place(self.scale.end(turn)), self.x), self.right)

    def shows(self, first: int, last: int) -> bool:
        return first <= self.last and last >= self.first

    @property
    def current(self) -> int | None:
        """The turn whose column is framed: `at`, where it has a column here."""
        return self.at if self.at and self.first <= self.at <= self.last else None


def windows(turns: int, room: float) -> list[tuple[int, int]]:
    """The windows (first, last) of a stepper: one where the columns are wide enough, else 40 to 80 turns each."""
    turns = max(turns, 1)
    fitting = int(room / NARROWEST)
    if turns <= fitting:
        return [(1, turns)]
    most = min(max(fitting, WINDOW // 2), WINDOW)
    count = max(1, min(-(-turns // most), turns // (WINDOW // 2)))
    return [(low + 1, high) for low, high in pairwise(turns * n // count for n in range(count + 1))]
