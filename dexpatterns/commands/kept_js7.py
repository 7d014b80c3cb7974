"""A run of orders that comes from a file: whether it can be shown, before anything of it is.

That each event has its fields was seen when the file was read. Here it is asked whether the last state is one of
orders and locks, and whether each event may follow those before it; that a machine would have made it, nobody knows.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

from dexpatterns.engine.run import Run
from dexpatterns.errors import RunFileError
from dexpatterns.js7.ledger import Ledger
from dexpatterns.js7.story import sentence

__all__ = ["check_kept"]


class _Order(TypedDict):
    state: str
    seen: str
    workflow: str
    position: list[int | str]
    suspended: bool


class _Limit(TypedDict):
    limit: int


class _Acquired(TypedDict):
    TYPE: str
    orderId: NotRequired[str]
    orderToCount: NotRequired[dict[str, int]]


class _Lock(TypedDict):
    lock: _Limit
    acquired: _Acquired
    queue: list[str]


class _Final(TypedDict):
    """What is read of the shape that `Js7Machine.describe` gives a state."""

    status: str
    orders: dict[str, _Order]
    locks: dict[str, _Lock]
    pending: list[str]


class _Kept(TypedDict):
    final: _Final


def check_kept(run: Run, file: str) -> None:
    """Raise `RunFileError` for the first thing that stands in the way of showing it."""
    import msgspec

    try:
        msgspec.convert({"final": run.trace.final}, _Kept)
    except msgspec.ValidationError as error:
        said, _, where = str(error).partition(" - at `$.")
        raise _fault(file, f"at {where.rstrip('`')} {said[:1].lower()}{said[1:]}") from None
    ledger = Ledger(run.trace)
    for turn, events in enumerate((run.trace.started, *(turn.events for turn in run.trace.turns))):
        try:
            ledger.apply(events)
            for event in events:
                sentence(event)
        except (LookupError, TypeError, AssertionError) as error:
            raise _fault(file, f"what happens in turn {turn} cannot follow from what was before") from error


def _fault(file: str, what: str) -> RunFileError:
    return RunFileError(f"{file!r} is no saved run: {what}; a saved run is not edited by hand, save it again")
