"""The two sides of a comparison, for each kind of machine: what is drawn of each run, and what is said of it.

A side shares the axis, the left edge and the numbers of branches with the other. Runs are only read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from dexpatterns.dex import story
from dexpatterns.dex.explain import property_name
from dexpatterns.engine.report import Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import LANGUAGES
from dexpatterns.engine.trace import Trace
from dexpatterns.js7.story import sentence as js7_sentence
from dexpatterns.views import js7_svg, lanes_text, svg
from dexpatterns.views.axis import MARGIN, NARROWEST, STUB, WINDOW, Axis, Scale, by_turns
from dexpatterns.views.grid import Grid, name_edge
from dexpatterns.views.js7_text import MOST_LANES, Lanes
from dexpatterns.views.marks import text
from dexpatterns.views.swim import CHANNEL, Swim, renumbered, swim
from dexpatterns.views.texts import lines_of, short

__all__ = ["Flows", "Orders", "Said", "Side"]

Said = tuple[str, bool]
"""A line, and whether it tells of something wrong."""

_WORDS = {
    "back": ("the token is back in {channel}", "token 已回到 {channel}"),
    "in": ("{n} tokens are in {channel}", "{channel} 中有 {n} 个 token"),
    "held": ("{n} of {channel} still held at the end", "{channel} 的 {n} 个 token 到最后仍被持有"),
    "lost": ("{n} of {channel} lost", "{channel} 的 {n} 个 token 已丢失"),
    "none": ("no token was ever in {channel}", "{channel} 中从未有过 token"),
    "broken": ("breaks: {name}", "打破了：{name}"),
    "holding": ("still held at the end, {n}: {who}", "到最后仍占有，{n} 处：{who}"),
    "waiting": ("still waited for at the end, {n}: {who}", "到最后仍在等待，{n} 处：{who}"),
    "list": (", ", "、"),
    "released": ("every lock was released, nobody waits", "每个锁都已释放，无人等待"),
    "join": (", ", "，"),
}


def _say(lang: str, key: str, **fields: object) -> str:
    return _WORDS[key][LANGUAGES.index(lang)].format(**fields)


Drawing = Callable[[float], tuple[list[str], float]]
"""Gives what stands from a height down, and where it ends."""


class Side(NamedTuple):
    """One run of the picture."""

    head: str
    axis: Axis
    draw: Drawing
    verdicts: list[Said]


class _Span(NamedTuple):
    """What both sides show: the turns (None is all), and the axis over them."""

    turns: tuple[int, int] | None
    scale: Scale | None
    """By turns; of virtual time each side has its own turns' times."""
    seconds: tuple[float, float]

    def of(self, trace: Trace) -> Scale:
        return self.scale or Scale(*self.seconds, [turn.time or 0.0 for turn in trace.turns])


def _span(traces: Sequence[Trace], room: float, by_time: bool, around: int | None) -> _Span:
    """All of both where there is room, else a window around the turn in which they begin to differ."""
    longest = max(1, *(len(trace.turns) for trace in traces))
    window = None
    if room / longest < (NARROWEST / 4 if by_time else NARROWEST):
        most = max(WINDOW, int(room / NARROWEST))
        first = max(1, min((around or 1) - WINDOW // 3, longest - most + 1))
        window = (first, min(first + most - 1, longest))
    first, last = window or (1, longest)
    if not by_time:
        return _Span(window, by_turns(first, last, room), (0.0, 0.0))
    shown = [trace.turns[min(first, len(trace.turns)) - 1 : last] for trace in traces if trace.turns]
    low = min((turns[0].time or 0.0 for turns in shown), default=0.0) if window else 0.0
    high = max((turns[-1].time or 0.0 for turns in shown), default=0.0)
    return _Span(window, None, (low, max(high, low + 1e-6)))


class _Pair:
    """What both kinds of machine have in common."""

    def __init__(self, runs: tuple[Run, Run], lang: str) -> None:
        self.runs = runs
        self.traces = [run.trace for run in runs]
        self.lang = lang

    @property
    def clocked(self) -> bool:
        return all(trace.turns and trace.turns[0].time is not None for trace in self.traces)

    def _broken(self, run: Run) -> list[Said]:
        """The property that this run was found to break."""
        report = run.report
        if report is None or report.counterexample is not run:
            return []
        names = {one.name: property_name(one, self.lang) for one in report.properties}
        broken = (one.name for one in report.results if one.verdict is Verdict.REFUTED)
        return [(_say(self.lang, "broken", name=names.get(name, short(name))), True) for name in broken]


class Flows(_Pair):
    """Two runs of Flows."""

    def __init__(self, runs: tuple[Run, Run], section: Any, lang: str, limit: int) -> None:
        super().__init__(runs, lang)
        self.swims: list[Swim] = []
        for run in runs:
            chosen = run.section(section) if section is not None else next(iter(run.sections), None)
            self.swims.append(swim(run.trace, chosen, run.tokens, limit))
        a, b = self.swims
        self.swims = [a, renumbered(b, a)]

    @property
    def told(self) -> list[list[str]]:
        """Every turn of each in words."""
        return [
            [str(turn) for turn in story.sentences(run.trace, _known(one), run.tokens, self.lang)]
            for run, one in zip(self.runs, self.swims, strict=True)
        ]

    def _verdicts(self, n: int) -> list[Said]:
        one = self.swims[n]
        said = [(line, bool(one.zones)) for line in lanes_text.overlap_lines(one, self.lang)]
        return [*self._broken(self.runs[n]), *said, *self._tokens(one, self.runs[n].tokens)]

    def _tokens(self, one: Swim, channels: Iterable[str]) -> list[Said]:
        """Where the tokens are at the end."""
        found: list[Said] = []
        for channel in dict.fromkeys(channels):
            ends = [way.hops[-1] for way in one.ways if way.channel == channel]
            lost = sum(hop.why == "lost" for hop in ends)
            queued = sum(hop.place == CHANNEL for hop in ends if hop.why != "lost")
            held = len(ends) - lost - queued
            counted = {"in": queued, "held": held, "lost": lost}
            if queued == len(ends) == 1:
                counted = {"back": 1}
            said = [_say(self.lang, key, n=n, channel=short(channel)) for key, n in counted.items() if n]
            said = said or [_say(self.lang, "none", channel=short(channel))]
            found.append((_say(self.lang, "join").join(said), bool(lost)))
        return found

    def text(self, n: int, title: str, width: int, by_time: bool) -> list[str]:
        if by_time:
            reach = lanes_text.Reach(max(trace.turns[-1].time or 0.0 for trace in self.traces), by_time=True)
        else:
            reach = lanes_text.Reach(max(one.turns for one in self.swims))
        column = max(lanes_text.names_width(one, self.lang) for one in self.swims)
        drawn = lanes_text.render(self.swims[n], width, self.lang, prefix=title, column=column, reach=reach)
        # The overlaps are among the lines of the lanes already.
        told = set(lanes_text.overlap_lines(self.swims[n], self.lang))
        said = [line for line, _ in self._verdicts(n) if line not in told]
        return [drawn, *(line for one in said for line in lines_of(one.split(" "), width, " "))]

    def legend_text(self, _: int) -> list[str]:
        """None: the lanes of each have their own."""
        return []

    def sides(self, width: float, by_time: bool, around: int | None) -> tuple[list[Side], Drawing]:
        """Both sides, and the legend of both."""
        left = max(name_edge(one, self.lang) for one in self.swims)
        span = _span(self.traces, width - left - STUB, by_time, around)
        grids = [Grid(one, self.lang, width, span.turns, scale=span.of(one.trace), left=left) for one in self.swims]
        sides = [
            Side(lanes_text.head(grid.swim, self.lang), grid, partial(svg.lanes_of, grid, self.lang), self._verdicts(n))
            for n, grid in enumerate(grids)
        ]
        return sides, lambda y: svg.legend(grids, self.lang, y, width)


def _known(one: Swim) -> tuple[Any, ...]:
    return () if one.section is None else (one.section,)


class Orders(_Pair):
    """Two runs of JS7 orders."""

    def __init__(self, runs: tuple[Run, Run], section: Any, lang: str, limit: int) -> None:
        super().__init__(runs, lang)
        self.lanes = [Lanes(run.trace, section, lang=lang) for run in runs]
        self.numbers: dict[str, int] = {}
        """One for both runs: an order of the same name has the same colour in both."""
        for lane in sorted((lane for one in self.lanes for lane in one.lanes), key=lambda lane: lane.number):
            self.numbers.setdefault(lane.order, len(self.numbers) + 1)

    @property
    def told(self) -> list[list[str]]:
        return [[self._turn(turn.events) for turn in trace.turns] for trace in self.traces]

    def _turn(self, events: Iterable[Any]) -> str:
        said: dict[str, list[str]] = {}
        for event in events:
            said.setdefault(event.order, []).append(js7_sentence(event, self.lang))
        colon = "：" if self.lang == "zh" else ": "
        parts = (f"{short(who)}{colon}{_say(self.lang, 'join').join(what)}" for who, what in said.items())
        return ("；" if self.lang == "zh" else "; ").join(parts)

    def _verdicts(self, n: int) -> list[Said]:
        times = [one for lane in self.lanes[n].lanes for one in lane.times if one.outcome == "open"]
        counted = {
            "holding": sorted({short(f"{one.order} {one.lock}") for one in times if one.what == "held"}),
            "waiting": sorted({short(f"{one.order} {one.lock}") for one in times if one.what == "waited"}),
        }
        said = [
            (_say(self.lang, key, n=len(who), who=_say(self.lang, "list").join(who[:4])), key == "waiting")
            for key, who in counted.items() if who
        ]  # fmt: skip
        return [*self._broken(self.runs[n]), *(said or [(_say(self.lang, "released"), False)])]

    def _axis(self, by_time: bool) -> tuple[bool, float]:
        ends = [one.axis()[1] for one in self.lanes] if by_time else [float(len(one.turns)) for one in self.traces]
        return by_time, max(1.0 if not by_time else 1e-6, *ends)

    def text(self, n: int, title: str, width: int, by_time: bool) -> list[str]:
        names = max(one.names() for one in self.lanes)
        said = [f"{title}{lanes_text.title(self.traces[n], self.lang)}"]
        one = self.lanes[n]
        behind = any(one.open for one in self.lanes)
        drawn = one.rows(width, *self._axis(by_time), names=names, behind=behind) if one.lanes else [one.text(width)]
        told = [line for line, _ in self._verdicts(n)]
        return [
            *(line for part in said for line in lines_of(part.split(" "), width, " ")),
            *drawn,
            *(line for part in told for line in lines_of(part.split(" "), width, " ")),
        ]

    def legend_text(self, width: int) -> list[str]:
        return ["", *lines_of(self.lanes[0].key.split(" "), width, " ")]

    def sides(self, width: float, by_time: bool, around: int | None) -> tuple[list[Side], Drawing]:
        """Both sides, and the legend of both."""
        drawn = [one.lanes[:MOST_LANES] for one in self.lanes]
        left = max(js7_svg.edge(one)[1] for one in drawn)
        room = width - left - STUB
        span = _span(self.traces, room, by_time, around)
        sides = []
        for n, trace in enumerate(self.traces):
            last = max(len(trace.turns), 1)
            first, until = span.turns or (1, last)
            axis = Axis(left, room, (min(first, last), min(until, last)), scale=span.of(trace))
            sides.append(Side(lanes_text.title(trace, self.lang), axis, self._drawing(n, axis), self._verdicts(n)))
        return sides, lambda y: ([text(MARGIN, y, js7_svg.key(sides[0].axis, self.lang), "q")], y + 6)

    def _drawing(self, n: int, axis: Axis) -> Drawing:
        lanes = [
            lane._replace(number=self.numbers[lane.order], badge=str(self.numbers[lane.order]))
            for lane in self.lanes[n].lanes[:MOST_LANES]
        ]
        return lambda y: js7_svg.rows(lanes, axis, self.lang, y)
