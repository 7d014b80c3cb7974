"""A moment of JS7 orders folded over events is the state that the machine itself describes, at every turn."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from dexpatterns import catalog, js7, load_run
from dexpatterns.errors import InputError
from dexpatterns.js7 import Job, Js7Machine, Order
from dexpatterns.views.js7_moment import OrdersMoment, Share, describe
from dexpatterns.views.moment import Fold, moment, moments
from tests.js7.notation import JOBS, P, attempt, bad, controller, fail, fork, items, lock, ok, opt, retry, sleep

LOCKS = [pattern for pattern in catalog.patterns() if pattern.form == "js7"]
STEPS = 150
ANY = {name: Job(outcomes="any") for name in ("ok", "bad", "load", "extract", "clean", "report", "import", "sell")}


def worlds() -> list[Any]:
    """Every folder with its orders, as they are and with jobs that may fail, and every block there is."""
    found = []
    for pattern in LOCKS:
        workflows = {item.path for item in pattern.items if isinstance(item, js7.Workflow)}
        each = tuple(Order(f"one-{name}", name, repeats=True) for name in sorted(workflows))
        jobs = {name: Job(outcomes="any") for name in pattern.jobs}
        for name, orders, given in (
            ("as-it-is", pattern.orders, pattern.jobs),
            ("any-outcome", pattern.orders, jobs),
            ("every-workflow", each, jobs),
        ):
            for fair in (False, True):
                machine = Js7Machine(pattern.items, orders, given, fair)
                found.append(pytest.param(machine, id=f"{pattern.id}-{name}{'-fair' * fair}"))
    blocks = items(
        lock("L:1 M", fork(a=[P, bad], b=[lock("L:1", ok)])),
        *[{"path": path, "instructions": block, "jobs": items(ok)[-1]["jobs"]} for path, block in {
            "TRY": [attempt(lock("L", bad), catch=[retry], maxTries=3, retryDelays=[5])],
            "STOP": [opt(True, lock("L:2", bad)), sleep(3)],
            "JOIN": [fork(True, a=[fail("m")], b=[lock("M", ok)]), lock("M", P)],
        }.items()],
        locks="L/3 M",
    )  # fmt: skip
    orders = [Order(f"{path}-{n}", path, repeats=n > 0) for path in ("W", "TRY", "STOP", "JOIN") for n in range(2)]
    found.append(pytest.param(Js7Machine(blocks, orders, ANY), id="blocks"))
    return found


def agree(told: dict[str, Any], at: OrdersMoment) -> None:
    ours = describe(at)
    for field in ("status", "orders", "locks", "pending"):
        assert ours[field] == told[field], field
    held = {(one.lock, one.order, one.weight) for order in at.orders.values() for one in order.holds}
    assert held == {(one.lock, one.order, one.weight) for lock in at.locks.values() for one in lock.holders}
    waiting = {id for id, order in at.orders.items() if order.waits}
    assert waiting == {id for id, order in at.orders.items() if order.state == "WaitingForLock"}


@pytest.mark.parametrize("machine", worlds())
def test_a_moment_is_what_the_machine_describes_at_every_turn(machine: Js7Machine) -> None:
    for seed in range(3):
        draw = random.Random(seed)
        trace = js7.simulate(*_again(machine), seed=seed, turns=1, fair=machine.rules.fair).trace
        state, events = machine.start()
        fold = Fold.of(trace)
        agree(machine.describe(state), fold.moment())
        for turn in range(1, STEPS):
            choices = machine.choices(state)
            if not choices:
                break
            state, events = machine.apply(state, draw.choice(choices))
            fold.apply(events, turn, None)
            agree(machine.describe(state), fold.moment())


def _again(machine: Js7Machine) -> tuple[Any, Any]:
    world = machine.rules.world
    return [*world.workflows.values(), *world.locks.values()], machine.orders


@pytest.mark.parametrize("pattern", LOCKS, ids=lambda pattern: pattern.id)
@pytest.mark.parametrize("seed", range(3))
def test_the_last_moment_of_a_simulated_run_is_its_end(pattern: Any, seed: int) -> None:
    run = js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs, seed=seed, turns=60)
    agree(run.trace.final, moment(run.trace))


def test_commands_of_a_person_are_followed() -> None:
    """J15, J226, J231: cancelled, suspended, resumed, given another priority."""
    hand = controller(lock("L", P), locks="L").add_order("A", "W").add_order("B", "W").add_order("C", "W")
    hand.change_priority("C", 5).cancel("B").suspend("A").answer("A")
    agree(hand.run.trace.final, moment(hand.run.trace))
    hand.resume("A")
    run = hand.run
    agree(run.trace.final, moment(run.trace))
    assert moment(run.trace).pending == ()
    assert [at.turn for at in moments(run.trace)] == list(range(len(run.trace.turns) + 1))


def test_who_holds_and_who_waits_with_which_weight() -> None:
    run = js7.simulate(items(lock("L:2", ok), locks="L/3"), [Order("A", "W"), Order("B", "W")], jobs=JOBS)
    first, second = (turn.choice.name for turn in run.trace.turns[:2])
    at = moment(run.trace, 2)
    assert at.locks["L"] == ("L", 3, 2, (Share(first, "L", 2),), (Share(second, "L", 2),))
    assert not at.locks["L"].exclusive
    a, b = at.orders[first], at.orders[second]
    assert (a.phase, a.job, a.attempt, a.holds) == ("running", "ok", 1, at.locks["L"].holders)
    assert (b.phase, b.state, b.seen, b.waits, b.position) == (
        "waiting", "WaitingForLock", "WAITING", at.locks["L"].queue, (0,),
    )  # fmt: skip


def test_all_of_a_lock_is_all_that_there_is() -> None:
    run = js7.simulate(items(lock("L", ok), locks="L/3"), [Order("A", "W")], jobs=JOBS)
    assert (moment(run.trace, 1).locks["L"].exclusive, moment(run.trace, 1).locks["L"].used) == (True, 3)


def test_children_have_the_number_of_their_parent_and_a_letter() -> None:
    orders = [Order("A", "W"), Order("B", "W")]
    run = js7.simulate(items(fork(x=[ok], y=[ok])), orders, jobs=JOBS)
    at = moment(run.trace, 2)
    assert {id: (order.number, order.label, order.parent) for id, order in at.orders.items()} == {
        "A": (1, "1", ""), "A|x": (1, "1a", "A"), "A|y": (1, "1b", "A"),
        "B": (2, "2", ""), "B|x": (2, "2a", "B"), "B|y": (2, "2b", "B"),
    }  # fmt: skip
    assert set(moment(run.trace).orders) == {"A", "B"}


def test_an_order_that_comes_again_keeps_its_number_and_is_still_to_come() -> None:
    run = js7.simulate(items(ok), [Order("A", "W"), Order("B", "W", repeats=True)], jobs=JOBS, turns=12)
    states = list(moments(run.trace))
    assert states[0].pending == ("A", "B")
    gone = [at for at in states[1:] if at.pending == ("B",) and "A" in at.orders]
    assert gone and all(at.numbers == {"A": 1, "B": 2} for at in states)


def test_an_earlier_moment_does_not_change_with_later_turns() -> None:
    pattern = catalog.load("several-locks")
    trace = js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs).trace
    each = list(moments(trace))
    assert each == [moment(trace, n) for n in range(len(trace.turns) + 1)]


def test_a_loaded_run_has_the_same_moments(tmp_path: Path) -> None:
    pattern = catalog.load("shared-lock")
    run = js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs, seed=2)
    run.save(tmp_path / "run.json")
    assert list(moments(load_run(tmp_path / "run.json").trace)) == list(moments(run.trace))


def test_a_turn_that_there_is_not_is_refused() -> None:
    pattern = catalog.load("shared-lock")
    run = js7.simulate(pattern.items, pattern.orders, jobs=pattern.jobs)
    with pytest.raises(InputError, match=r"at: expected a turn from 0 \(the start\) to \d+ \(the last\), got -1"):
        moment(run.trace, -1)
