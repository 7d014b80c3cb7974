"""A run of JS7 orders as pandas DataFrames: the same columns and dtypes always, also when there is no row.

Times are virtual: `timedelta64[ns]` since the start, NaT where there is no clock. Turns count from 1; turn 0 is the
start itself. A turn range is half open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dexpatterns.engine.texts import check_lang
from dexpatterns.engine.trace import Trace
from dexpatterns.errors import InputError
from dexpatterns.js7.fields import suggest
from dexpatterns.js7.holdings import Holding, holdings
from dexpatterns.js7.story import sentence

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["EVENTS", "INTERVALS", "events", "held_and_waited", "intervals"]

_TIME = "timedelta64[ns]"

EVENTS: dict[str, str] = {
    "turn": "int64", "time": _TIME, "kind": "str", "order": "str", "text": "str", "data": "object",
}  # fmt: skip
"""A row per event. `kind` is the name that JS7 gives it; `text` says in words what happened; `data` is a dict of its
fields as JSON (J114)."""

INTERVALS: dict[str, str] = {
    "lock": "str", "order": "str", "what": "str", "weight": "Int64", "start_turn": "int64", "end_turn": "int64",
    "start": _TIME, "end": _TIME, "outcome": "str",
}  # fmt: skip
"""A row per time that an order held a lock or waited for it, by start. `what` is held or waited; `weight` is <NA> for
all of the lock; `end` is NaT while it is still going on. `outcome`: of what was held released, of a wait granted or
given up; or open."""


def events(trace: Trace, lang: str = "en") -> pd.DataFrame:
    """What happened, a row per event (columns: `EVENTS`)."""
    from dexpatterns.views.frames import frame_of

    check_lang(lang)
    timed = bool(trace.turns) and trace.turns[0].time is not None
    moments = [(0, 0.0 if timed else None, trace.started), *((t.number, t.time, t.events) for t in trace.turns)]
    rows: list[tuple[Any, ...]] = []
    for number, time, happened in moments:
        for event in happened:
            told: Any = event  # every event of this machine has an order and data
            rows.append((number, time, told.kind, told.order, sentence(told, lang), told.data))
    return frame_of(rows, EVENTS)


def intervals(trace: Trace, lock: Any = None) -> pd.DataFrame:
    """Who held what with which weight, and who waited, of one lock or of all (columns: `INTERVALS`)."""
    from dexpatterns.views.frames import frame_of

    rows = [
        (h.lock, h.order, h.what, h.weight, h.start_turn, h.end_turn, h.start, h.end, h.outcome)
        for h in held_and_waited(trace, lock)
    ]
    return frame_of(rows, INTERVALS)


def held_and_waited(trace: Trace, lock: Any = None) -> tuple[Holding, ...]:
    """The same as records; raises `InputError` with the near names for a lock that the run does not know."""
    path = getattr(lock, "path", lock)
    known = sorted(trace.final.get("locks", ()))
    if path is not None and path not in known:
        raise InputError(f"unknown lock {path!r}{suggest(str(path), known)}")
    return holdings(trace, path)
