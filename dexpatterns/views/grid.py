"""Where turns and lanes stand in the picture, and which of them are drawn at all.

Few turns get wide columns; of a run whose turns would be narrower than six pixels a window is drawn. Up to forty
lanes are all drawn, lower the more there are; of more, those that matter in the window. This module draws nothing.
"""

from __future__ import annotations

from dexpatterns.engine.texts import visible
from dexpatterns.views.axis import MARGIN, NARROWEST, STUB, WINDOW, Axis, Scale, by_turns
from dexpatterns.views.swim import CHANNEL, Swim, lane_names
from dexpatterns.views.texts import clip, nearly_whole, pixels

__all__ = ["LANES", "TAG_ROW", "TOKEN_ROW", "Grid", "name_edge"]

LANES = 40
"""Of more branches than this some are chosen."""
_OTHERS = 10
"""Lanes of what is no branch that may come beside them."""

TOKEN_ROW, TAG_ROW = 30.0, 34.0
USUAL = ("saved", "open", "closed")
"""Outcomes of attempts that are no reason to look."""

_HEIGHTS = ((8, 56.0, 36.0), (20, 32.0, 32.0), (LANES, 20.0, 20.0))
"""Up to so many branch lanes: the height of a branch's lane, that of another."""


class Grid(Axis):
    """Where turns and lanes stand.

    `turns` asks for a window, `at` for the turn after which nothing has happened yet. `scale` and `left` give two
    pictures one axis and one edge; `height` makes the lanes lower until they fit, as far as they can be read.
    """

    def __init__(
        self, swim: Swim, lang: str, width: float, turns: tuple[int, int] | None, *,
        at: int | None = None, scale: Scale | None = None, left: float = 0.0, height: float | None = None,
    ) -> None:  # fmt: skip
        x = left or name_edge(swim, lang)
        room = width - x - STUB
        last = max(swim.turns, 1)
        self.windowed = turns is not None or (scale is None and room / last < NARROWEST)
        most = max(2 * WINDOW, int(room / NARROWEST))
        first, last = _window(swim, turns, at, most) if self.windowed else (1, last)
        super().__init__(x, room, (first, last), scale=scale or by_turns(first, last, room), at=at)
        self.swim = swim
        self.names = [nearly_whole(name) for name in lane_names(swim.lanes, lang)]
        self.channels = list(dict.fromkeys(way.channel for way in swim.ways))
        self.chosen = _chosen(swim, self.first, self.last)
        branches = sum(swim.lanes[i].kind == "branch" for i in self.chosen)
        rest = len(self.chosen) - branches
        above = TOKEN_ROW * len(self.channels) + TAG_ROW * len(swim.tags)
        fitting = (
            (tall, low) for most, tall, low in _HEIGHTS
            if branches <= most and (height is None or above + branches * tall + rest * low <= height)
        )  # fmt: skip
        self.tall, self.low = next(fitting, _HEIGHTS[-1][1:])
        self.top: dict[int, float] = {}
        self.channel_top: dict[str, float] = {}
        self.tag_top: list[float] = []
        self.rows_top = self.bottom = 0.0

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
        """Place the rows from `y` down: Attributes, Channels, lanes; where they end."""
        self.rows_top = y
        self.tag_top = [y + n * TAG_ROW for n in range(len(self.swim.tags))]
        y += len(self.swim.tags) * TAG_ROW
        self.channel_top = {channel: y + n * TOKEN_ROW for n, channel in enumerate(self.channels)}
        y += len(self.channels) * TOKEN_ROW
        for lane in self.chosen:
            self.top[lane] = y
            y += self.height(lane)
        self.bottom = y
        return y


def name_edge(swim: Swim, lang: str) -> float:
    """Where the names of lanes, Channels and Attributes end and the columns begin."""
    names = (name for name in lane_names(swim.lanes, lang))
    wide = [pixels(clip(name, 26), 12) + 34 for name in names]
    rows = [*(way.channel for way in swim.ways), *(one.name for one in swim.tags)]
    wide += [pixels(clip(visible(name), 30), 12) for name in rows]
    return MARGIN + min(max([110.0, *wide]) + 10, 220.0)


def _window(swim: Swim, turns: tuple[int, int] | None, at: int | None, most: int) -> tuple[int, int]:
    """The turns that are drawn of a long run.

    Those asked for, else those around the current turn, the first overlap, the first failure of an attempt, or the
    first visit.
    """
    last = max(swim.turns, 1)
    if turns is not None:
        first = min(max(turns[0], 1), last)
        return first, min(max(turns[1], first), last, first + most - 1)
    overlaps = (zone.first for zone in swim.zones)
    faults = (bar.first for bar in swim.bars if bar.outcome not in USUAL)
    visits = (visit.start_turn for visit in swim.visits)
    found = (min(turns) for turns in map(list, (overlaps, faults, visits)) if turns)
    around = next(found, 1) if at is None else at
    first = max(1, min(around - WINDOW // 3, last - WINDOW + 1))
    return first, min(first + WINDOW - 1, last)


def _chosen(swim: Swim, first: int, last: int) -> list[int]:
    """The lanes that are drawn: all, or of many those inside, failing or in an overlap within the window."""
    every = range(len(swim.lanes))
    branches = sum(lane.kind == "branch" for lane in swim.lanes)
    if branches <= LANES and len(swim.lanes) <= LANES + _OTHERS:
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
