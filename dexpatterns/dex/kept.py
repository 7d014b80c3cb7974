"""A run of a Flow that comes from a file: whether it can be shown, before anything of it is.

That each event has its fields was seen when the file was read. Views make something of any order of events, so only
the last state is looked at, which is shown as it stands.
"""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from msgspec import Meta

from dexpatterns.dex.options import FlowStatus
from dexpatterns.engine.kept import misshapen
from dexpatterns.engine.trace import Trace

__all__ = ["fault"]

_Id = Annotated[str, Meta(pattern=r"^[0-9]{1,9}(\.[0-9]{1,9})*$")]


class _Code(TypedDict):
    id: _Id
    step: str
    method: str
    attempt: int


class _Execution(_Code):
    phase: str
    input: Any


class _Final(TypedDict):
    """The shape that `FlowMachine.describe` gives a state."""

    status: FlowStatus
    reason: str
    outputs: list[Any]
    attributes: dict[str, Any]
    channels: dict[str, list[Any]]
    steps: list[_Execution]
    calls: list[_Execution]
    late: list[_Code]
    locks: dict[str, str]


def fault(trace: Trace) -> str | None:
    """The first thing that stands in the way of showing it; None where nothing does."""
    return misshapen(trace.final, _Final)
