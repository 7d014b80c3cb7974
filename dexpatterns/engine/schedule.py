"""A schedule: the moves of a run as a short text that a person can read, keep and replay.

The first line names the format's version and what was run, the last one counts the moves, so that a text that was
cut off, is foreign or of another version is refused. A time in virtual seconds stands before a move whenever it
has changed; a schedule without times comes from the explorer, which has no clock. Reading one runs nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from dexpatterns.engine.machine import Choice, Event, Machine
from dexpatterns.engine.trace import Trace, Turn
from dexpatterns.errors import ScheduleError

__all__ = ["Schedule", "replay"]

_MAGIC = "dexpatterns-schedule"
_VERSION = "1"


class Schedule(NamedTuple):
    """What ran, and its moves in turn with their virtual seconds (None without a clock).

    >>> s = Schedule("Tiny", ((0.0, Choice("take", "a", (1,))), (2.5, Choice("save", "a", (1,)))))
    >>> print(s)
    dexpatterns-schedule 1 "Tiny"
    @0.0 take a 1
    @2.5 save a 1
    end 2
    >>> Schedule.parse(str(s)) == s
    True
    """

    name: str
    moves: tuple[tuple[float | None, Choice], ...]

    def __str__(self) -> str:
        lines = [f"{_MAGIC} {_VERSION} {json.dumps(self.name, ensure_ascii=not self.name.isprintable())}"]
        before: float | None = None
        for time, choice in self.moves:
            lines.append(str(choice) if time is None or time == before else f"@{time!r} {choice}")
            before = time
        return "\n".join((*lines, f"end {len(self.moves)}"))

    @classmethod
    def of(cls, trace: Trace) -> Schedule:
        return cls(trace.name, tuple([(turn.time, turn.choice) for turn in trace.turns]))

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Read what `str` wrote; raises `ScheduleError` saying which line and what was expected there."""
        if not isinstance(text, str):
            raise ScheduleError(f"expected a schedule or its text, got {text!r}; write run.schedule, or paste the text")
        # By "\n" alone: a name may hold what `splitlines` takes for the end of a line.
        lines = [line for line in text.split("\n") if line.strip()]
        name = _read_head(lines[0] if lines else "")
        if len(lines) < 2 or not lines[-1].startswith("end "):
            raise ScheduleError(f"the schedule is cut off: after {len(lines)} lines there is no line 'end N'")
        moves: list[tuple[float | None, Choice]] = []
        time: float | None = None
        for number, line in enumerate(lines[1:-1], start=2):
            line = line.strip()
            if line.startswith("@"):
                stamp, _, line = line.partition(" ")
                time = _read_time(stamp, time, number)
            elif not moves:
                time = None
            try:
                moves.append((time, Choice.parse(line)))
            except ScheduleError as fault:
                raise ScheduleError(f"line {number}: {fault}") from None
        if lines[-1].split() != ["end", str(len(moves))]:
            raise ScheduleError(
                f"the schedule is cut off: its last line is {lines[-1][:40]!r}, expected 'end {len(moves)}'"
            )
        return cls(name, tuple(moves))


def _read_head(line: str) -> str:
    magic, _, rest = line.strip().partition(" ")
    version, _, name = rest.partition(" ")
    if magic != _MAGIC:
        raise ScheduleError(f"not a schedule: it begins with {line[:40]!r}, expected {_MAGIC!r}")
    if version != _VERSION:
        raise ScheduleError(
            f"the schedule is of version {version[:20]!r}, this is version {_VERSION!r}; make the run again to get one"
        )
    try:
        found = json.loads(name)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, str):
        raise ScheduleError(f"line 1: expected the name of what was run in quotes, got {name[:40]!r}")
    return found


def _read_time(stamp: str, before: float | None, number: int) -> float:
    try:
        time = float(stamp[1:])
    except ValueError:
        time = math.nan
    if not math.isfinite(time) or time < (before or 0.0):
        raise ScheduleError(f"line {number}: {stamp[:30]!r} is no time, expected seconds not before {before or 0.0}")
    return time


def replay(machine: Machine[Any], schedule: Schedule, *, input: object = None) -> Trace:
    """Make the moves of a schedule again; raises `ScheduleError` at the first that is not possible."""
    if schedule.name != machine.name:
        raise ScheduleError(
            f"the schedule is one of {schedule.name!r}, this is {machine.name!r}; replay it on what it was made with"
        )
    state, started = machine.start()
    turns: list[Turn] = []
    for time, choice in schedule.moves:
        try:
            state, events = machine.apply(state, choice, time or 0.0)
        except ScheduleError as fault:
            raise ScheduleError(f"turn {len(turns) + 1}: {fault}") from None
        turns.append(Turn(len(turns) + 1, time, choice, events))
    return trace_of(machine, state, started, turns, input=input)


def trace_of(
    machine: Machine[Any], state: object, started: Iterable[Event], turns: Iterable[Turn],
    *, input: object = None, seed: int | None = None,
) -> Trace:  # fmt: skip
    """The trace of turns that were made."""
    final = machine.describe(state)
    # The status says it in a word; the line that tells two ends apart holds every output, and may be megabytes long.
    outcome = machine.outcome(state) if final.get("status") in (None, "RUNNING") else final["status"]
    return Trace(
        machine.kind,
        machine.name,
        input,
        seed,
        tuple(started),
        tuple(turns),
        final,
        outcome,
    )
