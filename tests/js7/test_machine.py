"""What orders do, rule by rule, beyond the scenarios; each case is a workflow and the exact events of an order."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from dexpatterns.engine import storage
from dexpatterns.engine.machine import Choice
from dexpatterns.errors import InputError, ScheduleError, WorkflowFileError
from dexpatterns.js7 import Controller, Job, Order, draft, kept, simulate
from dexpatterns.js7 import controller as hands
from dexpatterns.js7.events import EVENTS
from dexpatterns.js7.machine import Js7Machine
from tests.js7.notation import (
    JOBS,
    SECOND,
    P,
    attempt,
    bad,
    block,
    controller,
    fail,
    finish,
    fork,
    free,
    holders,
    items,
    lock,
    ok,
    opt,
    retry,
    sleep,
    state,
    story,
    when,
    workflow,
)


def run(*instructions: Any, locks: str = "L", seconds: float = 60, **arguments: Any) -> Controller:
    """One order through one workflow."""
    c = controller(workflow("W", *instructions), locks=locks).add_order("O", "W", arguments)
    return c.advance(timedelta(seconds=seconds))


def outcome(kind: str, **fields: Any) -> dict[str, Any]:
    return {"TYPE": "Finish", "outcome": {"TYPE": kind, **fields}}


@pytest.mark.parametrize(
    ("instructions", "expected"),
    [
        # J303: an empty block still acquires and releases; OrderStarted comes first.
        ([lock("L")], "Started|Acq(L)|Rel(L)|Finished"),
        ([], "Started|Finished"),
        # J304, J305: what only moves comes before the start, and is one move.
        ([attempt(attempt(ok))], 'Moved [0,"try+0",0,"try+0",0]|Started|Moved [1]|Finished'),
        ([when("true", attempt(ok))], 'Moved [0,"then",0,"try+0",0]|Started|Moved [1]|Finished'),
        ([when("false", ok)], "Moved [1]|Started|Finished"),
        ([when("false", ok, otherwise=[ok])], 'Moved [0,"else",0]|Started|Moved [1]|Finished'),
        ([opt(None, attempt(ok))], 'Moved [0,"options",0,"try+0",0]|Started|Moved [1]|Finished'),
        ([ok, when("$returnCode == 0", ok)], 'Started|Moved [1,"then",0]|Moved [2]|Finished'),
        ([lock("L", when("true", P))], 'Started|Acq(L)|Moved [0,"lock",0,"then",0]|Prompted'),
        # J305: an If without a value fails where it stands.
        ([ok, when("$x")], "Started|Moved [1]|OutcomeAdded Disrupted: No such named value: x|Failed [1]"),
        ([when("$x")], "OutcomeAdded Disrupted: No such named value: x|Failed [0]"),
        (
            [attempt(when("$x"))],
            ('Moved [0,"try+0",0]|OutcomeAdded Disrupted: No such named value: x|Caught [0,"catch+0",0]|Moved [1]|'
            "Started|Finished"),
        ),
        (
            [opt(False, when("$x"))],
            'Moved [0,"options",0]|OutcomeAdded Disrupted: No such named value: x|Failed [0,"options",0]',
        ),
        # J53: a demand that can never be met, first in a Try, is caught.
        (
            [attempt(lock("L:4"), catch=[ok])],
            ('Moved [0,"try+0",0]|OutcomeAdded Disrupted: Cannot fulfill lock count=4 with Lock:L limit=1|'
            'Caught [0,"catch+0",0]|Started|Moved [1]|Finished'),
        ),
        # J202: the same lock nested.
        (
            [lock("L", lock("L"))],
            "Started|Acq(L)|OutcomeAdded Disrupted: Lock:L has already been acquired by this order|Rel(L)|Failed [0]",
        ),
        # J312: no Lock left, one left, several left.
        ([fail("m")], "Started|OutcomeAdded Failed: m|Failed [0]"),
        ([ok, lock("L", ok, when("true", bad))],
         'Started|Moved [1]|Acq(L)|Moved [1,"lock",1,"then",0]|Rel(L)|Failed [1]'),
        # J321: the Lock around a Try is kept in the catch block.
        (
            [lock("L", attempt(bad, catch=[lock("M", ok)]))],
            ('Started|Acq(L)|Moved [0,"lock",0,"try+0",0]|Caught [0,"lock",0,"catch+0",0]|Acq(M)|'
            'Moved [0,"lock",0,"catch+0",0,"lock",1]|Rel(M)|Moved [0,"lock",1]|Rel(L)|Finished'),
        ),
        # J322: an uncatchable failure passes every Try; a failure in a catch block goes on outwards.
        (
            [attempt(attempt(fail(uncatchable=True)))],
            'Moved [0,"try+0",0,"try+0",0]|Started|OutcomeAdded Failed|Failed [0,"try+0",0,"try+0",0]',
        ),
        (
            [attempt(attempt(fail("a"), catch=[fail("b")]))],
            ('Moved [0,"try+0",0,"try+0",0]|Started|OutcomeAdded Failed: a|Caught [0,"try+0",0,"catch+0",0]|'
            'OutcomeAdded Failed: b|Caught [0,"catch+0",0]|Moved [1]|Finished'),
        ),
        # J332: a Retry behind an If; the catch block is entered each time, and the Retry fails.
        (
            [attempt(fail(), catch=[when("true", retry)], maxTries=2)],
            ('Moved [0,"try+0",0]|Started|OutcomeAdded Failed|Caught [0,"catch+0",0]|Moved [0,"catch+0",0,"then",0]|'
            'Retrying|Moved [0,"try+1",0]|OutcomeAdded Failed|Caught [0,"catch+1",0]|Moved [0,"catch+1",0,"then",0]|'
            'Failed [0,"catch+1",0,"then",0]'),
        ),
        # J332 with a Lock around: the position is that of the Lock.
        (
            [lock("L", attempt(fail(), catch=[retry], maxTries=1))],
            'Started|Acq(L)|Moved [0,"lock",0,"try+0",0]|OutcomeAdded Failed|Rel(L)|Failed [0]',
        ),
        # J333: a Retry after an If that counts attempts.
        (
            [attempt(fail(), catch=[when("tryCount < 2", retry)])],
            ('Moved [0,"try+0",0]|Started|OutcomeAdded Failed|Caught [0,"catch+0",0]|Moved [0,"catch+0",0,"then",0]|'
            'Retrying|Moved [0,"try+1",0]|OutcomeAdded Failed|Caught [0,"catch+1",0]|Moved [1]|Finished'),
        ),
        # J351: Finish, with an outcome and without.
        ([lock("L", attempt(finish)), ok],
         'Started|Acq(L)|Moved [0,"lock",0,"try+0",0]|Rel(L)|Finished'),
        ([outcome("Failed", message="no")], "Started|Finished Failed: no"),
        # J307
        ([sleep(0), ok], "Started|Moved [1]|Moved [2]|Finished"),
        ([lock("L", sleep(2))], 'Started|Acq(L)|Sleeping|Moved [0,"lock",1]|Rel(L)|Finished'),
        ([{"TYPE": "Sleep", "duration": "'x'"}],
         "OutcomeAdded Disrupted: expected a number of \"'x'\", got the string 'x'|Failed [0]"),
        ([{"TYPE": "Prompt", "question": "$x"}], "OutcomeAdded Disrupted: No such named value: x|Failed [0]"),
        ([{"TYPE": "Fail", "message": "$x"}], "OutcomeAdded Disrupted: No such named value: x|Failed [0]"),
        # J341: no opinion lets the outer ones decide.
        ([opt(True, opt(None, fail()))],
         'Moved [0,"options",0]|Moved [0,"options",0,"options",0]|Started|OutcomeAdded Failed|Stopped'),
        ([opt(True, attempt(opt(False, fail())))],
         ('Moved [0,"options",0,"try+0",0]|Moved [0,"options",0,"try+0",0,"options",0]|Started|OutcomeAdded Failed|'
         'Caught [0,"options",0,"catch+0",0]|Moved [1]|Finished')),
        # J315: results, failures of children.
        ([fork()], "Started|Forked|Joined Succeeded|Moved [1]|Finished"),
        ([fork(a=[ok], b=[])], "Started|Forked|Joined Succeeded|Moved [1]|Finished"),
        ([fork(True, a=[fail("m")], b=[ok])],
         "Started|Forked|Joined Failed: Order:O|a Failed(m)|Failed [0]".replace("O|a", "O¦a")),
        ([attempt(fork(True, a=[fail()]))],
         ('Moved [0,"try+0",0]|Started|Forked|Joined Failed: Order:O¦a Failed|'
         'Caught [0,"catch+0",0]|Moved [1]|Finished')),
        ([lock("L", fork(True, a=[bad]))],
         "Started|Acq(L)|Forked|Joined Failed: Order:O¦a Failed|Rel(L)|Failed [0]"),
    ],
)  # fmt: skip
def test_events_of_an_order(instructions: list[Any], expected: str) -> None:
    c = run(*instructions, locks="L M")
    assert story(c) == [text.replace("¦", "|") for text in expected.split("|")]


def test_j304_a_branch_that_fails_in_its_fork() -> None:
    c = run(lock("L", fork(True, a=[lock("M", fail("m"))], b=[P])), locks="L M")
    assert story(c, "O|a") == ["Acq(M)", "OutcomeAdded Failed: m", "Rel(M)", 'FailedInFork [0,"lock",0,"fork+a",0]']
    assert c.order("O").state == "Forked" and holders(c) == "O", "its sibling is not done yet"
    assert story(c.answer("O|b"))[-3:] == ["Joined Failed: Order:O|a Failed(m)", "Rel(L)", "Failed [0]"]


def test_j315_what_branches_hand_back() -> None:
    made = fork(a=[ok], b=[ok])
    made["branches"][0]["workflow"]["result"] = {"code": "$returnCode"}
    made["branches"][1]["workflow"]["result"] = {"named": "$x"}
    c = run(made, when("$code == 0 && $named == 'y'", P), x="y")
    assert state(c) == 'Prompting [1,"then",0]'
    joined = next(event for event in c.events("O") if event.name == "OrderJoined")
    assert joined.data == {"outcome": {"TYPE": "Succeeded", "namedValues": {"code": 0, "named": "y"}}}
    made["branches"][0]["workflow"]["result"] = {"code": "$nothing"}
    assert story(run(made, x="y"))[-2:] == ["Joined Failed: No such named value: nothing", "Failed [0]"]


def fork_list(children: str = "$list", to_id: str = "(x) => $x.id", **fields: Any) -> dict[str, Any]:
    return {"TYPE": "ForkList", "children": children, "childToId": to_id, "workflow": block(lock("L", P)), **fields}


def test_j106_a_fork_for_each_element() -> None:
    listed = [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
    made = fork_list(childToArguments="(x, i) => {n: $x.n, i: $i}", workflow=block(when("$n == 2", P)) | {
        "result": {"numbers": "$n"}})  # fmt: skip
    c = run(made, when("$x == 'kept'", P), list=listed, x="kept")
    assert state(c, "O|b") == 'Prompting [0,"fork",0,"then",0]' and c.order("O|b").arguments["i"] == 1
    assert c.order("O").children == ("O|a", "O|b")
    assert next(e for e in c.events("O") if e.name == "OrderForked").data == {
        "children": [{"orderId": "O|a"}, {"orderId": "O|b"}]
    }
    c.answer("O|b")
    assert story(c)[-3:] == ["Joined Succeeded", 'Moved [1,"then",0]', "Prompted"]
    joined = next(e for e in c.events("O") if e.name == "OrderJoined")
    assert joined.data["outcome"]["namedValues"] == {"numbers": [1, 2]}


@pytest.mark.parametrize(
    ("fields", "listed", "expected"),
    [
        ({}, [], "Joined Succeeded"),
        ({}, "text", "Disrupted: expected a list of children, got the string 'text'"),
        ({}, [{"id": "a"}, {"id": "a"}], "Disrupted: Duplicate child IDs in the list: 'a'"),
        ({}, [{"id": "a|b"}], "Disrupted: expected a text without '|' as the id of child 0, got the string 'a|b'"),
        ({"to_id": "(x) => $x.no"}, [{"id": "a"}], "Disrupted: Unknown field name 'no' in: $x.no"),
        ({"childToArguments": "(x) => $x.id"}, [{"id": "a"}],
         "Disrupted: expected an object as the arguments of child 'a', got the string 'a'"),
        ({"children": "$no"}, [], "Disrupted: No such named value: no"),
        ({"to_id": "(x, i) => $i"}, [{}, {}], "Forked"),
    ],
)  # fmt: skip
def test_j106_lists_that_cannot_be_forked(fields: dict[str, Any], listed: Any, expected: str) -> None:
    told = story(run(fork_list(**fields), list=listed))
    assert any(expected in text for text in told), told
    assert ("Started" in told) is ("Disrupted" not in expected), "J314"


def test_j226_children_have_their_parents_priority() -> None:
    c = controller(workflow("H", lock("L", P)), workflow("W", fork(a=[lock("L", P)])))
    c.add_order("H", "H").add_order("low", "W", priority=-1).add_order("high", "W", priority=1).answer("H")
    assert holders(c) == "high|a" and c.order("high|a").priority == 1


def test_j222_those_of_higher_priority_come_before_the_releaser() -> None:
    c = controller(workflow("W", lock("L", P), lock("L", P)))
    c.add_order("A", "W").add_order("B", "W", priority=1).answer("A")
    assert holders(c) == "B" and c.lock("L")["queue"] == ["A"]


def test_j225_the_releaser_goes_through_moves_to_its_next_lock() -> None:
    c = controller(workflow("W", lock("L", P), when("true", lock("L", P)))).add_order("A", "W").add_order("B", "W")
    assert story(c.answer("A"), "A")[-4:] == ["Rel(L)", 'Moved [1,"then",0]', "Acq(L)", "Prompted"]
    c = controller(workflow("W", lock("L", P), ok, lock("L", P))).add_order("A", "W").add_order("B", "W").answer("A")
    assert holders(c) == "B", "but not through a job"


def test_j223_two_small_ones_start_together_after_a_big_one() -> None:
    c = controller(*(workflow(f"W{n}", lock(f"L:{n}", P)) for n in (1, 2)), locks="L/2")
    c.add_order("A", "W2").add_order("B", "W1").add_order("C", "W1").answer("A")
    assert holders(c) == {"B": 1, "C": 1}


def test_j227_a_fair_queue_lets_nobody_past() -> None:
    c = controller(*(workflow(f"W{n}", lock(f"L:{n}", P)) for n in (1, 2, 3)), locks="L/3", fair=True)
    c.add_order("A", "W2").add_order("B", "W3").add_order("C", "W1", priority=9)
    assert holders(c) == {"A": 2} and c.lock("L")["queue"] == ["B", "C"]
    c.answer("A")
    assert holders(c) == {"B": 3}
    assert holders(c.answer("B")) == {"C": 1}


def test_j227_whoever_leaves_a_fair_queue_makes_way() -> None:
    c = controller(*(workflow(f"W{n}", lock(f"L:{n}", P)) for n in (1, 2, 3)), locks="L/3", fair=True)
    c.add_order("A", "W2").add_order("B", "W3").add_order("C", "W1").cancel("B")
    assert holders(c) == {"A": 2, "C": 1}


def test_j213_a_place_in_a_queue_reserves_nothing() -> None:
    c = controller(workflow("W", lock("A B", P)), workflow("A", lock("A", P)), workflow("B", lock("B", P)), locks="A B")
    c.add_order("H", "B").add_order("O", "W")
    assert c.lock("A") == {"lock": {"path": "A", "limit": 1}, "acquired": {"TYPE": "Available"}, "queue": ["O"]}
    c.add_order("N", "A").answer("H")
    assert holders(c, "A") == "N" and c.lock("B")["queue"] == ["O"]
    c.answer("N")
    assert holders(c, "A") == holders(c, "B") == "O"


@pytest.mark.parametrize(
    ("delay", "start", "until"), [(9.5, 0.25, 9.75), (10, 0.25, 11), (10, 0, 10), (0.001, 0, 0.001)]
)
def test_j333_long_delays_end_with_a_full_second(delay: float, start: float, until: float) -> None:
    c = controller(attempt(fail(), catch=[retry], maxTries=2, retryDelays=[delay]))
    c.advance(timedelta(seconds=start)).add_order("O", "W")
    retrying = next(event for event in c.events("O") if event.name == "OrderRetrying")
    assert retrying.data == {"delayedUntil": round(until * 1000)}
    c.advance(timedelta(seconds=until - start) - timedelta(milliseconds=1))
    assert c.order("O").state == "DelayingRetry"
    assert c.advance(timedelta(milliseconds=1)).order("O").state == "Failed"


@pytest.mark.parametrize("around", [True, False])
def test_j334_a_lock_in_the_delay(around: bool) -> None:
    fields: dict[str, Any] = {"catch": [retry], "maxTries": 2, "retryDelays": [5]}
    made = lock("L", attempt(fail(), **fields)) if around else attempt(lock("L", fail()), **fields)
    c = controller(made).add_order("O", "W")
    assert c.order("O").state == "DelayingRetry"
    assert holders(c) == ("O" if around else "Available")
    c.advance(5 * SECOND)
    assert c.order("O").state == "Failed" and free(c, "L")


def test_j331_attempts_without_a_limit() -> None:
    c = controller(attempt(bad, catch=[retry]), jobs={"bad": Job(outcomes=("failed",) * 50 + ("succeeded",))})
    c.add_order("O", "W").advance(timedelta(hours=1))
    assert story(c).count("Retrying") == 50 and c.order("O").state == "Finished"


def test_j62_going_round_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft, "MOST_STEPS", 1_000)
    monkeypatch.setattr(hands, "MOST_AT_ONCE", 1_000)
    c = controller(workflow("W", attempt(fail(), catch=[retry])), workflow("Z", P)).add_order("Z", "Z")
    before = c.events()
    with pytest.raises(InputError, match=r"order 'O' of workflow 'W' goes round without end.*'maxTries'"):
        c.add_order("O", "W")
    assert c.events() == before and [order.id for order in c.orders] == ["Z"]
    c = controller(attempt(bad, catch=[retry]), jobs={"bad": Job(duration=timedelta(0), outcomes=("failed",))})
    with pytest.raises(InputError, match=r"order 'O' goes round without end.*give its job a duration"):
        c.add_order("O", "W")
    assert c.events() == () and c.orders == () and c.now == timedelta(0)


def test_j54_attempts_are_counted_by_order_and_job() -> None:
    others = {"P": Job(), "F": Job(outcomes=("succeeded", "failed"))}
    jobs = {"ok": Job(outcomes=("failed", "succeeded"), per_order=others)}
    made = workflow("W", attempt(ok, catch=[retry], maxTries=3), ok)
    c = controller(made, workflow("K", fork(a=[ok, ok])), jobs=jobs)
    c.add_order("O", "W").add_order("P", "W").add_order("F", "K").advance(timedelta(minutes=1))
    assert [story(c, id).count("Retrying") for id in "OP"] == [1, 0]
    assert c.order("F|a").state == "Failed", "the second run of the child, as said for its parent"


def test_j61_anonymous_jobs_are_named_by_their_label() -> None:
    made = {"TYPE": "Execute.Anonymous", "label": "load", "job": {}}
    c = controller(made, jobs={"load": Job(duration=7 * SECOND, outcomes=("failed",))}).add_order("O", "W")
    assert c.order("O").state == "Processing"
    assert next(e for e in c.events() if e.name == "OrderProcessingStarted").data == {"jobName": "load", "attempt": 1}
    c.advance(6 * SECOND)
    assert c.order("O").state == "Processing"
    assert c.advance(SECOND).order("O").state == "Failed"


def test_j115_arguments_that_a_workflow_declares() -> None:
    prepared = {
        "orderPreparation": {
            "parameters": {
                "day": {"type": "String"}, "n": {"type": "Number", "default": 3}, "m": {"final": "$n"},
            }
        }
    }  # fmt: skip
    c = Controller(items(workflow("W", when("$m == 3", P), **prepared)))
    assert c.add_order("O", "W", {"day": "mon"}).order("O").arguments == {"day": "mon", "n": 3, "m": 3}
    assert state(c) == 'Prompting [0,"then",0]'
    for given, expected in (
        ({}, "the argument 'day' is missing"),
        ({"day": 1}, "expected a String as argument 'day', got 1"),
        ({"day": "mon", "m": 1}, "the argument 'm' is final"),
        ({"day": "mon", "tag": 1}, "undeclared argument 'tag'; expected one of: day, m, n"),
        ({"day": "mon", "n": True}, "expected a Number as argument 'n', got True"),
    ):
        with pytest.raises(InputError, match=expected):
            c.add_order("P", "W", given)


# --- the machine itself ----------------------------------------------------------------------------------------------


def test_apply_is_a_function_and_refuses_what_is_not_possible() -> None:
    machine = Js7Machine(items(lock("L", P)), [Order("O", "W"), Order("P", "W")])
    state = machine.initial()
    assert [str(choice) for choice in machine.choices(state)] == ["arrive O 0", "arrive P 1"]
    first = machine.apply(state, Choice("arrive", "O", (0,)))
    assert machine.apply(state, Choice("arrive", "O", (0,))) == first and len(machine.choices(state)) == 2
    for choice in (Choice("arrive", "O", (1,)), Choice("answer", "O", (0,)), Choice("cancel", "O", (0,))):
        with pytest.raises(ScheduleError, match=r"is not possible here; possible are: arrive O 0, arrive P 1"):
            machine.apply(state, choice)
    assert machine.describe(first[0])["orders"]["O"] == {
        "state": "Prompting", "seen": "PROMPTING", "workflow": "W", "position": [0, "lock", 0], "suspended": False,
        "priority": 0,
    }  # fmt: skip
    assert machine.describe_definition() == {"workflows": ["W"], "locks": ["L"], "jobs": ["bad", "ok"]}


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ([Order("O", "V")], "unknown workflow 'V'"),
        ([Order("O", "W"), Order("O", "W")], "the order 'O' stands there twice"),
        (["O"], "expected a js7.Order, got 'O'"),
        ([Order("O", "W", {"x": object()})], "the arguments of order 'O'"),
    ],
)
def test_orders_that_cannot_come(orders: list[Any], expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        Js7Machine(items(lock("L", P)), orders)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Order("A|b", "W"), r"'\|' joins the ids"),
        (lambda: Order("", "W"), "Order id"),
        (lambda: Order("O", "W", priority=2**31), "as priority, got 2147483648"),
        (lambda: Order("O", "W", priority=True), "as priority, got True"),
        (lambda: Order("O", "W", [1]), "expected its arguments as a dict"),
        (lambda: Order("O", "W", at=3), "expected a timedelta"),
        (lambda: Job(duration=3), "Job duration"),
        (lambda: Job(outcomes=("faild",)), "unknown outcome 'faild'; did you mean 'failed'"),
        (lambda: Job(outcomes=()), "at least one"),
        (lambda: Job(per_order={"O": 1}), "per_order"),
        (lambda: Js7Machine(items(ok), jobs={"okk": Job()}), "no workflow has a job 'okk'; did you mean 'ok'"),
        (lambda: Js7Machine(items(ok), jobs={"ok": 1}), "expected a Job, got 1"),
        (lambda: Js7Machine(items(ok), jobs=[1]), "expected a dict of Jobs"),
        (lambda: Js7Machine(items(ok), fair="yes"), "expected True or False"),
    ],
)
def test_a_scenario_that_cannot_be_meant(make: Any, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        make()


@pytest.mark.parametrize("source", [[], [{"TYPE": "Lock", "path": "L"}, {"path": "W"}], 3, None])
def test_items_that_are_none(source: Any) -> None:
    with pytest.raises(WorkflowFileError):
        Js7Machine(source)


def test_a_simulation_is_the_same_for_the_same_seed_and_ends() -> None:
    made = items(workflow("W", lock("L:1", ok, P), sleep(3), attempt(bad, catch=[retry], maxTries=2)), locks="L/2")
    orders = [Order(f"O{n}", "W", at=timedelta(seconds=n)) for n in range(6)]
    run = simulate(made, orders, jobs=JOBS, seed=4)
    assert run.trace == simulate(made, orders, jobs=JOBS, seed=4).trace
    assert run.trace != simulate(made, orders, jobs=JOBS, seed=5).trace
    assert run.status == run.trace.final["status"] == "FAILED"
    arrivals = {turn.choice.name: turn.time for turn in run.trace.turns if turn.choice.kind == "arrive"}
    assert arrivals == {f"O{n}": float(n) for n in range(6)}


def test_a_job_that_may_end_either_way() -> None:
    made = items(workflow("W", ok))
    jobs = {"ok": Job(outcomes=("any",))}
    ends = {simulate(made, [Order("O", "W")], jobs=jobs, seed=seed).status for seed in range(20)}
    assert ends == {"FINISHED", "FAILED"}
    c = Controller(made, jobs=jobs).add_order("O", "W").advance(SECOND)
    assert c.order("O").state == "Finished", "a person's hands want no chance"


def test_an_order_that_repeats_comes_again_once_it_has_finished() -> None:
    run = simulate(items(workflow("W", lock("L", ok))), [Order("O", "W", repeats=True)], jobs=JOBS, turns=9)
    kinds = [turn.choice.kind for turn in run.trace.turns]
    assert kinds == ["arrive", "succeed"] * 4 + ["arrive"]
    failing = simulate(items(workflow("W", bad)), [Order("O", "W", repeats=True)], jobs=JOBS)
    assert failing.status == "FAILED", "one that failed does not come again"


def test_a_run_is_saved_and_read_back(tmp_path: Any) -> None:
    c = run(lock("L:1", fork(a=[ok], b=[P])), opt(True, sleep(2), fail("m")), locks="L/2")
    c.suspend("O|b", reset_state=True).resume("O|b").answer("O|b").advance(9 * SECOND)
    c.resume("O", position=[1, "options", 2], history_operations=[{"TYPE": "Append", "outcome": {"TYPE": "Succeeded"}}])
    trace = c.run.trace
    assert {"OrderResumed", "OrderStopped", "OrderSleeping", "OrderForked"} <= {
        e.kind for turn in trace.turns for e in turn.events
    }
    path = tmp_path / "run.json"
    storage.write(path, storage.Stored(trace, (), ()))
    assert storage.read(path, {"js7": EVENTS}.get, kept.fault).trace.turns == trace.turns
