"""Runs orders once on a virtual clock, as a person would see it: in the order of times, at equal times first set first.

Chance decides nothing but the ends of jobs that may end either way. A prompt is answered at once, or never.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from heapq import heappop, heappush
from math import inf
from random import Random
from typing import NamedTuple

from dexpatterns.commands.js7_given import Given
from dexpatterns.engine.machine import Choice, Event
from dexpatterns.engine.run import Run
from dexpatterns.engine.schedule import trace_of
from dexpatterns.engine.trace import Turn
from dexpatterns.js7.machine import Js7Machine
from dexpatterns.js7.state import State
from dexpatterns.js7.waits import circle, tell_circle, tell_waits

__all__ = ["TURNS", "Ran", "run"]

TURNS = 100_000
"""A workflow may go round for ever."""
_MICRO = 1_000_000


class Ran(NamedTuple):
    """A run, and what can be said of its last state with the machine at hand."""

    run: Run
    machine: Js7Machine
    state: State

    def stuck(self, lang: str) -> str:
        """Who waits for ever, first of all the circle in which they do (J214); '' when nobody does."""
        found = circle(self.machine.rules, self.state)
        return tell_circle(self.state, found, lang) if found else tell_waits(self.machine.rules, self.state, lang=lang)


def run(found: Given, *, fair: bool = False, answer: bool = False, seed: int = 0, turns: int = TURNS) -> Ran:
    """The run until nothing more happens, or so many turns were made; an order that repeats comes once."""
    orders = [replace(order, repeats=False) for order in found.orders]
    machine = Js7Machine(found.items, orders, found.jobs, fair)
    chance = Random(seed)
    state, started = machine.start()
    made: list[Turn] = []
    now = entries = 0
    due: list[tuple[int, int, Choice]] = []
    counts: dict[Choice, int] = {}

    def announce(events: Iterable[Event]) -> None:
        nonlocal entries
        for timed in machine.timed(state, events, chance):
            by_hand = timed.choice.kind == "answer"
            seconds = (0.0 if answer else inf) if by_hand else timed.seconds
            counts.pop(timed.choice, None)
            if seconds != inf:
                entries += 1
                counts[timed.choice] = entries
                heappush(due, (now + round(seconds * _MICRO), entries, timed.choice))

    announce(started)
    while due and len(made) < turns:
        at, entry, choice = heappop(due)
        # What was taken back, or announced anew since, no longer counts.
        if counts.get(choice) != entry or choice not in machine.choices(state):
            continue
        del counts[choice]
        now = at
        state, events = machine.apply(state, choice, now / _MICRO)
        made.append(Turn(len(made) + 1, now / _MICRO, choice, events))
        announce(events)
    trace = trace_of(machine, state, started, made, input=machine.input, seed=seed)
    return Ran(Run(trace, machine=machine), machine, state)
