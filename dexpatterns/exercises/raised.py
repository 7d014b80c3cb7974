"""Where an answer's code raised: the line, of an error at hand or of a handler's failure in a run.

A run keeps what a handler raised and not where, so its moves are made again while that is watched. What was raised is
for others to judge.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from types import FrameType
from typing import Any

from dexpatterns.dex.faces import replay
from dexpatterns.engine.run import Run
from dexpatterns.errors import DexpatternsError
from dexpatterns.exercises.limit import Place, is_somebodys

__all__ = ["line_in", "line_of"]


def line_of(error: BaseException) -> Place | None:
    """The last line of somebody's code on the error's way; None where it comes from none."""
    frames = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if is_somebodys(frame)]
    return _place(*frames[-1]) if frames else None


def line_in(run: Run | None, error_type: str) -> Place | None:
    """The line at which a handler raised such an error last in a run of a Flow; None where that cannot be told."""
    machine: Any = run.machine if run is not None else None
    if run is None or machine is None or machine.kind != "dex":
        return None
    found: dict[int, tuple[BaseException, Place]] = {}

    def watch(frame: FrameType, event: str, arg: Any) -> Any:
        if not is_somebodys(frame):
            return None
        # An error passes through every frame above: its first is where it was raised.
        if event == "exception" and arg[0].__name__ == error_type:
            found.setdefault(id(arg[1]), (arg[1], _place(frame, frame.f_lineno)))
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with suppress(DexpatternsError):
            rules = machine.rules
            replay(machine.spec.flow, machine.input.thaw(), run.schedule, scenario=rules.scenario, faults=rules.faults)
    finally:
        sys.settrace(before)
    return list(found.values())[-1][1] if found else None


def _place(frame: FrameType, line: int) -> Place:
    return Place(frame.f_code.co_qualname, frame.f_code.co_filename, line)
