"""Random workflows, orders and commands: what must hold after every event, and whenever everything is at rest."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from dexpatterns.errors import InputError
from dexpatterns.js7 import Controller, Job, Lock, Workflow, draft
from dexpatterns.js7.locks import Locks
from dexpatterns.js7.retelling import retell, retold
from dexpatterns.js7.state import DONE, FAILED, OrderState
from dexpatterns.js7.waits import demands_of, helpless
from tests.js7.notation import P, attempt, bad, block, fail, finish, fork, lock, ok, opt, retry, sleep, when, workflow
from tests.js7.oracle import sweep_plainly
from tests.js7.workflows import item_lists


@pytest.fixture(autouse=True)
def _soon_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Retry that goes round for ever is told after fewer rounds."""
    monkeypatch.setattr(draft, "MOST_STEPS", 300)


# --- what is tried ---------------------------------------------------------------------------------------------------

LOCKS = "ABC"


@st.composite
def bodies(draw: st.DrawFn, depth: int = 0, in_catch: bool = False) -> list[dict[str, Any]]:
    """Instructions that take locks often and fail now and then."""
    return [draw(instructions(depth, in_catch)) for _ in range(draw(st.integers(0 if depth else 1, 3)))]


@st.composite
def instructions(draw: st.DrawFn, depth: int, in_catch: bool) -> dict[str, Any]:
    simple = [ok, ok, bad, P, P, fail(), finish, sleep(1), fail(uncatchable=True), when("$x == 1", fail())]
    kinds = ["simple"] * 2 + ["retry"] * (2 * in_catch)
    kinds += ["lock", "lock", "lock", "try", "fork", "options", "if"] if depth < 3 else []
    kind = draw(st.sampled_from(kinds))
    if kind == "simple":
        return draw(st.sampled_from(simple))
    if kind == "retry":
        return retry
    inner = draw(bodies(depth + 1, in_catch and kind in ("if", "try")))
    if kind == "lock":
        paths = draw(st.lists(st.sampled_from(LOCKS), min_size=1, max_size=2, unique=True))
        weights = [draw(st.sampled_from(["", ":1", ":1", ":2", ":4"])) for _ in paths]
        return lock(" ".join(map("".join, zip(paths, weights, strict=True))), *inner)
    if kind == "try":
        catch = draw(bodies(depth + 1, True))
        tries = {"maxTries": draw(st.integers(1, 3)), "retryDelays": draw(st.sampled_from([[], [0, 1], [2]]))}
        return attempt(*inner, catch=catch, **(tries if retry in catch else {}))
    if kind == "fork":
        other = draw(bodies(depth + 1))
        return fork(draw(st.booleans()), a=block(*inner)["instructions"], b=other)
    if kind == "options":
        return opt(draw(st.sampled_from([True, False, None])), *inner)
    return when(draw(st.sampled_from(["true", "false", "$x == 1", "tryCount < 2"])), *inner)


@st.composite
def worlds(draw: st.DrawFn) -> list[dict[str, Any]]:
    limits = [{"TYPE": "Lock", "path": path, "limit": draw(st.integers(1, 3))} for path in LOCKS]
    return [*limits, *(workflow(f"W{n}", *draw(bodies())) for n in range(draw(st.integers(1, 2))))]


class Trial:
    """A controller that is sent random commands, refused ones among them."""

    def __init__(self, items: Any, fair: bool, jobs: Any, seed: int) -> None:
        self.c = Controller(items, jobs=jobs, fair=fair)
        self.paths = sorted(self.c._machine.rules.world.workflows)
        self.random = random.Random(seed)
        self.added = 0

    def step(self) -> None:
        """One command; a refusal changes nothing."""
        pick, c = self.random.choice, self.c
        kind = pick(_COMMANDS) if self.added > 2 else "add"
        answerable = [order.id for order in c.orders if order.state == "Prompting"]
        there = answerable if kind == "answer" and answerable else [order.id for order in c.orders]
        id = pick(there) if there else "nobody"
        before, turns, now = c._state, len(c._turns), c.now
        try:
            if kind == "add":
                priority, delete = pick([-1, 0, 0, 1]), pick([True, False])
                c.add_order(f"O{self.added}", pick(self.paths), pick([None, {"x": 1}]), priority, delete)
                self.added += 1
            elif kind == "pass":
                c.advance(timedelta(milliseconds=pick([500, 1000, 5000])))
            elif kind == "priority":
                c.change_priority(id, pick([-2, 2]))
            elif kind == "resume":
                c.resume(id, as_succeeded=pick([True, True, False]))
            elif kind == "resume behind":
                at = c.order(id).position
                c.resume(id, position=[*at[:-1], at[-1] + 1])
            elif kind == "reset":
                c.suspend(id, reset_state=True)
            else:
                {"answer": c.answer, "cancel": c.cancel, "suspend": c.suspend}[kind](id)
        except InputError:
            event("refused")
            refused = (c._state, len(c._turns), c.now)
            assert refused == (before, turns, now), "a refusal changes nothing"


_COMMANDS = (
    *["add"] * 3, *["pass"] * 3, *["answer"] * 4, *["resume"] * 2, *["resume behind"] * 2, "cancel", "suspend", "reset",
    "priority",
)  # fmt: skip


# --- what must hold --------------------------------------------------------------------------------------------------


class Ledger:
    """Who holds and who waits, as the events alone tell it."""

    def __init__(self, limits: dict[str, int]) -> None:
        self.limits = limits
        self.held: dict[str, dict[str, int | None]] = {path: {} for path in limits}
        self.queue: dict[str, list[str]] = {path: [] for path in limits}
        self.orders: dict[str, OrderState] = {}
        self.children: dict[str, tuple[str, ...]] = {}

    def happen(self, one: Any) -> None:
        before = self.orders.get(one.order)
        retell(self.orders, one)
        if one.name == "OrderForked":
            self.children[one.order] = tuple(id for _, id in one.children)
        if one.name == "OrderLocksQueued":
            for path, _ in one.demands:
                assert one.order not in self.queue[path] and one.order not in self.held[path]
                self.queue[path].append(one.order)
        elif one.name == "OrderLocksAcquired":
            for path, weight in one.demands:
                assert one.order not in self.held[path], "nobody takes a lock twice (J202)"
                self.held[path][one.order] = weight
                if one.order in self.queue[path]:
                    self.queue[path].remove(one.order)
        elif one.name == "OrderLocksReleased":
            for path in one.lock_paths:
                del self.held[path][one.order]
        elif one.name == "OrderStateReset":
            assert before is not None
            for queue in self.queue.values():
                if one.order in queue:
                    assert before.state == "WaitingForLock"
                    queue.remove(one.order)
        self.check(one)

    def check(self, one: Any) -> None:
        order = self.orders.get(one.order)
        holding = {id for holders in self.held.values() for id in holders}
        for path, holders in self.held.items():
            weights = list(holders.values())
            assert None not in weights or len(weights) == 1, f"all of {path} and more: {holders} (J201)"
            assert sum(weight or 0 for weight in weights) <= self.limits[path], f"{path} is over-committed (J201)"
        for queue in self.queue.values():
            for id in queue:
                assert self.orders[id].state == "WaitingForLock", f"{id} queues and is {self.orders[id].state} (J221)"
        if order is not None and order.state in FAILED | DONE:
            assert one.order not in holding, f"{one.order} is {order.state} and holds a lock (J312, J231)"


def check_events(c: Controller) -> Ledger:
    locks = c._machine.rules.world.locks
    ledger = Ledger({path: lock.limit for path, lock in locks.items()})
    for one in c.events():
        ledger.happen(one)
    return ledger


def check_at_rest(c: Controller, ledger: Ledger) -> None:
    state, rules = c._state, c._machine.rules
    known = retold(c.events())
    for order in state.orders.items():
        told = known[order.id]
        assert (told.state, told.position, told.suspended, told.mark, told.history, told.runs) == (
            order.state, order.position, order.suspended, order.mark, order.history, order.runs,
        )  # fmt: skip
        if order.state == "Ready":
            assert order.suspended or order.parent is not None, f"{order} is Ready and nobody looks at it"
        if order.state == "WaitingForLock":
            demands = demands_of(rules, order)
            assert all(state.locks[demand.lock].queued(order.id) for demand in demands), "in every queue (J212)"
            assert state.locks.refusal(order.id, demands) is not None, f"{order} waits for what it could have (J223)"
        if order.state == "Forked":
            assert all(state.order(id) is not None for _, id in order.children)
    for path in state.locks:
        lock = state.locks[path]
        assert lock.holders == ledger.held[path] and list(lock.queue) == ledger.queue[path]
        for id in (*lock.holders, *lock.queue):
            assert state.order(id) is not None, f"{path} is held by {id}, which is gone"
    choices = c._machine.choices(state)
    assert len(choices) == len(list(choices)) and [choices[k] for k in range(len(choices))] == list(choices)
    assert all(choice in choices for choice in choices)
    assert helpless(rules, state).keys() <= {order.id for order in state.orders.items()}


@contextmanager
def swept_plainly() -> Iterator[None]:
    """With the sweep as the rule tells it in the place of the indexed one."""
    indexed = Locks.sweep
    Locks.sweep = sweep_plainly  # type: ignore[method-assign]
    try:
        yield
    finally:
        Locks.sweep = indexed  # type: ignore[method-assign]


JOBS = {"ok": Job(), "bad": Job(outcomes=("failed", "failed", "succeeded"))}


_SEEDS = st.integers(0, 2**32)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(worlds(), st.booleans(), _SEEDS)
def test_what_holds_after_every_event_and_at_rest(items: Any, fair: bool, seed: int) -> None:
    trial = Trial(items, fair, JOBS, seed)
    for _ in range(25):
        trial.step()
        check_at_rest(trial.c, check_events(trial.c))
    event(f"events: {len(trial.c.events()) // 50 * 50}")


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(item_lists(), _SEEDS)
def test_any_workflow_that_loads_is_run(items: tuple[Workflow | Lock, ...], seed: int) -> None:
    if not any(isinstance(item, Workflow) for item in items):
        return
    trial = Trial(items, False, None, seed)
    for _ in range(12):
        trial.step()
    check_at_rest(trial.c, check_events(trial.c))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(worlds(), st.booleans(), st.lists(st.tuples(st.integers(0, 1), st.integers(-1, 1)), min_size=2, max_size=6))
def test_the_index_of_waiters_changes_nothing(items: Any, fair: bool, orders: list[tuple[int, int]]) -> None:
    """J222: whoever sweeps, the same things happen."""

    def happened() -> list[Any]:
        c = Controller(items, jobs=JOBS, fair=fair)
        paths = sorted(c._machine.rules.world.workflows)
        try:
            for n, (path, priority) in enumerate(orders):
                c.add_order(f"O{n}", paths[path % len(paths)], {"x": n}, priority)
            for _ in range(8):
                c.advance(timedelta(seconds=1))
                for order in c.orders:
                    if order.state == "Prompting":
                        c.answer(order.id)
        except InputError:
            pass
        return list(c.events())

    indexed = happened()
    with swept_plainly():
        assert happened() == indexed
