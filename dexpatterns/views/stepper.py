"""The stepper of a run as a widget: what it shows is `views.show`, its turn is synced both ways.

The browser does the stepping; Python is asked only when another move is tried, which opens a scheduler's seat. A run
without its machine can be stepped through, and cannot be left.
"""

from __future__ import annotations

import base64
import json
import zlib
from contextlib import suppress
from typing import Any

import anywidget
import traitlets

from dexpatterns.engine.run import Run
from dexpatterns.engine.texts import visible
from dexpatterns.errors import DexpatternsError, InputError
from dexpatterns.views import bundle
from dexpatterns.views.show import FORMAT, by_time, show
from dexpatterns.views.texts import check_turn

__all__ = ["SHOW_MIME", "Stepper"]

SHOW_MIME = "application/vnd.dexpatterns.show+json"
"""A show in a notebook's output, so that a page made of it can step without running anything."""


_BOTH_AXES = 400
"""Turns of a run whose lanes are drawn by time at once, and not only when they are asked for."""


class Stepper(anywidget.AnyWidget):
    """Step through a run. `turn` is the turn that is shown, 0 the start; it may be set, and observed.

    >>> from dexpatterns import catalog, simulate
    >>> pattern = catalog.load("critical-section")
    >>> run = simulate(pattern.flow, pattern.make_input(2), sections=[pattern.section], tokens=[pattern.token])
    >>> stepper = run.stepper()
    >>> stepper.turn = 3
    >>> stepper
    <Stepper of ContractEditFlow: turn 3 of 22>
    """

    _esm = bundle.script("widget.js")
    _css = bundle.css()

    show = traitlets.Dict().tag(sync=True)
    turn = traitlets.Int(0).tag(sync=True)
    lang = traitlets.Unicode("en").tag(sync=True)
    axis = traitlets.Enum(("turns", "time"), default_value="turns").tag(sync=True)
    """What the lanes stand on; 'time' is virtual time, of a run that has a clock."""
    by_time: traitlets.List[Any] = traitlets.List().tag(sync=True)
    """The lanes by time of a long run, once they were asked for; those of a short one are in `show`."""
    seat = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)
    """What the scheduler's seat shows while it is open."""

    def __init__(
        self, run: Run, lang: str = "en", *, flow: Any = None, limit: int = 1, turn: int | None = None
    ) -> None:
        made = show(run, lang, flow=flow, limit=limit, by_time=len(run.trace.turns) <= _BOTH_AXES)
        self._limit = limit
        self.run = run
        self._seated: Any = None
        # A counterexample is about its end; any other run is looked at from its start.
        first = (made["turns"] if made["kind"] == "counterexample" else 0) if turn is None else turn
        super().__init__(show=made, lang=lang, turn=first)
        self.on_msg(self._hear)

    @traitlets.validate("axis")
    def _check_axis(self, proposal: Any) -> str:
        axis: str = proposal["value"]
        if axis == "time" and not self.show.get("clock"):
            raise InputError("axis: this run has no clock, so it has turns only")
        return axis

    @traitlets.observe("axis")
    def _draw_by_time(self, change: Any) -> None:
        if change["new"] == "time" and not self.show["by_time"] and not self.by_time:
            self.by_time = by_time(self.run, self.lang, self._limit)

    @traitlets.validate("turn")
    def _check_turn(self, proposal: Any) -> int:
        return check_turn(proposal["value"], self.show.get("turns", 0), "turn")

    @property
    def seated(self) -> Any:
        """The `Seat` that is open, None while the run is shown."""
        return self._seated

    def sit(self, seat: Any) -> None:
        """Open a `Seat` in place of the run."""
        self._seated = seat
        self.seat = seat.view(self.lang)

    def try_here(self, turn: int | None = None) -> None:
        """Open the scheduler's seat in the state after a turn, the one that is shown unless another is named.

        Raises `InputError` for a run without a machine that can make it again.
        """
        from dexpatterns.views.seat import Seat

        self.sit(Seat.of_run(self.run, self.turn if turn is None else turn, lang=self.lang))

    def back(self) -> None:
        """Close the seat: the run is shown again."""
        self._seated = None
        self.set_trait("seat", None)

    def _hear(self, _: Any, message: Any, __: Any = None) -> None:
        """A message of the browser: another move is tried, or the seat is used. One that means nothing is let pass."""
        do = message.get("do") if isinstance(message, dict) else None
        # Whoever clicked is in the browser: what is not possible changes nothing there.
        with suppress(DexpatternsError):
            if do == "try":
                self.try_here(message.get("turn"))
            elif do == "back":
                self.back()
            elif self._seated is not None and isinstance(message, dict):
                from dexpatterns.views.seat import answer

                answer(self._seated, message)
                self.seat = self._seated.view(self.lang)

    def __repr__(self) -> str:
        return f"<Stepper of {visible(self.show['name'])}: turn {self.turn} of {self.show['turns']}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        made = super()._repr_mimebundle_(**kwargs)
        data, metadata = made if isinstance(made, tuple) else (made, {})
        packed = zlib.compress(json.dumps(self.show, ensure_ascii=True, separators=(",", ":")).encode(), 9)
        kept = {"format": FORMAT, "zlib": base64.b64encode(packed).decode("ascii")}
        return {**(data or {}), "text/plain": repr(self), SHOW_MIME: kept}, metadata
