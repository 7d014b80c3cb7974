"""What stands on the lanes of the picture: visits, bars, waits, tokens' ways, overlaps, each with its tooltip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dexpatterns.engine.texts import visible
from dexpatterns.views import marks, palette
from dexpatterns.views.attribute_svg import draw_tags
from dexpatterns.views.axis import MARGIN
from dexpatterns.views.grid import TOKEN_ROW, Grid
from dexpatterns.views.lanes_text import zone_names
from dexpatterns.views.marks import ID, number, tag, text, tip
from dexpatterns.views.picture import put
from dexpatterns.views.swim import CHANNEL, Bar, Hop, Swim, Way, Zone, lane_letter
from dexpatterns.views.texts import clip, duration, nearly_whole, pixels, short_names, words

__all__ = ["draw_lanes"]


def draw_lanes(grid: Grid, lang: str) -> list[str]:
    """All the rows that `grid.lay` placed, from the back to the front."""
    swim = grid.swim
    rules = [*grid.tag_top, *grid.channel_top.values(), *grid.top.values(), grid.bottom]
    d = "".join(f"M{number(MARGIN)} {number(y)}H{number(grid.right)}" for y in rules)
    drawn = [tag("path", d=d, class_="r")]
    for channel, top in grid.channel_top.items():
        drawn.append(text(MARGIN, top + TOKEN_ROW / 2 + 4, clip(visible(channel), 30)))
    drawn += _stays(grid, lang)
    drawn += _zones(grid)
    inside: dict[int, list[str]] = {lane: [] for lane in grid.chosen}
    _lines(grid, lang, inside)
    _bars(grid, lang, inside)
    for lane in grid.chosen:
        family = palette.family(swim.lanes[lane].number)
        place: dict[str, float | str] = {"data_lane": lane, "data_y": grid.top[lane], "data_h": grid.height(lane)}
        drawn.append(tag("g", _head(grid, lane) + "".join(inside[lane]), class_=f"f{family}", **place))
    for way in swim.ways:
        drawn += _way(grid, way, lang)
    drawn += draw_tags(grid, lang)
    for zone in swim.zones:
        drawn += _zone_label(grid, zone, lang)
    return drawn


def _head(grid: Grid, lane: int) -> str:
    """Badge and name."""
    one, name = grid.swim.lanes[lane], grid.names[lane]
    label = lane_letter(one, name)
    middle = grid.top[lane] + grid.height(lane) / 2
    mark = marks.badge(MARGIN + 12, middle, label, palette.family(one.number), grid.height(lane) / 2 - 1)
    return tip(f"{name} ({nearly_whole(one.step)})", mark + text(MARGIN + 32, middle + 4, clip(name, 26)))


def _stays(grid: Grid, lang: str) -> list[str]:
    """A box behind the bars: a gap between bars inside a visit is still inside."""
    swim = grid.swim
    section = nearly_whole(swim.section.name) if swim.section is not None else ""
    drawn = []
    for lane in grid.chosen:
        for stay in swim.lanes[lane].stays:
            last = min(stay.end_turn, swim.turns)
            if grid.shows(stay.start_turn, last):
                box = _box(grid, lane, stay.start_turn, last, "n")
                visit = swim.visits[stay.visit]
                said = f"{nearly_whole(visit.label)}: {words(lang, 'tip_visit', section=section)}"
                said = f"{said}; {_when(swim, stay.start_turn, last, lang)}"
                drawn.append(put(grid, stay.start_turn, last, box, said))
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
        for lanes in _neighbours(grid.chosen, spans):
            box = _box(grid, lanes[0], *spans[lanes[0]], "z", until=lanes[-1], style=f"fill:url(#{ID}x)")
            drawn.append(put(grid, *spans[lanes[0]], box, jump=False))
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
            # It began with the turn before, which by time may be long ago.
            d = f"M{number(grid.end(wait.first - 1))} {number(grid.middle(wait.lane))}H{number(grid.end(wait.last))}"
            said = f"{grid.names[wait.lane]}: {words(lang, 'tip_waits', what=nearly_whole(wait.what))}"
            when = _when(swim, wait.first, wait.last, lang)
            line = tag("path", d=d, class_="m")
            inside[wait.lane].append(put(grid, wait.first, wait.last, line, f"{said}; {when}"))
    for gap in swim.gaps:
        if gap.lane in inside and grid.shows(gap.first, gap.last):
            x, end, y = grid.end(gap.first - 1), grid.end(gap.last), grid.middle(gap.lane)
            d = f"M{number(x)} {number(y)}H{number(end)}M{number((x + end) / 2)} {number(y - 4)}v8"
            said = f"{grid.names[gap.lane]}: {words(lang, 'retry')}; {_when(swim, gap.first, gap.last, lang)}"
            inside[gap.lane].append(put(grid, gap.first, gap.last, tag("path", d=d, class_="l"), said))
    for run in swim.late:
        if run.lane in inside and grid.shows(run.first, run.last):
            x, end = grid.end(run.first - 1), grid.end(run.last)
            # Above the bars: below them stand their names.
            y = grid.middle(run.lane) - grid.bar(run.lane) / 2 - (7 if grid.height(run.lane) > 24 else 4)
            said = f"{grid.names[run.lane]}: {nearly_whole(run.step)}, {words(lang, 'late')}"
            said = f"{said}; {_when(swim, run.first, run.last, lang)}"
            inside[run.lane].append(put(grid, run.first, run.last, marks.waves(x, y, end - x), said))


def _bars(grid: Grid, lang: str, inside: dict[int, list[str]]) -> None:
    short = short_names(dict.fromkeys(bar.step for bar in grid.swim.bars))
    # On the bars if most have the room, which are two columns wide at least; else below.
    on = grid.column * 2 >= max((pixels(visible(name), 12) for name in short.values()), default=0.0) + 16
    free: dict[int, float] = {}
    shown = (bar for bar in grid.swim.bars if bar.lane in inside and grid.shows(bar.first, bar.last))
    for bar in sorted(shown, key=lambda bar: bar.first):
        x, end = grid.begin(bar.first) + 1.2, grid.end(bar.last) - 1.2
        end = max(end, x + 1)
        light = bar.method == "wait_for"
        h = min(8.0, grid.bar(bar.lane)) if light else grid.bar(bar.lane)
        y = grid.middle(bar.lane) - h / 2
        shape = marks.attempt(bar.outcome, x, y, end - x, h, light=light, name=ID)
        label = "" if light else _bar_label(grid, bar, (x, end), short[bar.step], free, on=on)
        inside[bar.lane].append(put(grid, bar.first, bar.last, shape + label, _bar_tip(grid, bar, lang)))


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
    # By time what takes none has no room for a name either.
    if grid.height(bar.lane) < 56 or (grid.scale.times and end - x < 8):
        return ""
    middle, half = (x + end) / 2, pixels(name, 10) / 2
    if middle - half < max(free.get(bar.lane, 0.0), grid.x - 4) or half * 2 > max(end - x + 14, 30):
        return ""
    free[bar.lane] = middle + half + 3
    hatched = any(zone.first <= bar.last and zone.last >= bar.first for zone in grid.swim.zones)
    return text(middle, grid.top[bar.lane] + 48, name, "xa" if hatched else "x", "middle")


def _bar_tip(grid: Grid, bar: Bar, lang: str) -> str:
    step = bar.step if bar.method in ("execute", "rpc") else f"{bar.step}.{bar.method}"
    attempt = words(lang, "tip_attempt_of" if bar.limit else "tip_attempt", n=bar.attempt, limit=bar.limit)
    outcome = words(lang, "tip_saved" if bar.outcome == "saved" else bar.outcome)
    detail = f"{words(lang, 'colon')}{visible(bar.detail)[:200]}" if bar.detail else ""
    said = words(lang, "join_words").join((nearly_whole(step), attempt, outcome))
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
            dots.append(put(grid, hop.turn, hop.turn, marks.cross(x, y), _hop_tip(grid, way, hop, lang)))
        elif hop.why != "moved":
            dots.append(put(grid, hop.turn, hop.turn, marks.token(x, y), _hop_tip(grid, way, hop, lang)))
    d += f"H{number(grid.end(min(way.end, grid.last)))}"
    first = before[-1].turn if before else within[0].turn
    return [put(grid, first, way.end, tag("path", d=d, class_="y"), jump=False), *dots]


def _hop_tip(grid: Grid, way: Way, hop: Hop, lang: str) -> str:
    places = [one.place for one in way.hops[: way.hops.index(hop)]]
    who = hop.place if hop.place != CHANNEL else places[-1] if places else CHANNEL
    name = grid.names[who] if who != CHANNEL else nearly_whole(way.channel)
    if hop.why == "published":
        return f"{nearly_whole(way.channel)}; {_when(grid.swim, hop.turn, hop.turn, lang)}"
    said = words(lang, _HOPS[hop.why], who=name, channel=nearly_whole(way.channel))
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
    x = max(min((left + right - size) / 2, grid.right - size), grid.x)
    # Between two lanes, where no words stand: under the bars, or under their names, which Attributes leave no room for.
    high = grid.height(shown[0])
    y = grid.top[shown[0]] + high - (19 if grid.swim.tags else 5 if high > 40 else 9)
    box = tag("rect", x=x, y=y, width=size, height=18, rx=2, class_="bg") + tag(
        "rect", x=x, y=y, width=size, height=18, rx=2, class_="e"
    )
    label = box + text(x + size / 2, y + 13, said, "v", "middle")
    told = f"{zone_names(zone, lang, 8)}: {said}; {_when(grid.swim, zone.first, zone.last, lang)}"
    return [put(grid, zone.first, zone.first, label, told)]
