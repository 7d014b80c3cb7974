"""Explores from where a run stands: what may still break from here on, and by which shortest way.

A run that was made move by move has a state, and each property has a memory of what happened so far. Both are taken
as a start, so that the explorer itself needs to know nothing of it. What happened before is not judged here.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from dexpatterns.engine.explore import explore
from dexpatterns.engine.machine import Choice, Event, Machine
from dexpatterns.engine.properties import Property
from dexpatterns.engine.report import Bounds, Verdict

__all__ = ["Ahead", "look_ahead", "remembering", "resumed"]


class Ahead(NamedTuple):
    """What lies ahead of one property.

    REFUTED: `way` breaks it, by the fewest moves unless the search was `cut`. PROVED: no moves from here on can.
    BOUNDED: the search was `cut` before it could tell.
    """

    name: str
    verdict: Verdict
    way: tuple[Choice, ...] = ()
    """Empty where it is broken already, in the state that was given."""
    states: int = 0
    """Distinct states that were tried from here."""
    cut: str = ""
    """The bound that cut the search, such as 'states=50,000'."""

    def after(self, choice: Choice) -> Ahead | None:
        """What is known of the property once this move was made; None when it has to be looked for again."""
        if self.verdict is Verdict.PROVED:
            return self
        if self.way[:1] == (choice,):
            return self._replace(way=self.way[1:])
        return None


class _Resumed:
    """A machine in every other way, which starts in another state and has nothing to tell of how that came about."""

    def __init__(self, machine: Machine[Any], state: Hashable) -> None:
        self._machine = machine
        self._state = state
        # What a search asks for in every state is found without a detour.
        self.apply, self.choices, self.merges = machine.apply, machine.choices, machine.merges
        self.key, self.rank = machine.key, machine.rank

    def initial(self) -> Any:
        return self._state

    def start(self) -> tuple[Any, tuple[Event, ...]]:
        return self._state, ()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)


def resumed(machine: Machine[Any], state: Any) -> Machine[Any]:
    """The same machine, starting in a state that it has reached."""
    made: Any = _Resumed(machine, state)
    return made  # type: ignore[no-any-return]  # the rest of the protocol is the machine's own


def remembering(one: Property, memory: Any) -> Property:
    """The same property, with a memory of what happened before the start."""
    made = copy.copy(one)
    vars(made)["initial"] = lambda: memory
    return made


def look_ahead(
    machine: Machine[Any], state: Any, properties: Iterable[Property], memories: Sequence[Any], bounds: Bounds
) -> tuple[Ahead, ...]:
    """For each property a shortest way to break it from this state, or that there is none.

    `memories` are those of the properties, after all that led here. The explorer stops at the first violation, so it
    is asked again without the property that broke: at most once more than properties break, each within the bounds.
    """
    start = resumed(machine, state)
    left = [remembering(one, memory) for one, memory in zip(properties, memories, strict=True)]
    names = [one.name for one in left]
    found: dict[str, Ahead] = {}
    while left:
        report = explore(start, properties=left, bounds=bounds)
        broken = report.property
        if broken is None:
            found |= {r.name: Ahead(r.name, r.verdict, (), report.states, report.cut) for r in report.results}
            break
        turns = report.counterexample.trace.turns if report.counterexample is not None else ()
        way = tuple([turn.choice for turn in turns])
        found[broken] = Ahead(broken, Verdict.REFUTED, way, report.states, report.cut)
        left = [one for one in left if one.name != broken]
    return tuple([found[name] for name in names])
