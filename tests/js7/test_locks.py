"""One lock, all locks, and who comes next: J27 to J30 word for word, and the sweep against the rule itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dexpatterns.js7.instructions import Demand, Lock
from dexpatterns.js7.locks import Locks, LockState, Refusal, Waiter
from tests.js7.oracle import sweep_plainly

MOST = 2**31 - 1


def held(limit: int, acquired: str | dict[str, int] | None = None, *queue: str) -> LockState:
    return LockState(Lock("LOCK", limit), acquired, queue)


def done(result: LockState | Refusal) -> LockState:
    assert isinstance(result, LockState), result
    return result


def refused(result: object) -> str:
    assert isinstance(result, Refusal), result
    return result.text


def all_of(result: Locks | Refusal) -> Locks:
    assert isinstance(result, Locks), result
    return result


# --- J27 to J30 ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 3])
def test_j27_the_queue_keeps_its_order_and_takes_nobody_twice(limit: int) -> None:
    state = held(limit, "A")
    for order in "BCD":
        state = done(state.enqueue(order))
    assert state.queue == ("B", "C", "D")
    assert refused(state.enqueue("C")) == "Order:C already queues for Lock:LOCK"
    assert refused(state.enqueue("A")) == "Lock:LOCK has already been acquired by this order"
    assert state.queue == ("B", "C", "D")
    assert done(state.dequeue("C")).queue == ("B", "D")
    assert refused(state.dequeue("A")) == "Order:A does not queue for Lock:LOCK"


def test_j28_only_a_holder_releases() -> None:
    for state in (held(1), held(1, "A"), held(3, {"A": 1})):
        assert refused(state.release("X")) == "Lock:LOCK has not been acquired by this order"
    shared = held(3, {"A": 1, "B": 1, "C": 1})
    assert done(shared.release("B")) == held(3, {"A": 1, "C": 1})
    assert done(held(3, {"A": 1}).release("A")) == held(3) == done(held(3, "A").release("A"))
    assert not done(held(3, {"A": 1}).release("A")).holders


@pytest.mark.parametrize(
    ("holders", "order", "count", "expected"),
    [
        ({"A": 1}, "B", 2, {"A": 1, "B": 2}),
        ({"A": 1, "B": 2}, "C", 1, "Lock:LOCK: count=1 plus alreadyAcquired=3 would exceed limit=3"),
        ({"A": 1, "B": 1, "C": 1}, "D", None, "Lock:LOCK is in use"),
        ({"A": 99}, "B", 1, "Lock:LOCK: count=1 plus alreadyAcquired=99 would exceed limit=3"),
        ({"A": 1}, "B", None, "Lock:LOCK is in use"),
        ("A", "B", None, "Lock:LOCK is in use"),
        ("A", "B", 1, "Lock:LOCK is in use"),
        ("A", "A", 1, "Lock:LOCK has already been acquired by this order"),
        ({"A": 1}, "A", None, "Lock:LOCK has already been acquired by this order"),
        (None, "A", 0, "Lock:LOCK: Invalid count=0 requested"),
        (None, "A", -1, "Lock:LOCK: Invalid count=-1 requested"),
        (None, "A", 4, "Lock:LOCK: count=4 plus alreadyAcquired=0 would exceed limit=3"),
        (None, "A", 3, {"A": 3}),
    ],
)
def test_j29_what_is_granted_and_what_is_not(
    holders: dict[str, int] | str | None, order: str, count: int | None, expected: dict[str, int] | str
) -> None:
    state = held(3, holders)
    result = state.acquire(order, count)
    if isinstance(expected, str):
        assert refused(result) == expected
        assert isinstance(result, Refusal)
        assert result.waits == ("in use" in expected or "would exceed" in expected)
    else:
        assert done(result) == held(3, expected)
    assert state == held(3, holders), "the state that was given has changed"


def test_j30_limit_zero_and_the_largest_weights() -> None:
    assert refused(held(0).acquire("A", 1)) == "Lock:LOCK: count=1 plus alreadyAcquired=0 would exceed limit=0"
    assert done(held(0).acquire("A")).exclusive == "A", "an exclusive demand does not look at the limit (J201)"
    assert refused(held(MOST, {"A": MOST}).acquire("B", MOST)) == (
        f"Lock:LOCK: count={MOST} plus alreadyAcquired={MOST} would exceed limit={MOST}"
    )


# --- one lock ------------------------------------------------------------------------------------------------------


def test_j112_snapshots() -> None:
    lock = {"path": "LOCK", "limit": 3}
    assert held(3).snapshot() == {"lock": lock, "acquired": {"TYPE": "Available"}, "queue": []}
    assert held(3, "A", "B").snapshot() == {
        "lock": lock,
        "acquired": {"TYPE": "Exclusive", "orderId": "A"},
        "queue": ["B"],
    }
    shared = done(held(3, {"B": 1}).acquire("A", 2)).snapshot()
    assert shared["acquired"] == {"TYPE": "NonExclusive", "orderToCount": {"A": 2, "B": 1}}
    assert list(shared["acquired"]["orderToCount"]) == ["A", "B"], "written in the order of ids, whoever came first"


def test_j203_a_child_does_not_wait_for_its_ancestor() -> None:
    assert refused(held(1, "A").enqueue("A|x")) == "Lock:LOCK has already been acquired by parent Order:A"
    assert refused(held(1, "A").enqueue("A|x|y")) == "Lock:LOCK has already been acquired by parent Order:A"
    assert refused(held(1, "A|x").enqueue("A|x|y")) == "Lock:LOCK has already been acquired by parent Order:A|x"
    assert done(held(1, "A|x").enqueue("A")).queue == ("A",)
    assert done(held(1, "A").enqueue("AB")).queue == ("AB",)


def test_equal_states_are_equal_however_they_came_about() -> None:
    straight = held(2, {"A": 1}, "C")
    detour = held(2, {"B": 2}, "X", "C")
    detour = done(done(detour.release("B")).acquire("A", 1))
    detour = done(detour.dequeue("X"))
    assert straight == detour and hash(straight) == hash(detour)
    assert straight != held(2, {"A": 1}, "D") and straight != held(2, {"A": 2}, "C") and straight != held(2, "A", "C")


# --- all locks -----------------------------------------------------------------------------------------------------

A, B, A_AND_B, B_AND_A = (Demand("A"),), (Demand("B"),), (Demand("A"), Demand("B")), (Demand("B"), Demand("A"))


def table(a: int = 1, b: int = 1, fair: bool = False) -> Locks:
    return Locks([Lock("A", a), Lock("B", b)], fair)


def asked(locks: Locks, order: str, demands: tuple[Demand, ...], granted: bool, priority: int = 0) -> Locks:
    result = locks.request(order, demands, priority)
    assert not isinstance(result, Refusal), result
    assert result[1] is granted
    return result[0]


def test_j211_all_or_nothing_and_j212_every_queue() -> None:
    locks = asked(table(), "X", A, True)
    before = locks
    locks = asked(locks, "Y", A_AND_B, False)
    assert locks["A"].queue == locks["B"].queue == ("Y",)
    assert not locks["B"].holders, "a queue entry holds nothing"
    assert before["A"].queue == ()
    assert locks.acquire("Y", A_AND_B) == Refusal("Lock:A is in use", waits=True)
    locks = asked(locks, "Z", B, True)  # J213: nor does it keep anybody out
    locks = all_of(locks.release("X", ["A"]))
    assert locks.sweep(["A"]) == (locks, ())
    locks, granted = all_of(locks.release("Z", ["B"])).sweep(["B"])
    assert [waiter.order for waiter in granted] == ["Y"]
    assert locks["A"].exclusive == locks["B"].exclusive == "Y"
    assert locks["A"].queue == locks["B"].queue == ()


def test_j14_demand_order_does_not_matter() -> None:
    locks = asked(asked(table(), "X", A_AND_B, True), "Y", B_AND_A, False)
    assert locks["A"].queue == locks["B"].queue == ("Y",)
    locks, granted = all_of(locks.release("X", ["A", "B"])).sweep(["A", "B"])
    assert [waiter.order for waiter in granted] == ["Y"]


@pytest.mark.parametrize(
    ("holder", "order", "demands", "expected"),
    [
        ("H", "O", (Demand("A", 4),), "Cannot fulfill lock count=4 with Lock:A limit=3"),
        (None, "O", (Demand("A", 4),), "Cannot fulfill lock count=4 with Lock:A limit=3"),
        (None, "O", (Demand("B", 1), Demand("A", 4)), "Cannot fulfill lock count=4 with Lock:A limit=3"),
        ("O", "O", (Demand("A"),), "Lock:A has already been acquired by this order"),
        ("O", "O", (Demand("B"), Demand("A", 1)), "Lock:A has already been acquired by this order"),
        ("O", "O|x", (Demand("A", 1),), "Lock:A has already been acquired by parent Order:O"),
        ("O", "O|x", (Demand("B"), Demand("A")), "Lock:A has already been acquired by parent Order:O"),
        (None, "O", (Demand("C"),), "unknown lock 'C'"),
    ],
)
def test_j204_what_can_never_be_granted_does_not_wait(
    holder: str | None, order: str, demands: tuple[Demand, ...], expected: str
) -> None:
    locks = table(a=3)
    if holder is not None:
        locks = asked(locks, holder, A, True)
    before = locks.snapshot()
    result = locks.request(order, demands)
    assert result == Refusal(expected)
    assert locks.snapshot() == before


def test_j39_a_child_gets_a_share_of_its_own() -> None:
    locks = asked(table(a=3), "O", (Demand("A", 1),), True)
    assert asked(locks, "O|B", (Demand("A", 1),), True)["A"].holders == {"O": 1, "O|B": 1}
    locks = asked(table(a=1), "O", (Demand("A", 1),), True)
    assert locks.request("O|B", (Demand("A", 1),)) == Refusal("Lock:A has already been acquired by parent Order:O")


def test_j37_a_newcomer_that_fits_does_not_wait() -> None:
    locks = asked(table(a=3), "A", (Demand("A", 2),), True)
    locks = asked(locks, "B", (Demand("A", 3),), False)
    locks = asked(locks, "C", (Demand("A", 2),), False)
    assert asked(locks, "D", (Demand("A", 1),), True)["A"].holders == {"A": 2, "D": 1}


def test_j223_the_sweep_goes_on_past_who_does_not_fit() -> None:
    locks = asked(asked(table(a=3), "X", (Demand("A", 2),), True), "Y", (Demand("A", 1),), True)
    locks = asked(asked(locks, "big", (Demand("A", 3),), False), "small", (Demand("A", 1),), False)
    locks, granted = all_of(locks.release("X", ["A"])).sweep(["A"])
    assert [waiter.order for waiter in granted] == ["small"]
    assert locks["A"].queue == ("big",)


def test_j222_first_all_of_the_first_released_lock_then_of_the_next() -> None:
    locks = asked(asked(table(a=2, b=1), "X", A, True), "X", B, True)
    for order, demand in (("p", Demand("A", 1)), ("q", Demand("A", 1)), ("r", Demand("B", 1))):
        locks = asked(locks, order, (demand,), False)
    released = all_of(locks.release("X", ["A", "B"]))
    assert [waiter.order for waiter in released.sweep(["A", "B"])[1]] == ["p", "q", "r"]
    assert [waiter.order for waiter in released.sweep(["B", "A"])[1]] == ["r", "p", "q"]


def test_j202_what_can_never_be_goes_before_what_may() -> None:
    locks = asked(asked(table(), "O", A, True), "H", B, True)
    assert locks.refusal("O", B_AND_A) == Refusal("Lock:A has already been acquired by this order")


def test_the_order_in_which_locks_are_given_does_not_matter() -> None:
    one, other = Locks([Lock("A"), Lock("B")]), Locks([Lock("B"), Lock("A")])
    assert one == other and hash(one) == hash(other) and one.snapshot() == other.snapshot()
    assert one != Locks([Lock("A"), Lock("B")], fair=True) and one != asked(one, "X", A, True)


def test_j7_priorities_are_those_of_the_sweep() -> None:
    locks = asked(table(), "P0", A, True)
    for n in (1, 2, 3):
        locks = asked(locks, f"P{n}", A, False, priority=-n)
    assert locks["A"].queue == ("P1", "P2", "P3")
    locks = all_of(locks.prioritize("P1", ["A"], -100))
    assert locks["A"].queue == ("P1", "P2", "P3"), "a priority does not change the queue"
    order = ["P0"]
    while locks["A"].exclusive:
        locks, granted = all_of(locks.release(order[-1], ["A"])).sweep(["A"])
        order += [waiter.order for waiter in granted]
    assert order == ["P0", "P2", "P3", "P1"]


def test_j44_nested_in_opposite_order_they_wait_for_each_other() -> None:
    locks = asked(asked(table(), "X", A, True), "Y", B, True)
    locks = asked(asked(locks, "X", B, False), "Y", A, False)
    assert (locks["A"].exclusive, locks["A"].queue) == ("X", ("Y",))
    assert (locks["B"].exclusive, locks["B"].queue) == ("Y", ("X",))
    locks = all_of(all_of(locks.dequeue("X", ["B"])).release("X", ["A"]))
    locks, granted = locks.sweep(["A"])
    assert [waiter.order for waiter in granted] == ["Y"]


def test_j227_fair_means_first_come_first_served() -> None:
    locks = asked(table(a=3, fair=True), "A", (Demand("A", 2),), True)
    locks = asked(locks, "heavy", (Demand("A", 3),), False)
    locks = asked(locks, "light", (Demand("A", 1),), False, priority=9)
    locks, granted = all_of(locks.release("A", ["A"])).sweep(["A"])
    assert [waiter.order for waiter in granted] == ["heavy"]
    locks, granted = all_of(locks.release("heavy", ["A"])).sweep(["A"])
    assert [waiter.order for waiter in granted] == ["light"]


def test_j227_whoever_leaves_a_queue_makes_way_in_all_of_them() -> None:
    locks = asked(asked(table(a=2, b=1, fair=True), "X", B, True), "Y", (Demand("A", 1), Demand("B")), False)
    locks = asked(locks, "Z", (Demand("A", 1),), False)
    locks, granted = all_of(locks.release("X", ["B"])).sweep(["B"])
    assert [waiter.order for waiter in granted] == ["Y", "Z"]


# --- the sweep against the rule ------------------------------------------------------------------------------------

_paths = ["A", "B", "C"]
_demands = st.lists(st.sampled_from(_paths), min_size=1, max_size=3, unique=True).flatmap(
    lambda paths: st.tuples(*(st.builds(Demand, st.just(path), st.none() | st.integers(1, 3)) for path in paths))
)
_moves = st.one_of(
    st.tuples(st.just("request"), _demands, st.integers(-2, 2)),
    st.tuples(st.just("release"), st.integers(0, 9), st.integers(-2, 2)),
    st.tuples(st.just("leave"), st.integers(0, 9), st.just(None)),
    st.tuples(st.just("prioritize"), st.integers(0, 9), st.integers(-3, 3)),
)


@given(st.booleans(), st.lists(_moves, max_size=40))
def test_j222_the_indexed_sweep_is_the_plain_one(fair: bool, moves: list[tuple[str, object, object]]) -> None:
    locks = Locks([Lock(path, 3) for path in _paths], fair)
    holding: dict[str, tuple[str, ...]] = {}
    waiting: dict[str, tuple[Demand, ...]] = {}

    def swept(paths: tuple[str, ...], above: int | None = None) -> None:
        nonlocal locks
        plain, by_rule = sweep_plainly(locks, paths, above)
        locks, granted = locks.sweep(paths, above)
        assert granted == by_rule
        assert locks == plain
        for waiter in granted:
            holding[waiter.order] = tuple(demand.lock for demand in waiting.pop(waiter.order))

    for number, (move, what, more) in enumerate(moves):
        before = locks.snapshot()
        kept = locks
        if move == "request":
            assert isinstance(what, tuple) and isinstance(more, int)
            result = locks.request(f"O{number}", what, more)
            assert not isinstance(result, Refusal)
            locks, granted = result
            if granted:
                holding[f"O{number}"] = tuple(demand.lock for demand in what)
            else:
                waiting[f"O{number}"] = what
        elif move == "release" and holding:
            assert isinstance(what, int)
            order = sorted(holding)[what % len(holding)]
            paths = holding.pop(order)
            locks = all_of(locks.release(order, paths))
            assert isinstance(more, int)
            paths = paths[::-1] if more % 2 else paths
            swept(paths, above=more)
            swept(paths)
        elif waiting and move != "release":
            assert isinstance(what, int)
            order = sorted(waiting)[what % len(waiting)]
            paths = tuple(demand.lock for demand in waiting[order])
            if move == "leave":
                del waiting[order]
                locks = all_of(locks.dequeue(order, paths))
                swept(paths)
            else:
                assert isinstance(more, int)
                locks = all_of(locks.prioritize(order, paths, more))
        assert kept.snapshot() == before, "a change touched the value that it was given"
        _check(locks, holding, waiting)
    while holding:
        order, paths = holding.popitem()
        locks = all_of(locks.release(order, paths))
        swept(paths)
    assert not waiting, "somebody was not woken"
    assert all(not locks[path].holders and not locks[path].queue for path in locks)


def _check(locks: Locks, holding: dict[str, tuple[str, ...]], waiting: dict[str, tuple[Demand, ...]]) -> None:
    for path in locks:
        state = locks[path]
        assert set(state.holders) == {order for order, paths in holding.items() if path in paths}
        assert set(state.queue) == {order for order, ds in waiting.items() if path in [d.lock for d in ds]}
        assert state.used <= state.lock.limit
        assert state.exclusive is None or not state.shares
        numbers = [int(order[1:]) for order in state.queue]
        assert numbers == sorted(numbers), "the queue is first in, first out (J221)"
    if not locks.fair:
        for order, demands in waiting.items():
            assert locks.refusal(order, demands) is not None, "somebody waits who would fit"


def test_a_look_that_grants_nothing_is_not_one_for_each_waiter(monkeypatch: pytest.MonkeyPatch) -> None:
    """J222: what a release costs depends on the kinds of demands that wait, not on how many wait."""
    looks = _count_looks(monkeypatch)
    locks = asked(asked(table(a=3), "X", (Demand("A", 2),), True), "Y", (Demand("A", 1),), True)
    for n in range(1_000):
        locks = asked(locks, f"O{n}", (Demand("A", 2 + n % 2),), False, priority=n % 5)
    looks.clear()
    _, granted = all_of(locks.release("Y", ["A"])).sweep(["A"])
    assert granted == () and len(looks) == 0, "there is no room for any of the weights that wait"
    locks, granted = all_of(locks.release("X", ["A"])).sweep(["A"])
    assert [waiter.demands[0].weight for waiter in granted] == [2]
    assert len(looks) <= 5


def _count_looks(monkeypatch: pytest.MonkeyPatch) -> list[Waiter | str]:
    looks: list[Waiter | str] = []
    plain: Callable[[LockState, str, int | None], Refusal | None] = LockState.refusal

    def counted(self: LockState, order: str, count: int | None) -> Refusal | None:
        looks.append(order)
        return plain(self, order, count)

    monkeypatch.setattr(LockState, "refusal", counted)
    return looks
