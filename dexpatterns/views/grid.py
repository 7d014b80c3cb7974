"""Where turns and lanes stand in the picture, and which of them are drawn at all.

Few turns get wide columns; of a run whose turns would be narrower than six pixels a window is drawn. Up to forty
lanes are all drawn, lower the more there are; of more, those that matter in the window.
"""

from __future__ import annotations

from dexpatterns.views.swim import CHANNEL, Swim, lane_names
from dexpatterns.views.texts import clip, pixels, visible

__all__ = ["LANES", "MARGIN", "STUB", "TOKEN_ROW", "WINDOW", "Grid"]

LANES = 40
"""More lanes than this are chosen from."""

WINDOW = 80
"""The turns of a window."""

MARGIN, STUB, TOKEN_ROW = 14.0, 20.0, 30.0
USUAL = ("saved", "open", "closed")
"""Outcomes of attempts that are no reason to look."""

_NARROWEST, _WIDEST = 6.0, 96.0
_HEIGHTS = ((8, 56.0, 36.0), (20, 32.0, 32.0), (LANES, 20.0, 20.0))
"""Up to so many branch lanes: the height of a branch's lane, that of another."""


class Grid:
    """Where turns and lanes stand."""

    def __init__(self, swim: Swim, lang: str, width: float, turns: tuple[int, int] | None) -> None:
        self.swim = swim
        self.names = lane_names(swim.lanes, lang)
        self.channels = list(dict.fromkeys(way.channel for way in swim.ways))
        last = max(swim.turns, 1)
        wide = [pixels(clip(name, 26), 12) + 34 for name in self.names]
        wide += [pixels(clip(visible(channel), 30), 12) for channel in self.channels]
        self.x = MARGIN + min(max([110.0, *wide]) + 10, 220.0)
        room = width - self.x - STUB
        self.windowed = turns is not None or room / last < _NARROWEST
        self.first, self.last = _window(swim, turns) if self.windowed else (1, last)
        self.column = min(room / (self.last - self.first + 1), _WIDEST)
        self.right = self.x + self.column * (self.last - self.first + 1)
        self.chosen = _chosen(swim, self.first, self.last)
        branches = sum(swim.lanes[i].kind == "branch" for i in self.chosen)
        self.tall, self.low = next(((a, b) for most, a, b in _HEIGHTS if branches <= most), _HEIGHTS[-1][1:])
        self.top: dict[int, float] = {}
        self.bottom = 0.0

    def begin(self, turn: int) -> float:
        """The left edge of a turn's column."""
        return self.x + self.column * (min(max(turn, self.first), self.last + 1) - self.first)

    def end(self, turn: int) -> float:
        """The right edge of a turn's column."""
        return self.begin(turn + 1)

    def shows(self, first: int, last: int) -> bool:
        return first <= self.last and last >= self.first

    def height(self, lane: int) -> float:
        return self.tall if self.swim.lanes[lane].kind == "branch" else self.low

    def middle(self, lane: int) -> float:
        """Where the bars of a lane have their middle: lower than that of the lane, the token's way is above."""
        height = self.height(lane)
        return self.top[lane] + height / 2 + (-1 if height > 40 else 1)

    def bar(self, lane: int) -> float:
        return {56.0: 18.0, 36.0: 18.0, 32.0: 14.0}.get(self.height(lane), 10.0)

    def token_y(self, place: int, channel: str) -> float:
        """The height of the token's way: in the Channel's row, or along the top of the lane that holds it."""
        if place == CHANNEL:
            return self.channel_top[channel] + TOKEN_ROW / 2
        return self.top[place] + (5 if self.height(place) > 40 else 3.5)

    def lay(self, y: float) -> float:
        """Place the rows from `y` down; where the lanes end."""
        self.channel_top = {channel: y + n * TOKEN_ROW for n, channel in enumerate(self.channels)}
        y += len(self.channels) * TOKEN_ROW
        for lane in self.chosen:
            self.top[lane] = y
            y += self.height(lane)
        self.bottom = y
        return y


def _window(swim: Swim, turns: tuple[int, int] | None) -> tuple[int, int]:
    """The turns that are drawn of a long run.

    Those asked for, else those around the first overlap, the first failure of an attempt, or the first visit.
    """
    last = max(swim.turns, 1)
    if turns is not None:
        first = min(max(turns[0], 1), last)
        return first, min(max(turns[1], first), last, first + 2 * WINDOW - 1)
    overlaps = (zone.first for zone in swim.zones)
    faults = (bar.first for bar in swim.bars if bar.outcome not in USUAL)
    visits = (visit.start_turn for visit in swim.visits)
    around = next((min(turns) for turns in map(list, (overlaps, faults, visits)) if turns), 1)
    first = max(1, min(around - WINDOW // 3, last - WINDOW + 1))
    return first, min(first + WINDOW - 1, last)


def _chosen(swim: Swim, first: int, last: int) -> list[int]:
    """The lanes that are drawn: all, or of many those inside, failing or in an overlap within the window."""
    every = range(len(swim.lanes))
    if len(swim.lanes) <= LANES:
        return list(every)
    weight = dict.fromkeys(every, 0)
    for i, lane in enumerate(swim.lanes):
        if any(stay.start_turn <= last and stay.end_turn >= first for stay in lane.stays):
            weight[i] += 4
    for bar in swim.bars:
        if bar.outcome not in USUAL and bar.first <= last and bar.last >= first:
            weight[bar.lane] += 2
        elif swim.lanes[bar.lane].kind != "branch" and bar.first <= last and bar.last >= first:
            weight[bar.lane] += 1
    for zone in swim.zones[:1]:
        for visit in zone.visits[:LANES]:
            weight[swim.lane_at[visit.entry]] += 8
    best = sorted((i for i in every if weight[i]), key=lambda i: (-weight[i], i))
    return sorted((best or list(every))[: LANES if best else 8])
