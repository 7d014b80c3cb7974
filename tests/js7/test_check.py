"""Every order of events (J401 to J403): what is proved, what is refuted, by which run, in which words."""

from __future__ import annotations

import time
from typing import Any

import pytest

from dexpatterns.engine.explore import explore
from dexpatterns.engine.machine import Choice
from dexpatterns.engine.properties import always, always_ends, never, never_stuck
from dexpatterns.engine.report import Bounds, Verdict
from dexpatterns.errors import InputError
from dexpatterns.js7 import (
    Controller,
    Job,
    Js7Machine,
    Order,
    check,
    no_deadlock,
    no_lock_kept,
    no_overcommitment,
    no_starvation,
    replay,
)
from dexpatterns.js7.instructions import Lock
from dexpatterns.js7.locks import Locks, LockState
from dexpatterns.js7.starvation import Graph, starve
from dexpatterns.js7.state import State
from tests.js7.notation import JOBS, SECOND, P, attempt, bad, fail, fork, items, lock, ok, opt, retry, sleep, workflow

PROVED, REFUTED, BOUNDED = Verdict.PROVED, Verdict.REFUTED, Verdict.BOUNDED


def opposite() -> list[dict[str, Any]]:
    return items(workflow("X", lock("A", ok, lock("B", ok))), workflow("Y", lock("B", ok, lock("A", ok))), locks="A B")


def orders(*names: str, **fields: Any) -> list[Order]:
    """An order for each workflow that is named; `S*2` are two that come again and again."""
    made = []
    for name in names:
        path, _, times = name.partition("*")
        made += (
            [Order(f"{path}{n}", path, repeats=True) for n in range(1, int(times) + 1)]
            if times
            else [Order(path, path, **fields)]
        )
    return made


# --- deadlock --------------------------------------------------------------------------------------------------------


def test_locks_nested_in_opposite_orders_deadlock() -> None:
    started = time.process_time()
    report = check(opposite(), orders("X", "Y"))
    assert time.process_time() - started < 0.2
    assert report.verdict is REFUTED and report.property == "no deadlock"
    said = {result.name: result for result in report.results}
    assert said["no deadlock"].detail == "X holds A and waits for B, Y holds B and waits for A"
    assert report.counterexample is not None and report.counterexample.status == "STUCK"
    assert sorted(str(turn.choice) for turn in report.counterexample.trace.turns) == [
        "arrive X 0", "arrive Y 1", "succeed X 0", "succeed Y 1",
    ]  # fmt: skip
    head, *lines = report.explanation.split("\n")
    assert head == "no deadlock: X holds A and waits for B, Y holds B and waits for A"
    assert sorted(line.partition(". ")[2] for line in lines) == [
        "X: comes to X; takes all of A; runs ok",
        "X: its job ends: succeeded; waits for all of B",
        "Y: comes to Y; takes all of B; runs ok",
        "Y: its job ends: succeeded; waits for all of A",
    ]
    assert report.explained("zh").split("\n")[0] == "没有死锁：X 占有 A，等待 B，Y 占有 B，等待 A"
    again = replay(opposite(), orders("X", "Y"), report.counterexample.schedule)
    assert again.trace.turns == report.counterexample.trace.turns


def test_locks_nested_in_one_order_do_not() -> None:
    made = items(*(workflow(n, lock("A", ok, lock("B", ok))) for n in ("X", "Y")), locks="A B")
    report = check(made, orders("X", "Y"))
    assert report.verdict is PROVED and report.counterexample is None
    assert [result.name for result in report.results] == ["no over-commitment", "no lock kept", "no deadlock"]
    assert report.outcomes == {"FINISHED: 2 Finished"} and report.witness is not None
    assert report.witness.status == "FINISHED"
    assert report.explanation.startswith("nothing is broken; a run that ends as it should:\n1. X: comes to X")
    assert "没有什么被打破" in report.explained("zh")


def test_the_states_of_two_orders_counted_by_hand() -> None:
    """Each of two orders that never meet is still to come, at its job, or finished: 3 x 3 states.

    From each state every order that is not finished makes one move: 2 x (2 x 3) transitions.
    """
    report = check(items(workflow("W", ok)), [Order("A", "W"), Order("B", "W")])
    assert (report.states, report.transitions, report.depth) == (9, 12, 4)
    report = check(items(workflow("W", lock("L", ok))), [Order("A", "W"), Order("B", "W")])
    # At its job together are two states now: either holds while the other waits. And from there one move each.
    assert (report.states, report.transitions, report.depth) == (10, 12, 4)


@pytest.mark.parametrize(
    ("workflows", "who", "expected"),
    [
        # Three in a circle.
        (
            {"X": lock("A", ok, lock("B")), "Y": lock("B", ok, lock("C")), "Z": lock("C", ok, lock("A"))},
            "XYZ",
            "X holds A and waits for B, Y holds B and waits for C, Z holds C and waits for A",
        ),
        # Shares: neither gets its second one.
        ({"X": lock("A:1", ok, lock("B:2", ok)), "Y": lock("B:2", ok, lock("A:2", ok))}, "XY",
         "X holds A and waits for B, Y holds B and waits for A"),
        # A parent waits for its child, which waits for a lock that another one holds who waits for the parent's.
        (
            {"X": lock("A", fork(c=[ok, lock("B")])), "Y": lock("B", ok, lock("A"))},
            "XY",
            "X holds A and waits for its child X|c, X|c waits for B, Y holds B and waits for A",
        ),
        # Two children of one order.
        ({"X": fork(a=[lock("A", ok, lock("B"))], b=[lock("B", ok, lock("A"))])}, "X",
         "X|a holds A and waits for B, X|b holds B and waits for A"),
        ({"X": lock("A B", ok), "Y": lock("B A", ok)}, "XY", ""),
        ({"X": lock("G", lock("A", ok, lock("B"))), "Y": lock("G", lock("B", ok, lock("A")))}, "XY", ""),
    ],
    ids=["three", "shares", "fork", "siblings", "one instruction", "guarded"],
)  # fmt: skip
def test_circles(workflows: dict[str, Any], who: str, expected: str) -> None:
    made = items(*(workflow(name, body) for name, body in workflows.items()), locks="A/2 B/2 C G")
    report = check(made, orders(*who))
    assert report.verdict is (REFUTED if expected else PROVED)
    assert next(result.detail for result in report.results if result.name == "no deadlock") == expected


def test_j402_a_holder_that_was_stopped_is_no_circle() -> None:
    made = items(workflow("X", opt(True, lock("A", fail()))), workflow("Y", lock("A", ok)), locks="A")
    report = check(made, orders("X", "Y"), properties=[no_deadlock(), no_lock_kept()])
    assert report.verdict is PROVED and "STUCK: 1 Stopped, 1 WaitingForLock" in report.outcomes
    report = check(made, orders("X", "Y"), properties=[never_stuck()])
    assert report.results[0].detail == "Y waits for A, held by X (Stopped)"
    report = check(made, orders("X", "Y"), properties=[always_ends("FINISHED")])
    assert report.verdict is REFUTED


def test_j402_a_circle_that_somebody_else_opens_is_none() -> None:
    """X holds A and waits for 2 of L; Y holds 1 of L and waits for A. Z holds 1 of L, and will give it back."""
    made = items(
        workflow("X", lock("A", ok, lock("L:2", ok))), workflow("Y", lock("L:1", ok, lock("A", ok))),
        workflow("Z", lock("L:1", ok)), locks="A L/3",
    )  # fmt: skip
    assert check(made, orders("X", "Y", "Z")).verdict is PROVED
    c = Controller(made, jobs=JOBS)
    for id in "ZYX":
        c.add_order(id, id)
    waiting = [c.order(id).state for id in "XY"]
    assert c.advance(SECOND) and [c.order(id).state for id in "XYZ"] == ["Processing", "WaitingForLock", "Finished"]
    assert waiting == ["Processing", "Processing"]


def test_j402_in_a_fair_queue_a_place_ahead_is_waited_for() -> None:
    """Z stands first for B and waits for W; X could have had its share of B at once, but not in a fair queue."""
    made = items(
        workflow("X", lock("A", ok, lock("B:1", ok))),
        workflow("W", lock("B:1", ok, lock("A", ok))),
        workflow("Z", lock("B:2", ok)), locks="A B/2",
    )  # fmt: skip
    assert check(made, orders("X", "W", "Z")).verdict is PROVED
    report = check(made, orders("X", "W", "Z"), fair=True)
    assert report.property == "no deadlock"
    assert next(r.detail for r in report.results if r.name == "no deadlock").count("waits for") == 3


# --- over-commitment and kept locks ----------------------------------------------------------------------------------


def broken_state(view: Any, lock_state: LockState) -> Any:
    """A state as no machine makes it, with a lock that is held as said."""
    made = Locks([Lock("L", 2)])
    made.states = {"L": lock_state}
    state = State(made)
    return type("View", (), {"state": state, "machine": view})()


@pytest.mark.parametrize(
    ("held", "expected"),
    [({"A": 2}, None), ({"A": 2, "B": 1}, "Lock:L with limit 2 is held with weights of 3 in all"), ("A", None)],
)
def test_over_commitment_is_seen(held: Any, expected: str | None) -> None:
    view = broken_state(None, LockState(Lock("L", 2), held))
    assert no_overcommitment().fault(None, view) == expected
    assert no_lock_kept().fault(None, view) == "Lock:L is held by A, which is gone"


@pytest.mark.parametrize("fair", [False, True])
def test_nothing_is_over_committed(fair: bool) -> None:
    body = attempt(lock("A:1", bad, lock("B", ok)), catch=[lock("A:2 B:1", ok)])
    made = items(workflow("X", body), workflow("Y", lock("B:1", ok), lock("A:2", fork(True, c=[bad]))), locks="A/2 B")
    report = check(made, [Order("X1", "X"), Order("X2", "X"), Order("Y", "Y")], jobs=JOBS, fair=fair)
    assert report.verdict is PROVED and report.states >= 100


@pytest.mark.parametrize(
    ("body", "strict", "expected"),
    [
        (lock("L", fail()), True, ""),
        (opt(True, lock("L", fail())), False, ""),
        (opt(True, lock("L", fail())), True, "Lock:L is held by X, which is Stopped"),
        (lock("L", fork(c=[bad])), False, ""),
        (lock("L", fork(c=[bad])), True, "Lock:L is held by X, which waits for its child X|c, which is Failed"),
        (lock("L", fork(True, c=[bad])), True, ""),
    ],
)
def test_locks_that_are_kept(body: Any, strict: bool, expected: str) -> None:
    report = check(items(workflow("X", body)), orders("X"), jobs=JOBS, properties=[no_lock_kept(strict)])
    assert report.results[0].detail == expected and report.verdict is (REFUTED if expected else PROVED)


# --- starvation ------------------------------------------------------------------------------------------------------


def heavy() -> list[dict[str, Any]]:
    return items(workflow("H", lock("L:2", ok)), workflow("S", lock("L:1", ok)), locks="L/2")


def test_small_shares_starve_a_heavy_waiter() -> None:
    report = check(heavy(), orders("H", "S*2"), properties=[no_starvation("H"), no_deadlock()])
    assert [result.verdict for result in report.results] == [REFUTED, PROVED]
    detail = report.results[0].detail
    assert detail == (
        "H waits for L from turn 2 on, while S2, S1 can go round for ever ahead of it (turns 3 to 6, again and again)"
    )
    assert report.property == "no starvation of H" and report.witness is None
    assert report.counterexample is not None
    machine = Js7Machine(heavy(), orders("H", "S*2"))
    state, keys = machine.initial(), []
    for turn in report.counterexample.trace.turns:
        state, _ = machine.apply(state, turn.choice)
        keys.append(machine.key(state))
        if turn.number >= 2:
            waiting = state.order("H")
            assert waiting is not None and waiting.state == "WaitingForLock"
    assert keys[-1] == keys[1], "the circle closes"
    assert report.explanation.startswith(f"no starvation of H: {detail}\n1. S1: comes to S; takes 1 of L; runs ok\n")
    assert "可以永远轮流抢在它前面（第 3 到 6 回合" in report.explained("zh")


def test_a_fair_queue_does_not() -> None:
    report = check(heavy(), orders("H", "S*2"), properties=[no_deadlock(), no_starvation("H")], fair=True)
    assert [result.verdict for result in report.results] == [PROVED, PROVED]


@pytest.mark.parametrize(
    ("workflows", "who", "fair", "starves"),
    [
        # One small order alone gives the lock back between two turns.
        ({"H": lock("L:2", ok), "S": lock("L:1", ok)}, ["H", "S*1"], False, False),
        # All of a lock, among equals: first come, first served.
        ({"H": lock("L", ok), "S": lock("L", ok)}, ["H", "S*2"], False, False),
        # A Retry lies between: the releaser does not come first again (J225).
        ({"H": lock("L", ok), "S": attempt(lock("L", bad), catch=[retry])}, ["H", "S"], False, False),
        # Two that are tried again and again, each with a share.
        ({"H": lock("L", ok), "S": attempt(lock("L:1", bad), catch=[retry]),
          "T": attempt(lock("L:1", bad), catch=[retry])}, ["H", "S", "T"], False, True),
        ({"H": lock("L", ok), "S": attempt(lock("L:1", bad), catch=[retry]),
          "T": attempt(lock("L:1", bad), catch=[retry])}, ["H", "S", "T"], True, False),
        ({"H": lock("L", ok), "S": attempt(lock("L", bad), catch=[retry])}, ["H", "S"], True, False),
        ({"H": lock("L", ok), "S": attempt(lock("L", bad), catch=[retry], retryDelays=[1])}, ["H", "S"], False, False),
        # Two locks that are never free together.
        ({"H": lock("L M", ok), "S": lock("L", ok), "T": lock("M", ok)}, ["H", "S*2", "T*2"], False, True),
        ({"H": lock("L M", ok), "S": lock("L", ok), "T": lock("M", ok)}, ["H", "S*2", "T*2"], True, False),
        # Nothing happens any more: a stopped order holds the lock.
        ({"H": lock("L", ok), "S": opt(True, lock("L", bad))}, ["H", "S"], False, True),
        # What others do elsewhere is no reason, as long as the holder's job ends.
        ({"H": lock("L", ok), "S": lock("L", ok), "T": lock("M", ok)}, ["H", "S", "T*1"], False, False),
        ({"H": lock("L", ok), "S": lock("L", P), "T": lock("M", ok)}, ["H", "S", "T*1"], False, False),
        ({"H": lock("L", ok), "S": lock("L", sleep(5)), "T": lock("M", ok)}, ["H", "S", "T*1"], False, False),
    ],
)  # fmt: skip
def test_j403_who_starves(workflows: dict[str, Any], who: list[str], fair: bool, starves: bool) -> None:
    made = items(*(workflow(name, body) for name, body in workflows.items()), locks="L/2 M")
    report = check(made, orders(*who), jobs=JOBS, properties=[no_starvation("H")], fair=fair)
    assert report.verdict is (REFUTED if starves else PROVED), report


def test_j403_a_higher_priority_starves_a_lower_one() -> None:
    made = items(workflow("W", lock("L", ok)))
    others = [Order("S1", "W", repeats=True, priority=1), Order("S2", "W", repeats=True, priority=1)]
    assert check(made, [Order("H", "W"), *others], properties=[no_starvation("H")]).verdict is REFUTED
    assert check(made, [Order("H", "W"), *others], properties=[no_starvation("H")], fair=True).verdict is PROVED


def test_j403_a_dead_end_starves_too() -> None:
    report = check(opposite(), orders("X", "Y"), properties=[no_starvation("X"), no_starvation("Y")])
    assert [result.verdict for result in report.results] == [REFUTED, REFUTED]
    assert report.results[0].detail == (
        "X waits for B from turn 3 on, and nothing else can happen: X waits for B, held by Y (WaitingForLock); "
        "Y waits for A, held by X (WaitingForLock)"
    )


def test_the_first_violation_leaves_starvation_unjudged() -> None:
    report = check(opposite(), orders("X", "Y"), properties=[no_starvation("X"), no_deadlock()])
    assert [result.verdict for result in report.results] == [BOUNDED, REFUTED]


def test_a_circle_that_has_to_do_several_things() -> None:
    """T's job may end all the time, so the circle that starves H has to let it: the short one alone is not fair."""
    made = items(
        workflow("H", lock("L:2", ok)), workflow("S", lock("L:1", ok)), workflow("T", lock("M", ok, ok)), locks="L/2 M"
    )  # fmt: skip
    machine = Js7Machine(made, orders("H", "S*2", "T*1"))
    graph = Graph(machine, ["H"], Bounds())
    graph.explore()
    lasso = starve(graph, "H")
    assert lasso is not None
    state = machine.initial()
    for choice in lasso.way:
        state, _ = machine.apply(state, choice)
    key, always_possible = machine.key(state), set(machine.choices(state))
    for choice in lasso.circle:
        state, _ = machine.apply(state, choice)
        always_possible &= set(machine.choices(state))
    assert machine.key(state) == key
    assert {c for c in always_possible if c.kind != "arrive"} <= set(lasso.circle)


# --- bounds, bad input, other properties -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "said"),
    [(Bounds(states=5), "states=5"), (Bounds(depth=2), "depth=2"), (Bounds(seconds=1e-9), "seconds")],
)
def test_a_search_that_was_cut_proves_nothing(bounds: Bounds, said: str) -> None:
    for properties in ([no_starvation("H")], [no_deadlock()], [no_deadlock(), no_starvation("H")]):
        report = check(heavy(), orders("H", "S*2"), properties=properties, bounds=bounds)
        assert {result.verdict for result in report.results} == {BOUNDED}
        assert report.cut.startswith(said)
        assert all(said in result.detail for result in report.results)


def test_attempts_without_a_limit_have_finitely_many_states() -> None:
    made = items(workflow("W", attempt(lock("L", bad), catch=[retry], retryDelays=[1, 2])))
    report = check(made, [Order("A", "W"), Order("B", "W")], jobs=JOBS)
    assert report.verdict is PROVED and report.outcomes == frozenset()
    counting = items(workflow("W", attempt(lock("L", bad), catch=[{"TYPE": "If", "predicate": "tryCount < 5",
        "then": {"instructions": [retry]}}])))  # fmt: skip
    report = check(counting, [Order("A", "W")], jobs=JOBS)
    assert report.verdict is PROVED and report.outcomes == {"FINISHED: 1 Finished"}


def test_states_that_differ_in_what_is_still_to_come_are_two() -> None:
    """The number of runs of a job, and the values that a predicate reads later."""
    flaky = Job(outcomes=("failed", "failed", "succeeded"))
    made = items(workflow("W", attempt(ok, catch=[retry])))
    assert check(made, [Order("A", "W")], jobs={"ok": flaky}).outcomes == {"FINISHED: 1 Finished"}
    reading = items(workflow("W", attempt(ok), P, {"TYPE": "If", "predicate": "$returnCode == 1",
        "then": {"instructions": [fail()]}}))  # fmt: skip
    report = check(reading, [Order("A", "W")], jobs={"ok": Job(outcomes=("any",))})
    assert report.outcomes == {"FINISHED: 1 Finished", "FAILED: 1 Failed"}


def test_a_job_that_may_end_either_way_is_tried_both_ways() -> None:
    made = items(workflow("W", lock("L", ok)))
    report = check(made, [Order("A", "W")], jobs={"ok": Job(outcomes=("any",))})
    assert report.outcomes == {"FINISHED: 1 Finished", "FAILED: 1 Failed"}


def test_general_properties_are_asked_of_the_described_state() -> None:
    never_both = never("both inside", lambda state: len(state["locks"]["L"]["acquired"].get("orderToCount", {})) > 1)
    known = always("known states", lambda state: all(o["state"] for o in state["orders"].values()))
    report = check(heavy(), [Order("A", "S"), Order("B", "S")], properties=[known, never_both])
    assert report.property == "both inside"
    assert check(heavy(), [Order("A", "H"), Order("B", "S")], properties=[known, never_both]).verdict is PROVED


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: check(heavy(), orders("H"), properties=no_deadlock()), "expected a list of properties"),
        (lambda: check(heavy(), orders("H"), properties=[]), r"expected one or more, got \[\]; leave them out"),
        (lambda: check(heavy(), orders("H"), properties=[no_deadlock(), no_deadlock()]), "with different names"),
        (lambda: check(heavy(), orders("H"), properties=["no_deadlock"]), "expected a property, got 'no_deadlock'"),
        (lambda: check(heavy(), orders("H"), properties=[no_starvation("h")]), "no order 'h' comes; did you mean 'H'"),
        (lambda: no_starvation(""), "expected the id of an order"),
        (lambda: explore(Js7Machine(heavy(), orders("H")), properties=[no_starvation("H")]), "use js7.check"),
        (lambda: check(heavy(), orders("h")), "unknown workflow 'h'"),
    ],
)
def test_what_cannot_be_checked(make: Any, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        make()


def test_names_are_shown_and_not_obeyed() -> None:
    made = items(workflow("X\x1b[2J", lock("A", ok, lock("B"))), workflow("Y", lock("B", ok, lock("A"))), locks="A B")
    report = check(made, [Order("O\n\u202e", "X\x1b[2J"), Order("Y", "Y")])
    assert report.explanation.isprintable() is False and "\x1b" not in report.explanation
    assert r"O\n\u202e: comes to X\x1b[2J" in report.explanation


def test_a_controller_and_a_search_agree() -> None:
    """What a person does by hand is a run that the machine makes, too."""
    made = heavy()
    c = Controller(made, jobs=JOBS).add_order("A", "S").add_order("B", "H")
    machine = Js7Machine(made, [Order("A", "S"), Order("B", "H")], JOBS)
    state = machine.initial()
    happened: list[Any] = []
    for choice in (Choice("arrive", "A", (0,)), Choice("arrive", "B", (1,))):
        state, events = machine.apply(state, choice)
        happened += events
    assert tuple(happened) == c.events() and state.locks == c._state.locks
