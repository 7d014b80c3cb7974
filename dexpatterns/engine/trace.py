"""What happened in a run, turn by turn: values, in memory and as text.

A `Trace` is what every view reads. It knows no machine: its events are named tuples of data with a `kind`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dexpatterns.engine.machine import Choice, Event

__all__ = ["MAX_SECONDS", "Trace", "Turn"]

MAX_SECONDS = 9_223_372_036
"""292 years, the last second of a run that can be kept and shown: a table counts nanoseconds, in 64 bits."""


class Turn(NamedTuple):
    """One move that was made. `time` is virtual seconds since the start, None where there is no clock."""

    number: int
    time: float | None
    choice: Choice
    events: tuple[Event, ...]


class Trace(NamedTuple):
    """A run as data: what ran, with what input, and its turns from 1 on.

    `started` holds the events of the start itself (turn 0). `final` is the machine's description of the last
    state, `outcome` how it ended, in a word or a line; None while it is open.
    """

    machine: str
    name: str
    input: Any
    seed: int | None
    started: tuple[Event, ...]
    turns: tuple[Turn, ...]
    final: dict[str, Any]
    outcome: str | None
