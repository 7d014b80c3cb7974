"""Runs a machine once, on a virtual clock, with every choice drawn from a seed.

What is due now is drawn from by chance, never in the order of arrival; when nothing is due the clock jumps to what
comes next. Faults and events that are not owed come now and then. One run is a sample: it proves nothing, and the
explorer visits every move that can be drawn here.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from random import Random
from typing import Any

from dexpatterns.engine.arguments import check_count
from dexpatterns.engine.collecting import rare_collections
from dexpatterns.engine.machine import Choice, Choices, Machine
from dexpatterns.engine.schedule import trace_of
from dexpatterns.engine.trace import Trace, Turn
from dexpatterns.engine.values import new
from dexpatterns.errors import InputError, InternalError, ScheduleError

__all__ = ["TURNS", "simulate"]

TURNS = 2_000_000
"""The most turns of a simulated run, unless more are asked for: a Flow that loops for ever still gives a run."""
_UNTIMED = 16
"""What no clock decides comes about once in so many turns."""


class _Clock:
    """The agenda of one run: what is due now, and what comes later."""

    def __init__(self) -> None:
        self.now = 0.0
        self.due: list[tuple[float, Choice]] = []
        self._later: list[tuple[float, int, Choice]] = []
        self._at: dict[Choice, float] = {}
        """When each announced choice happens: a later announcement stands in the place of an earlier one."""
        self._entries = 0

    def announce(self, choice: Choice, seconds: float, instead: Choice | None = None) -> None:
        """Let a choice happen after some time; an infinite one takes back what was announced before."""
        at = self.now + seconds if seconds > 0 else self.now
        if instead is not None:
            at = max(self._at.pop(instead, at), self.now)
        if at == inf:
            self._at.pop(choice, None)
            return
        self._at[choice] = at
        if at <= self.now:
            self.due.append((at, choice))
        else:
            self._entries += 1
            heappush(self._later, (at, self._entries, choice))

    def jump(self) -> bool:
        """Go on to the next time at which something is due; False when nothing is to come."""
        later = self._later
        while later and not self.due:
            self.now = later[0][0]
            while later and later[0][0] == self.now:
                at, _, choice = heappop(later)
                if self._at.get(choice) == at:
                    self.due.append((at, choice))
        return bool(self.due)

    def next(self, chance: Callable[[], float]) -> Choice | None:
        """One of those that are due next; None when nothing is to come."""
        while self.due or self.jump():
            choice = self.draw(int(chance() * len(self.due)))
            if choice is not None:
                return choice
        return None

    def draw(self, k: int) -> Choice | None:
        """Take out the k-th that is due; None when it was taken back or announced anew since."""
        due = self.due
        due[k], due[-1] = due[-1], due[k]
        at, choice = due.pop()
        announced = self._at.pop(choice, None)
        if announced == at:
            return choice
        if announced is not None:
            self._at[choice] = announced
        return None


def simulate(machine: Machine[Any], *, seed: int = 0, turns: int = TURNS, input: object = None) -> Trace:
    """One run, the same for the same machine and seed; it ends when nothing can happen, or after so many turns."""
    check_count("turns", turns)
    if type(seed) is not int:
        raise InputError(f"seed: expected a whole number, got {seed!r}")
    random = Random(seed)
    clock = _Clock()
    announce, chance, calm = clock.announce, random.random, machine.calm
    made: list[Turn] = []
    parked: list[Choice] = []

    with rare_collections():
        state, started = machine.start()
        for coming, seconds, instead in machine.timed(state, started, random):
            announce(coming, seconds, instead)
        while len(made) < turns:
            choice = clock.next(chance) if calm(state) else None
            if choice is None:
                choice = _draw(machine.choices(state), clock, chance)
            if choice is None:
                break
            try:
                state, events = machine.apply(state, choice, clock.now)
            except ScheduleError:
                # It was announced, and the world has gone on: it lapsed, or its turn has not come yet.
                if choice.kind in machine.patient:
                    parked.append(choice)
                continue
            made.append(new(Turn, (len(made) + 1, clock.now, choice, events)))
            for coming, seconds, instead in machine.timed(state, events, random):
                announce(coming, seconds, instead)
            if parked:
                for waiting in parked:
                    announce(waiting, 0.0)
                parked.clear()
        return trace_of(machine, state, started, made, input=input, seed=seed)


def _draw(choices: Choices, clock: _Clock, chance: Callable[[], float]) -> Choice | None:
    """The next move, if there is one. `int(chance() * n)` is a whole number below n: `randrange` costs three times
    as much, and the bias at these sizes is nil.
    """
    if not choices:
        return None
    immediate = choices.immediate
    if choices.urgent:
        return choices[int(chance() * immediate)]
    untimed = choices.untimed
    if untimed and chance() * _UNTIMED < 1:
        return choices[len(choices) - untimed + int(chance() * untimed)]
    due = clock.due
    while immediate or due or clock.jump():
        k = int(chance() * (immediate + len(due)))
        choice = choices[k] if k < immediate else clock.draw(k - immediate)
        if choice is not None:
            return choice
    if len(choices) > untimed:
        raise InternalError(f"nobody announced when these happen: {', '.join(map(str, choices[:6]))}")
    # Only what may never happen is left: it comes, or it does not.
    return choices[int(chance() * untimed)] if chance() < 0.5 else None
