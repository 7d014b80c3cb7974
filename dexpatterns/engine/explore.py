"""Tries everything: a breadth-first search over the states of any machine, with a verdict for each property.

Two states that differ only in the names of lineages are one (`Machine.key`). The first violation found is a shortest
one in turns, and since choices are sorted and nothing here depends on hashes, time or chance, the same call finds
the same one on every machine. Faults and external events are choices like any other. This module knows no Flow, and
how a story is told is left to whoever asks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dexpatterns.engine.arguments import check_callable
from dexpatterns.engine.collecting import rare_collections
from dexpatterns.engine.growth import growing, in_words
from dexpatterns.engine.machine import Choice, Event, Machine
from dexpatterns.engine.properties import Property, View, chosen, never_stuck
from dexpatterns.engine.report import NOT_JUDGED, Bounds, Report, Result, Verdict, check_bounds
from dexpatterns.engine.run import Run, check_sections, token_names
from dexpatterns.engine.schedule import trace_of
from dexpatterns.engine.tidy import tidy
from dexpatterns.engine.trace import Turn
from dexpatterns.errors import InputError, ScheduleError

__all__ = ["Progress", "explore"]

_TICK = 2_048
"""Every so many moves progress is told."""


class Progress(NamedTuple):
    """How far a search is; `rate` is states a second."""

    states: int
    frontier: int
    depth: int
    rate: float


class _Node(NamedTuple):
    """A state that is to be expanded. `place` is its number, in the order of discovery."""

    place: int
    depth: int
    state: Any
    memories: tuple[Any, ...]


class _Search:
    """The books of one exploration."""

    def __init__(self, machine: Machine[Any], properties: tuple[Property, ...], bounds: Bounds, *, merge: bool) -> None:
        self.machine = machine
        self.properties = properties
        self.bounds = bounds
        # A predicate on the described state may look at what is passed over by a merged move.
        self.merge = merge and all(p.blind_to_running for p in properties)
        self.places: dict[Any, int] = {}
        self.parents: list[int] = []
        self.via: list[tuple[Choice, ...]] = []
        self.depths: list[int] = []
        self.transitions = 0
        self.outcomes: set[str] = set()
        self.good_ends: list[int] = []
        self.broken: tuple[int, int, str] | None = None
        """(place, which property, its fault)"""
        self.cut = ""
        self.last = 0
        """The place of the deepest state that was expanded."""
        self.goals = [i for i, p in enumerate(properties) if p.goal]
        self.edges: list[tuple[int, int]] = []
        self.reached: dict[int, list[int]] = {i: [] for i in self.goals}
        self._levels: dict[int, list[_Node]] = {}
        self._watching = [(i, p) for i, p in enumerate(properties) if type(p).step is not Property.step]
        self._judging = [(i, p) for i, p in enumerate(properties) if type(p).fault is not Property.fault]

    def run(self, progress: Callable[[Progress], None] | None) -> bool:
        """Search, and tell whether that was in vain: names have come to matter, and states were one that are two."""
        before = self.names_matter
        self._search(progress, before)
        return self.names_matter and not before

    @property
    def names_matter(self) -> bool:
        """Whether the machine keeps apart, from now on, what differs in names of lineages alone."""
        return getattr(self.machine, "names_matter", False)

    def _search(self, progress: Callable[[Progress], None] | None, named: bool) -> None:
        """Expand the states in the order of their depth in turns, until nothing is left, cut or to be improved."""
        started = time.monotonic()
        state, events = self.machine.start()
        memories = self._remember(tuple(p.initial() for p in self.properties), events)
        self._meet(self._key(state, memories), _Node(0, 0, state, memories), -1, ())
        depth = 0
        while self._levels and self.names_matter is named:
            for node in self._levels.pop(depth, ()):
                if self.broken and self.depths[self.broken[0]] <= depth + 1:
                    # No move is shorter than one turn: this violation cannot be reached sooner.
                    return
                if self.depths[node.place] < depth:
                    continue
                if self.bounds.depth is not None and depth >= self.bounds.depth and self.machine.choices(node.state):
                    self.cut = f"depth={self.bounds.depth}"
                    return
                self._expand(node)
                if self.bounds.seconds is not None and time.monotonic() - started > self.bounds.seconds:
                    self.cut = f"seconds={self.bounds.seconds}"
                if self.cut:
                    return
                if progress and self.transitions >= self._told + _TICK:
                    self._told = self.transitions
                    progress(self._progress(depth, time.monotonic() - started))
            depth += 1

    _told = 0

    def _progress(self, depth: int, seconds: float) -> Progress:
        states = len(self.parents)
        return Progress(states, sum(map(len, self._levels.values())), depth, states / max(seconds, 1e-9))

    def _expand(self, node: _Node) -> None:
        self.last = node.place
        machine, before, merge, watching = self.machine, node.memories, self.merge, self._watching
        for choice in machine.choices(node.state):
            state, events = machine.apply(node.state, choice)
            memories = self._remember(before, events) if watching else before
            if merge and memories is before:
                following = machine.merges(state, choice)
                if following:
                    for second in following:
                        after, events = machine.apply(state, second)
                        self._arrive(node, (choice, second), after, self._remember(memories, events))
                    continue
            self._arrive(node, (choice,), state, memories)
            if self.cut:
                return

    def _arrive(self, node: _Node, via: tuple[Choice, ...], state: Any, memories: tuple[Any, ...]) -> None:
        self.transitions += 1
        key = self._key(state, memories) if self._watching else self.machine.key(state)
        place = self.places.get(key)
        depth = node.depth + len(via)
        if place is not None and self.depths[place] <= depth:
            # As most moves do, this one leads to what is known already.
            if self.goals:
                self.edges.append((node.place, place))
            return
        if self.broken and depth >= self.depths[self.broken[0]]:
            # Only a shorter way to a violation is looked for now.
            return
        if place is None:
            place = len(self.parents)
            if place >= self.bounds.states and not self.broken:
                self.cut = f"states={self.bounds.states:,}"
                return
            self._meet(key, _Node(place, depth, state, memories), node.place, via)
        else:
            # Met before by a way that counts more turns, and not expanded yet.
            self.parents[place], self.via[place], self.depths[place] = node.place, via, depth
            found = _Node(place, depth, state, memories)
            if not (self.broken and self._judge(found, View(self.machine, state))):
                self._levels.setdefault(depth, []).append(found)
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
        rank = self.machine.rank(state)
        return (key, *[p.key(memories[i], rank) for i, p in self._watching])

    def _meet(self, key: Any, node: _Node, parent: int, via: tuple[Choice, ...]) -> None:
        """Enter a state that was not known, and judge it."""
        place = node.place
        self.places[key] = place
        self.parents.append(parent)
        self.via.append(via)
        self.depths.append(node.depth)
        view = View(self.machine, node.state)
        if self._judge(node, view):
            return
        if not view.choices.owed:
            outcome = self.machine.outcome(node.state)
            if outcome is not None:
                self.outcomes.add(outcome)
                if self.machine.succeeded(node.state):
                    self.good_ends.append(place)
        for i in self.goals:
            if self.properties[i].reached(view):
                self.reached[i].append(place)
        self._levels.setdefault(node.depth, []).append(node)

    def _judge(self, node: _Node, view: View) -> bool:
        """Whether a property is broken in this state; the one that is soonest met is kept."""
        for i, judging in self._judging:
            fault = judging.fault(node.memories[i], view)
            if fault is not None:
                if self.broken is None or node.depth <= self.depths[self.broken[0]]:
                    self.broken = (node.place, i, fault)
                return True
        return False

    def good_end(self) -> int | None:
        """Of the states in which it has ended as it should, the one that is soonest met."""
        return min(self.good_ends, key=lambda place: (self.depths[place], place), default=None)

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
            far = ((self.depths[place], place) for place in range(len(self.parents)) if place not in near)
            lost = min(far, default=None)
            if lost is not None and (self.broken is None or lost[0] < self.depths[self.broken[0]]):
                self.broken = (lost[1], i, self.properties[i].lost_goal())

    def path(self, place: int) -> list[Choice]:
        """The choices that lead to a state, from the start."""
        found: list[Choice] = []
        while place > 0:
            found += reversed(self.via[place])
            place = self.parents[place]
        return found[::-1]


def explore(
    machine: Machine[Any],
    *,
    properties: Iterable[Property] | None = None,
    bounds: Bounds | None = None,
    progress: Callable[[Progress], None] | None = None,
    merge: bool = True,
    sections: tuple[Any, ...] = (),
    tokens: tuple[str, ...] = (),
    input: Any = None,
    explain: Callable[[Report, str], Any] | None = None,
    shown_on: Machine[Any] | None = None,
) -> Report:
    """Visit every state of a machine within the bounds, and judge each property in each.

    `properties=None` means `never_stuck()`. REFUTED stops at the first violation; what it leaves unjudged is BOUNDED.
    Interrupting (Ctrl-C) gives a report that is BOUNDED by it. `progress` is called now and then. `merge` lets a call
    whose begin nobody can notice begin and end in one move that counts as two turns: fewer states, the same answer.
    `shown_on` is the machine on which the runs found are made again, if `machine` is one with its names masked. Raises
    `InputError` for a property that itself fails.
    """
    _check(machine, shown_on, progress, explain)
    asked = (never_stuck(),) if properties is None else chosen(machine, properties)
    sections, tokens, bounds = check_sections(sections), token_names(tokens), check_bounds(bounds)
    search = _Search(machine, asked, bounds, merge=merge)
    try:
        with rare_collections():
            while search.run(progress):
                search = _Search(machine, asked, bounds, merge=merge)
            if search.goals and not search.cut and not search.broken:
                search.judge_goals()
    except KeyboardInterrupt:
        search.cut = "interrupted"

    study = shown_on or machine

    def path_to(place: int) -> list[Choice]:
        path = search.path(place)
        if search.broken is None or place != search.broken[0]:
            return path
        one = asked[search.broken[1]]
        if not _breaks(study, path, one):
            raise ScheduleError("it does not break the property again")
        return tidy(study, path, lambda order: _breaks(study, order, one))

    def run_to(place: int | None) -> Run | None:
        if place is None:
            return None
        try:
            trace = _trace(study, path_to(place), input)
        except ScheduleError as fault:
            raise InputError(
                f"the run that was found cannot be made again ({fault}): a handler of {study.name!r} does not do the "
                "same twice; it may depend on its input and its context alone, not on chance, time or what it counts"
            ) from fault
        return Run(trace, sections=sections, tokens=tokens, machine=study)

    grown = growing(study, search.path(search.last)) if search.cut and not search.broken else ()
    return Report(
        machine=machine.name,
        results=tuple(_result(i, p, search, in_words(grown)) for i, p in enumerate(asked)),
        states=len(search.parents),
        transitions=search.transitions,
        depth=max(search.depths, default=0),
        bounds=search.bounds,
        outcomes=frozenset(search.outcomes),
        counterexample=run_to(search.broken[0] if search.broken else None),
        witness=run_to(None if search.broken else search.good_end()),
        grown=grown,
        cut=search.cut,
        properties=asked,
        study=study,
        explain=explain,
    )


def _check(machine: Any, shown_on: Any, progress: Any, explain: Any) -> None:
    for name, given in (("machine", machine), ("shown_on", shown_on)):
        made = not isinstance(given, type) and callable(getattr(given, "apply", None))
        if not made and (given is not None or name == "machine"):
            raise InputError(
                f"{name}: expected a machine, got {given!r}; write FlowMachine(flow, input), or check(flow, input)"
            )
    check_callable("progress", progress)
    check_callable("explain", explain)


def _result(i: int, one: Property, search: _Search, grows: str | None) -> Result:
    if search.broken and search.broken[1] == i:
        cut = f" (cut by {search.cut} while a shorter run to it was looked for)" if search.cut else ""
        return Result(one.name, Verdict.REFUTED, search.broken[2] + cut)
    if search.broken:
        return Result(one.name, Verdict.BOUNDED, NOT_JUDGED)
    if search.cut:
        why = grows or (search.names_matter and "ids are asked for, so every turn of a loop is a state of its own")
        return Result(one.name, Verdict.BOUNDED, f"cut by {search.cut}{f'; {why}' if why else ''}")
    return Result(one.name, Verdict.PROVED, "")


def _breaks(machine: Machine[Any], choices: Sequence[Choice], one: Property) -> bool:
    """Whether a run of these choices ends in a state that breaks the property; a goal is out of reach as it was."""
    state, events = machine.start()
    memory = one.step(one.initial(), events)
    for choice in choices:
        state, events = machine.apply(state, choice)
        memory = one.step(memory, events)
    return one.goal or one.fault(memory, View(machine, state)) is not None


def _trace(machine: Machine[Any], path: list[Choice], input: Any) -> Any:
    state, started = machine.start()
    turns: list[Turn] = []
    for choice in path:
        state, events = machine.apply(state, choice)
        turns.append(Turn(len(turns) + 1, None, choice, events))
    return trace_of(machine, state, started, turns, input=input)
