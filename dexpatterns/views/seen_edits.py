"""What became of each edit in a run: who was inside when, and by which way it left.

It is read off the trace. Whatever edits were asked for, and by which file, is not known; of a Flow that records
nothing of its edits, only what is seen from outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dexpatterns.dex.sections import Reading, Visit
    from dexpatterns.engine.trace import Trace

__all__ = ["EditSeen", "seen_edits"]


class EditSeen(NamedTuple):
    """One visit of a branch to the section, or a branch that never was inside. Times are virtual seconds."""

    id: str
    """By the branch's input, else its number."""
    reviewer: str
    """By the branch's input, else its label."""
    way_out: str
    """What the Flow itself recorded of it; empty when it recorded nothing."""
    outcome: str
    """What is seen from outside: as of `dex.sections.Visit`, or 'never'."""
    started: float | None
    ended: float | None

    @property
    def seconds(self) -> float | None:
        return None if self.started is None or self.ended is None else round(self.ended - self.started, 6)


def seen_edits(trace: Trace, reading: Reading) -> list[EditSeen]:
    """The visits in order of entry, then the branches that never were inside; `reading` is of the same trace."""
    lanes = {lane.number: lane for lane in reading.lanes if lane.kind == "branch"}
    firsts = {lane.first for lane in lanes.values()}
    events: Iterable[Any] = (event for turn in trace.turns for event in turn.events)
    begun = (event for event in events if event.kind == "step_started" and event.path in firsts)
    inputs = {event.path: event.input.plain for event in begun}
    records = _records(trace.final.get("outputs", ()))

    def seen(number: int, visit: Visit | None) -> EditSeen:
        lane = lanes[number]
        said = inputs.get(lane.first)
        said = said if isinstance(said, dict) else {}
        id = str(said.get("id", number))
        outcome = visit.outcome if visit else "never"
        way_out = records.get(id, "") if outcome in ("left", "failed", "never") else ""
        times = [visit.start, visit.end] if visit else [None, None]
        started, ended = (None if time is None else round(time, 6) for time in times)
        return EditSeen(id, str(said.get("reviewer", lane.label)), way_out, outcome, started, ended)

    been = {visit.branch for visit in reading.visits}
    inside = [seen(visit.branch, visit) for visit in reading.visits if visit.branch in lanes]
    return inside + [seen(number, None) for number in lanes if number not in been]


def _records(outputs: Iterable[Any]) -> dict[str, str]:
    """By id, the way out in the Flow's last list of records: objects with `id` and `way_out`."""
    lists = [output for output in outputs if isinstance(output, list)]
    return {
        str(record["id"]): str(record["way_out"])
        for record in (lists[-1] if lists else ())
        if isinstance(record, dict) and "id" in record and "way_out" in record
    }
