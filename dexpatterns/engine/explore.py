"""Tries everything: a breadth-first search over the states of any machine, with a verdict for each property.

Two states that differ only in the names of lineages are one (`Machine.key`). The first violation found is a shortest
one in turns, and since choices are sorted and nothing here depends on hashes, time or chance, the same call finds
the same one on every machine. Faults and external events are choices like any other. This module knows no Flow, and
how a story is told is left to whoever asks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from dexpatterns.engine.machine import Choice, Event, Machine
from dexpatterns.engine.properties import Property, View, never_stuck
from dexpatterns.engine.report import Bounds, Report, Result, Verdict
from dexpatterns.engine.run import Run
from dexpatterns.engine.schedule import trace_of
from dexpatterns.engine.trace import Turn
from dexpatterns.errors import InputError

__all__ = ["Progress", "explore"]

_TICK = 2_048
"""Every so many states the clock is looked at and progress is told."""


class Progress(NamedTuple):
    """How far a search is; `rate` is states a second."""

    states: int
    frontier: int
    depth: int
    rate: float


class _Node(NamedTuple):
    """A state that is to be expanded. `place` is its number, in the order of discovery."""

    place: int
    state: Any
    memories: tuple[Any, ...]


class _Search:
    """The books of one exploration."""

    def __init__(self, machine: Machine[Any], properties: tuple[Property, ...], bounds: Bounds) -> None:
        self.machine = machine
        self.properties = properties
        self.bounds = bounds
        self.places: dict[Any, int] = {}
        self.parents: list[int] = []
        self.via: list[Choice | None] = []
        self.transitions = 0
        self.depth = 0
        self.outcomes: set[str] = set()
        self.good_end: int | None = None
        self.broken: tuple[int, int, str] | None = None
        """(place, which property, its fault)"""
        self.cut = ""
        self.goals = [i for i, p in enumerate(properties) if p.goal]
        self.edges: list[tuple[int, int]] = []
        self.reached: dict[int, list[int]] = {i: [] for i in self.goals}
        self._watching = [(i, p) for i, p in enumerate(properties) if type(p).step is not Property.step]
        self._judging = [(i, p) for i, p in enumerate(properties) if type(p).fault is not Property.fault]

    def run(self, progress: Callable[[Progress], None] | None) -> None:
        machine = self.machine
        started = time.monotonic()
        state, events = machine.start()
        frontier = [self._meet(state, self._remember(tuple(p.initial() for p in self.properties), events), -1, None)]
        while frontier and not self.broken and not self.cut:
            if self.bounds.depth is not None and self.depth >= self.bounds.depth:
                self.cut = f"depth={self.bounds.depth}"
                return
            following: list[Any] = []
            for node in frontier:
                self._expand(node, following)
                if self.broken or self.cut:
                    break
                if not len(self.parents) % _TICK or (progress and not self.transitions % _TICK):
                    seconds = time.monotonic() - started
                    if self.bounds.seconds is not None and seconds > self.bounds.seconds:
                        self.cut = f"seconds={self.bounds.seconds}"
                        break
                    if progress:
                        rate = len(self.parents) / max(seconds, 1e-9)
                        progress(Progress(len(self.parents), len(frontier) + len(following), self.depth, rate))
            frontier = following
            self.depth += bool(following)

    def _expand(self, node: _Node, following: list[Any]) -> None:
        machine, places = self.machine, self.places
        for choice in machine.choices(node.state):
            state, events = machine.apply(node.state, choice)
            self.transitions += 1
            memories = self._remember(node.memories, events) if self._watching else node.memories
            key = self._key(state, memories)
            place = places.get(key)
            if place is None:
                if len(self.parents) >= self.bounds.states:
                    self.cut = f"states={self.bounds.states:,}"
                    return
                place = len(self.parents)
                following.append(self._meet(state, memories, node.place, choice, key))
                if self.broken:
                    return
            if self.goals:
                self.edges.append((node.place, place))

    def _remember(self, memories: tuple[Any, ...], events: tuple[Event, ...]) -> tuple[Any, ...]:
        changed = None
        for i, watching in self._watching:
            new = watching.step(memories[i], events)
            if new is not memories[i]:
                changed = changed or list(memories)
                changed[i] = new
        return memories if changed is None else tuple(changed)

    def _key(self, state: Any, memories: tuple[Any, ...]) -> Any:
        key = self.machine.key(state)
        if not self._watching:
            return key
        rank = self.machine.rank(state)
        return (key, *[p.key(memories[i], rank) for i, p in self._watching])

    def _meet(self, state: Any, memories: tuple[Any, ...], parent: int, choice: Choice | None, key: Any = None) -> _Node:
        """Enter a state that was not known, and judge it."""
        place = len(self.parents)
        self.places[self._key(state, memories) if key is None else key] = place
        self.parents.append(parent)
        self.via.append(choice)
        view = View(self.machine, state)
        for i, judging in self._judging:
            fault = judging.fault(memories[i], view)
            if fault is not None:
                self.broken = (place, i, fault)
                return _Node(place, state, memories)
        if not view.choices.owed:
            outcome = self.machine.outcome(state)
            if outcome is not None:
                self.outcomes.add(outcome)
                if self.good_end is None and self.machine.succeeded(state):
                    self.good_end = place
        for i in self.goals:
            if self.properties[i].reached(view):
                self.reached[i].append(place)
        return _Node(place, state, memories)

    def judge_goals(self) -> None:
        """For a search that is done: the first state from which a goal is out of reach breaks its property."""
        back: list[list[int]] = [[] for _ in self.parents]
        for source, target in self.edges:
            back[target].append(source)
        for i in self.goals:
            near = set(self.reached[i])
            queue = list(near)
            while queue:
                for source in back[queue.pop()]:
                    if source not in near:
                        near.add(source)
                        queue.append(source)
            lost = next((place for place in range(len(self.parents)) if place not in near), None)
            if lost is not None and (self.broken is None or lost < self.broken[0]):
                self.broken = (lost, i, self.properties[i].fault_text())

    def path(self, place: int) -> list[Choice]:
        """The choices that lead to a state, from the start."""
        found = []
        while place > 0:
            choice = self.via[place]
            assert choice is not None
            found.append(choice)
            place = self.parents[place]
        return found[::-1]


def explore(
    machine: Machine[Any],
    *,
    properties: Iterable[Property] | None = None,
    bounds: Bounds | None = None,
    progress: Callable[[Progress], None] | None = None,
    sections: tuple[Any, ...] = (),
    tokens: tuple[str, ...] = (),
    input: Any = None,
    explain: Callable[[Report, str], Any] | None = None,
) -> Report:
    """Visit every state of a machine within the bounds, and judge each property in each.

    `properties=None` means `never_stuck()`. REFUTED stops at the first violation; what it leaves unjudged is BOUNDED.
    Interrupting (Ctrl-C) gives a report that is BOUNDED by it. `progress` is called now and then. Raises `InputError`
    for a property that itself fails.
    """
    chosen = (never_stuck(),) if properties is None else tuple(properties)
    names = [p.name for p in chosen]
    if not chosen or len(set(names)) < len(names):
        raise InputError(f"properties: expected one or more with different names, got {names}")
    for one in chosen:
        one.check(machine)
    search = _Search(machine, chosen, bounds or Bounds())
    try:
        search.run(progress)
    except KeyboardInterrupt:
        search.cut = "interrupted"
    if search.goals and not search.cut and not search.broken:
        search.judge_goals()

    def run_to(place: int) -> Run:
        return Run(_trace(machine, search.path(place), input), sections=sections, tokens=tokens)

    counterexample = run_to(search.broken[0]) if search.broken else None
    good = search.good_end if not search.broken else None
    return Report(
        machine=machine.name,
        results=tuple(_result(i, p, search) for i, p in enumerate(chosen)),
        states=len(search.parents),
        transitions=search.transitions,
        depth=search.depth,
        bounds=search.bounds,
        outcomes=frozenset(search.outcomes),
        counterexample=counterexample,
        witness=run_to(good) if good is not None else None,
        explain=explain,
    )


def _result(i: int, one: Property, search: _Search) -> Result:
    if search.broken and search.broken[1] == i:
        return Result(one.name, Verdict.REFUTED, search.broken[2])
    if search.broken:
        return Result(one.name, Verdict.BOUNDED, "not judged to the end: the search stopped at the first violation")
    if search.cut:
        return Result(one.name, Verdict.BOUNDED, f"cut by {search.cut}")
    return Result(one.name, Verdict.PROVED, "")


def _trace(machine: Machine[Any], path: list[Choice], input: Any) -> Any:
    state, started = machine.start()
    turns = []
    for choice in path:
        state, events = machine.apply(state, choice)
        turns.append(Turn(len(turns) + 1, None, choice, events))
    return trace_of(machine, state, started, turns, input=input)
