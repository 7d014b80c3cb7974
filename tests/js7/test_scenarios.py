"""The scenarios J1 to J45: exact events, positions, messages and lock states.

J26 to J31 are also in `test_locks` and `test_files`, piece by piece.
"""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from dexpatterns.engine.values import freeze
from dexpatterns.errors import WorkflowFileError
from dexpatterns.js7 import Controller, Job, events, load
from dexpatterns.js7.instructions import Lock
from dexpatterns.js7.locks import LockState, Refusal
from dexpatterns.js7.outcomes import SUCCEEDED
from dexpatterns.js7.state import OrderState
from tests.js7.notation import (
    MS,
    SECOND,
    P,
    acquired,
    attempt,
    bad,
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
    state,
    story,
    when,
    workflow,
)


def test_j1_a_weight_is_held_while_the_body_runs() -> None:
    c = controller(lock("L:2", P), locks="L/3")
    c.add_order("O", "W", delete_when_terminated=True)
    assert story(c) == ["Started", "Acq(L:2)", "Prompted"]
    assert c.lock("L") == {
        "lock": {"path": "L", "limit": 3},
        "acquired": {"TYPE": "NonExclusive", "orderToCount": {"O": 2}},
        "queue": [],
    }
    c.answer("O")
    assert story(c)[3:] == ["PromptAnswered", 'Moved [0,"lock",1]', "Rel(L)", "Finished", "Deleted"]
    assert free(c, "L") and c.order("O").state == "Deleted" and c.orders == ()


def test_j2_all_of_a_lock() -> None:
    c = controller(lock("L", P), locks="L/3").add_order("O", "W", delete_when_terminated=True)
    assert c.lock("L")["acquired"] == {"TYPE": "Exclusive", "orderId": "O"}
    c.answer("O")
    assert story(c)[-2:] == ["Finished", "Deleted"] and free(c, "L")


def test_j3_a_weight_above_the_limit_fails_before_the_order_starts() -> None:
    c = controller(lock("L:4", P), locks="L/3").add_order("O", "W")
    assert story(c) == [
        "OutcomeAdded Disrupted: Cannot fulfill lock count=4 with Lock:L limit=3", "Failed [0]",
    ]  # fmt: skip
    assert state(c) == "FailedWhileFresh [0]" and free(c, "L")


def test_j4_and_is_cancelled() -> None:
    c = controller(lock("L:2")).add_order("O", "W", delete_when_terminated=True).cancel("O")
    assert story(c) == [
        "OutcomeAdded Disrupted: Cannot fulfill lock count=2 with Lock:L limit=1", "Failed [0]", "Cancelled", "Deleted",
    ]  # fmt: skip


def test_j5_several_locks_in_one_instruction() -> None:
    c = controller(lock("A B", P), locks="A/3 B").add_order("X", "W").add_order("Y", "W")
    assert story(c, "X") == ["Started", "Acq(A,B)", "Prompted"]
    assert story(c, "Y") == ["Started", "Que(A,B)"]


@pytest.mark.parametrize("seed", range(3))
def test_j6_the_highest_priority_is_next(seed: int) -> None:
    c = controller(lock("L", ok, ok)).add_order("A", "W")
    priorities = list(range(-1, -11, -1))
    random.Random(seed).shuffle(priorities)
    for priority in priorities:
        c.add_order(f"O{-priority}", "W", priority=priority)
    c.advance(timedelta(minutes=1))
    assert acquired(c) == ["A", *(f"O{n}" for n in range(1, 11))]
    for n in range(1, 11):
        assert story(c, f"O{n}") == [
            "Started", "Que(L)", "Acq(L)", 'Moved [0,"lock",1]', 'Moved [0,"lock",2]', "Rel(L)", "Finished",
        ]  # fmt: skip


def test_j7_a_priority_changes_while_the_order_waits() -> None:
    c = controller(lock("L", P))
    for n in range(4):
        c.add_order(f"P{n}", "W", priority=-n)
    c.change_priority("P1", -100)
    assert story(c, "P1")[-1] == "PriorityChanged"
    for order in ("P0", "P2", "P3", "P1"):
        c.answer(order)
    assert acquired(c) == ["P0", "P2", "P3", "P1"] and free(c, "L")


@pytest.mark.parametrize("fair", [False, True])
def test_j8_nobody_is_forgotten(fair: bool) -> None:
    jobs = {"ok": Job(duration=10 * MS)}
    made = items(workflow("W1", lock("L:1", ok)), workflow("W2", lock("L:2", ok)), locks="L/2")
    c = Controller(made, jobs=jobs, fair=fair)
    mixed = [1] * 100 + [2] * 100
    random.Random(8).shuffle(mixed)
    for n, weight in enumerate(mixed):
        c.add_order(f"O{n:03}", f"W{weight}")
    c.advance(timedelta(seconds=10))
    assert {order.state for order in c.orders} == {"Finished"} and free(c, "L")


def test_j9_nested_locks_are_released_from_the_inside_out() -> None:
    c = controller(workflow("W", ok, lock("L1", ok, lock("L2", fail()))), locks="L1 L2")
    c.add_order("O", "W", delete_when_terminated=True).advance(5 * SECOND)
    assert story(c) == [
        "Started", "Moved [1]", "Acq(L1)", 'Moved [1,"lock",1]', "Acq(L2)", "OutcomeAdded Failed", "Rel(L2)",
        "Rel(L1)", "Failed [1]",
    ]  # fmt: skip
    assert state(c) == "Failed [1]" and free(c, "L1", "L2")
    assert story(c.cancel("O"))[-2:] == ["Cancelled", "Deleted"]


def test_j10_a_lock_in_the_try_is_released_one_around_it_is_kept() -> None:
    c = controller(lock("L1", attempt(lock("L2", fail()), catch=[ok])), locks="L1 L2").add_order("O", "W")
    assert holders(c, "L1") == "O" and free(c, "L2")
    c.advance(SECOND)
    assert story(c) == [
        "Started", "Acq(L1)", 'Moved [0,"lock",0,"try+0",0]', "Acq(L2)", "OutcomeAdded Failed", "Rel(L2)",
        'Caught [0,"lock",0,"catch+0",0]', 'Moved [0,"lock",1]', "Rel(L1)", "Finished",
    ]  # fmt: skip


@pytest.mark.parametrize("child_first", [False, True])
def test_j11_a_child_does_not_wait_for_its_parent(child_first: bool) -> None:
    c = controller(lock("L", fork(BRANCH=[lock("L")]))).add_order("O", "W", delete_when_terminated=True)
    assert story(c, "O|BRANCH") == [
        "OutcomeAdded Disrupted: Lock:L has already been acquired by parent Order:O",
        'Failed [0,"lock",0,"fork+BRANCH",0]',
    ]
    assert state(c, "O|BRANCH") == 'Failed [0,"lock",0,"fork+BRANCH",0]'
    if child_first:
        c.cancel("O|BRANCH", "O")
    else:
        c.cancel("O").cancel("O|BRANCH")
    assert story(c) == [
        "Started", "Acq(L)", "Forked", "CancellationMarked", "Joined Failed: Order:O|BRANCH has been cancelled",
        "Rel(L)", "Failed [0]", "Cancelled", "Deleted",
    ]  # fmt: skip
    assert story(c, "O|BRANCH")[-1] == "Cancelled" and free(c, "L")


def test_j12_finish_releases() -> None:
    c = controller(workflow("W", ok, lock("L", finish))).add_order("O", "W").advance(SECOND)
    assert story(c) == ["Started", "Moved [1]", "Acq(L)", "Rel(L)", "Finished"]


def test_j13_finish_in_a_branch_ends_the_branch() -> None:
    c = controller(fork(BRANCH=[lock("L", finish)])).add_order("O", "W")
    assert story(c, "O|BRANCH") == ["Acq(L)", "Rel(L)", 'Moved [0,"fork+BRANCH",1]']
    assert story(c) == ["Started", "Forked", "Joined Succeeded", "Moved [1]", "Finished"]


def test_j14_the_order_of_demands_does_not_matter() -> None:
    c = controller(workflow("W1", lock("L1 L2", P)), workflow("W2", lock("L2 L1", ok)), locks="L1 L2")
    c.add_order("A", "W1").add_order("B", "W2")
    for path in ("L1", "L2"):
        assert holders(c, path) == "A" and c.lock(path)["queue"] == ["B"]
    c.answer("A").advance(SECOND)
    assert story(c, "A")[-2:] == ["Rel(L1,L2)", "Finished"]
    assert story(c, "B") == ["Started", "Que(L2,L1)", "Acq(L2,L1)", 'Moved [0,"lock",1]', "Rel(L2,L1)", "Finished"]


def test_j15_a_waiting_order_is_cancelled() -> None:
    c = controller(workflow("H", lock("L", P)), workflow("W", lock("L")))
    c.add_order("H", "H").add_order("O", "W", delete_when_terminated=True).cancel("O")
    assert story(c) == ["Started", "Que(L)", "StateReset", "Cancelled", "Deleted"]
    assert c.lock("L")["queue"] == []
    assert free(c.answer("H"), "L")


def test_j16_a_prompting_holder_is_cancelled() -> None:
    c = controller(lock("L", P)).add_order("O", "W", delete_when_terminated=True).cancel("O")
    assert story(c) == ["Started", "Acq(L)", "Prompted", "StateReset", "Rel(L)", "Cancelled", "Deleted"]
    assert free(c, "L")


def test_j17_a_weight_that_does_not_fit_now_waits() -> None:
    c = controller(workflow("X", lock("L", P)), workflow("S", lock("L:2", P)), locks="L/2")
    c.add_order("X", "X").add_order("S", "S")
    assert story(c, "S") == ["Started", "Que(L:2)"]
    c.answer("X")
    assert story(c, "S")[2:] == ["Acq(L:2)", "Prompted"]


def test_j18_a_lock_is_taken_anew_for_each_attempt() -> None:
    c = controller(attempt(lock("L", bad), catch=[retry], maxTries=2, retryDelays=[0])).add_order("O", "W")
    c.advance(5 * SECOND)
    assert story(c, jobs=True) == [
        'Moved [0,"try+0",0]', "Started", "Acq(L)", "ProcessingStarted", "Processed Failed", "Rel(L)",
        'Caught [0,"catch+0",0]', "Retrying", 'Moved [0,"try+1",0]', "Acq(L)", "ProcessingStarted",
        "Processed Failed", "Rel(L)", 'Failed [0,"try+1",0]',
    ]  # fmt: skip
    assert "delayedUntil" not in next(e for e in c.events("O") if e.name == "OrderRetrying").data


def test_j19_a_waiter_is_woken() -> None:
    c = controller(lock("L", P)).add_order("A", "W").add_order("B", "W").answer("A")
    assert story(c, "A")[-2:] == ["Rel(L)", "Finished"]
    assert story(c, "B") == ["Started", "Que(L)", "Acq(L)", "Prompted"]


def test_j20_a_cancelled_holder_wakes_a_waiter() -> None:
    c = controller(lock("L", P, fail())).add_order("A", "W").add_order("B", "W").cancel("A")
    assert story(c, "A")[-3:] == ["StateReset", "Rel(L)", "Cancelled"]
    assert story(c, "B")[-2:] == ["Acq(L)", "Prompted"]
    assert story(c.cancel("B"), "B")[-3:] == ["StateReset", "Rel(L)", "Cancelled"] and free(c, "L")


def test_j21_a_stopped_order_keeps_its_locks_and_goes_on_behind_the_failure() -> None:
    c = controller(opt(True, lock("A", ok, lock("B", bad))), locks="A B").add_order("O", "W").advance(2 * SECOND)
    assert state(c) == 'Stopped [0,"options",0,"lock",1,"lock",0]'
    assert holders(c, "A") == holders(c, "B") == "O"
    before = len(story(c))
    c.resume("O", position=[0, "options", 0, "lock", 1, "lock", 1])
    assert story(c)[before:] == ["Resumed", "Rel(B)", "Rel(A)", "Moved [1]", "Finished"]


def test_j22_a_stopped_order_is_cancelled() -> None:
    c = controller(opt(True, lock("A", bad)), locks="A").add_order("O", "W").advance(SECOND)
    assert state(c) == 'Stopped [0,"options",0,"lock",0]'
    assert story(c.cancel("O"))[-3:] == ["Stopped", "Rel(A)", "Cancelled"] and free(c, "A")


def test_j23_an_inner_options_switches_stopping_off() -> None:
    c = controller(opt(True, opt(False, fail()))).add_order("O", "W")
    assert story(c) == [
        'Moved [0,"options",0]', 'Moved [0,"options",0,"options",0]', "Started", "OutcomeAdded Failed",
        'Failed [0,"options",0,"options",0]',
    ]  # fmt: skip


def test_j24_a_stopped_order_is_resumed_behind_a_fail() -> None:
    c = controller(opt(True, fail("m"))).add_order("O", "W")
    assert story(c) == ['Moved [0,"options",0]', "Started", "OutcomeAdded Failed: m", "Stopped"]
    c.resume("O", position=(0, "options", 1), as_succeeded=True)
    assert story(c)[4:] == ["Resumed", "Moved [1]", "Finished"]


def test_j25_stopped_before_it_started() -> None:
    c = controller(opt(True, when("$param"))).add_order("O", "W")
    assert story(c) == ["OutcomeAdded Disrupted: No such named value: param", "Stopped"]
    assert c.order("O").state == "StoppedWhileFresh"
    outcome = {"TYPE": "Succeeded", "namedValues": {"param": True}}
    c.resume("O", history_operations=[{"TYPE": "Append", "position": c.order("O").position, "outcome": outcome}])
    assert story(c)[2:] == ["Resumed", "Moved [1]", "Started", "Finished"]


def test_j26_demands_of_a_file() -> None:
    for demands, expected in (
        ([{"lockPath": "LOCK"}, {"lockPath": "LOCK"}], "Unexpected duplicates: 2×Lock:LOCK"),
        ([{"lockPath": "LOCK", "count": 0}], "LockDemand.count must not be below 1"),
    ):
        with pytest.raises(WorkflowFileError, match=expected):
            load(workflow("W", {"TYPE": "Lock", "demands": demands, "lockedWorkflow": {"instructions": []}}))
    old = workflow("W", {"TYPE": "Lock", "lockPath": "L", "count": 2, "lockedWorkflow": {"instructions": [P]}})
    assert holders(controller(old, locks="L/3").add_order("O", "W")) == {"O": 2}


def _refused(result: Any) -> str:
    assert isinstance(result, Refusal)
    return result.text


@pytest.mark.parametrize("limit", [1, 3])
def test_j27_nobody_queues_twice(limit: int) -> None:
    held = LockState(Lock("L", limit), "A", ["B", "C", "D"])
    assert _refused(held.enqueue("C")) == "Order:C already queues for Lock:L"
    assert "already been acquired by this order" in _refused(held.enqueue("A"))
    assert held.queue == ("B", "C", "D")


def test_j28_only_a_holder_releases() -> None:
    held = LockState(Lock("L", 3), {"A": 1, "B": 1, "C": 1})
    assert "has not been acquired by this order" in _refused(held.release("X"))
    less = held.release("B")
    assert isinstance(less, LockState) and less.holders == {"A": 1, "C": 1}


@pytest.mark.parametrize(
    ("held", "order", "weight", "expected"),
    [
        ({"A": 1}, "B", 2, ""),
        ({"A": 1, "B": 2}, "C", 1, "count=1 plus alreadyAcquired=3 would exceed limit=3"),
        ({"A": 1, "B": 1, "C": 1}, "D", None, "in use"),
        ({"A": 99}, "B", 1, "alreadyAcquired=99 would exceed limit=3"),
    ],
)
def test_j29_capacity(held: dict[str, int], order: str, weight: int | None, expected: str) -> None:
    refusal = LockState(Lock("L", 3), held).refusal(order, weight)
    assert expected in refusal.text if refusal is not None else expected == ""


def test_j30_limits_at_the_edge() -> None:
    assert "limit=0" in _refused(LockState(Lock("L", 0)).acquire("A", 1))
    most = 2**31 - 1
    assert "would exceed" in _refused(LockState(Lock("L", most), {"A": most}).acquire("B", most))


def test_j31_a_workflow_needs_its_locks() -> None:
    made = [workflow("W", lock("MISSING"))]
    with pytest.raises(WorkflowFileError, match="MissingReferencedItem"):
        Controller(made)
    assert story(Controller([*made, {"TYPE": "Lock", "path": "MISSING"}]).add_order("O", "W"))[-1] == "Finished"


def test_j32_the_last_attempt_is_not_caught() -> None:
    c = controller(attempt(fail(), catch=[retry], maxTries=3)).add_order("O", "W")
    again = ["OutcomeAdded Failed", 'Caught [0,"catch+{n}",0]', "Retrying", 'Moved [0,"try+{m}",0]']
    assert story(c) == [
        'Moved [0,"try+0",0]', "Started",
        *(text.format(n=0, m=1) for text in again), *(text.format(n=1, m=2) for text in again),
        "OutcomeAdded Failed", 'Failed [0,"try+2",0]',
    ]  # fmt: skip
    assert state(c) == 'Failed [0,"try+2",0]'


def test_j33_delays_to_the_millisecond() -> None:
    c = controller(attempt(fail(), catch=[retry], maxTries=5, retryDelays=[0, 1, 2])).add_order("O", "W")

    def attempts() -> int:
        return story(c).count("OutcomeAdded Failed")

    assert attempts() == 2 and c.order("O").state == "DelayingRetry"
    for after, expected in ((1, 3), (2, 4), (2, 5)):
        assert attempts() == expected - 1 == (attempts_before := attempts())
        c.advance(timedelta(seconds=after) - MS)
        assert attempts() == attempts_before, "a millisecond early"
        c.advance(MS)
        assert attempts() == expected
    assert state(c) == 'Failed [0,"try+4",0]' and c.now == timedelta(seconds=5)
    delayed = [e.data["delayedUntil"] for e in c.events("O") if "delayedUntil" in e.data]
    assert delayed == [1000, 3000, 5000]


def test_j34_a_failed_child_holds_its_parent_up() -> None:
    c = controller(fork(a=[fail()])).add_order("O", "W")
    assert story(c, "O|a")[-1] == 'Failed [0,"fork+a",0]' and c.order("O").state == "Forked"
    c.cancel("O|a")
    assert story(c)[-2:] == ["Joined Failed: Order:O|a has been cancelled", "Failed [0]"]


_WAITING = OrderState("O", (0,), "W", (0,), "WaitingForLock", freeze({}))


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (events.OrderLocksAcquired("O", (("L", None),)), 'Ready [0,"lock",0]'),
        (events.OrderStateReset("O"), "Ready [0]"),
        (events.OrderCancelled("O"), "Cancelled [0]"),
        (events.OrderOutcomeAdded("O", SUCCEEDED), "WaitingForLock [0]"),
        (events.OrderCancellationMarked("O", freeze({})), "WaitingForLock [0]"),
        (events.OrderSuspensionMarked("O", False), "WaitingForLock [0]"),
        (events.OrderPriorityChanged("O", 7), "WaitingForLock [0]"),
        (events.OrderBroken("O"), "Broken [0]"),
        (events.OrderFailed("O", (0,)), None),
        (events.OrderStopped("O"), None),
        (events.OrderSuspended("O"), None),
        (events.OrderStarted("O"), None),
        (events.OrderMoved("O", (1,)), None),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else "",
)
def test_j35_what_can_happen_to_a_waiting_order(event: Any, expected: str | None) -> None:
    after = _WAITING.after(event)
    made = None if after is None else f"{after.state} [{','.join(map(str, after.position))}]"
    assert made == (None if expected is None else expected.replace('"', ""))
    assert _WAITING.state == "WaitingForLock" and _WAITING.priority == 0


def test_j36_a_failure_in_the_catch_block_and_an_empty_one() -> None:
    c = controller(attempt(fail(), catch=[fail()])).add_order("O", "W")
    assert story(c)[-3:] == ['Caught [0,"catch+0",0]', "OutcomeAdded Failed", 'Failed [0,"catch+0",0]']
    c = controller(attempt(fail())).add_order("O", "W")
    assert story(c)[-3:] == ['Caught [0,"catch+0",0]', "Moved [1]", "Finished"]
    assert c.order("O").outcome == {"TYPE": "Caught"}


def test_j37_a_newcomer_that_fits_does_not_queue() -> None:
    c = controller(*(workflow(f"W{n}", lock(f"L:{n}", P)) for n in (1, 2, 3)), locks="L/3")
    c.add_order("A", "W2").add_order("B", "W3").add_order("C", "W2").add_order("D", "W1")
    assert holders(c) == {"A": 2, "D": 1} and c.lock("L")["queue"] == ["B", "C"]


def test_j38_the_releaser_goes_on_first() -> None:
    c = controller(workflow("W", lock("L", P), lock("L", P))).add_order("A", "W").add_order("B", "W").answer("A")
    assert story(c, "A")[-3:] == ["Rel(L)", "Acq(L)", "Prompted"] and state(c, "B") == "WaitingForLock [0]"


def test_j39_a_child_takes_a_share_beside_its_parent() -> None:
    nested = lock("L:1", fork(B=[lock("L:1", P)]))
    assert holders(controller(nested, locks="L/3").add_order("O", "W")) == {"O": 1, "O|B": 1}
    c = controller(nested, locks="L").add_order("O", "W")
    assert story(c, "O|B")[0].endswith("Lock:L has already been acquired by parent Order:O")


@pytest.mark.parametrize(
    "inner", [attempt(fail(), catch=[ok]), attempt(fail(), catch=[retry], maxTries=3)], ids=["catch", "retry"]
)
def test_j40_stopping_comes_before_catching(inner: Any) -> None:
    c = controller(opt(True, inner)).add_order("O", "W")
    assert story(c)[-2:] == ["OutcomeAdded Failed", "Stopped"]
    assert state(c) == 'Stopped [0,"options",0,"try+0",0]'


def test_j41_suspended_with_its_state_reset_an_order_queues_anew() -> None:
    c = controller(lock("L", P)).add_order("A", "W").add_order("B", "W").suspend("B", reset_state=True)
    assert story(c, "B")[-2:] == ["StateReset", "Suspended"] and c.lock("L")["queue"] == []
    c.add_order("C", "W").resume("B")
    assert story(c, "B")[-2:] == ["Resumed", "Que(L)"] and c.lock("L")["queue"] == ["C", "B"]


@pytest.mark.parametrize("mend", ["cancel", "resume"])
def test_j42_a_failed_child_lets_its_parent_keep_the_lock(mend: str) -> None:
    c = controller(lock("L", fork(B=[fail()]))).add_order("O", "W")
    assert c.order("O|B").state == "Failed" and c.order("O").state == "Forked" and holders(c) == "O"
    if mend == "cancel":
        assert story(c.cancel("O|B"))[-2:] == ["Rel(L)", "Failed [0]"]
    else:
        c.resume("O|B", position=[0, "lock", 0, "fork+B", 1])
        assert story(c)[-4:] == ["Joined Succeeded", 'Moved [0,"lock",1]', "Rel(L)", "Finished"]
    assert free(c, "L")


def test_j43_a_failed_order_asks_for_its_lock_again() -> None:
    def made() -> Controller:
        c = controller(workflow("W", lock("L", bad)), workflow("H", lock("L", P)))
        return c.add_order("O", "W").advance(SECOND).add_order("H", "H")

    c = made().resume("O", as_succeeded=True)
    assert story(c)[-3:] == ["Failed [0]", "Resumed", "Que(L)"]
    c.answer("H").advance(SECOND)
    assert story(c)[-3:] == ["Acq(L)", "Rel(L)", "Failed [0]"], "the block runs from its start"
    c = made().resume("O", as_succeeded=False)
    assert story(c)[-2:] == ["Resumed", "Failed [0]"]


def test_j44_locks_nested_in_opposite_orders() -> None:
    c = controller(workflow("X", lock("A", P, lock("B"))), workflow("Y", lock("B", P, lock("A"))), locks="A B")
    c.add_order("X", "X").add_order("Y", "Y").answer("X").answer("Y").advance(timedelta(days=365))
    assert story(c, "X")[-1] == "Que(B)" and story(c, "Y")[-1] == "Que(A)"
    c.cancel("X")
    assert story(c, "X")[-3:] == ["StateReset", "Rel(A)", "Cancelled"]
    assert "Acq(A)" in story(c, "Y") and free(c, "A", "B")


def test_j45_the_position_of_a_failure() -> None:
    c = controller(lock("A", when("true", lock("B", fail()))), locks="A B").add_order("O", "W")
    assert story(c)[-1] == "Failed [0]"
    c = controller(when("true", lock("A", fail())), locks="A").add_order("O", "W")
    assert story(c)[-1] == 'Failed [0,"then",0]'
