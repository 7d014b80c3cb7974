"""Attributes of a short run as lanes of their own: what each holds, who read it, who wrote it.

A begin reads a snapshot, a save writes: between the two lies what a race needs. Made for counterexamples, which have
no clock; of many Attributes or turns nothing is made. It knows only what the run's events say: a value that nobody
read or wrote is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.trace import Trace
from dexpatterns.engine.values import Data

__all__ = ["ATTRIBUTES", "TURNS", "Tag", "Touch", "tags"]

ATTRIBUTES, TURNS = 4, 60
"""More than these are no picture any more."""


class Touch(NamedTuple):
    """Where one lane read the Attribute (at a begin) or wrote it (at a save)."""

    turn: int
    lane: int
    writes: bool
    value: Data | None


class Tag(NamedTuple):
    """One Attribute: what it held at the start, and what became of it. `name` of a map is `name/key`."""

    name: str
    first: Data | None
    touches: tuple[Touch, ...]

    def spans(self, turns: int) -> list[tuple[int, int, Data | None]]:
        """(first turn, last turn, value): a value holds from the turn after the save that wrote it."""
        found: list[tuple[int, int, Data | None]] = []
        since, held = 1, self.first
        for touch in self.touches:
            if touch.writes:
                found.append((since, touch.turn, held))
                since, held = touch.turn + 1, touch.value
        return [*found, (since, turns, held)] if since <= turns else found


def tags(trace: Trace, lane_at: Mapping[Lineage, int]) -> list[Tag]:
    """The Attributes of a run without a clock, by their names; none when it has a clock, or too much of anything."""
    turns = trace.turns
    if not turns or turns[0].time is not None or len(turns) > TURNS:
        return []
    first: dict[str, Data | None] = {}
    touches: dict[str, list[Touch]] = {}
    for turn in turns:
        for event in turn.events:
            lane = lane_at.get(getattr(event, "path", ()), 0)
            for name, held in getattr(event, "reads", ()):
                # The size of a Channel or a map is read too; it is no value of an Attribute.
                if isinstance(held, Data) or held is None:
                    first.setdefault(name, held)
                    touches.setdefault(name, []).append(Touch(turn.number, lane, False, held))
            if event.kind == "attribute_changed":
                change: Any = event
                first.setdefault(change.name, change.old)
                touches.setdefault(change.name, []).append(Touch(turn.number, lane, True, change.new))
    if len(touches) > ATTRIBUTES:
        return []
    return [Tag(name, first[name], tuple(touches[name])) for name in sorted(touches)]
