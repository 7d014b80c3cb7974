"""Exploring from the middle of a run: the same answers as from the start, less what was done already."""

from __future__ import annotations

from typing import Any

import pytest

from dexpatterns import catalog
from dexpatterns.dex import FlowMachine, mutual_exclusion, token_conserved
from dexpatterns.engine.explore import explore
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import Property, always_ends, never, never_stuck
from dexpatterns.engine.report import Bounds, Verdict
from dexpatterns.engine.resume import Ahead, look_ahead, remembering, resumed
from tests.engine.bare_models import BareMachine, FlagModel, TokenModel

MANY = Bounds(50_000)


def two_inside() -> Property:
    return never("two inside", lambda state: state["inside"] > 1)


def walked(machine: Any, properties: tuple[Property, ...], choices: Any) -> tuple[Any, tuple[Any, ...]]:
    """The state and the memories after these moves."""
    state, events = machine.start()
    memories = tuple(one.step(one.initial(), events) for one in properties)
    for choice in choices:
        state, events = machine.apply(state, choice)
        memories = tuple(one.step(memory, events) for one, memory in zip(properties, memories, strict=True))
    return state, memories


def ahead(
    machine: Any, properties: tuple[Property, ...], choices: Any = (), bounds: Bounds = MANY
) -> tuple[Ahead, ...]:
    for one in properties:
        one.check(machine)
    return look_ahead(machine, *_from(machine, properties, choices), bounds)


def _from(machine: Any, properties: tuple[Property, ...], choices: Any) -> tuple[Any, tuple[Property, ...], Any]:
    state, memories = walked(machine, properties, choices)
    return state, properties, memories


@pytest.mark.parametrize("model", [FlagModel(2), FlagModel(3), TokenModel(3, tokens=2)])
def test_from_every_place_of_a_shortest_way_the_rest_of_it_is_left(model: BareMachine) -> None:
    report = explore(model, properties=[two_inside()])
    assert report.counterexample is not None
    way = [turn.choice for turn in report.counterexample.trace.turns]
    for done in range(len(way)):
        (found,) = ahead(model, (two_inside(),), way[:done])
        assert (found.verdict, len(found.way), found.cut) == (Verdict.REFUTED, len(way) - done, "")
        # And what it names does break it from there.
        state, _ = walked(model, (), [*way[:done], *found.way])
        assert model.describe(state)["inside"] > 1


def test_each_property_is_told_although_a_search_stops_at_the_first_that_breaks() -> None:
    model = FlagModel(2)
    early = never("one inside", lambda state: state["inside"] > 0)
    found = ahead(model, (early, two_inside(), never_stuck()))
    assert [(one.name, one.verdict.name) for one in found] == [
        ("one inside", "REFUTED"), ("two inside", "REFUTED"), ("never stuck", "PROVED")
    ]  # fmt: skip
    shortest = [explore(model, properties=[one]).counterexample for one in (early, two_inside())]
    assert [len(one.way) for one in found[:2]] == [len(run.trace.turns) for run in shortest if run is not None]


def test_what_cannot_break_is_proved_by_the_states_that_are_left() -> None:
    model = TokenModel(3)
    (whole,) = ahead(model, (two_inside(),))
    assert (whole.verdict, whole.states) == (Verdict.PROVED, explore(model).states)
    one_done = [Choice("do", name, (0,)) for name in ("take", "edit", "save", "give_back")]
    (rest,) = ahead(model, (two_inside(),), one_done)
    assert (rest.verdict, rest.states) == (Verdict.PROVED, explore(TokenModel(2)).states)


def test_a_search_that_was_cut_says_so_and_proves_nothing() -> None:
    (found,) = ahead(TokenModel(4), (two_inside(),), bounds=Bounds(20))
    assert (found.verdict, found.way, found.cut) == (Verdict.BOUNDED, (), "states=20")


def test_what_is_broken_already_needs_no_move() -> None:
    model = FlagModel(2)
    way = ahead(model, (two_inside(),))[0].way
    (found,) = ahead(model, (two_inside(),), way)
    assert (found.verdict, found.way) == (Verdict.REFUTED, ())


def test_a_goal_is_judged_by_what_is_reachable_from_here() -> None:
    pattern = catalog.load("critical-section")
    machine = FlowMachine(pattern.flow, pattern.make_input(reviewers=1))
    (found,) = ahead(machine, (always_ends("COMPLETED"),))
    assert found.verdict is Verdict.PROVED


def test_memories_of_what_happened_before_count() -> None:
    """A branch that is inside, a token that is held: another start would know nothing of them."""
    pattern = catalog.load("second-token")
    machine = FlowMachine(pattern.flow, pattern.make_input(reviewers=2))
    inside, token = mutual_exclusion(pattern.section), token_conserved(pattern.token)
    for one in (inside, token):
        (whole,) = ahead(machine, (one,))
        for done in range(len(whole.way)):
            (rest,) = ahead(machine, (one,), whole.way[:done])
            assert (rest.verdict, len(rest.way)) == (Verdict.REFUTED, len(whole.way) - done), (one.name, done)
    # Without its memory the second of two branches alone breaks nothing, and the search would say so.
    (whole,) = ahead(machine, (inside,))
    state, _ = walked(machine, (inside,), whole.way[:-1])
    (forgetful,) = look_ahead(machine, state, (inside,), (inside.initial(),), MANY)
    assert forgetful.verdict is not Verdict.REFUTED or len(forgetful.way) > 1


def test_a_resumed_machine_is_the_same_in_every_other_way() -> None:
    model = TokenModel(2)
    state, _ = model.apply(model.initial(), model.choices(model.initial())[0])
    start = resumed(model, state)
    assert start.start() == (state, ())
    assert start.initial() == state
    assert (start.name, start.kind, start.patient) == (model.name, model.kind, model.patient)
    assert list(start.choices(state)) == list(model.choices(state))


def test_a_property_that_remembers_leaves_the_first_one_as_it_was() -> None:
    one = mutual_exclusion(catalog.load("critical-section").section)
    before = one.initial()
    later = remembering(one, "something")
    assert (later.initial(), one.initial(), later.name, type(later)) == ("something", before, one.name, type(one))


def test_what_is_known_is_kept_along_the_way_and_nowhere_else() -> None:
    first, second, other = (Choice("do", name, (0,)) for name in ("take", "edit", "save"))
    way = Ahead("p", Verdict.REFUTED, (first, second), 7)
    assert way.after(first) == Ahead("p", Verdict.REFUTED, (second,), 7)
    assert way.after(other) is None
    assert Ahead("p", Verdict.PROVED, (), 7).after(other) == Ahead("p", Verdict.PROVED, (), 7)
    assert Ahead("p", Verdict.BOUNDED, (), 7, "states=7").after(first) is None
