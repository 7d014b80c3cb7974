"""A schedule is put in order without changing what happens: same moves, same events, same end, fewer switches."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import pytest

from dexpatterns.engine.machine import Choice
from dexpatterns.engine.tidy import switches, tidy
from dexpatterns.errors import ScheduleError


class Did(NamedTuple):
    """What a move found on the table, and left there."""

    path: tuple[int, ...]
    found: int
    left: int
    kind = "did"


class Desk:
    """Each branch goes through its own list of moves: 'own' touches nothing, 'look' reads the table, 'put' writes it,
    'sign' leaves a name in a book that nobody is told of.

    A state is (how far each branch is, what lies on the table, the book).
    """

    kind = "bare"

    def __init__(self, *plans: str) -> None:
        self.plans = [plan.split() for plan in plans]
        self.applied = 0

    def start(self) -> tuple[Any, tuple[Any, ...]]:
        return ((0,) * len(self.plans), 0, ()), ()

    def apply(self, state: Any, choice: Choice, now: float = 0.0) -> tuple[Any, tuple[Any, ...]]:
        self.applied += 1
        places, table, book = state
        who, at = choice.path
        if places[who] != at or self.plans[who][at] != choice.kind:
            raise ScheduleError(f"{choice} is not possible")
        new = choice.path[0] + 1 if choice.kind == "put" else table
        places = (*places[:who], at + 1, *places[who + 1 :])
        book += (who,) if choice.kind == "sign" else ()
        return (places, new, book), (
            Did(choice.path, table if choice.kind in ("look", "put") else 0, new if choice.kind == "put" else 0),
        )

    def schedule(self, *order: int) -> list[Choice]:
        """The moves in which the branches take turns as named."""
        at: Counter[int] = Counter()
        made = []
        for who in order:
            made.append(Choice(self.plans[who][at[who]], f"branch-{who}", (who, at[who])))
            at[who] += 1
        return made


def branches(choices: list[Choice]) -> list[int]:
    return [choice.path[0] for choice in choices]


def run(desk: Desk, choices: list[Choice]) -> tuple[Any, dict[Choice, Any]]:
    state, _ = desk.start()
    did = {}
    for choice in choices:
        state, events = desk.apply(state, choice)
        did[choice] = events
    return state, did


@pytest.mark.parametrize(
    ("plans", "order", "tidied"),
    [
        # Nothing is shared: each goes on to its end.
        (("own own own", "own own own"), (0, 1, 0, 1, 0, 1), [0, 0, 0, 1, 1, 1]),
        # What is read stays what it was: the second one looked before the first one put.
        (("own put", "look own"), (0, 1, 0, 1), [0, 1, 1, 0]),
        # Two who put: the last one still puts last.
        (("put own", "put own"), (0, 1, 0, 1), [0, 0, 1, 1]),
        (("own put", "put own"), (0, 1, 0, 1), [0, 1, 1, 0]),
        # Both look before either puts, so one switch each way is needed.
        (("look put", "look put"), (0, 1, 0, 1), [0, 1, 0, 1]),
        # Who signed first is told by no event, and by the state alone.
        (("own sign", "sign own"), (0, 1, 0, 1), [0, 1, 1, 0]),
        (("own",), (0,), [0]),
        ((), (), []),
    ],
)
def test_a_branch_goes_on_as_long_as_nothing_else_changes(
    plans: tuple[str, ...], order: tuple[int, ...], tidied: list[int]
) -> None:
    desk = Desk(*plans)
    assert branches(tidy(desk, desk.schedule(*order))) == tidied  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(200))
def test_what_happens_stays_the_same(seed: int) -> None:
    random = Random(seed)
    desk = Desk(*(" ".join(random.choices(("own", "look", "put", "sign"), k=random.randint(1, 5))) for _ in range(3)))
    order = [who for who, plan in enumerate(desk.plans) for _ in plan]
    random.shuffle(order)
    given = desk.schedule(*order)
    found = tidy(desk, given)  # type: ignore[arg-type]
    assert run(desk, found) == run(desk, given)
    assert switches(found) == sum(a != b for a, b in pairwise(branches(found))) <= switches(given)
    assert tidy(desk, given) == found  # type: ignore[arg-type]


def test_an_order_that_no_longer_shows_the_violation_is_not_taken() -> None:
    desk = Desk("own own", "own own")
    given = desk.schedule(0, 1, 0, 1)
    asked: list[list[int]] = []

    def still_broken(choices: Any) -> bool:
        asked.append(branches(choices))
        return False

    assert tidy(desk, given, still_broken) == given  # type: ignore[arg-type]
    assert asked == [[0, 0, 1, 1]]


def test_an_order_that_is_no_better_is_not_even_judged() -> None:
    desk = Desk("look put", "look put")
    given = desk.schedule(0, 1, 0, 1)
    assert tidy(desk, given, lambda choices: pytest.fail("it was asked")) == given  # type: ignore[arg-type]


def test_the_work_is_bounded() -> None:
    """A long schedule costs its replay, and no more than it was given."""
    desk = Desk(*["own " * 200] * 3)
    given = desk.schedule(*[0, 1, 2] * 200)
    found = tidy(desk, given, work=100)  # type: ignore[arg-type]
    assert desk.applied <= len(given) + 100
    assert sorted(found) == sorted(given)
