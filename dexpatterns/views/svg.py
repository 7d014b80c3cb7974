"""Swim lanes as one inline SVG: the same bytes for the same run, no script, nothing fetched.

Every text that came from people is escaped. Lanes and columns follow what there is: few turns get wide columns with
the Steps' names, many get an overview of the whole run and a window of it; of more than forty lanes those are drawn
that matter in the window, and the picture says how many it left out and counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dexpatterns.views import marks
from dexpatterns.views.axis import MARGIN, STUB, by_time
from dexpatterns.views.counting import counts
from dexpatterns.views.grid import Grid
from dexpatterns.views.lane_marks import draw_lanes
from dexpatterns.views.lanes_text import head, mark_name, overlap_lines
from dexpatterns.views.marks import ID, number, tag, text
from dexpatterns.views.overview import draw_overview
from dexpatterns.views.picture import clips, placed, put, ruler, time_ruler, whole
from dexpatterns.views.swim import Swim
from dexpatterns.views.texts import duration, pixels, words

__all__ = ["STYLE", "draw", "draw_panel", "lanes_of", "legend"]

STYLE = marks.STYLE
"""The style of every picture of lanes."""


def draw(
    swim: Swim, lang: str = "en", width: float = 960.0, turns: tuple[int, int] | None = None, at: int | None = None
) -> str:
    """The picture; `turns` (first, last) asks for a window of a long run, `at` for the turn after which it is shown."""
    grid = Grid(swim, lang, width, turns, at=at)
    said = head(swim, lang, at)
    body: list[str] = [text(MARGIN, 26, said, "h")]
    y = 40.0
    many = len(grid.chosen) < len(swim.lanes)
    if many:
        body.append(text(MARGIN, y + 6, _left_out(grid, lang), "q"))
        y += 16
    if swim.turns and (grid.windowed or many):
        made, y = draw_overview(swim, lang, (grid.x, width - STUB), y + 6, (grid.first, grid.last), at)
        body += made
    if not swim.turns:
        body.append(text(MARGIN, y + 10, words(lang, "nothing"), "q"))
        y += 24
    else:
        made, y = lanes_of(grid, lang, y)
        body += made
        made, y = legend([grid], lang, y + 18, width)
        body += made
    for line in overlap_lines(swim, lang):
        y += 18
        body.append(text(MARGIN, y, line, "v" if swim.zones else "q"))
    return whole(clips(grid) + "".join(body), width, y + 14, " ".join((said, *overlap_lines(swim, lang))), style=STYLE)


def draw_panel(
    swim: Swim, lang: str, turns: tuple[int, int], width: float, height: float | None, *, timed: bool = False
) -> str:
    """The lanes alone, for a stepper: see `Timeline.panel`."""
    scale = by_time(*turns, [turn.time or 0.0 for turn in swim.trace.turns]) if timed else None
    grid = Grid(swim, lang, width, turns, scale=scale, height=height)
    y = 4.0
    body: list[str] = []
    if len(grid.chosen) < len(swim.lanes):
        body.append(text(MARGIN, y + 10, _left_out(grid, lang), "q"))
        y += 16
    made, y = lanes_of(grid, lang, y)
    first, last = grid.first, grid.last
    return whole(
        "".join([*body, *made]), width, y + 4, words(lang, "lanes_of", first=first, last=last), style="",
        **placed(grid, grid.rows_top, grid.bottom),
    )  # fmt: skip


def lanes_of(grid: Grid, lang: str, y: float) -> tuple[list[str], float]:
    """Axis, rows, counts of what has no row, times; from `y` down, and where it ends."""
    rows = grid.lay(y + 24)
    made, end = _counts(grid, lang, rows)
    body = [*draw_lanes(grid, lang), *made]
    at = grid.current
    if at is not None:
        body.insert(0, marks.now(grid.begin(at), y + 20, grid.end(at) - grid.begin(at), end - y - 18))
    if grid.scale.times:
        return [*body, *time_ruler(grid, y + 16)], end
    body += ruler(grid, y + 16)
    stamps = grid.swim.trace.turns
    if grid.swim.clocked:
        body += ruler(grid, end + 14, lambda n: duration(stamps[n - 1].time or 0.0))
        return body, end + 18
    return body, end + (12 if at is not None else 0)


def _left_out(grid: Grid, lang: str) -> str:
    every = sum(lane.kind == "branch" for lane in grid.swim.lanes)
    drawn = sum(grid.swim.lanes[i].kind == "branch" for i in grid.chosen)
    return words(lang, "more", drawn=drawn, all=every)


def _counts(grid: Grid, lang: str, y: float) -> tuple[list[str], float]:
    """Of the branches that have no lane: how many wait, work, are queued and have ended, turn by turn."""
    shown = (grid.current or grid.last) - grid.first
    hidden = {i for i, lane in enumerate(grid.swim.lanes) if lane.kind == "branch"} - set(grid.chosen)
    if not hidden:
        return [], y
    drawn = []
    for phase, row in counts(grid.swim, hidden, grid.first, grid.last).items():
        top = max(row)
        if not top:
            continue
        height = 40.0
        base, scale = y + height - 4, (height - 16) / top
        points = [f"M{number(grid.x)} {number(base)}"]
        steps: list[tuple[int, int]] = []
        for n, value in enumerate(row):
            if not steps or steps[-1][1] != value:
                steps.append((grid.first + n, value))
                points.append(f"H{number(grid.begin(grid.first + n))}V{number(base - value * scale)}")
        points.append(f"H{number(grid.right)}V{number(base)}Z")
        shape = tag("path", d="".join(points), class_="t")
        free = 0.0
        for turn, value in steps:
            x = grid.begin(turn) + 4
            if x >= free and value and x + pixels(str(value), 10) <= grid.right:
                shape += text(x, base - 3, str(value), "x")
                free = x + pixels(str(value), 10) + 8
        drawn.append(put(grid, grid.first, grid.last, shape, jump=False))
        drawn.append(text(MARGIN + 32, base - 10, words(lang, "counts", n=row[shown], phase=words(lang, phase))))
        d = f"M{number(MARGIN + 2)} {number(base - 20)}h20m-20 6h20m-20 6h20"
        drawn.append(tag("path", d=d, class_="d"))
        drawn.append(tag("path", d=f"M{number(MARGIN)} {number(y + height)}H{number(grid.right)}", class_="r"))
        y += height
    return [f'<g class="fs">{"".join(drawn)}</g>'], y


def legend(grids: Sequence[Grid], lang: str, y: float, width: float) -> tuple[list[str], float]:
    """The marks that are used in these pictures, in rows."""
    drawn = []
    x = MARGIN
    used = [_used(grid) for grid in grids]
    for kind in used[0]:
        if not any(one[kind] for one in used):
            continue
        said = mark_name(grids[0].swim, kind, lang)
        size = 38 + pixels(said, 12) + 14
        if x + size > width and x > MARGIN:
            x, y = MARGIN, y + 24
        drawn.append(marks.sample(kind, x, y, ID) + text(x + 36, y + 4, said, "q"))
        x += size
    return [f'<g class="fs">{"".join(drawn)}</g>'], y + 12


def _used(grid: Grid) -> dict[str, bool]:
    swim, shown = grid.swim, set(grid.chosen)
    bars = [bar for bar in swim.bars if bar.lane in shown and grid.shows(bar.first, bar.last)]
    outcomes = {bar.outcome for bar in bars}
    touches = [touch for one in swim.tags for touch in one.touches]
    return {
        "wait_for": any(bar.method == "wait_for" for bar in bars),
        "waiting": bool(swim.waits),
        "execute": any(bar.method != "wait_for" for bar in bars),
        **{kind: kind in outcomes for kind in ("failed", "lost", "late", "cancelled", "closed", "open")},
        "retry": _any_shown(grid, ((gap.lane, gap.first, gap.last) for gap in swim.gaps)),
        "inside": bool(swim.visits),
        "overlap": bool(swim.zones),
        "token": bool(swim.ways),
        "token_lost": any(hop.why == "lost" for way in swim.ways for hop in way.hops),
        "read": any(not touch.writes for touch in touches),
        "written": any(touch.writes for touch in touches),
        "not_yet": grid.at is not None and grid.at < swim.turns,
    }


def _any_shown(grid: Grid, spans: Iterable[tuple[int, int, int]]) -> bool:
    return any(lane in grid.top and grid.shows(first, last) for lane, first, last in spans)
