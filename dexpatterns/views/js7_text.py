"""Swim lanes of JS7 orders, as text and as a picture: a lane for each order and lock, with waiting, holding and weight.

    A  L  all   |========
    B  L  all   |~~~~~~~~====

It reads the trace alone. Names are data: what would act in a terminal is written as an escape.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dexpatterns.engine.trace import Trace
from dexpatterns.js7.holdings import Holding
from dexpatterns.views.js7_frames import held_and_waited
from dexpatterns.views.texts import check_lang, clip, duration, pad, visible
from dexpatterns.views.texts import width as wide

__all__ = ["Lanes"]

NARROWEST, NAMES, MOST_LANES = 48, 24, 60
"""Columns of all and of a name; more lanes than that are counted, not drawn."""
_BEHIND = 3

_WORDS = {
    "key": (
        "= holds all of the lock, 1-9 holds so much of it (+ more), ~ waits, > still so at the end",
        "= 占有整个锁，1-9 占有的份额（+ 更多），~ 等待，> 到最后仍是如此",
    ),
    "none": ("no lock was ever asked for", "没有请求过任何锁"),
    "more": ("... and {n:,} lanes more", "……另有 {n:,} 条泳道"),
    "turns": ("turn {n}", "第 {n} 回合"),
    "all": ("all", "全部"),
}


class Lane(NamedTuple):
    """One order and one lock, with all times that it held or waited, by start."""

    order: str
    lock: str
    times: tuple[Holding, ...]


class Lanes:
    """`str()` and `text()` are plain text, `.svg` is a picture, notebooks show it. `lock` is one's path, None is all.

    The axis is virtual time; turns where there is no clock or no time passes. Raises `InputError`.
    """

    __slots__ = ("lang", "lanes", "trace")

    def __init__(self, trace: Trace, lock: Any = None, *, lang: str = "en") -> None:
        self.trace = trace
        self.lang = check_lang(lang)
        found: dict[tuple[str, str], list[Holding]] = {}
        for one in held_and_waited(trace, lock):
            found.setdefault((one.order, one.lock), []).append(one)
        first: dict[str, int] = {}
        for (order, _), times in found.items():
            first[order] = min(first.get(order, times[0].start_turn), times[0].start_turn)
        by_order = sorted(found, key=lambda key: first[key[0]])
        self.lanes = tuple(Lane(order, name, tuple(found[order, name])) for order, name in by_order)

    def text(self, width: int = 100) -> str:
        """Plain text of at most `width` columns (48 at least), readable without colour."""
        n = 1 if self.lang == "zh" else 0
        if not self.lanes:
            return _WORDS["none"][n]
        drawn = self.lanes[:MOST_LANES]
        room = max(6, min(NAMES, (max(width, NARROWEST) - 20) // 3))
        names = [(clip(visible(lane.order), room), clip(visible(lane.lock), room)) for lane in drawn]
        orders = max(wide(order) for order, _ in names)
        locks = max(wide(lock) for _, lock in names)
        left = orders + locks + 5
        columns = max(width, NARROWEST) - left
        # What is still so at the end is seen behind it, however late it began.
        behind = _BEHIND if any(one.outcome == "open" for lane in drawn for one in lane.times) else 0
        by_time, end = self._axis()
        ends = [
            duration(at) if by_time else _WORDS["turns"][n].format(n=round(at)) for at in (0 if by_time else 1, end)
        ]
        gap = columns - behind - wide(ends[0]) - wide(ends[1])
        lines = [" " * left + ends[0] + " " * max(gap, 1) + ends[1]]
        for lane, (order, lock) in zip(drawn, names, strict=True):
            bars = _bars(lane, columns - behind, behind, by_time, end)
            lines.append(f"{pad(order, orders)}  {pad(lock, locks)}  |{bars}".rstrip())
        if len(self.lanes) > MOST_LANES:
            lines.append(_WORDS["more"][n].format(n=len(self.lanes) - MOST_LANES))
        return "\n".join([*lines, _WORDS["key"][n]])

    def _axis(self) -> tuple[bool, float]:
        """Whether it is one of time, and its end."""
        times = [turn.time for turn in self.trace.turns if turn.time is not None]
        return (True, times[-1]) if times and times[-1] > 0 else (False, float(len(self.trace.turns)))

    @property
    def svg(self) -> str:
        """An inline SVG: the same bytes for the same run, no script, nothing fetched."""
        return self.picture()

    def picture(self, width: int = 960) -> str:
        """The SVG, `width` pixels wide (480 at least)."""
        from dexpatterns.views.js7_svg import draw

        more = max(len(self.lanes) - MOST_LANES, 0)
        return draw(self.lanes[:MOST_LANES], more, *self._axis(), self.lang, float(max(width, 480)))

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.svg


def _bars(lane: Lane, columns: int, behind: int, by_time: bool, end: float) -> str:
    """One line of marks. What lasts no time takes a column, but for a wait that was granted at once."""
    marks = [" "] * (columns + behind)
    # A turn takes a place of its own, a time is a point.
    scale = columns / end
    for one in sorted(lane.times, key=lambda one: one.what == "held"):
        if one.what == "waited" and one.start_turn == one.end_turn:
            continue
        begin = one.start if by_time else one.start_turn - 1
        until = one.end if by_time else one.end_turn - 1
        first = min(int((begin or 0) * scale), columns - 1)
        last = max(first + 1, min(int((until or 0) * scale), columns))
        if one.outcome == "open":
            first, last = min(int((begin or 0) * scale), columns), columns + behind
        marks[first:last] = ("~" if one.what == "waited" else _weight(one.weight)) * (last - first)
        if one.outcome == "open":
            marks[-1] = ">"
    return "".join(marks)


def _weight(weight: int | None) -> str:
    return "=" if weight is None else str(weight) if weight < 10 else "+"
