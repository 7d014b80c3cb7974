"""The numbers that the workshop plan tells a teacher are those of the seat."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dexpatterns import catalog, js7
from dexpatterns.views.seat import Seat

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def fewest(pattern: catalog.Pattern) -> int:
    """In how many moves the hint at the very start says that it can break."""
    if pattern.form == "js7":
        run = js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs, turns=1)
        seat = Seat.of_run(run, 0)
    else:
        from dexpatterns import Simulation

        seat = Seat.of_run(Simulation(pattern.flow, pattern.make_input(reviewers=2), sections=[pattern.section]).run)
    seat.hint()
    return min(len(one.ahead.way) for one in seat.judged if one.ahead is not None and one.ahead.way)


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("is-editing-flag", r"it says that it can break in (\d+) moves"),
        ("nested-locks-opposite-order", r"With a hint it can break in (\d+) moves"),
    ],
)
def test_the_hint_says_what_the_plan_says(folder: str, words: str) -> None:
    said = re.search(words, (NOTEBOOKS / "workshop.md").read_text(encoding="utf-8"))
    assert said
    moves = int(said[1])
    assert fewest(catalog.load(folder)) == moves
    assert f"{moves} 步" in (NOTEBOOKS / "workshop.zh.md").read_text(encoding="utf-8")
