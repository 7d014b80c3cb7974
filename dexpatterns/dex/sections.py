"""Who was inside a section when, and which lines of descent a run has: read off a whole trace, in one pass.

A *visit* is one stay of a branch in a section (rules in `dex.watch`). A *lane* is a line of descent: an execution
that its parent started beside others, and everything after it as long as it stays the only one. So a branch has a
lane from its fan-out on, long before it is inside. This module draws nothing and decides nothing.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from dexpatterns.dex.events import Stepped
from dexpatterns.dex.watch import Fault, Inside, Ledger, SectionLike, SectionWatch, Tokens, TokenWatch
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError

__all__ = [
    "Fault", "Inside", "Lane", "Overlap", "Reading", "SectionLike", "SectionWatch", "Stay", "TokenWatch", "Tokens",
    "Visit", "labels", "lanes", "overlaps", "read", "visits",
]  # fmt: skip


class Visit(NamedTuple):
    """One stay of a branch in a section; it is inside in the turns from `start_turn` up to, not in, `end_turn`."""

    branch: int
    """The number of its lane: the same for every visit of one line of descent."""
    label: str
    """By the input of the entry, made unique; code that runs on keeps the label of its visit."""
    entry: Lineage
    start_turn: int
    end_turn: int
    """The turn in which it left; one past the last turn while it is still inside."""
    start: float | None
    """Virtual seconds; None where there is no clock, as is `end` while it is still inside."""
    end: float | None
    outcome: str
    """'left' (by a saved result), 'failed', 'cancelled', 'closed' (with the Flow), 'open' (still inside), 'late'."""
    steps: tuple[str, ...]
    """The section Steps that it was in, one per execution."""
    late: bool = False
    """Code that ran on after it was given up or cancelled (D-10)."""


class Stay(NamedTuple):
    """The part of a visit that belongs to one lane; `visit` is its place in `Reading.visits`."""

    visit: int
    start_turn: int
    end_turn: int


class Lane(NamedTuple):
    """A line of descent."""

    number: int
    """From 1 for those of kind 'branch', in order of appearance; 0 for the others."""
    kind: str
    """'start', 'branch', 'join' (the only one of its kind, waits for a Channel), 'call' (an RPC or the timeout
    handler) or 'other'."""
    label: str
    first: Lineage
    step: str
    """The Step that it began with, or the name of the RPC."""
    start_turn: int
    stays: tuple[Stay, ...]


class Overlap(NamedTuple):
    """Two branches that were inside together in the turns from `from_turn` up to, not in, `to_turn`."""

    first: Visit
    second: Visit
    from_turn: int
    to_turn: int
    start: float | None
    end: float | None


class Reading(NamedTuple):
    """All that one pass over a trace gives. `lane_of` knows every execution and call."""

    visits: list[Visit]
    lanes: list[Lane]
    lane_of: dict[Lineage, int]


def visits(trace: Trace, section: SectionLike) -> list[Visit]:
    """The visits in order of their start; raises `InputError` when the section's label function fails."""
    return read(trace, section).visits


def lanes(trace: Trace, section: SectionLike | None = None) -> list[Lane]:
    """The lines of descent, each after the one that it came from."""
    return read(trace, section).lanes


def labels(trace: Trace, section: SectionLike) -> dict[Lineage, str]:
    """What the section's label function says of every execution that `read` asks it about."""
    namer = _Namer(section)
    _Reader(trace, section, namer).reading()
    return {path: label for path, label in namer.said.items() if label is not None}


def read(trace: Trace, section: SectionLike | None = None) -> Reading:
    """Visits and lanes in one pass; without a section there are lanes only."""
    return _Reader(trace, section, _Namer(section)).reading()


def overlaps(visits: Iterable[Visit], late: bool = False) -> list[Overlap]:
    """The pairs that were inside together, by the turn from which they were.

    Code that runs on counts with `late=True` only, and never against its own branch's visit: an attempt beside
    another of the same branch is no second branch.
    """
    found: list[Overlap] = []
    inside: list[tuple[int, int, Visit]] = []
    rows = sorted((v for v in visits if late or not v.late), key=lambda v: (v.start_turn, v.entry))
    for i, visit in enumerate(rows):
        while inside and inside[0][0] <= visit.start_turn:
            heapq.heappop(inside)
        for _, _, other in sorted(inside, key=lambda one: one[1]):
            if not ((visit.late or other.late) and visit.label == other.label):
                sooner = min(visit, other, key=lambda v: v.end_turn)
                found.append(Overlap(other, visit, visit.start_turn, sooner.end_turn, visit.start, sooner.end))
        heapq.heappush(inside, (visit.end_turn, i, visit))
    return found


class _Record(dict[str, Any]):
    """An object of a loaded run: its fields by name and by key, so that one label function fits both kinds of run."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _handy(value: Any) -> Any:
    if type(value) is dict:
        return _Record({key: _handy(part) for key, part in value.items()})
    return [_handy(part) for part in value] if type(value) is list else value


class _Namer:
    """The section's own words for an execution, asked for once each."""

    def __init__(self, section: SectionLike | None) -> None:
        self.section = section
        self.said: dict[Lineage, str | None] = {}
        # What a saved run kept: the answers, without the function.
        self.kept: Mapping[Lineage, str] | None = getattr(section, "labels", None)

    def ask(self, started: Stepped) -> str | None:
        """Its label, None for the default one; raises `InputError` when the label function fails."""
        if self.kept is not None:
            return self.kept.get(started.path)
        if self.section is None or self.section.label is None:
            return None
        if started.path not in self.said:
            self.said[started.path] = _call_label(self.section.name, self.section.label, started)
        return self.said[started.path]

    def try_to(self, started: Stepped) -> str | None:
        """Its label if there is one: an execution that is not in the section need not have the same input."""
        try:
            return self.ask(started)
        except InputError:
            return None


def _call_label(section: str, label: Callable[[Any], str], started: Stepped) -> str | None:
    where = f"the label function of section {section!r}, given the input of {started.step!r},"
    try:
        said = label(_handy(started.input.thaw()))
    except Exception as error:
        raise InputError(
            f"{where} raised {type(error).__name__}: {error}; it must take that input and return a str"
        ) from error
    if not isinstance(said, str):
        raise InputError(f"{where} returned {type(said).__name__}, expected a str")
    return said or None


class _Unique:
    """Labels handed out once each: the second 'a' is 'a (2)'."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.times: Counter[str] = Counter()

    def take(self, label: str) -> str:
        made = label
        while made in self.used:
            self.times[label] += 1
            made = f"{label} ({self.times[label] + 1})"
        self.used.add(made)
        return made


class _Line:
    """A lane in the making."""

    __slots__ = ("by", "first", "group", "kind", "label", "number", "start_turn", "started", "stays", "step", "waits")

    def __init__(self, first: Lineage, step: str, kind: str, group: Any, start_turn: int) -> None:
        self.first = first
        self.step = step
        self.kind = kind
        self.group = group
        self.start_turn = start_turn
        self.number = 0
        self.label = ""
        self.started: Stepped | None = None
        self.stays: dict[int, list[int]] = {}
        self.waits = False


class _Open:
    """A visit in the making."""

    __slots__ = ("end", "end_turn", "entry", "late", "line", "outcome", "start", "start_turn", "steps")

    def __init__(self, entry: Lineage, step: str, line: int, turn: int, time: float | None, late: int = -1) -> None:
        self.entry = entry
        self.line = line
        self.start_turn = turn
        self.start = time
        self.late = late
        """The visit that the late code came from, -1 for a visit itself."""
        self.end_turn = -1
        self.end: float | None = None
        self.outcome = "open" if late < 0 else "late"
        self.steps = [step]


class _Reader:
    """One pass over a trace."""

    def __init__(self, trace: Trace, section: SectionLike | None, namer: _Namer) -> None:
        self.trace = trace
        self.section = section
        self.namer = namer
        self.started: dict[Lineage, Stepped] = {}
        self.lines: list[_Line] = []
        self.line_of: dict[Lineage, int] = {}
        self.calls: dict[str, int] = {}
        self.found: list[_Open] = []
        self.branches: dict[int, int] = {}
        """Which visit is the open one of a branch of the ledger; kept after it left, for the code that runs on."""
        self.running_on: dict[tuple[Lineage, int], int] = {}
        self.names: dict[int, str] = {}

    def reading(self) -> Reading:
        ledger = Ledger(frozenset(self.section.steps)) if self.section is not None else None
        self._descend(self.trace.started, 0)
        for turn in self.trace.turns:
            self._descend(turn.events, turn.number)
            if ledger is not None:
                for change in ledger.apply(turn.events):
                    _CHANGES[change.what](self, change, turn.number, turn.time)
        self._close()
        self._sort_kinds()
        order = sorted(range(len(self.lines)), key=lambda i: (self.lines[i].kind != "start", self.lines[i].first))
        visits = self._name_visits()
        self._name_lines(order)
        place = {line: at for at, line in enumerate(order)}
        return Reading(
            visits,
            [self._lane(self.lines[i]) for i in order],
            {path: place[line] for path, line in self.line_of.items()},
        )

    # What a turn says of descent.

    def _descend(self, events: Iterable[Any], turn: int) -> None:
        born: list[Stepped] = []
        for event in events:
            kind = event.kind
            if kind == "step_started":
                born.append(event)
            elif kind == "waiting":
                if event.channels:
                    self.lines[self._line_at(event, turn)].waits = True
            elif kind == "began" and event.method not in ("execute", "wait_for") and event.path not in self.line_of:
                self._call(event, turn)
        if not born:
            return
        siblings = Counter(event.parent for event in born)
        for event in born:
            self.started[event.path] = event
            parent = self.line_of.get(event.parent)
            if parent is not None and siblings[event.parent] == 1 and self.lines[parent].kind != "call":
                self.line_of[event.path] = parent
                continue
            # What calls begin is alike by the call; what a commit fans out, by that commit.
            by_call = parent is None or self.lines[parent].kind == "call"
            group = (event.by if by_call else event.parent, event.step)
            line = _Line(event.path, event.step, "start" if event.why == "start" else "", group, turn)
            line.started = event
            self.line_of[event.path] = len(self.lines)
            self.lines.append(line)

    def _call(self, event: Any, turn: int) -> None:
        if event.step not in self.calls:
            self.calls[event.step] = len(self.lines)
            self.lines.append(_Line(event.path, event.step, "call", (), turn))
        self.line_of[event.path] = self.calls[event.step]

    # What a turn says of the section.

    def _enters(self, change: Any, turn: int, time: float | None) -> None:
        line = self._line_at(change, turn)
        self.branches[change.branch] = len(self.found)
        self.lines[line].stays[len(self.found)] = [turn, -1]
        self.found.append(_Open(change.path, change.step, line, turn, time))

    def _joins(self, change: Any, turn: int, _: float | None) -> None:
        number = self.branches[change.branch]
        self.found[number].steps.append(change.step)
        self.lines[self._line_at(change, turn)].stays.setdefault(number, [turn, -1])[1] = -1

    def _ends(self, change: Any, turn: int, _: float | None) -> None:
        stay = self.lines[self._line_at(change, turn)].stays.get(self.branches[change.branch])
        if stay is not None:
            stay[1] = turn

    def _leaves(self, change: Any, turn: int, time: float | None) -> None:
        visit = self.found[self.branches[change.branch]]
        visit.end_turn, visit.end, visit.outcome = turn, time, change.how

    def _late(self, change: Any, turn: int, time: float | None) -> None:
        self.running_on[change.path, change.how] = len(self.found)
        line = self._line_at(change, turn)
        self.found.append(_Open(change.path, change.step, line, turn, time, self.branches[change.branch]))

    def _late_ended(self, change: Any, turn: int, time: float | None) -> None:
        late = self.found[self.running_on[change.path, change.how]]
        late.end_turn, late.end = turn, time

    def _line_at(self, event: Any, turn: int) -> int:
        """The line of an execution; one of its own for one that the trace never saw start."""
        line = self.line_of.get(event.path)
        if line is None:
            line = self.line_of[event.path] = len(self.lines)
            self.lines.append(_Line(event.path, event.step, "", ("", event.path), turn))
        return line

    # What is known once the trace is over.

    def _close(self) -> None:
        past = len(self.trace.turns) + 1
        for visit in self.found:
            if visit.end_turn < 0:
                visit.end_turn = past
        for line in self.lines:
            for stay in line.stays.values():
                if stay[1] < 0:
                    stay[1] = past

    def _sort_kinds(self) -> None:
        plain = [line for line in self.lines if line.kind in ("", "start")]
        groups = Counter(line.group for line in plain)
        entering = {line.step for line in plain if line.stays and line.kind == ""}
        some = bool(entering) or any(n > 1 for n in groups.values()) or any(line.stays for line in plain)
        for line in plain:
            if line.stays:
                line.kind = "branch"
            elif line.kind == "":
                asked = not some and line.started is not None and self.namer.try_to(line.started) is not None
                alike = groups[line.group] > 1 or line.step in entering
                line.kind = "branch" if alike or asked else "join" if line.waits else "other"
        branches = [line for line in self.lines if line.kind == "branch"]
        for number, line in enumerate(branches, 1):
            line.number = number

    def _name_visits(self) -> list[Visit]:
        self.unique = _Unique()
        self.default = self._defaults()
        for number, visit in enumerate(self.found):
            if visit.late < 0:
                started = self.started.get(visit.entry)
                said = self.namer.ask(started) if started is not None else None
                self.names[number] = self.unique.take(said or self._default(visit))
        order = sorted(range(len(self.found)), key=lambda n: (self.found[n].start_turn, n))
        self.row = {number: row for row, number in enumerate(order)}
        return [self._visit(self.found[number], number) for number in order]

    def _visit(self, visit: _Open, number: int) -> Visit:
        late = visit.late >= 0
        return Visit(
            self.lines[visit.line].number,
            self.names[visit.late if late else number],
            visit.entry,
            visit.start_turn,
            visit.end_turn,
            visit.start,
            visit.end,
            visit.outcome,
            tuple(visit.steps),
            late,
        )

    def _defaults(self) -> dict[Lineage, str]:
        """Step name and number, counted over the lines that began with that Step."""
        times: Counter[str] = Counter()
        made: dict[Lineage, str] = {}
        for line in self.lines:
            times[line.step] += 1
            made[line.first] = f"{line.step}-{times[line.step]}"
        return made

    def _default(self, visit: _Open) -> str:
        line = self.lines[visit.line]
        alone = line.started is not None and line.started.why == "start"
        return f"{visit.steps[0]}-1" if alone else self.default[line.first]

    def _name_lines(self, order: Iterable[int]) -> None:
        alike = Counter(line.step for line in self.lines)
        for i in order:
            line = self.lines[i]
            if line.stays:
                visit = min(line.stays)
                whose = self.names[visit]
                line.label = whose if self.found[visit].line == i else self.unique.take(f"{whose}, {line.step}")
            elif line.kind == "branch" and line.started is not None:
                line.label = self.unique.take(self.namer.try_to(line.started) or self.default[line.first])
            else:
                line.label = line.step if alike[line.step] == 1 else self.default[line.first]

    def _lane(self, line: _Line) -> Lane:
        stays = tuple(Stay(self.row[visit], start, end) for visit, (start, end) in sorted(line.stays.items()))
        return Lane(line.number, line.kind, line.label, line.first, line.step, line.start_turn, stays)


_CHANGES: dict[str, Callable[[_Reader, Any, int, float | None], None]] = {
    "enters": _Reader._enters,
    "joins": _Reader._joins,
    "ends": _Reader._ends,
    "leaves": _Reader._leaves,
    "late": _Reader._late,
    "late_ended": _Reader._late_ended,
}
