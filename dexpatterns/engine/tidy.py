"""Puts the moves of a schedule in an order that is easier to follow: one line of descent goes on while it can.

Only neighbours that do not concern each other change places: the machine accepts both orders, each move does the
very same in both, and they lead to the same state. So nothing that happens is changed, only when it is told. This
module knows no Flow, and is not needed for any verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from dexpatterns.engine.machine import Choice, Event, Lineage, Machine
from dexpatterns.errors import ScheduleError

__all__ = ["switches", "tidy"]

WORK = 10_000
"""Moves that are tried at most; what is left over keeps its order."""
_AHEAD = 64
"""How far ahead the next move of a line is looked for."""


def tidy(
    machine: Machine[Any],
    choices: Sequence[Choice],
    still_broken: Callable[[Sequence[Choice]], bool] = lambda choices: True,
    *,
    work: int = WORK,
) -> list[Choice]:
    """The same moves with fewer switches between lines of descent; the given order where that cannot be had.

    `choices` lead from the start to what is to be told, written out one by one. `still_broken` judges the new order
    once, at the end: it should say whether that order shows the same violation.
    """
    given = list(choices)
    order = _Order(machine, given, work)
    while order.pass_over():
        pass
    found = order.choices
    return found if switches(found) < switches(given) and still_broken(found) else given


def switches(choices: Sequence[Choice]) -> int:
    """How often the story changes from one line of descent to another."""
    return sum(_line(one) != _line(two) for one, two in pairwise(choices))


def _line(choice: Choice) -> Lineage:
    """Executions that follow one another differ in the last part of their lineage alone."""
    return choice.path[:-1] if len(choice.path) > 1 else choice.path


class _Order:
    """A schedule that is being put in order: after each move its state, and what happened in it."""

    def __init__(self, machine: Machine[Any], choices: list[Choice], work: int) -> None:
        self.machine = machine
        self.choices = list(choices)
        self.work = work
        state, _ = machine.start()
        self.states = [state]
        self.events: list[tuple[Event, ...]] = []
        for choice in choices:
            state, events = machine.apply(state, choice)
            self.states.append(state)
            self.events.append(events)

    def pass_over(self) -> bool:
        """Go through once, from the start; whether anything changed place."""
        moved = False
        for i in range(1, len(self.choices)):
            line = _line(self.choices[i - 1])
            # What comes later in this line depends on the nearest, so no other can stand here.
            nearest = next(
                (j for j in range(i, min(i + _AHEAD, len(self.choices))) if _line(self.choices[j]) == line), i
            )
            if nearest > i:
                moved |= self._bring(nearest, i)
        return moved

    def _bring(self, source: int, target: int) -> bool:
        """Move one forward, past all that stand between; nothing changes if it cannot pass one of them."""
        span = slice(target, source + 1)
        kept = self.choices[span], self.events[span], self.states[target + 1 : source + 1]
        for i in range(source, target, -1):
            if not self._swap(i - 1):
                self.choices[span], self.events[span], self.states[target + 1 : source + 1] = kept
                return False
        return True

    def _swap(self, i: int) -> bool:
        if self.work < 2:
            return False
        self.work -= 2
        first, second = self.choices[i : i + 2]
        try:
            between, before = self.machine.apply(self.states[i], second)
            after, behind = self.machine.apply(between, first)
        except ScheduleError:
            return False
        if before != self.events[i + 1] or behind != self.events[i] or after != self.states[i + 2]:
            return False
        self.choices[i : i + 2] = second, first
        self.events[i : i + 2] = before, behind
        # The state object that stood here has the caches of whoever made it; equal is what counts.
        self.states[i + 1] = between
        return True
