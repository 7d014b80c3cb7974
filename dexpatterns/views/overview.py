"""The map of a long run: every branch a line of less than a pixel's height, every visit a dash, every failure a cross.

It says where the window below lies. Its size is bounded by its pixels, not by the run: dashes that meet are one.
"""

from __future__ import annotations

from collections.abc import Callable

from dexpatterns.views.marks import ID, number, tag, text
from dexpatterns.views.swim import Swim
from dexpatterns.views.texts import lines_of, nice_steps, pixels, words

__all__ = ["draw_overview"]

_HEIGHT = 124.0
_CROSSES = 120
_CELL = 2.0


def draw_overview(
    swim: Swim, lang: str, between: tuple[float, float], y: float, window: tuple[int, int], at: int | None = None
) -> tuple[list[str], float]:
    """The overview between two x, from `y` down, and where it ends; after turn `at` it is faded."""
    left, right = between
    branches = [i for i, lane in enumerate(swim.lanes) if lane.kind == "branch"] or list(range(len(swim.lanes)))
    place = {lane: n for n, lane in enumerate(branches)}
    height = min(_HEIGHT, max(len(branches) * 8.0, 24.0))
    drawn = [
        text(14, y + 8, words(lang, "whole"), "p"),
        text(14 + pixels(words(lang, "whole"), 12) + 14, y + 8, words(lang, "whole_hint"), "q"),
    ]
    top = y + 18
    drawn.append(tag("rect", x=left, y=top, width=right - left, height=height, class_="b"))
    for n, line in enumerate(lines_of(words(lang, "all_lanes", n=len(branches)).split(" "), 20, " ")):
        drawn.append(text(14, top + 12 + 16 * n, line))

    def x_of(turn: int) -> float:
        return left + (right - left) * (turn - 1) / max(swim.turns, 1)

    def y_of(lane: int) -> float:
        return top + height * (place[lane] + 0.5) / len(branches)

    # Turns in which two were inside, then the dashes, so that a dash stays to be seen on them.
    def cell(turn: int) -> int:
        return int((x_of(turn) - left) / _CELL)

    for _, first, last in _merged({(0, cell(zone.first), cell(zone.last + 1)) for zone in swim.zones}):
        x, w = left + first * _CELL, (last - first + 1) * _CELL
        drawn.append(tag("rect", x=x, y=top, width=w, height=height, class_="z", style=f"fill:url(#{ID}x)"))
    spans = {
        (int((y_of(lane) - top) / _CELL), cell(stay.start_turn), cell(stay.end_turn))
        for lane in branches
        for stay in swim.lanes[lane].stays
    }
    d = "".join(
        f"M{number(left + first * _CELL)} {number(top + (row + 0.5) * _CELL)}h{number((last - first + 1) * _CELL)}"
        for row, first, last in _merged(spans)
    )
    if d:
        drawn.append(tag("path", d=d, class_="d"))
    crosses = {
        (round(x_of(bar.last)), round(y_of(bar.lane)))
        for bar in swim.bars
        if bar.outcome in ("failed", "lost", "late") and bar.lane in place
    }
    d = "".join(f"M{x - 3} {y - 3}l6 6m0 -6l-6 6" for x, y in sorted(crosses)[:_CROSSES])
    if d:
        drawn.append(tag("path", d=d, class_="e"))
    if at is not None:
        x = x_of(at + 1)
        drawn.append(
            tag("rect", x=x, y=top, width=max(right - x, 0.0), height=height, class_="bg", style="opacity:.55")
        )
    first, last = window
    x, end = x_of(first), x_of(last + 1)
    drawn.append(tag("rect", x=x, y=top - 3, width=max(end - x, 4.0), height=height + 6, rx=2, class_="d"))
    drawn += _axis(swim.turns, x_of, top + height + 16)
    y = top + height + 40
    drawn.append(text(14, y, words(lang, "window", first=first, last=last, all=swim.turns), "p"))
    return drawn, y + 4


def _merged(spans: set[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Spans (row, first cell, last cell), those that meet in one row made one."""
    made: list[tuple[int, int, int]] = []
    for row, first, last in sorted(spans):
        if made and made[-1][0] == row and first <= made[-1][2] + 1:
            made[-1] = (row, made[-1][1], max(last, made[-1][2]))
        else:
            made.append((row, first, last))
    return made


def _axis(turns: int, x_of: Callable[[int], float], y: float) -> list[str]:
    step = next(n for n in nice_steps() if n * 8 >= turns)
    return [text(x_of(n), y, str(n), "x", "middle") for n in (1, *range(step, turns + 1, step))]
