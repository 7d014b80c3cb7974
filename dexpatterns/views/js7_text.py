"""Swim lanes of JS7 orders, as text and as a picture: a lane for each order and lock, with waiting, holding and weight.

    A  L  all   |========
    B  L  all   |~~~~~~~~====

It reads the trace alone. Names are data: what would act in a terminal is written as an escape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dexpatterns.engine.texts import check_lang, visible
from dexpatterns.engine.trace import Trace
from dexpatterns.js7.holdings import Holding
from dexpatterns.js7.ledger import Ledger
from dexpatterns.views import js7_svg, marks
from dexpatterns.views.axis import STUB, Axis, Scale, by_turns, windows
from dexpatterns.views.axis import by_time as seconds
from dexpatterns.views.js7_frames import held_and_waited
from dexpatterns.views.texts import check_turn, clip, duration, pad
from dexpatterns.views.texts import width as wide

__all__ = ["Lanes"]

NARROWEST, NAMES, MOST_LANES = 48, 24, 60
"""Columns of all and of a name; more lanes than that are counted, not drawn."""
_BEHIND = 3

_WORDS = {
    "key": (
        "= holds all of the lock, 1-9 holds so much of it (+ more), ~ waits, > still so at the end",
        "= 占有整把锁，1-9 占有的权重（+ 更多），~ 等待，> 到最后仍是如此",
    ),
    "none": ("no lock was ever asked for", "没有请求过任何锁"),
    "more": ("... and {n:,} lanes more", "……另有 {n:,} 条泳道"),
    "turns": ("turn {n}", "第 {n} 回合"),
    "at": ("after turn {at} of {all}; : not yet", "第 {at} 回合之后，共 {all} 回合；: 尚未发生"),
}


class Lane(NamedTuple):
    """One order and one lock, with all times that it held or waited, by start."""

    order: str
    lock: str
    times: tuple[Holding, ...]
    badge: str
    number: int
    """By which the order has its colour, in the lanes as in the graph."""


class Lanes:
    """`str()` and `text()` are plain text, `.svg` is a picture, notebooks show it. `lock` is one's path, None is all.

    The axis is virtual time; turns where there is no clock or no time passes. With `at` it is the run after that turn,
    by turns. Raises `InputError`.
    """

    STYLE = marks.STYLE
    """The CSS of every panel."""

    __slots__ = ("at", "lang", "lanes", "trace")

    def __init__(self, trace: Trace, lock: Any = None, *, lang: str = "en", at: int | None = None) -> None:
        self.trace = trace
        self.lang = check_lang(lang)
        self.at = None if at is None else check_turn(at, len(trace.turns))
        found: dict[tuple[str, str], list[Holding]] = {}
        for one in held_and_waited(trace, lock):
            found.setdefault((one.order, one.lock), []).append(one)
        first: dict[str, int] = {}
        for (order, _), times in found.items():
            first[order] = min(first.get(order, times[0].start_turn), times[0].start_turn)
        by_order = sorted(found, key=lambda key: first[key[0]])
        ledger = Ledger(trace)
        for events in (trace.started, *(turn.events for turn in trace.turns)):
            ledger.apply(events)
        self.lanes = tuple(
            Lane(order, name, tuple(found[order, name]), ledger.labels[order], ledger.numbers[order])
            for order, name in by_order
        )

    def text(self, width: int = 100) -> str:
        """Plain text of at most `width` columns (48 at least), readable without colour."""
        if not self.lanes:
            return self._say("none")
        lines = self.rows(width, *self.axis())
        if self.at is not None:
            lines.append(self._say("at", at=self.at, all=len(self.trace.turns)))
        return "\n".join([*lines, self.key])

    @property
    def key(self) -> str:
        """What the marks of the text mean, in a line."""
        return self._say("key")

    def rows(self, width: int, by_time: bool, end: float, *, names: int = 0, behind: bool = False) -> list[str]:
        """The axis and a line for each lane.

        `names`, the least width of the names, and `behind`, room after the end, give two runs one axis.
        """
        drawn = self.lanes[:MOST_LANES]
        room = max(6, min(NAMES, (max(width, NARROWEST) - 20) // 3))
        said = [(clip(visible(lane.order), room), clip(visible(lane.lock), room)) for lane in drawn]
        orders = max((wide(order) for order, _ in said), default=0)
        locks = max(wide(lock) for _, lock in said) if said else 0
        locks = max(locks, min(names, 2 * room) - orders)
        left = orders + locks + 5
        columns = max(width, NARROWEST) - left
        # What is still so at the end is seen behind it, however late it began.
        after = _BEHIND if behind or self.open else 0
        ends = [duration(at) if by_time else self._say("turns", n=round(at)) for at in (0 if by_time else 1, end)]
        gap = columns - after - wide(ends[0]) - wide(ends[1])
        lines = [" " * left + ends[0] + " " * max(gap, 1) + ends[1]]
        for lane, (order, lock) in zip(drawn, said, strict=True):
            bars = self._happened(_bars(lane, columns - after, after, by_time, end), (columns - after) / end)
            lines.append(f"{pad(order, orders)}  {pad(lock, locks)}  |{bars}".rstrip())
        if len(self.lanes) > MOST_LANES:
            lines.append(self._say("more", n=len(self.lanes) - MOST_LANES))
        return lines

    @property
    def open(self) -> bool:
        """Whether anything is still held or waited for at the end."""
        return any(one.outcome == "open" for lane in self.lanes for one in lane.times)

    def names(self) -> int:
        """The columns that the names take."""
        said = [[clip(visible(lane.order), NAMES), clip(visible(lane.lock), NAMES)] for lane in self.lanes]
        return sum(max(map(wide, column)) for column in zip(*said, strict=True))

    def _happened(self, bars: str, column: float) -> str:
        if self.at is None:
            return bars
        edge = int(self.at * column)
        return bars[:edge] + "".join(c if c == " " else ":" for c in bars[edge:])

    def _say(self, key: str, **fields: object) -> str:
        return _WORDS[key][1 if self.lang == "zh" else 0].format(**fields)

    def axis(self) -> tuple[bool, float]:
        """Whether it is one of time, and its end."""
        if self.at is not None:
            return False, float(len(self.trace.turns))
        times = [turn.time for turn in self.trace.turns if turn.time is not None]
        return (True, times[-1]) if times and times[-1] > 0 else (False, float(len(self.trace.turns)))

    @property
    def svg(self) -> str:
        """An inline SVG: the same bytes for the same run, no script, nothing fetched."""
        return self.picture()

    def picture(self, width: int = 960) -> str:
        """The SVG, `width` pixels wide (480 at least)."""
        lanes, width = self.lanes[:MOST_LANES], max(width, 480)
        by_time, end = self.axis()
        times = [turn.time or 0.0 for turn in self.trace.turns]
        axis = self._columns((1, max(len(times), 1)), width, Scale(0.0, end, times) if by_time else None, at=self.at)
        return js7_svg.draw(lanes, len(self.lanes) - len(lanes), axis, self.lang, float(width))

    def _columns(
        self, turns: tuple[int, int], width: float, scale: Scale | None = None, *, at: int | None = None
    ) -> Axis:
        x = js7_svg.edge(self.lanes[:MOST_LANES])[1]
        room = width - x - STUB
        return Axis(x, room, turns, scale=scale or by_turns(*turns, room), at=at)

    def windows(self, width: int) -> list[tuple[int, int]]:
        """The windows (first, last) into which a stepper of this width cuts the run: one, or 40 to 80 turns each."""
        return windows(len(self.trace.turns), width - js7_svg.edge(self.lanes[:MOST_LANES])[1] - STUB)

    def panel(self, turns: tuple[int, int], width: int, *, height: int | None = None, by_time: bool = False) -> str:
        """The SVG of one window for a stepper: as `Timeline.panel`, with a lane for each order and lock.

        `data-lane` is the place in `lanes`. Of more than 60 lanes those are drawn that hold or wait in the window.
        """
        last = max(len(self.trace.turns), 1)
        low = min(max(turns[0], 1), last)
        window = (low, min(max(turns[1], low), last))
        places = range(len(self.lanes))
        shown: Sequence[int] = places
        if len(places) > MOST_LANES:
            _, high = window
            busy = [n for n in places if any(low < t.end_turn and t.start_turn <= high for t in self.lanes[n].times)]
            shown = (busy or places)[:MOST_LANES]
        # The browser shows the turn, so the panel is that of the whole run.
        scale = seconds(*window, [turn.time or 0.0 for turn in self.trace.turns]) if by_time else None
        axis = self._columns(window, width, scale)
        return js7_svg.draw_panel(self.lanes, shown, axis, self.lang, float(width), height)

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
