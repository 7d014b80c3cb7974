"""A move in the making: orders and locks as they will be, the events so far, and who is to be looked at next.

`Rules` is what stays the same for a whole machine. A `Draft` is one move under these rules: every event goes through
`emit`, which makes of an order what `state` says, and an event that cannot happen there is our bug. `run` looks at
orders until nothing more happens; what an order does when it is looked at is said by `steps`, and passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from heapq import heappop, heappush
from typing import Any

from dexpatterns.errors import InputError, InternalError
from dexpatterns.js7 import events as ev
from dexpatterns.js7 import scenario
from dexpatterns.js7.evaluation import Problem, evaluate
from dexpatterns.js7.expression import Expression
from dexpatterns.js7.instructions import Demand, LockInstruction, Workflow
from dexpatterns.js7.locks import Locks, Waiter
from dexpatterns.js7.outcomes import values_of
from dexpatterns.js7.positions import try_count
from dexpatterns.js7.scenario import Jobs, Order, World
from dexpatterns.js7.state import OrderState, State

__all__ = ["Draft", "Rules", "demanded"]

MOST_STEPS = 20_000
"""More steps of one order in one move mean that it never ends: a Retry without delay and without limit."""


class Rules:
    """What one machine knows of its world: looked up by every move, changed by none."""

    __slots__ = ("fair", "jobs", "orders", "world")

    def __init__(self, world: World, jobs: Jobs, fair: bool) -> None:
        self.world = world
        self.jobs = jobs
        self.fair = fair
        self.orders: dict[str, Order] = {}
        """The orders of the scenario, by id."""

    def workflow(self, order: OrderState) -> Workflow:
        return self.world.workflows[order.workflow]

    def values(self, order: OrderState) -> dict[str, Any]:
        """The named values that expressions see: arguments go before outcomes, later outcomes before earlier ones."""
        seen: dict[str, Any] = {}
        for _, outcome in order.history:
            seen |= values_of(outcome)
        given: dict[str, Any] = order.arguments.plain
        return seen | given

    def evaluated(self, order: OrderState, expression: Expression) -> Any | Problem:
        return evaluate(expression, self.values(order), try_count(order.position))

    def ways_to_end(self, order: str, job: str, attempt: int) -> int:
        """How an attempt of a job may end, as bits: 1 it succeeds, 2 it fails."""
        return {scenario.SUCCEEDED: 1, scenario.FAILED: 2}.get(self.jobs[job].of(order).outcome(attempt), 3)


class Draft:
    """One move: values are taken from a state and handed out as a new one."""

    __slots__ = (
        "_changed", "_entries", "_orders", "_steps", "_todo", "events", "freed", "locks", "now", "pending", "rules",
    )  # fmt: skip

    def __init__(self, rules: Rules, state: State, now: float) -> None:
        self.rules = rules
        self.now = now
        self.locks: Locks = state.locks
        self.pending = state.pending
        self.events: list[Any] = []
        self.freed: dict[str, None] = {}
        """The locks that may be had by others since the last look, in order."""
        self._orders = state.orders
        self._changed: dict[str, OrderState | None] = {}
        self._todo: list[tuple[int, int, str, tuple[str, ...]]] = []
        self._entries = 0
        self._steps: dict[str, int] = {}

    @property
    def state(self) -> State:
        """The state as it is now."""
        orders = self._orders
        for id, order in self._changed.items():
            orders = orders.remove(id) if order is None else orders.set(id, order)
        return State(self.locks, orders, self.pending)

    def order(self, id: str) -> OrderState | None:
        if id in self._changed:
            return self._changed[id]
        found: OrderState | None = self._orders.get(id)
        return found

    def put(self, order: OrderState) -> None:
        self._changed[order.id] = order

    def drop(self, id: str) -> None:
        self._changed[id] = None

    def emit(self, event: Any) -> OrderState:
        """Let an event happen to its order; gives the order as it is then."""
        before = self.order(event.order)
        after = before.after(event) if before is not None else None
        if after is None:
            raise InternalError(f"{event} cannot happen to {before!r}")
        self.put(after)
        self.events.append(event)
        return after

    def delete(self, order: OrderState) -> None:
        """The order is gone; one that repeats may come anew once it has finished."""
        self.emit(ev.OrderDeleted(order.id))
        self.drop(order.id)
        known = self.rules.orders.get(order.id)
        if known is not None and known.repeats and order.state == "Finished":
            self.pending = self.pending.set(order.id, order.place)

    # --- locks -------------------------------------------------------------------------------------------------------

    def release(self, id: str, paths: tuple[str, ...]) -> OrderState:
        """The order gives these locks back."""
        self.locks = self._sure(self.locks.release(id, paths))
        self.freed |= dict.fromkeys(paths)
        return self.emit(ev.OrderLocksReleased(id, paths))

    def reset(self, order: OrderState) -> OrderState:
        """The order no longer waits, and leaves all queues (J221)."""
        if order.state == "WaitingForLock":
            instruction = self.rules.workflow(order).at(order.position)
            assert isinstance(instruction, LockInstruction)
            self.locks = self._sure(self.locks.dequeue(order.id, instruction.paths))
            if self.rules.fair:
                self.freed |= dict.fromkeys(instruction.paths)
        return self.emit(ev.OrderStateReset(order.id))

    def prioritize(self, order: OrderState, priority: int) -> None:
        """The order's place among those that wait is another from the next sweep on (J226)."""
        if order.state == "WaitingForLock":
            instruction = self.rules.workflow(order).at(order.position)
            assert isinstance(instruction, LockInstruction)
            self.locks = self._sure(self.locks.prioritize(order.id, instruction.paths, priority))
        self.emit(ev.OrderPriorityChanged(order.id, priority))

    @staticmethod
    def _sure(made: Any) -> Locks:
        if not isinstance(made, Locks):
            raise InternalError(f"locks: {made}")
        return made

    # --- who is looked at next ---------------------------------------------------------------------------------------

    def look_at(self, id: str, paths: tuple[str, ...] = ()) -> None:
        """Look at an order when its turn comes, or at all that wait for these locks in its place (J222)."""
        order = self.order(id)
        priority = order.priority if order is not None and not self.rules.fair else 0
        self._entries += 1
        heappush(self._todo, (-priority, self._entries, id, paths))

    def settle(self, id: str) -> None:
        """After what an order did: who comes before it takes what it left, then it goes on, then the others do.

        (J222, J225)
        """
        paths = tuple(self.freed)
        self.freed.clear()
        if paths:
            order = self.order(id)
            self._grant(self.locks.sweep(paths, above=None if order is None else order.priority))
        self.look_at(id)
        if paths:
            self.look_at(id, paths)

    def _grant(self, swept: tuple[Locks, Iterable[Waiter]]) -> None:
        self.locks, granted = swept
        for waiter in granted:
            self.emit(ev.OrderLocksAcquired(waiter.order, demanded(waiter.demands)))
            self.look_at(waiter.order)

    def run(self, step: Callable[[Draft, OrderState], None]) -> None:
        """Look at orders until nothing more happens."""
        todo = self._todo
        while todo:
            _, _, id, paths = heappop(todo)
            if paths:
                self._grant(self.locks.sweep(paths))
                continue
            order = self.order(id)
            if order is None:
                continue
            before = len(self.events)
            step(self, order)
            if len(self.events) > before:
                self._count(order)
                self.settle(id)

    def _count(self, order: OrderState) -> None:
        steps = self._steps[order.id] = self._steps.get(order.id, 0) + 1
        if steps > MOST_STEPS:
            raise InputError(
                f"order '{order.id}' of workflow '{order.workflow}' goes round without end while no time passes, at "
                f"{list(order.position)}; give the Try around a 'maxTries' or 'retryDelays' above 0"
            )


@cache
def demanded(demands: tuple[Demand, ...]) -> tuple[tuple[str, int | None], ...]:
    """The demands as an event carries them."""
    return tuple([(demand.lock, demand.weight) for demand in demands])
