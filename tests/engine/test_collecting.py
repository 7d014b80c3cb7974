"""While something runs the collector looks seldom; afterwards all is as it was before, and nothing piles up."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from dexpatterns.engine import collecting
from dexpatterns.engine.collecting import rare_collections


@pytest.fixture(autouse=True)
def _usual_thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


class Knot:
    """One that holds itself, so that only the collector can throw it away."""

    def __init__(self) -> None:
        self.self = self


@pytest.mark.parametrize("last", [0, 1])
def test_the_last_of_several_at_once_puts_the_thresholds_back(last: int) -> None:
    """As when two threads run: who began first need not end last."""
    usual = gc.get_threshold()
    both = [rare_collections(), rare_collections()]
    for one in both:
        one.__enter__()
    rare = gc.get_threshold()
    both.pop(1 - last).__exit__(None, None, None)
    assert gc.get_threshold() == rare != usual
    both.pop().__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_thresholds_that_were_set_in_between_are_the_usual_ones_of_the_next() -> None:
    with rare_collections():
        pass
    gc.set_threshold(77, 7, 7)
    with rare_collections():
        pass
    assert gc.get_threshold() == (77, 7, 7)


def test_what_many_short_runs_leave_in_cycles_does_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "_FEW", 1_000)
    gc.collect()
    alive: weakref.WeakSet[Knot] = weakref.WeakSet()
    most = 0
    everything = len(gc.get_objects())
    for _ in range(30):
        with rare_collections():
            for _ in range(everything // 5):
                alive.add(Knot())
        most = max(most, len(alive))
    assert most < 3 * everything, f"{most:,} are kept, of {everything:,} objects in all"


def test_what_is_frozen_stays_so() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with rare_collections():
            pass
        assert gc.get_freeze_count() > frozen * 0.99 > 0
    finally:
        gc.unfreeze()


def test_whoever_switched_the_collector_off_is_not_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collecting, "_FEW", 0)
    gc.disable()
    try:
        knot = weakref.ref(Knot())
        for _ in range(3):
            with rare_collections():
                kept: list[list[int]] = [[] for _ in range(200_000)]
        assert kept and knot() is not None
    finally:
        gc.enable()
