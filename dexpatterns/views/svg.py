"""Swim lanes as one inline SVG: the same bytes for the same run, no script, nothing fetched.

Every text that came from people is escaped. Lanes and columns follow what there is: few turns get wide columns with
the Steps' names, many get an overview of the whole run and a window of it; of more than forty lanes those are drawn
that matter in the window, and the picture says how many it left out and counts them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

from dexpatterns.views import marks, palette
from dexpatterns.views.counting import counts
from dexpatterns.views.grid import MARGIN, STUB, TOKEN_ROW, Grid
from dexpatterns.views.lanes_text import head, mark_name, overlap_lines
from dexpatterns.views.marks import ID, number, tag, text, tip
from dexpatterns.views.overview import draw_overview
from dexpatterns.views.swim import CHANNEL, Bar, Hop, Swim, Way, Zone, lane_letter
from dexpatterns.views.texts import clip, duration, nice_steps, pixels, short_names, visible, words

__all__ = ["draw"]


def draw(swim: Swim, lang: str = "en", width: float = 960.0, turns: tuple[int, int] | None = None) -> str:
    """The picture; `turns` (first, last) asks for a window of a long run."""
    grid = Grid(swim, lang, width, turns)
    body: list[str] = [text(MARGIN, 26, head(swim, lang), "h")]
    y = 40.0
    many = len(grid.chosen) < len(swim.lanes)
    if many:
        every = sum(lane.kind == "branch" for lane in swim.lanes)
        drawn = sum(swim.lanes[i].kind == "branch" for i in grid.chosen)
        body.append(text(MARGIN, y + 6, words(lang, "more", drawn=drawn, all=every), "q"))
        y += 16
    if swim.turns and (grid.windowed or many):
        made, y = draw_overview(swim, lang, (grid.x, width - STUB), y + 6, (grid.first, grid.last))
        body += made
    if not swim.turns:
        body.append(text(MARGIN, y + 10, words(lang, "nothing"), "q"))
        y += 24
    else:
        body += _axis(grid, y + 16, str)
        y = grid.lay(y + 24)
        body += _lanes(grid, lang)
        made, y = _counts(grid, lang, y) if many else ([], y)
        body += made
        if swim.clocked:
            stamps = swim.trace.turns
            body += _axis(grid, y + 14, lambda n: duration(stamps[n - 1].time or 0.0))
            y += 18
        made, y = _legend(grid, lang, y + 18, width)
        body += made
    for said in overlap_lines(swim, lang):
        y += 18
        body.append(text(MARGIN, y, said, "v" if swim.zones else "q"))
    return _whole("".join(body), width, y + 14, " ".join((head(swim, lang), *overlap_lines(swim, lang))))


def _whole(body: str, width: float, height: float, label: str) -> str:
    # The ids of two pictures in one page must differ: a pattern of a hidden one would vanish with it.
    name = "dx" + hashlib.sha256(body.encode("utf-8", "replace")).hexdigest()[:8]
    size = f'viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" height="{number(height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dxp" {size} role="img" aria-label="{escape(label)}" '
        f'style="max-width:100%;height:auto"><style>{marks.STYLE}</style>{marks.defs(name)}'
        f'<rect width="100%" height="100%" class="bg"/>{body.replace(ID, name)}</svg>'
    )


def _axis(grid: Grid, y: float, stamp: Callable[[int], str]) -> list[str]:
    """Turn numbers or times over the middles of their columns, as many as fit without touching."""
    wanted = max(pixels(stamp(grid.last), 10) + 16, 34.0) / grid.column
    step = next(n for n in nice_steps() if n >= wanted and n != 2)
    drawn = []
    free, before = 0.0, ""
    for turn in (grid.first, *range(grid.first - grid.first % step + step, grid.last + 1, step)):
        said = stamp(turn)
        middle, half = grid.begin(turn) + grid.column / 2, pixels(said, 10) / 2
        if middle - half >= free and said != before:
            drawn.append(text(middle, y, said, "x", "middle"))
            free, before = middle + half + 8, said
    return drawn


def _lanes(grid: Grid, lang: str) -> list[str]:
    swim = grid.swim
    rules = [*grid.channel_top.values(), *grid.top.values(), grid.bottom]
    d = "".join(f"M{number(MARGIN)} {number(y)}H{number(grid.right)}" for y in rules)
    drawn = [tag("path", d=d, class_="r")]
    for channel, top in grid.channel_top.items():
        drawn.append(text(MARGIN, top + TOKEN_ROW / 2 + 4, clip(visible(channel), 30)))
    # From the back to the front: visits, overlaps, bars, tokens, names of overlaps.
    drawn += _stays(grid, lang)
    drawn += _zones(grid)
    inside: dict[int, list[str]] = {lane: [] for lane in grid.chosen}
    _lines(grid, lang, inside)
    _bars(grid, lang, inside)
    for lane in grid.chosen:
        family = palette.family(swim.lanes[lane].number)
        drawn.append(f'<g class="f{family}">{_head(grid, lane)}{"".join(inside[lane])}</g>')
    for way in swim.ways:
        drawn += _way(grid, way, lang)
    for zone in swim.zones:
        drawn += _zone_label(grid, zone, lang)
    return drawn


def _head(grid: Grid, lane: int) -> str:
    """Badge and name."""
    one, name = grid.swim.lanes[lane], grid.names[lane]
    label = lane_letter(one, name)
    middle = grid.top[lane] + grid.height(lane) / 2
    mark = marks.badge(MARGIN + 12, middle, label, palette.family(one.number), grid.height(lane) / 2 - 1)
    return tip(f"{name} ({one.step})", mark + text(MARGIN + 32, middle + 4, clip(name, 26)))


def _stays(grid: Grid, lang: str) -> list[str]:
    """A box behind the bars: a gap between bars inside a visit is still inside."""
    swim = grid.swim
    section = visible(swim.section.name) if swim.section is not None else ""
    drawn = []
    for lane in grid.chosen:
        for stay in swim.lanes[lane].stays:
            last = min(stay.end_turn, swim.turns)
            if grid.shows(stay.start_turn, last):
                box = _box(grid, lane, stay.start_turn, last, "n")
                visit = swim.visits[stay.visit]
                said = f"{visit.label}: {words(lang, 'tip_visit', section=section)}"
                drawn.append(tip(f"{said}; {_when(swim, stay.start_turn, last, lang)}", box))
    return drawn


def _box(grid: Grid, lane: int, first: int, last: int, class_: str, *, until: int = -1, **more: str) -> str:
    """A frame around these turns of a lane, or of the lanes up to `until`."""
    x, gap = grid.begin(first), 3.0 if grid.height(lane) > 24 else 1.5
    top, end = grid.top[lane], until if until >= 0 else lane
    return tag(
        "rect", x=x, y=top + gap, width=max(grid.end(last) - x, 1.0),
        height=grid.top[end] + grid.height(end) - top - 2 * gap, class_=class_, **more,
    )  # fmt: skip


def _zones(grid: Grid) -> list[str]:
    """Cross-hatched over all lanes concerned, in one frame where they are neighbours."""
    drawn = []
    for zone in grid.swim.zones:
        spans: dict[int, tuple[int, int]] = {}
        for visit in zone.visits:
            lane = grid.swim.lane_at[visit.entry]
            low, high = max(zone.first, visit.start_turn), min(zone.last, visit.end_turn - 1, grid.swim.turns)
            if lane in grid.top and low <= high and grid.shows(low, high):
                spans[lane] = (low, high)
        drawn += [
            _box(grid, lanes[0], *spans[lanes[0]], "z", until=lanes[-1], style=f"fill:url(#{ID}x)")
            for lanes in _neighbours(grid.chosen, spans)
        ]
    return drawn


def _neighbours(order: Sequence[int], spans: Mapping[int, tuple[int, int]]) -> list[list[int]]:
    """The lanes with a span, those together that stand one below the other and have the same."""
    groups: list[list[int]] = []
    before = None
    for lane in order:
        span = spans.get(lane)
        if span is not None and span == before:
            groups[-1].append(lane)
        elif span is not None:
            groups.append([lane])
        before = span
    return groups


def _lines(grid: Grid, lang: str, inside: dict[int, list[str]]) -> None:
    swim = grid.swim
    for wait in swim.waits:
        if wait.lane in inside and grid.shows(wait.first, wait.last):
            d = f"M{number(grid.begin(wait.first))} {number(grid.middle(wait.lane))}H{number(grid.end(wait.last))}"
            said = f"{grid.names[wait.lane]}: {words(lang, 'tip_waits', what=visible(wait.what))}"
            when = _when(swim, wait.first, wait.last, lang)
            inside[wait.lane].append(tip(f"{said}; {when}", tag("path", d=d, class_="m")))
    for gap in swim.gaps:
        if gap.lane in inside and grid.shows(gap.first, gap.last):
            x, end, y = grid.begin(gap.first), grid.end(gap.last), grid.middle(gap.lane)
            d = f"M{number(x)} {number(y)}H{number(end)}M{number((x + end) / 2)} {number(y - 4)}v8"
            inside[gap.lane].append(tag("path", d=d, class_="l"))
    for run in swim.late:
        if run.lane in inside and grid.shows(run.first, run.last):
            x, end = grid.begin(run.first), grid.end(run.last)
            # Above the bars: below them stand their names.
            y = grid.middle(run.lane) - grid.bar(run.lane) / 2 - (7 if grid.height(run.lane) > 24 else 4)
            said = f"{grid.names[run.lane]}: {visible(run.step)}, {words(lang, 'late')}"
            said = f"{said}; {_when(swim, run.first, run.last, lang)}"
            inside[run.lane].append(tip(said, marks.waves(x, y, end - x)))


def _bars(grid: Grid, lang: str, inside: dict[int, list[str]]) -> None:
    short = short_names(bar.step for bar in grid.swim.bars)
    # On the bars if most have the room, which are two columns wide at least; else below.
    on = grid.column * 2 >= max((pixels(visible(name), 12) for name in short.values()), default=0.0) + 16
    free: dict[int, float] = {}
    for bar in sorted(grid.swim.bars, key=lambda bar: bar.first):
        if bar.lane not in inside or not grid.shows(bar.first, bar.last):
            continue
        x, end = grid.begin(bar.first) + 1.2, grid.end(bar.last) - 1.2
        light = bar.method == "wait_for"
        h = min(8.0, grid.bar(bar.lane)) if light else grid.bar(bar.lane)
        y = grid.middle(bar.lane) - h / 2
        shape = marks.attempt(bar.outcome, x, y, end - x, h, light=light, name=ID)
        label = "" if light else _bar_label(grid, bar, (x, end), short[bar.step], free, on=on)
        inside[bar.lane].append(tip(_bar_tip(grid, bar, lang), shape + label))


def _bar_label(
    grid: Grid, bar: Bar, between: tuple[float, float], short: str, free: dict[int, float], *, on: bool
) -> str:
    """The Step's name on the bar, or its first words where that is too long; else those below the bar.

    Nothing where two would touch.
    """
    x, end = between
    name = visible(short)
    if on and bar.outcome in ("saved", "open", "late") and grid.bar(bar.lane) >= 18:
        fitting = (said for said in (visible(bar.step), name) if pixels(said, 12) + 12 <= end - x)
        if said := next(fitting, ""):
            return text(x + 6, grid.middle(bar.lane) + 4, said, "w")
    if grid.height(bar.lane) < 56:
        return ""
    middle, half = (x + end) / 2, pixels(name, 10) / 2
    if middle - half < max(free.get(bar.lane, 0.0), grid.x - 4) or half * 2 > max(end - x + 14, 30):
        return ""
    free[bar.lane] = middle + half + 3
    return text(middle, grid.top[bar.lane] + 48, name, "x", "middle")


def _bar_tip(grid: Grid, bar: Bar, lang: str) -> str:
    step = bar.step if bar.method in ("execute", "rpc") else f"{bar.step}.{bar.method}"
    attempt = words(lang, "tip_attempt_of" if bar.limit else "tip_attempt", n=bar.attempt, limit=bar.limit)
    outcome = words(lang, "tip_saved" if bar.outcome == "saved" else bar.outcome)
    detail = f"{words(lang, 'colon')}{visible(bar.detail)[:200]}" if bar.detail else ""
    said = words(lang, "join_words").join((visible(step), attempt, outcome))
    return f"{grid.names[bar.lane]}: {said}{detail}; {_when(grid.swim, bar.first, bar.last, lang)}"


def _when(swim: Swim, first: int, last: int, lang: str) -> str:
    said = words(lang, "tip_turns" if last > first else "tip_turn", first=first, last=last)
    if not swim.clocked:
        return said
    times = dict.fromkeys(duration(swim.trace.turns[n - 1].time or 0.0) for n in (first, last))
    return f"{said}{words(lang, 'join_words')}{' – '.join(times)}"


_HOPS = {"taken": "tip_taken", "given": "tip_given", "published": "tip_published", "lost": "tip_lost"}


def _way(grid: Grid, way: Way, lang: str) -> list[str]:
    """The token's way: a line through the Channel's row and along the tops of lanes, a dot where it changes hands."""
    known = [hop for hop in way.hops if hop.place == CHANNEL or hop.place in grid.top]
    before = [hop for hop in known if hop.turn < grid.first]
    within = [hop for hop in known if grid.first <= hop.turn <= grid.last]
    if not within and (not before or way.end < grid.first):
        return []
    d, dots = "", []
    if before:
        d = f"M{number(grid.x)} {number(grid.token_y(before[-1].place, way.channel))}"
    for n, hop in enumerate(within):
        # Given back and taken within one turn is one change of hands.
        if n + 1 < len(within) and within[n + 1].turn == hop.turn:
            continue
        x, y = grid.end(hop.turn), grid.token_y(hop.place, way.channel)
        d += f"H{number(x)}V{number(y)}" if d else f"M{number(x)} {number(y)}"
        if hop.why == "lost":
            dots.append(tip(_hop_tip(grid, way, hop, lang), marks.cross(x, y)))
        elif hop.why != "moved":
            dots.append(tip(_hop_tip(grid, way, hop, lang), marks.token(x, y)))
    d += f"H{number(grid.end(min(way.end, grid.last)))}"
    return [tag("path", d=d, class_="y"), *dots]


def _hop_tip(grid: Grid, way: Way, hop: Hop, lang: str) -> str:
    places = [one.place for one in way.hops[: way.hops.index(hop)]]
    who = hop.place if hop.place != CHANNEL else places[-1] if places else CHANNEL
    name = grid.names[who] if who != CHANNEL else visible(way.channel)
    if hop.why == "published":
        return f"{visible(way.channel)}; {_when(grid.swim, hop.turn, hop.turn, lang)}"
    said = words(lang, _HOPS[hop.why], who=name, channel=visible(way.channel))
    return f"{said}; {_when(grid.swim, hop.turn, hop.turn, lang)}"


def _zone_label(grid: Grid, zone: Zone, lang: str) -> list[str]:
    """Who is inside at once, in a box on the hatching, or beside it where that is too narrow."""
    lanes = [grid.swim.lane_at[visit.entry] for visit in zone.visits]
    shown = sorted({lane for lane in lanes if lane in grid.top})
    if not shown or not grid.shows(zone.first, zone.last):
        return []
    numbers = sorted({visit.branch for visit in zone.visits})
    key = "both" if len(numbers) == 2 else "many"  # of three in a chain two at most may have met
    said = words(lang, key, a=numbers[0], b=numbers[-1], n=zone.most)
    size = pixels(said, 11) * 1.12 + 12
    left, right = grid.begin(zone.first), grid.end(min(zone.last, grid.swim.turns))
    x = min(max((left + right - size) / 2, grid.x), grid.right + STUB - size)
    y = grid.top[shown[0]] + grid.height(shown[0]) - 9
    box = tag("rect", x=x, y=y, width=size, height=18, rx=2, class_="bg") + tag(
        "rect", x=x, y=y, width=size, height=18, rx=2, class_="e"
    )
    return [box + text(x + size / 2, y + 13, said, "v", "middle")]


def _counts(grid: Grid, lang: str, y: float) -> tuple[list[str], float]:
    """Of the branches that have no lane: how many wait, work, are queued and have ended, turn by turn."""
    drawn = []
    hidden = {i for i, lane in enumerate(grid.swim.lanes) if lane.kind == "branch"} - set(grid.chosen)
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
        drawn.append(tag("path", d="".join(points), class_="t"))
        free = 0.0
        for turn, value in steps:
            x = grid.begin(turn) + 4
            if x >= free and value:
                drawn.append(text(x, base - 3, str(value), "x"))
                free = x + pixels(str(value), 10) + 8
        drawn.append(text(MARGIN + 32, base - 10, words(lang, "counts", n=row[-1], phase=words(lang, phase))))
        d = f"M{number(MARGIN + 2)} {number(base - 20)}h20m-20 6h20m-20 6h20"
        drawn.append(tag("path", d=d, class_="d"))
        drawn.append(tag("path", d=f"M{number(MARGIN)} {number(y + height)}H{number(grid.right)}", class_="r"))
        y += height
    return [f'<g class="fs">{"".join(drawn)}</g>'], y


def _legend(grid: Grid, lang: str, y: float, width: float) -> tuple[list[str], float]:
    """The marks that are used, in rows."""
    drawn = []
    x = MARGIN
    for kind in _used(grid):
        said = mark_name(grid.swim, kind, lang)
        size = 38 + pixels(said, 12) + 14
        if x + size > width and x > MARGIN:
            x, y = MARGIN, y + 24
        drawn.append(marks.sample(kind, x, y, ID) + text(x + 36, y + 4, said, "q"))
        x += size
    return [f'<g class="fs">{"".join(drawn)}</g>'], y + 12


def _used(grid: Grid) -> Sequence[str]:
    swim, shown = grid.swim, set(grid.chosen)
    bars = [bar for bar in swim.bars if bar.lane in shown and grid.shows(bar.first, bar.last)]
    outcomes = {bar.outcome for bar in bars}
    there: dict[str, bool] = {
        "wait_for": any(bar.method == "wait_for" for bar in bars),
        "waiting": bool(swim.waits),
        "execute": any(bar.method != "wait_for" for bar in bars),
        **{kind: kind in outcomes for kind in ("failed", "lost", "late", "cancelled", "closed", "open")},
        "retry": _any_shown(grid, ((gap.lane, gap.first, gap.last) for gap in swim.gaps)),
        "inside": bool(swim.visits),
        "overlap": bool(swim.zones),
        "token": bool(swim.ways),
        "token_lost": any(hop.why == "lost" for way in swim.ways for hop in way.hops),
    }
    return [kind for kind, used in there.items() if used]


def _any_shown(grid: Grid, spans: Iterable[tuple[int, int, int]]) -> bool:
    return any(lane in grid.top and grid.shows(first, last) for lane, first, last in spans)
