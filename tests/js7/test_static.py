"""What a look at files finds before any run, and what it does not take for a fault (J404)."""

from __future__ import annotations

from typing import Any

import pytest

from dexpatterns.errors import WorkflowFileError
from dexpatterns.js7 import Order, check, look, no_deadlock
from dexpatterns.js7.static import KINDS
from tests.js7.notation import (
    JOBS,
    P,
    attempt,
    bad,
    block,
    fail,
    finish,
    fork,
    items,
    lock,
    ok,
    opt,
    retry,
    when,
    workflow,
)

LIMITS = "A/2 B/2 C/2 G L/3"


def found(*bodies: Any, kind: str | None = None) -> list[tuple[str, tuple[str, ...]]]:
    """(kind, locks) of each finding in workflows W0, W1, ..."""
    made = items(*(workflow(f"W{n}", body) for n, body in enumerate(bodies)), locks=LIMITS)
    return [(one.kind, one.locks) for one in look(made) if kind in (None, one.kind)]


WEIGHT, ITSELF, NESTED, DELAY, CHILD = KINDS


def test_locks_nested_in_different_orders_in_different_workflows() -> None:
    made = items(workflow("X", ok, lock("A", ok, lock("B"))), workflow("Y", when("true", lock("B", lock("A:1")))),
                 locks="A B")  # fmt: skip
    (one,) = look(made)
    assert (one.kind, one.locks, one.workflow, one.position) == (NESTED, ("A", "B"), "X", (1, "lock", 1))
    assert one.places == (("X", (1, "lock", 1)), ("Y", (0, "then", 0, "lock", 0)))
    assert str(one) == (
        "workflow 'X' at [1, \"lock\", 1]: workflow 'X' takes 'A' at [1] and then 'B' at [1, \"lock\", 1], "
        "workflow 'Y' takes 'B' at [0, \"then\", 0] and then 'A' at [0, \"then\", 0, \"lock\", 0]: "
        "orders may wait for each other for ever; nest 'A' and 'B' in one and the same order everywhere, or take them "
        "in one Lock instruction"
    )


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ([lock("A", lock("B")), lock("A", lock("B"))], []),
        ([lock("A B"), lock("B A")], []),
        ([lock("A", lock("B")), lock("B")], []),
        ([lock("A", lock("B", lock("C"))), lock("C", lock("A"))], [("A", "C")]),
        ([lock("A", lock("B")), lock("B", lock("C")), lock("C", lock("A"))], [("A", "B", "C")]),
        # One workflow alone, in two places or in two branches.
        ([when("true", lock("A", lock("B")), otherwise=[lock("B", lock("A"))])], [("A", "B")]),
        ([fork(a=[lock("A", lock("B"))], b=[lock("B", lock("A"))])], [("A", "B")]),
        # A parent holds what its child finds held.
        ([lock("A", fork(a=[lock("B")])), lock("B", lock("A"))], [("A", "B")]),
        # A lock that is held alone around both keeps them apart; a share of one does not.
        ([lock("G", lock("A", lock("B"))), lock("G", lock("B", lock("A")))], []),
        ([lock("G", lock("A", lock("B"))), lock("B", lock("A"))], [("A", "B")]),
        ([lock("L:1", lock("A", lock("B"))), lock("L:1", lock("B", lock("A")))], [("A", "B")]),
        # Nor does one around a Fork keep its children apart from each other.
        ([lock("G", fork(a=[lock("A", lock("B"))], b=[lock("B", lock("A"))]))], [("A", "B")]),
        ([lock("G", fork(a=[lock("A", lock("B"))])), lock("G", fork(b=[lock("B", lock("A"))]))], []),
        # Several locks in one instruction: all of them before what is inside.
        ([lock("A C", lock("B")), lock("B", lock("C"))], [("B", "C")]),
    ],
)
def test_which_nestings_are_told(bodies: list[Any], expected: list[tuple[str, ...]]) -> None:
    assert [locks for _, locks in found(*bodies, kind=NESTED)] == expected


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ([lock("A", ok, lock("B")), lock("B", ok, lock("A"))], True),
        ([lock("G", lock("A", ok, lock("B"))), lock("G", lock("B", ok, lock("A")))], False),
        ([lock("G", fork(a=[lock("A", ok, lock("B"))], b=[lock("B", ok, lock("A"))]))], True),
        ([lock("A", lock("B", ok)), lock("B", lock("C", ok)), lock("C", lock("A", ok))], False),
    ],
)
def test_a_check_decides_what_a_look_suspects(bodies: list[Any], expected: bool) -> None:
    """The last one is a false alarm: nothing happens between the locks, so each takes both at once."""
    made = items(*(workflow(f"W{n}", body) for n, body in enumerate(bodies)), locks="A B C G")
    orders = [Order(f"O{n}", f"W{n}") for n in range(len(bodies))]
    report = check(made, orders, jobs=JOBS, properties=[no_deadlock()])
    assert (report.property == "no deadlock") is expected
    if expected:
        assert any(one.kind == NESTED for one in look(made))


@pytest.mark.parametrize(
    ("weight", "expected"),
    [("A:3", [(WEIGHT, ("A",))]), ("A:2", []), ("A", []), ("A:1 B:9", [(WEIGHT, ("B",))])],
)
def test_a_weight_above_the_limit(weight: str, expected: list[Any]) -> None:
    assert found(lock(weight)) == expected


def test_a_weight_above_the_limit_in_words() -> None:
    (one,) = look(items(workflow("W", ok, lock("A:3")), locks="A/2"))
    assert str(one) == (
        "workflow 'W' at [1]: weight 3 of lock 'A' is above its limit of 2, so every order fails here; "
        "ask for 2 at most, or raise the limit"
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (lock("A", when("true", lock("A:1"))), [(ITSELF, ("A",))]),
        (lock("A", fork(a=[lock("A:1")])), [(ITSELF, ("A",)), (CHILD, ("A",))][:1]),
        (lock("A:1", fork(a=[lock("A:1")])), []),
        (lock("A:1", fork(a=[lock("A:2")])), [(ITSELF, ("A",))]),
        (lock("A:1", fork(a=[lock("A")])), [(ITSELF, ("A",))]),
        (attempt(lock("A"), lock("A")), []),
    ],
)
def test_a_lock_inside_of_itself(body: Any, expected: list[Any]) -> None:
    assert [one for one in found(body) if one[0] == ITSELF] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (lock("A", attempt(bad, catch=[retry], retryDelays=[5])), [("A",)]),
        (lock("A B", attempt(bad, catch=[retry], retryDelays=[0, 5])), [("A", "B")]),
        (lock("A", fork(True, a=[attempt(bad, catch=[retry], retryDelays=[5])])), [("A",)]),
        (attempt(lock("A", bad), catch=[retry], retryDelays=[5]), []),
        (lock("A", attempt(bad, catch=[retry], retryDelays=[0])), []),
        (lock("A", attempt(bad, catch=[retry])), []),
    ],
)
def test_a_delay_while_holding(body: Any, expected: list[tuple[str, ...]]) -> None:
    assert [locks for kind, locks in found(body) if kind == DELAY] == expected


def test_a_delay_while_holding_in_words() -> None:
    (one,) = look(items(workflow("W", lock("A", attempt(bad, catch=[retry], retryDelays=[5], maxTries=4))), locks="A"))
    assert str(one) == (
        "workflow 'W' at [0, \"lock\", 0]: 'A' is held through the delays before each retry (5 s; 4 attempts); "
        "put the Lock at [0] into the try block, so that it is free meanwhile"
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (lock("A", fork(a=[bad])), True),
        (lock("A", fork(a=[P], b=[lock("B", fail())])), True),
        (lock("A", fork(a=[opt(True, bad)])), True),
        (lock("A", fork(a=[{"TYPE": "Finish", "outcome": {"TYPE": "Failed"}}])), True),
        (lock("A", fork(a=[attempt(bad, catch=[bad])])), True),
        (lock("A", fork(a=[attempt(bad, catch=[retry], maxTries=3)])), True),
        (lock("A", fork(a=[attempt(fail(uncatchable=True))])), True),
        (lock("A", fork(a=[fork(True, b=[bad])])), True),
        (lock("A", {"TYPE": "ForkList", "children": "$l", "childToId": "(x) => $x", "workflow": block(bad)}), True),
        (lock("A", fork(True, a=[bad])), False),
        (lock("A", fork(a=[attempt(bad)])), False),
        (lock("A", fork(a=[attempt(bad, catch=[retry])])), False),
        (lock("A", fork(a=[P, finish], b=[])), False),
        (fork(a=[lock("A", bad)]), False),
        (fork(a=[bad]), False),
    ],
)
def test_a_failed_child_that_leaves_its_parent_holding(body: Any, expected: bool) -> None:
    assert ((CHILD, ("A",)) in found(body)) is expected


def test_a_failed_child_in_words() -> None:
    (one,) = look(items(workflow("W", lock("A", fork(a=[bad], b=[P], c=[fail()]))), locks="A"))
    assert str(one) == (
        "workflow 'W' at [0, \"lock\", 0]: when branch 'a' or 'c' fails, the parent stays Forked and keeps 'A' until "
        "somebody cancels or resumes the child; set 'joinIfFailed' to true, or catch the failure in the branch"
    )


def test_findings_come_in_the_order_of_their_kinds() -> None:
    bodies = [
        lock("A", lock("B", attempt(bad, catch=[retry], retryDelays=[1]), lock("B"))),
        lock("B", lock("A:9"), fork(a=[bad])),
    ]
    assert [kind for kind, _ in found(*bodies)] == [WEIGHT, ITSELF, NESTED, DELAY, CHILD]


def test_a_workflow_needs_its_locks() -> None:
    with pytest.raises(WorkflowFileError, match="MissingReferencedItem"):
        look([workflow("W", lock("A"))])
