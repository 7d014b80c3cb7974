"""Swim lanes as plain text: for a terminal, a doctest, a screen reader.

ASCII marks in fixed columns, no colour, a legend of the marks that are used. A column is a turn (or part of one);
of a long run several turns share a column, and the strongest mark of them is shown. Names come from people: they
are shown harmlessly and measured as a terminal does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dexpatterns.engine.texts import visible
from dexpatterns.engine.trace import Trace
from dexpatterns.views import texts
from dexpatterns.views.attribute_lanes import Tag
from dexpatterns.views.swim import CHANNEL, Swim, Way, Zone, lane_names
from dexpatterns.views.texts import clip, duration, nice_steps, pad, short, short_names, value, width, words

__all__ = ["LANES", "Reach", "head", "mark_name", "names_width", "overlap_lines", "render", "title", "zone_names"]

LANES = 40
"""The most lanes that are drawn."""

_NARROWEST = 48
_WIDEST_TURN = 6
_TOKEN_ROWS = 4

# What is stronger stands further to the right.
_MARKS = {
    "waiting": ".", "retry": "~", "wait_for": "-", "inside": "+", "execute": "=", "inside_execute": "#", "open": ">",
    "closed": "|", "cancelled": "/", "late": "&", "lost": "!", "failed": "x", "overlap": "X",
}  # fmt: skip
_NOT_YET = ":"
_STRENGTH = {mark: rank for rank, mark in enumerate((" ", *_MARKS.values()))}
_ENDS = {"cancelled": "/", "closed": "|", "late": "&", "open": ">"}
_BODY = {"failed": "x", "lost": "!"}


class Reach(NamedTuple):
    """What an axis reaches over: so many turns, or with `by_time` so many virtual seconds."""

    end: float
    by_time: bool = False


class _Columns:
    """Which columns stand for which turns."""

    def __init__(self, swim: Swim, room: int, reach: Reach | None) -> None:
        self.turns = max(swim.turns, 1)
        most = max(self.turns, round(reach.end)) if reach is not None and not reach.by_time else self.turns
        self.per_column = max(1, -(-most // room))
        self.per_turn = max(1, min(_WIDEST_TURN, room // most))
        self.columns = -(-self.turns // self.per_column) * (self.per_turn if self.per_column == 1 else 1)
        self.places: list[int] = []
        if reach is not None and reach.by_time:
            scale = (room - 1) / max(reach.end, 1e-9)
            self.places = [int((turn.time or 0.0) * scale) for turn in swim.trace.turns]
            self.per_column, self.per_turn, self.columns = 1, 1, room

    @property
    def wide(self) -> bool:
        """Whether every turn has columns of its own, so that a name may stand there."""
        return self.per_column == 1 and not self.places

    def span(self, first: int, last: int) -> range:
        """The columns of the turns from first to last, both included."""
        if self.places:
            return range(self.places[max(first, 1) - 1], self.places[max(last, 1) - 1] + 1)
        if self.per_column > 1:
            return range((first - 1) // self.per_column, (last - 1) // self.per_column + 1)
        return range((first - 1) * self.per_turn, last * self.per_turn)


def render(
    swim: Swim, size: int = 100, lang: str = "en", at: int | None = None, *,
    prefix: str = "", column: int = 0, reach: Reach | None = None,
) -> str:  # fmt: skip
    """The lanes in at most `size` columns (never under 48).

    `at` is the turn after which nothing has happened yet; `column`, the least width of the names, and `reach` give two
    texts one axis.
    """
    size = max(size, _NARROWEST)
    lines = texts.lines_of(f"{prefix}{head(swim, lang, at)}".split(" "), size, " ")
    if not swim.turns:
        return "\n".join((*lines, words(lang, "nothing")))
    shown = _chosen(swim)
    names = lane_names(swim.lanes, lang)
    channels = list(dict.fromkeys(way.channel for way in swim.ways))
    number = max(len(str(lane.number)) for lane in swim.lanes) if swim.lanes else 1
    rows = [f"{swim.lanes[i].number or '':>{number}} {names[i]}" for i in shown]
    column = min(max(names_width(swim, lang), column), size // 3)
    columns = _Columns(swim, size - column - 2, reach)

    def line(name: str, cells: Sequence[str]) -> str:
        return f"{pad(clip(name, column), column)}  {''.join(cells)}".rstrip()

    def happened(cells: list[str]) -> list[str]:
        if at is None:
            return cells
        edge = columns.span(at, at)[-1] + 1 if at else 0
        return cells[:edge] + [cell if cell == " " else _NOT_YET for cell in cells[edge:]]

    indent = " " * (number + 1)
    stamps = swim.trace.turns
    lines.append(line(indent + words(lang, "turn"), _axis(columns, str, len(str(swim.turns)))))
    for one in swim.tags:
        for n, row in enumerate(_tag_rows(swim, one, columns, lang)):
            lines.append(line(indent + visible(one.name) if not n else "", happened(row)))
    for channel in channels:
        for n, row in enumerate(_token_rows(swim, channel, columns)):
            lines.append(line(indent + visible(channel) if not n else "", happened(row)))
    canvas = _Canvas(shown, columns)
    _paint(swim, canvas)
    used = canvas.used()
    if columns.wide:
        _label(swim, canvas)
    lines += [line(row, happened(canvas.cells[i])) for i, row in zip(shown, rows, strict=True)]
    if at:
        mark = [" "] * columns.columns
        for c in columns.span(at, at):
            mark[c] = "^"
        lines.append(line(indent + words(lang, "current"), mark))
    if swim.clocked:
        times = _axis(columns, lambda n: duration(stamps[n - 1].time or 0.0).replace(" ", ""), 8)
        lines.append(line(indent + words(lang, "time"), times))
    lines += [""]
    branches = sum(lane.kind == "branch" for lane in swim.lanes)
    drawn = sum(swim.lanes[i].kind == "branch" for i in shown)
    notes = [words(lang, "more", drawn=drawn, all=branches)] if drawn < branches else []
    notes += [words(lang, "scale", n=columns.per_column)] if columns.per_column > 1 else []
    for note in notes:
        lines += texts.lines_of(note.split(" "), size, " ")
    legend = [f"{mark} {mark_name(swim, name, lang)}" for name, mark in _MARKS.items() if mark in used]
    if channels:
        legend += [f"o {words(lang, 'token')} {words(lang, 'token_queued')}", f"2-- {words(lang, 'token_held')}"]
    if any(hop.why == "lost" for way in swim.ways for hop in way.hops):
        legend.append(f"x {words(lang, 'token_lost')}")
    if swim.tags:
        legend += [f"r {words(lang, 'read')}", f"w {words(lang, 'written')}"]
    if at is not None and at < swim.turns:
        legend.append(f"{_NOT_YET} {words(lang, 'not_yet')}")
    lines += texts.lines_of(legend, size, "   ")
    for said in overlap_lines(swim, lang):
        lines += texts.lines_of(said.split(" "), size, " ")
    return "\n".join(lines)


def names_width(swim: Swim, lang: str) -> int:
    """The columns that the names of lanes, Channels and Attributes take."""
    number = max(len(str(lane.number)) for lane in swim.lanes) if swim.lanes else 1
    names = lane_names(swim.lanes, lang)
    heads = [names[i] for i in _chosen(swim)]
    heads += [*(visible(way.channel) for way in swim.ways), *(visible(one.name) for one in swim.tags)]
    return max(max(map(width, heads), default=4) + number + 1, 8)


def head(swim: Swim, lang: str, at: int | None = None) -> str:
    """What ran and how it ended, in one line; and after which turn it is shown."""
    if at is not None:
        shown = words(lang, "shown_at", at=at, all=swim.turns)
        return f"{head(swim, lang)}{words(lang, 'parts')}{shown}"
    return title(swim.trace, lang)


def title(trace: Trace, lang: str) -> str:
    """What ran and how it ended, in one line."""
    time = trace.turns[-1].time if trace.turns else None
    return words(
        lang,
        "head_one" if len(trace.turns) == 1 else "head",
        name=short(trace.name),
        seed=words(lang, "seed", seed=trace.seed) if trace.seed is not None else "",
        status=visible(str(trace.final.get("status") or trace.outcome or "open")),
        turns=len(trace.turns),
        time=words(lang, "took", time=duration(time)) if time is not None else words(lang, "no_clock"),
    )


def mark_name(swim: Swim, mark: str, lang: str) -> str:
    """What the legend says of a mark."""
    more = mark == "overlap" and swim.limit > 1
    return words(lang, "overlap_limit", limit=swim.limit) if more else words(lang, mark)


def overlap_lines(swim: Swim, lang: str, most: int = 5) -> list[str]:
    """Who was inside at once, or that nobody was; nothing when no section is looked at."""
    if swim.section is None:
        return []
    section = short(swim.section.name)
    if not swim.zones:
        key = "none_overlap" if swim.limit == 1 else "none_overlap_limit"
        return [words(lang, key, section=section, limit=swim.limit)]
    lines = []
    for zone in swim.zones[:most]:
        key = "overlaps" if zone.last > zone.first else "overlap_turn"
        who = zone_names(zone, lang, 4)
        lines.append(words(lang, key, n=zone.most, section=section, first=zone.first, last=zone.last, who=who))
    if len(swim.zones) > most:
        lines.append(words(lang, "zones_more", n=len(swim.zones) - most))
    return lines


def zone_names(zone: Zone, lang: str, most: int) -> str:
    """The branches of an overlap by name, so many at most."""
    names = list(dict.fromkeys(short(visit.label) for visit in zone.visits))
    said = words(lang, "join_words").join(names[:most])
    return said if len(names) <= most else words(lang, "and_more", who=said, n=len(names) - most)


def _chosen(swim: Swim) -> list[int]:
    """The lanes to draw: all, or of too many those with an overlap, a failure, a visit, in that order."""
    lanes = range(len(swim.lanes))
    if len(swim.lanes) <= LANES:
        return list(lanes)
    together = {(v.branch, v.start_turn) for zone in swim.zones for v in zone.visits}
    weight = [0] * len(swim.lanes)
    for i in lanes:
        lane = swim.lanes[i]
        weight[i] = 1 if lane.stays else 0
        weight[i] += 8 if any((lane.number, stay.start_turn) in together for stay in lane.stays) else 0
        weight[i] += 2 if lane.kind in ("start", "join") else 0
    for bar in swim.bars:
        if bar.outcome not in ("saved", "open"):
            weight[bar.lane] |= 4
    best = sorted(lanes, key=lambda i: (-weight[i], i))[:LANES]
    return sorted(best)


class _Canvas:
    """The cells of the lanes that are drawn; of two marks the stronger one stays."""

    def __init__(self, shown: Sequence[int], at: _Columns) -> None:
        self.at = at
        self.cells = {i: [" "] * at.columns for i in shown}

    def put(self, lane: int, first: int, last: int, mark: str, *, end: bool = False) -> None:
        """Mark the turns from first to last, or with `end` the last column of them."""
        row = self.cells.get(lane)
        if row is None:
            return
        columns = self.at.span(first, last)
        for c in columns[-1:] if end else columns:
            if _STRENGTH.get(row[c], 0) < _STRENGTH[mark]:
                row[c] = mark

    def used(self) -> set[str]:
        return {mark for row in self.cells.values() for mark in row}


def _paint(swim: Swim, canvas: _Canvas) -> None:
    for i in canvas.cells:
        for stay in swim.lanes[i].stays:
            canvas.put(i, stay.start_turn, min(stay.end_turn, swim.turns), _MARKS["inside"])
    for wait in swim.waits:
        canvas.put(wait.lane, wait.first, wait.last, _MARKS["waiting"])
    for gap in swim.gaps:
        canvas.put(gap.lane, gap.first, gap.last, _MARKS["retry"])
    for run in swim.late:
        canvas.put(run.lane, run.first, run.last, _MARKS["late"])
    for bar in swim.bars:
        if bar.lane in canvas.cells:
            stays = swim.lanes[bar.lane].stays
            inside = any(stay.start_turn <= bar.first <= stay.end_turn for stay in stays)
            usual = "wait_for" if bar.method == "wait_for" else "inside_execute" if inside else "execute"
            canvas.put(bar.lane, bar.first, bar.last, _BODY.get(bar.outcome, _MARKS[usual]))
            if bar.outcome in _ENDS:
                canvas.put(bar.lane, bar.first, bar.last, _ENDS[bar.outcome], end=True)
    for zone in swim.zones:
        for visit in zone.visits:
            low, high = max(zone.first, visit.start_turn), min(zone.last, visit.end_turn - 1, swim.turns)
            if low <= high:
                canvas.put(swim.lane_at[visit.entry], low, high, _MARKS["overlap"])


def _label(swim: Swim, canvas: _Canvas) -> None:
    """Write a Step's short name on a bar that has the room for it, after a bracket where the bar begins."""
    names = short_names(dict.fromkeys(bar.step for bar in swim.bars))
    for bar in swim.bars:
        row = canvas.cells.get(bar.lane)
        columns = canvas.at.span(bar.first, bar.last)
        if row is None or bar.method == "wait_for" or len(columns) < 2:
            continue
        row[columns[0]] = "["
        name = visible(names[bar.step])
        place = slice(columns[1], columns[1] + len(name))
        # An overlap is never written over.
        if name.isascii() and len(name) <= len(columns) - 2 and _MARKS["overlap"] not in row[place]:
            row[place] = name


def _token_rows(swim: Swim, channel: str, at: _Columns) -> list[list[str]]:
    """`o` while a token is in the Channel, else the number of the branch that holds it, then dashes.

    A few tokens have a row each, many share one.
    """
    ways = [way for way in swim.ways if way.channel == channel]
    rows = [[" "] * at.columns for _ in (ways if len(ways) <= _TOKEN_ROWS else ways[:1])]
    for held in (True, False):
        for n, way in enumerate(ways):
            _token_way(swim, way, rows[n % len(rows)], at, held)
    return rows


def _token_way(swim: Swim, way: Way, row: list[str], at: _Columns, held: bool) -> None:
    for n, hop in enumerate(way.hops):
        last = way.hops[n + 1].turn if n + 1 < len(way.hops) else way.end
        if hop.why == "lost":
            row[at.span(hop.turn, hop.turn)[-1]] = "x"
        elif (hop.place != CHANNEL) is held and last > hop.turn:
            columns = at.span(hop.turn + 1, last)
            row[columns[0] : columns[-1] + 1] = ("-" if held else "o") * len(columns)
            lane = swim.lanes[hop.place]
            number = str(lane.number or visible(lane.label)[:1]) if held else ""
            if at.wide and len(number) <= len(columns):
                row[columns[0] : columns[0] + len(number)] = number


def _tag_rows(swim: Swim, one: Tag, at: _Columns, lang: str) -> Iterator[list[str]]:
    """What the Attribute holds, after a bracket where that begins; below who reads and writes it, by number."""
    held = [" "] * at.columns
    for first, last, what in one.spans(swim.turns):
        columns = at.span(first, last)
        # Cells are characters of one column each: what is wider, or too long, stands in the events alone.
        said = value(what, lang)
        fits = (one for one in (f"[{said}", said) if len(one) <= len(columns) and one.isascii())
        said = next(fits, "[")
        held[columns[0] : columns[0] + len(said)] = said
    yield held
    touched = [" "] * at.columns
    for touch in one.touches:
        lane = swim.lanes[touch.lane]
        said = f"{'w' if touch.writes else 'r'}{lane.number or visible(lane.label)[:1]}"
        columns = at.span(touch.turn, touch.turn)
        said = said if len(said) <= len(columns) and said.isascii() else said[0]
        first = columns[-1] + 1 - len(said) if touch.writes else columns[0]
        touched[first : first + len(said)] = said
    yield touched


def _axis(at: _Columns, stamp: Callable[[int], str], room: int) -> list[str]:
    """The stamps of turns at even steps, each over the first column of its turn, `room` columns apart at least."""
    row = [" "] * at.columns
    wanted = 1.0 if at.places else (room + 2) * at.per_column / at.per_turn
    step = next(n for n in nice_steps() if n >= wanted)
    before = ""
    for turn in (1, *range(step, at.turns + 1, step)):
        text = stamp(turn)
        column = at.span(turn, turn)[0]
        fits = column + len(text) <= at.columns and not "".join(row[max(column - 1, 0) : column + 1]).strip()
        if fits and text != before:
            row[column : column + len(text)] = text
            before = text
    return row
