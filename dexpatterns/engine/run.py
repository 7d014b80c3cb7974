"""A run that happened: its trace, and every way to look at it.

A `Run` holds data alone and changes nothing. What shows it stands in `dexpatterns.views`, which is reached through
the lazy hook of `looking`, so that the engine imports no view and a run costs nothing until it is looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dexpatterns.engine import storage
from dexpatterns.engine.looking import Shown, views
from dexpatterns.engine.texts import visible
from dexpatterns.engine.trace import Trace
from dexpatterns.engine.values import Data
from dexpatterns.errors import InputError

__all__ = ["Run", "check_sections", "load_run", "seat_of", "token_names"]


@dataclass(frozen=True, slots=True, repr=False)
class Run(Shown):
    """One run of a machine. `sections` and `tokens` are what its views look at when nothing else is said."""

    trace: Trace
    sections: tuple[Any, ...] = ()
    tokens: tuple[str, ...] = ()
    """Names of Channels."""
    machine: Any = field(default=None, compare=False)
    """What ran, for its graph and for trying other moves; None where it is gone, as in a loaded run."""
    report: Any = field(default=None, compare=False)
    """The `Report` that shows this run as its counterexample or witness; None of any other run."""

    def __post_init__(self) -> None:
        trace: Any = self.trace
        if not isinstance(trace, Trace):
            raise InputError(f"Run: expected a Trace, got {trace!r}; simulate, replay and load_run make runs")
        object.__setattr__(self, "sections", check_sections(self.sections))
        object.__setattr__(self, "tokens", token_names(self.tokens))

    def __copy__(self) -> Run:
        # Nothing of it changes: a copy could not be told from it.
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Run:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """As `save` and `load_run` do: data alone, for the code that ran may not be there where it is read."""
        if views().vocabulary(self.trace.machine) is None:
            raise InputError(
                f"a run of a machine {self.trace.machine!r} cannot be pickled, as its events are not known; "
                "keep run.schedule, a text, and replay it"
            )
        return _unpickled, (storage.dumps(self._stored()),)

    @property
    def status(self) -> Any:
        """How it ended or stands, in the machine's own type: `FlowStatus` of a Flow (D-28)."""
        return views().status(self.trace)

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The outputs of a Flow that completed, in order (D-28): live values; of a loaded run, plain data."""
        for turn in reversed(self.trace.turns):
            for event in turn.events:
                values = getattr(event, "outputs", None)
                if values is not None:
                    return tuple(value.thaw() if isinstance(value, Data) else value for value in values)
        return tuple(self.trace.final.get("outputs", ()))

    @property
    def schedule(self) -> str:
        """The moves as a short text; `replay` makes the same run of it."""
        from dexpatterns.engine.schedule import Schedule

        return str(Schedule.of(self.trace))

    def events(self, lang: str = "en") -> Any:
        """What happened: a DataFrame, a row per event (columns: `views.frames.EVENTS`, of JS7 `js7_frames.EVENTS`)."""
        return views().events(self, lang=lang)

    def intervals(self, section: Any = None) -> Any:
        """Who was inside when: a DataFrame, a row per visit of a branch (columns: `views.frames.INTERVALS`).

        `section` is a Section, the name of one of this run's, or left out when the run has one alone. Of JS7 orders
        it is the path of a lock, or left out for all: who held what with which weight, and who waited (columns:
        `views.js7_frames.INTERVALS`).
        """
        return views().intervals(self, section)

    def overlaps(self, section: Any = None, late: bool = False) -> Any:
        """Which two branches were inside together: a DataFrame of pairs (columns: `views.frames.OVERLAPS`).

        It is empty when the pattern holds. `late=True` counts code that ran on after it was given up (D-10).
        """
        return views().overlaps(self, section, late=late)

    def timeline(self, section: Any = None, lang: str = "en", *, limit: int = 1, at: int | None = None) -> Any:
        """Swim lanes, a lane per branch: text in a terminal, a picture in a notebook, `.svg` to keep.

        More than `limit` branches inside the section at once are marked as an overlap. Of JS7 orders a lane per order
        and lock; `section` is the path of a lock, or left out for all. `at` shows the run after that turn: what comes
        later is "not yet".
        """
        return views().swim_lanes(self, section, lang=lang, limit=limit, at=at)

    def graph(self, at: int | None = None, lang: str = "en", *, flow: Any = None, limit: int = 1) -> Any:
        """The Flow's graph after turn `at`: who is in which Step and phase, what lies in which Channel.

        0 is the start, None the last turn; `.at(turn)` of the result shows another turn on the same places. A loaded
        run knows no definition: its graph is made of what the run shows, or of a `flow` that is handed in. `limit` is
        how many branches may be inside a section. Of JS7 orders: who is at which instruction, who holds which lock and
        who waits; `flow` are items then. Raises `InputError`.
        """
        return views().graph_of_run(self, at, lang=lang, flow=flow, limit=limit)

    def stepper(self, lang: str = "en", *, flow: Any = None, limit: int = 1) -> Any:
        """A widget that steps through the run: graph, lanes, tables and the sentence of the turn, moving together.

        `.turn` of the result is the turn that is shown, to be read, set and observed; `.axis` is 'turns', or 'time' for
        lanes over virtual time. `flow` and `limit` are as in
        `graph`. Raises `InputError`.
        """
        return views().stepper_of_run(self, lang, flow=flow, limit=limit)

    def save_html(self, path: str | os.PathLike[str], lang: str = "en", *, flow: Any = None, limit: int = 1) -> None:
        """Write one HTML file that steps through the run offline in any browser, whole or not at all.

        Printed, or without scripts, it is a table of all turns. Raises `RunFileError` for a place that cannot be
        written to, and `InputError` as `stepper` does.
        """
        views().save_html(self, path, lang, flow=flow, limit=limit)

    def section(self, section: Any = None) -> Any:
        """The Section that is meant; raises `InputError` when none or several could be."""
        if section is not None and not isinstance(section, str):
            if not _is_section(section):
                raise InputError(
                    f"expected a Section or the name of one, got {section!r}; write Section(EditContract) or the like"
                )
            return section
        names = [one.name for one in self.sections]
        if section is None and len(names) == 1:
            return self.sections[0]
        if section in names:
            return self.sections[names.index(section)]
        if not names:
            raise InputError("this run was made without a section; pass one, such as Section(EditContract)")
        asked = "which section is meant" if section is None else f"no section {section!r} in this run"
        raise InputError(f"{asked}; expected one of {names}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file, as JSON that is data only, whole or not at all; raises `RunFileError`.

        Labels of sections are kept as the texts that they gave.
        """
        storage.write(path, self._stored())

    def _stored(self) -> storage.Stored:
        hook = views()
        kept = tuple(
            storage.KeptSection(one.name, tuple(one.steps), hook.labels(self.trace, one)) for one in self.sections
        )
        return storage.Stored(self.trace, kept, self.tokens)

    def __repr__(self) -> str:
        turns = len(self.trace.turns)
        status = self.trace.final.get("status") or self.trace.outcome or "open"
        return f"<Run of {visible(self.trace.name[:200])}: {status} after {turns} turn{'' if turns == 1 else 's'}>"


def check_sections(given: Any) -> tuple[Any, ...]:
    """The sections that were given, one alone taken for a list of it; raises `InputError` for what is none."""
    if _is_section(given):
        return (given,)
    if isinstance(given, type) or not isinstance(given, Iterable):
        raise InputError(
            f"sections: expected a list of Sections, got {given!r}; write sections=[Section(EditContract)] or the like"
        )
    many = tuple(given)
    for one in many:
        if not _is_section(one):
            raise InputError(f"sections: expected a Section, got {one!r}; write Section(EditContract) or the like")
    return many


def _is_section(thing: Any) -> bool:
    return isinstance(getattr(thing, "steps", None), tuple)


def token_names(given: Any) -> tuple[str, ...]:
    """The names of Channels, each given as itself or by its name, one alone taken for a list of it.

    A run is data, and its Flow may be gone. Raises `InputError` for what is no Channel.
    """
    if (name := _name_of(given)) is not None:
        return (name,)
    if isinstance(given, type) or not isinstance(given, Iterable):
        raise InputError(
            f"tokens: expected a list of Channels or their names, got {given!r}; write tokens=['editToken'] or the like"
        )
    names = []
    for one in given:
        if (name := _name_of(one)) is None:
            raise InputError(f"tokens: expected a Channel or the name of one, got {one!r}; name the Channel")
        names.append(name)
    return tuple(names)


def _name_of(channel: Any) -> str | None:
    name = channel if isinstance(channel, str) else getattr(channel, "name", None)
    return name if isinstance(name, str) else None


def load_run(path: str | os.PathLike[str]) -> Run:
    """The run that `Run.save` wrote; raises `RunFileError` naming the file and the mend. No code is taken from it."""
    return _run_of(storage.read(path, views().vocabulary, views().fault))


def _unpickled(text: str) -> Run:
    return _run_of(storage.loads(text, views().vocabulary, views().fault))


def _run_of(stored: storage.Stored) -> Run:
    return Run(stored.trace, stored.sections, stored.tokens)


def seat_of(run: Run, properties: Iterable[Any] | None = None, lang: str = "en") -> Any:
    """The scheduler's seat after the last turn of a run that its machine goes on with: a widget; raises `InputError`.

    `properties=None` are the usual ones of the run's sections and tokens.
    """
    return views().seat_of(run, properties, lang)
