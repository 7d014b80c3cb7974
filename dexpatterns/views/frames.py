"""A run as pandas DataFrames: the same columns and dtypes always, also when there is no row.

Times are virtual: `timedelta64[ns]` since the start, NaT where there is no clock. Turns count from 1; turn 0 is the
start itself. A turn range is half open: the later turn is the one in which it ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dexpatterns.dex.sections import SectionLike, Visit, read, visits
from dexpatterns.dex.sections import overlaps as pairs
from dexpatterns.engine.texts import check_lang
from dexpatterns.engine.trace import MAX_SECONDS, Trace
from dexpatterns.engine.values import NOTHING, Data
from dexpatterns.errors import InputError
from dexpatterns.views.sentences import sentence
from dexpatterns.views.swim import lane_names

__all__ = ["EVENTS", "INTERVALS", "OVERLAPS", "TIME", "events", "frame_of", "intervals", "overlaps"]

TIME = "timedelta64[ns]"
_NAT = int(np.iinfo("int64").min)

EVENTS: dict[str, str] = {
    "turn": "int64",
    "time": TIME,
    "kind": "str",
    "branch": "str",
    "step": "str",
    "method": "str",
    "attempt": "Int64",
    "text": "str",
    "data": "object",
}
"""A row per event. `kind` is one of `dex.events.EVENTS`; `branch` the name of the lane, '' for what concerns the Flow
as a whole; `step` the Step or RPC; `method` and `attempt` are '' and <NA> where the event has none; `text` says in
words what happened; `data` is a dict of the event's own fields, values as plain JSON."""

INTERVALS: dict[str, str] = {
    "branch": "int64",
    "label": "str",
    "start_turn": "int64",
    "end_turn": "int64",
    "start": TIME,
    "end": TIME,
    "outcome": "str",
    "steps": "object",
}
"""A row per visit of a branch, by start. `branch` is the number of its lane, `label` its name, made unique; it is
inside from `start_turn` up to, not in, `end_turn`; `end` is NaT while it is still inside. `outcome`: left (by a saved
result), failed, cancelled, closed (with the Flow), open (still inside), late (code that was given up or cancelled and
ran on: a row of its own, under its branch's label). `steps` is a tuple of the section's Steps that it was in."""

OVERLAPS: dict[str, str] = {
    "first": "int64",
    "second": "int64",
    "first_label": "str",
    "second_label": "str",
    "from_turn": "int64",
    "to_turn": "int64",
    "start": TIME,
    "end": TIME,
    "late": "bool",
}
"""A row per pair that was inside together, by `from_turn`, up to, not in, `to_turn`. `first` was there first; both
are numbers of lanes. `late` tells that one of the two is code that ran on after it was given up or cancelled."""


def events(trace: Trace, section: SectionLike | None = None, lang: str = "en") -> pd.DataFrame:
    """What happened, a row per event (columns: `EVENTS`); a section lends the branches its labels."""
    check_lang(lang)
    reading = read(trace, section)
    names = lane_names(reading.lanes, lang)
    rows: list[tuple[Any, ...]] = []
    for number, time, happened in _moments(trace):
        for event in happened:
            lane = reading.lane_of.get(getattr(event, "path", ()))
            rows.append(
                (
                    number,
                    time,
                    event.kind,
                    names[lane] if lane is not None else "",
                    getattr(event, "step", ""),
                    getattr(event, "method", ""),
                    getattr(event, "attempt", None),
                    sentence(event, lang),
                    {name: _plain(part) for name, part in event._asdict().items() if name not in _SHOWN},
                )
            )
    return frame_of(rows, EVENTS)


_SHOWN = frozenset({"step", "method", "attempt"})
"""The fields of an event that have columns of their own."""


def intervals(trace: Trace, section: SectionLike) -> pd.DataFrame:
    """Who was inside when, a row per visit (columns: `INTERVALS`)."""
    rows = [
        (v.branch, v.label, v.start_turn, v.end_turn, v.start, v.end, v.outcome, v.steps)
        for v in visits(trace, section)
    ]
    return frame_of(rows, INTERVALS)


def overlaps(trace: Trace, section: SectionLike, late: bool = False) -> pd.DataFrame:
    """Which two branches were inside together (columns: `OVERLAPS`)."""
    found = pairs(visits(trace, section), late)
    rows = [
        (*_pair(o.first, o.second), o.from_turn, o.to_turn, o.start, o.end, o.first.late or o.second.late)
        for o in found
    ]
    return frame_of(rows, OVERLAPS)


def _pair(first: Visit, second: Visit) -> tuple[int, int, str, str]:
    return first.branch, second.branch, first.label, second.label


def _moments(trace: Trace) -> Iterable[tuple[int, float | None, tuple[Any, ...]]]:
    timed = bool(trace.turns) and trace.turns[0].time is not None
    yield 0, 0.0 if timed else None, trace.started
    for turn in trace.turns:
        yield turn.number, turn.time, turn.events


def _plain(part: Any) -> Any:
    if isinstance(part, Data):
        return None if part == NOTHING else part.plain
    return [_plain(one) for one in part] if isinstance(part, tuple) else part


def frame_of(rows: list[tuple[Any, ...]], columns: dict[str, str]) -> pd.DataFrame:
    """Rows as a frame with these columns and dtypes; a time is given in seconds, or as None."""
    made = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    data = {
        name: _times(values) if dtype == TIME else pd.Series(list(values), dtype=dtype)
        for (name, dtype), values in zip(columns.items(), made, strict=True)
    }
    return pd.DataFrame(data)


def _times(values: Sequence[float | None]) -> pd.Series:
    if max((seconds or 0.0 for seconds in values), default=0.0) > MAX_SECONDS:
        raise InputError(f"no table holds a run of more than {MAX_SECONDS:,} seconds (292 years); shorten its times")
    # By whole nanoseconds: a float of seconds would be off by some.
    whole = [_NAT if seconds is None else round(seconds * 1e9) for seconds in values]
    return pd.Series(np.array(whole, dtype="int64").view(TIME))
