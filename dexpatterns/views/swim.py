"""A run as marks on lanes: bars of attempts, waits, stays in the section, the tokens' ways. Numbers, no drawing.

Every mark says its lane and the turns that it reaches from and to, both included: a call that begins in turn 3 and
is saved in turn 5 is a bar over the columns 3, 4 and 5. Text and picture are made of the same marks.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from dexpatterns.dex.sections import Lane, SectionLike, Visit, read
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.texts import visible
from dexpatterns.engine.trace import Trace
from dexpatterns.views.attribute_lanes import Tag, tags
from dexpatterns.views.texts import words

__all__ = [
    "CHANNEL", "Bar", "Gap", "Hop", "LateRun", "Swim", "Wait", "Way", "Zone", "lane_letter", "lane_names", "renumbered",
    "swim",
]  # fmt: skip

CHANNEL = -1
"""The place of a token that nobody holds."""


class Bar(NamedTuple):
    """One attempt of a call. `outcome`: saved, failed, lost, late, cancelled, closed (with the Flow) or open."""

    lane: int
    first: int
    last: int
    step: str
    method: str
    attempt: int
    limit: int | None
    outcome: str
    detail: str


class Wait(NamedTuple):
    """From a saved Wait to its completion, or to where it ended without one."""

    lane: int
    first: int
    last: int
    what: str


class Gap(NamedTuple):
    """Between a failed attempt and the next one."""

    lane: int
    first: int
    last: int


class LateRun(NamedTuple):
    """Code that runs on after it was given up or cancelled."""

    lane: int
    first: int
    last: int
    step: str


class Hop(NamedTuple):
    """Where a token is from the end of this turn on: a lane or `CHANNEL`.

    `why`: published, taken, given (back), moved (to another lane) or lost.
    """

    turn: int
    place: int
    why: str


class Way(NamedTuple):
    """The way of one token; `end` is the last turn of it."""

    channel: str
    hops: tuple[Hop, ...]
    end: int


class Zone(NamedTuple):
    """Turns in which more branches were inside than may be, as long as that lasted without a break."""

    first: int
    last: int
    visits: tuple[Visit, ...]
    most: int
    """How many were inside in the same turn, at most."""


class Life(NamedTuple):
    """From the turn in which a lane's first execution was started to that in which its last one ended."""

    first: int
    last: int
    ended: bool


class Swim(NamedTuple):
    """All the marks of a run."""

    trace: Trace
    section: SectionLike | None
    lanes: Sequence[Lane]
    visits: Sequence[Visit]
    bars: Sequence[Bar]
    waits: Sequence[Wait]
    gaps: Sequence[Gap]
    late: Sequence[LateRun]
    ways: Sequence[Way]
    zones: Sequence[Zone]
    lives: Sequence[Life]
    lane_at: Mapping[Lineage, int]
    """The lane of every execution and call."""
    limit: int
    """How many branches may be inside at once."""
    tags: Sequence[Tag]
    """The Attributes of a short run without a clock."""

    @property
    def turns(self) -> int:
        return len(self.trace.turns)

    @property
    def clocked(self) -> bool:
        return bool(self.trace.turns) and self.trace.turns[0].time is not None


def lane_names(lanes: Sequence[Lane], lang: str) -> list[str]:
    """The names that people read: the start, the only join, branches by their labels, others by their Step."""
    joins = sum(lane.kind == "join" for lane in lanes)
    return [
        words(lang, "start") if lane.kind == "start"
        else words(lang, "join") if lane.kind == "join" and joins == 1
        else visible(lane.label)
        for lane in lanes
    ]  # fmt: skip


def lane_letter(lane: Lane, name: str) -> str:
    """What stands on a lane's badge: the number of a branch, S for the start, J for a join, else the name's letter."""
    return str(lane.number) if lane.number else {"start": "S", "join": "J"}.get(lane.kind) or name[:1].upper() or "?"


def swim(trace: Trace, section: SectionLike | None, tokens: Iterable[str], limit: int = 1) -> Swim:
    """Read the marks off a trace, in one pass after that of `dex.sections.read`.

    More than `limit` branches inside at once are an overlap.
    """
    reading = read(trace, section)
    marks = _Marks(reading.lane_of, len(reading.lanes), tuple(dict.fromkeys(tokens)))
    marks.turn(0, trace.started)
    for turn in trace.turns:
        marks.turn(turn.number, turn.events)
    marks.close(len(trace.turns))
    return Swim(
        trace, section, reading.lanes, reading.visits,
        marks.bars, marks.waits, marks.gaps, marks.late, marks.ways(len(trace.turns)), zones(reading.visits, limit),
        marks.lives, reading.lane_of, limit, tags(trace, reading.lane_of),
    )  # fmt: skip


def renumbered(swim: Swim, like: Swim) -> Swim:
    """The same marks, with the numbers that branches of these labels have in another run.

    Who is not there gets a number that nobody has; where nobody is, all keep their own.
    """
    there = {lane.label: lane.number for lane in like.lanes if lane.number}
    own = [lane for lane in swim.lanes if lane.number]
    if not any(lane.label in there for lane in own):
        return swim
    free = count(max(there.values()) + 1)
    numbers = {lane.number: there[lane.label] if lane.label in there else next(free) for lane in own}
    visits = [visit._replace(branch=numbers.get(visit.branch, visit.branch)) for visit in swim.visits]
    return swim._replace(
        lanes=[lane._replace(number=numbers.get(lane.number, 0)) for lane in swim.lanes],
        visits=visits,
        zones=zones(visits, swim.limit),
    )


def zones(visits: Iterable[Visit], limit: int = 1) -> list[Zone]:
    """When more than `limit` branches were inside; what runs on late is left out."""
    edges: list[tuple[int, int, int]] = []
    rows = [visit for visit in visits if not visit.late]
    for i, visit in enumerate(rows):
        edges += ((visit.start_turn, 1, i), (visit.end_turn, 0, i))
    found: list[Zone] = []
    inside: dict[int, None] = {}
    together: list[int] = []
    since = most = 0
    for turn, enters, i in sorted(edges):
        if enters:
            inside[i] = None
            if together:
                together.append(i)
            elif len(inside) > limit:
                together, since, most = list(inside), turn, 0
            most = max(most, len(inside))
        else:
            del inside[i]
            if together and len(inside) <= limit:
                found.append(Zone(since, turn - 1, tuple(rows[k] for k in together), most))
                together = []
    return found


class _Token:
    """A token on its way."""

    __slots__ = ("end", "hops")

    def __init__(self) -> None:
        self.hops: list[Hop] = []
        self.end = 0


class _Purse:
    """The tokens of one Channel: those queued, and those that executions hold."""

    def __init__(self) -> None:
        self.queue: deque[_Token] = deque()
        self.held: dict[Lineage, list[_Token]] = {}
        self.all: list[_Token] = []


class _Marks:
    """One pass over the events of a trace."""

    def __init__(self, lane_of: dict[Lineage, int], lanes: int, tokens: Sequence[str]) -> None:
        self.lane_of = lane_of
        self.bars: list[Bar] = []
        self.waits: list[Wait] = []
        self.gaps: list[Gap] = []
        self.late: list[LateRun] = []
        self.running: dict[Lineage, tuple[int, Any]] = {}
        self.waiting: dict[Lineage, tuple[int, str]] = {}
        self.between: dict[Lineage, int] = {}
        self.running_on: dict[Lineage, list[tuple[int, str, str, int]]] = {}
        """By execution: since which turn, Step, method and attempt (0 for the one that was cancelled)."""
        self.alive: Counter[int] = Counter()
        self.lives = [Life(0, 0, False)] * lanes
        self.living: set[Lineage] = set()
        self.purses = {channel: _Purse() for channel in tokens}
        self.ending: list[Lineage] = []
        self.heirs: dict[Lineage, Lineage] = {}
        self.now = 0
        self.closed = 0

    def turn(self, number: int, events: Iterable[Any]) -> None:
        self.now = number
        for event in events:
            rule = _RULES.get(event.kind)
            if rule is not None:
                rule(self, event)
        if self.ending:
            self._settle()
        self.heirs.clear()

    def _lane(self, path: Lineage) -> int:
        return self.lane_of.get(path, 0)

    # Executions.

    def started(self, event: Any) -> None:
        self.heirs.setdefault(event.parent, event.path)
        lane = self._lane(event.path)
        if not self.alive[lane] and self.lives[lane] == (0, 0, False):
            self.lives[lane] = Life(self.now, self.now, False)
        self.alive[lane] += 1
        self.living.add(event.path)

    def began(self, event: Any) -> None:
        since = self.between.pop(event.path, None)
        if since is not None and self.now - since > 1:
            self.gaps.append(Gap(self._lane(event.path), since + 1, self.now - 1))
        self.running[event.path] = (self.now, event)

    def _bar(self, path: Lineage, outcome: str, detail: str = "", limit: int | None = None) -> None:
        found = self.running.pop(path, None)
        if found is not None:
            first, event = found
            self.bars.append(
                Bar(
                    self._lane(path), first, self.now, event.step, event.method, event.attempt, limit, outcome, detail
                )
            )  # fmt: skip

    def saved(self, event: Any) -> None:
        self._bar(event.path, "saved")
        if event.method != "wait_for":
            self._end(event.path)

    def failed(self, event: Any) -> None:
        outcome = {"lost": "lost", "late": "late"}.get(event.how, "failed")
        detail = f"{event.error_type}: {event.detail}" if event.detail else event.error_type
        self._bar(event.path, outcome, detail, event.limit)
        if event.how == "late":
            self.running_on.setdefault(event.path, []).append((self.now, event.step, event.method, event.attempt))
        if event.then == "retry":
            self.between[event.path] = self.now
        elif event.then != "proceed":
            self._end(event.path)

    def cancelled(self, event: Any) -> None:
        self._bar(event.path, "cancelled")
        self._wait_over(event.path)
        if event.phase == "running":
            self.running_on.setdefault(event.path, []).append((self.now, event.step, event.method, 0))
        self._end(event.path)

    def late_ended(self, event: Any) -> None:
        runs = self.running_on.get(event.path, [])
        for attempt in (event.attempt, 0):
            for run in runs:
                if run[2:] == (event.method, attempt):
                    runs.remove(run)
                    self.late.append(LateRun(self._lane(event.path), run[0] + 1, self.now, run[1]))
                    return

    def waits_for(self, event: Any) -> None:
        self.waiting[event.path] = (self.now, event.wait)

    def _wait_over(self, path: Lineage) -> None:
        found = self.waiting.pop(path, None)
        if found is not None and self.now > found[0]:
            self.waits.append(Wait(self._lane(path), found[0] + 1, self.now, found[1]))

    def flow_closed(self, _: Any) -> None:
        self.closed = self.now
        for path in tuple(self.running):
            self._bar(path, "closed")
        for path in tuple(self.waiting):
            self._wait_over(path)
        self._stop_late()
        for path in tuple(self.living):
            self._end(path, keep=True)
        self.between.clear()

    def _stop_late(self) -> None:
        for path, runs in self.running_on.items():
            self.late += [LateRun(self._lane(path), since + 1, self.now, step) for since, step, _, _ in runs]
        self.running_on.clear()

    def _end(self, path: Lineage, keep: bool = False) -> None:
        if path in self.living:
            self.living.discard(path)
            lane = self._lane(path)
            self.alive[lane] -= 1
            self.lives[lane] = self.lives[lane]._replace(last=self.now, ended=self.alive[lane] == 0)
        if not keep:
            self.ending.append(path)

    def close(self, turns: int) -> None:
        """What is still going on when the trace ends."""
        self.now = turns
        for path in tuple(self.running):
            self._bar(path, "open")
        for path in tuple(self.waiting):
            self._wait_over(path)
        for path, since in self.between.items():
            if turns > since:
                self.gaps.append(Gap(self._lane(path), since + 1, turns))
        self._stop_late()
        self.lives = [life if life.ended else life._replace(last=turns) for life in self.lives]

    # Tokens.

    def published(self, event: Any) -> None:
        purse = self.purses.get(event.channel)
        if purse is None:
            return
        held = purse.held.get(event.path)
        if held:
            token, why = held.pop(), "given"
        else:
            token, why = _Token(), "published"
            purse.all.append(token)
        purse.queue.append(token)
        token.hops.append(Hop(self.now, CHANNEL, why))

    def consumed(self, event: Any) -> None:
        self._wait_over(event.path)
        for channel, messages in event.taken:
            purse = self.purses.get(channel)
            for _ in messages if purse is not None else ():
                assert purse is not None
                if purse.queue:
                    token = purse.queue.popleft()
                    token.hops.append(Hop(self.now, self._lane(event.path), "taken"))
                    purse.held.setdefault(event.path, []).append(token)

    def returned(self, event: Any) -> None:
        purse = self.purses.get(event.channel)
        held = purse.held.get(event.path, []) if purse is not None else []
        for _ in event.values if held else ():
            if purse is not None and held:
                token = held.pop()
                token.hops.append(Hop(self.now, CHANNEL, "given"))
                purse.queue.appendleft(token)

    def _settle(self) -> None:
        for path in self.ending:
            heir = self.heirs.get(path)
            for purse in self.purses.values():
                for token in purse.held.pop(path, ()):
                    if heir is None:
                        token.hops.append(Hop(self.now, token.hops[-1].place, "lost" if not self.closed else "moved"))
                        token.end = self.now
                        continue
                    purse.held.setdefault(heir, []).append(token)
                    if self._lane(heir) != token.hops[-1].place:
                        token.hops.append(Hop(self.now, self._lane(heir), "moved"))
        self.ending.clear()

    def ways(self, turns: int) -> list[Way]:
        last = self.closed or turns
        return [
            Way(channel, tuple(token.hops), token.end or last)
            for channel, purse in self.purses.items()
            for token in purse.all
        ]


_RULES: dict[str, Callable[[_Marks, Any], None]] = {
    "step_started": _Marks.started,
    "began": _Marks.began,
    "saved": _Marks.saved,
    "failed": _Marks.failed,
    "cancelled": _Marks.cancelled,
    "late_ended": _Marks.late_ended,
    "waiting": _Marks.waits_for,
    "wait_completed": _Marks.consumed,
    "published": _Marks.published,
    "returned": _Marks.returned,
    "closed": _Marks.flow_closed,
}
