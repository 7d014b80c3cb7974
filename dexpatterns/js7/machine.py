"""Gives workflows and orders their meaning: what may happen in a state, and what it leads to, by the rules J101 on.

`Js7Machine` keeps the protocol of `engine.machine`. What runs on without a person or a clock happens within the move
that made it possible, so each of its moves is one that somebody or something outside decides:

| choice | whom | what happens |
|---|---|---|
| arrive | an order of the scenario | it comes, and goes as far as it can |
| succeed, fail | an order whose job runs | the job ends, as the scenario says that it may (J54) |
| wake | an order that sleeps, or waits to be tried again | the time is over (J333) |
| answer | an order that prompts | a person answers |

What else a person may do (cancel, suspend, resume, change a priority) is no choice: nothing is known of when it
comes. `command` does it, for a `Controller`. This module knows no clock and draws nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from math import inf
from typing import Any

from dexpatterns.engine.machine import Choice, Event, Lineage, Timed
from dexpatterns.engine.tree import Tree
from dexpatterns.engine.values import Data, freeze
from dexpatterns.errors import InputError, ScheduleError
from dexpatterns.js7 import events as ev
from dexpatterns.js7 import steps, waits
from dexpatterns.js7.choices import OrderChoices
from dexpatterns.js7.draft import Draft, Rules
from dexpatterns.js7.keys import Keys
from dexpatterns.js7.locks import Locks
from dexpatterns.js7.positions import TOP
from dexpatterns.js7.scenario import Order, World
from dexpatterns.js7.state import SHOWN, OrderState, State

__all__ = ["Js7Machine"]


class Js7Machine:
    """Workflows and locks, with the orders that come to them and the jobs that run in them.

    `items` is what `load` gives or takes. Raises `InputError` or `WorkflowFileError` before anything runs.
    """

    kind = "js7"
    patient: frozenset[str] = frozenset()

    def __init__(self, items: Any, orders: Iterable[Order] = (), jobs: Any = None, fair: bool = False) -> None:
        world = World.of(items)
        if not isinstance(fair, bool):
            raise InputError(f"fair: expected True or False, got {fair!r}")
        self.rules = Rules(world, world.check_jobs(jobs), fair)
        self.orders = world.check_orders(orders)
        self.rules.orders = {order.id: order for order in self.orders}
        self._keys = Keys(self.rules)

    @property
    def name(self) -> str:
        """The workflows that orders come to; all of them when there are no orders."""
        used = {order.workflow for order in self.orders} or set(self.rules.world.workflows)
        return ", ".join(sorted(used)) or "locks alone"

    @property
    def input(self) -> Data:
        """The orders as data."""
        return freeze(
            [
                {"id": o.id, "workflow": o.workflow, "arguments": dict(o.arguments or {}), "priority": o.priority}
                for o in self.orders
            ]
        )

    # The protocol.

    def initial(self) -> State:
        return self.start()[0]

    def start(self) -> tuple[State, tuple[Event, ...]]:
        """The first state: all orders are still to come."""
        entries = sorted((order.id, (number,)) for number, order in enumerate(self.orders))
        pending = Tree().edit("", entries)
        state = State(Locks(self.rules.world.locks.values(), self.rules.fair), pending=pending)
        ready = (ev.ControllerReady("", tuple(order.id for order in self.orders)),) if self.orders else ()
        return state, ready

    def choices(self, state: State) -> OrderChoices:
        return OrderChoices(state)

    def calm(self, state: State) -> bool:
        return False

    def apply(self, state: State, choice: Choice, now: float = 0.0) -> tuple[State, tuple[Event, ...]]:
        """What the choice leads to; raises `ScheduleError` when it is not possible in this state."""
        if choice not in self.choices(state):
            raise ScheduleError(self._not_possible(state, choice))
        if choice.kind == "arrive":
            order = self.rules.orders[choice.name]
            return self.add(state, order, choice.path, now, delete=order.repeats)
        draft = Draft(self.rules, state, now)
        concerned = draft.order(choice.name)
        assert concerned is not None
        _MOVES[choice.kind](draft, concerned)
        draft.settle(choice.name)
        draft.run(steps.advance)
        return draft.state, tuple(draft.events)

    def _not_possible(self, state: State, choice: Choice) -> str:
        some = [str(one) for _, one in zip(range(6), self.choices(state), strict=False)]
        return f"{str(choice)!r} is not possible here; possible are: {', '.join(some) or 'none'}"

    def add(
        self, state: State, order: Order, place: Lineage, now: float, *, delete: bool = False
    ) -> tuple[State, tuple[Event, ...]]:
        """An order comes, and goes as far as it can."""
        draft = Draft(self.rules, state, now)
        if draft.order(order.id) is not None:
            raise InputError(f"there is an order '{order.id}' already; choose another id")
        arguments = self.rules.world.arguments(order)
        draft.pending = draft.pending.remove(order.id)
        draft.put(OrderState(
            order.id, place, order.workflow, TOP, "Fresh", arguments, priority=order.priority, delete=delete,
        ))  # fmt: skip
        given = arguments if arguments.plain else None
        draft.emit(ev.OrderAdded(order.id, order.workflow, given, order.priority or None, delete or None))
        draft.settle(order.id)
        draft.run(steps.advance)
        return draft.state, tuple(draft.events)

    def command(self, state: State, now: float, do: Callable[..., None], *args: Any) -> tuple[State, tuple[Event, ...]]:
        """What one of `commands` does, and all that follows; raises `InputError`, and then nothing has changed."""
        draft = Draft(self.rules, state, now)
        do(draft, *args)
        draft.run(steps.advance)
        return draft.state, tuple(draft.events)

    def merges(self, state: State, choice: Choice) -> tuple[Choice, ...]:
        """None: who comes between two moves may always be noticed, by the locks."""
        return ()

    def timed(self, state: State, events: Iterable[Event], draw: Any) -> Iterator[Timed]:
        """What these events have set running, and how long it takes by the workflow and the scenario."""
        for event in events:
            clock = _CLOCKS.get(event.kind)
            if clock is not None:
                yield from clock(self.rules, state, event, draw)

    def describe(self, state: State) -> dict[str, Any]:
        """`status` (RUNNING, FINISHED, FAILED, or STUCK where orders wait for ever), `orders` by id (state, what a
        user sees, position, workflow, suspended, priority), `locks` by path (J112), `pending` (ids still to come).
        """
        return {
            "status": self._status(state),
            "orders": {order.id: _told(order) for order in state.orders.values()},
            "locks": {path: state.locks[path].snapshot() for path in state.locks},
            "pending": [id for id, _ in state.pending],
        }

    def describe_definition(self) -> dict[str, list[str]]:
        """The names that everything is made of: `workflows`, `locks`, `jobs`."""
        world = self.rules.world
        return {
            "workflows": sorted(world.workflows),
            "locks": sorted(world.locks),
            "jobs": sorted(name for name in world.job_names() if name),
        }

    def key(self, state: State) -> Hashable:
        return self._keys.key(state)

    def rank(self, state: State) -> Callable[[Lineage], Any]:
        """The lineage itself: an order's is the same in all states."""
        return lambda path: path

    def succeeded(self, state: State) -> bool:
        return self._status(state) == "FINISHED"

    def outcome(self, state: State) -> str | None:
        if self.choices(state):
            return None
        ends = Counter(order.state for order in state.orders.values() if order.parent is None)
        told = ", ".join(f"{number:,} {name}" for name, number in sorted(ends.items()))
        return f"{self._status(state)}: {told or 'no order'}"

    def stuck(self, state: State) -> str | None:
        """Who waits for ever, and for whom, when nothing else can happen."""
        return None if self.choices(state) else waits.tell_waits(self.rules, state) or None

    def _status(self, state: State) -> str:
        if self.choices(state):
            return "RUNNING"
        states = {order.state for order in state.orders.values()}
        if "WaitingForLock" in states or "Forked" in states:
            return "STUCK"
        return "FINISHED" if states <= {"Finished"} else "FAILED"


def _told(order: OrderState) -> dict[str, Any]:
    return {
        "state": order.state,
        "seen": "SUSPENDED" if order.suspended else SHOWN[order.state],
        "workflow": order.workflow,
        "position": list(order.position),
        "suspended": order.suspended,
        "priority": order.priority,
    }


_MOVES: dict[str, Callable[[Draft, OrderState], None]] = {
    "succeed": lambda draft, order: steps.processed(draft, order, True),
    "fail": lambda draft, order: steps.processed(draft, order, False),
    "wake": steps.awake,
    "answer": steps.answered,
}


# How long things take.


def _expected(rules: Rules, state: State, event: ev.ControllerReady, draw: Any) -> Iterator[Timed]:
    for number, id in enumerate(event.orders):
        yield Timed(Choice("arrive", id, (number,)), rules.orders[id].at.total_seconds())


def _again(rules: Rules, state: State, event: ev.OrderDeleted, draw: Any) -> Iterator[Timed]:
    place = state.pending.get(event.order)
    if place is not None:
        yield Timed(Choice("arrive", event.order, place), draw.expovariate(1.0))


def _job(rules: Rules, state: State, event: ev.OrderProcessingStarted, draw: Any) -> Iterator[Timed]:
    order = state.order(event.order)
    if order is None or order.state != "Processing":
        return
    ends = order.ends
    succeeds = bool(ends & 1) and (ends == 1 or draw.random() < 0.5)
    seconds = rules.jobs[event.job].of(event.order).duration.total_seconds()
    yield Timed(Choice("succeed" if succeeds else "fail", order.id, order.place), seconds)


def _wait(rules: Rules, state: State, event: Any, draw: Any) -> Iterator[Timed]:
    order = state.order(event.order)
    if order is not None and event.seconds > 0:
        yield Timed(Choice("wake", order.id, order.place), event.seconds)


def _no_wait(rules: Rules, state: State, event: ev.OrderStateReset, draw: Any) -> Iterator[Timed]:
    order = state.order(event.order)
    if order is not None:
        yield Timed(Choice("wake", order.id, order.place), inf)


def _prompt(rules: Rules, state: State, event: ev.OrderPrompted, draw: Any) -> Iterator[Timed]:
    order = state.order(event.order)
    if order is not None:
        yield Timed(Choice("answer", order.id, order.place), draw.expovariate(0.2))


_CLOCKS: dict[str, Callable[[Rules, State, Any, Any], Iterator[Timed]]] = {
    "ControllerReady": _expected,
    "OrderDeleted": _again,
    "OrderProcessingStarted": _job,
    "OrderRetrying": _wait,
    "OrderSleeping": _wait,
    "OrderStateReset": _no_wait,
    "OrderPrompted": _prompt,
}
