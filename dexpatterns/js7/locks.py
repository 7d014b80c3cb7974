"""What a resource lock is at one moment, and what acquiring, queueing and releasing make of it: values only.

RULES:

1. `LockState` is one lock: who holds it, with which weight, and who queues (J201-J208). `Locks` is all of them: it
   makes an instruction with several demands all or nothing (J211-J214) and says who comes next (J221-J227).
2. Every function returns a new value, or a `Refusal` and then nothing has changed. Nothing is raised.
3. Two values are equal when holders, weights and queues are; how they came about does not matter.

A waiter that cannot be granted is not looked at again and again: waiters with equal demands stand in one line, and
when the first of a line does not fit, none of it does. (The rule itself looks at each; a test compares the two.)
This module knows no workflow, no position, no event and no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple

from dexpatterns.engine.tree import Tree
from dexpatterns.js7.instructions import Demand, Lock

__all__ = ["LockState", "Locks", "Refusal", "Waiter", "ancestors"]


class Refusal(NamedTuple):
    """Why something was not done. `waits` tells whether another order's release can change that."""

    text: str
    waits: bool = False


class Waiter(NamedTuple):
    """An order that queues, with all demands of its Lock instruction and its priority of this moment."""

    order: str
    demands: tuple[Demand, ...] = ()
    priority: int = 0


def ancestors(order: str) -> tuple[str, ...]:
    """The orders that this one was forked from, the nearest first.

    >>> ancestors("A|x|y")
    ('A|x', 'A')
    """
    parts = order.split("|")
    return tuple("|".join(parts[:n]) for n in range(len(parts) - 1, 0, -1))


_NOBODY: Tree = Tree()


class LockState:
    """One lock: available, held exclusively, or held in shares; and its queue.

    >>> state = LockState(Lock("L", 3)).acquire("A", 2)
    >>> state.snapshot()["acquired"]
    {'TYPE': 'NonExclusive', 'orderToCount': {'A': 2}}
    >>> state.acquire("B", 2)
    Refusal(text='Lock:L: count=2 plus alreadyAcquired=2 would exceed limit=3', waits=True)
    """

    __slots__ = ("_hash", "exclusive", "lines", "lock", "shares", "tickets", "used", "waiting")

    lock: Lock
    exclusive: str | None
    """The order that holds the lock for itself alone."""
    used: int
    """The sum of the weights held in shares."""

    def __init__(self, lock: Lock, acquired: str | Mapping[str, int] | None = None, queue: Iterable[str] = ()) -> None:
        """`acquired` is the order that holds the lock exclusively, or the weight of each that shares it.

        Those in `queue` wait for all of it.
        """
        self.lock = lock
        self.exclusive = acquired if isinstance(acquired, str) else None
        self.shares = _NOBODY
        self.used = 0
        for order, count in ({} if acquired is None or isinstance(acquired, str) else acquired).items():
            self.shares = self.shares.set(order, count)
            self.used += count
        # ticket -> Waiter in order of arrival; order -> ticket; (weight here, demands) -> _Line.
        self.waiting = self.tickets = self.lines = _NOBODY
        for order in queue:
            self._push(Waiter(order, (Demand(lock.path),)))
        self._hash: int | None = None

    # --- looking -----------------------------------------------------------------------------------------------------

    @property
    def queue(self) -> tuple[str, ...]:
        """The waiting orders, first come first."""
        return tuple(waiter.order for waiter in self.waiting.items())

    @property
    def holders(self) -> dict[str, int | None]:
        """Order to weight, sorted; None is exclusive."""
        return {self.exclusive: None} if self.exclusive is not None else dict(self.shares)

    def held_by(self, order: str) -> bool:
        return self.exclusive == order or order in self.shares

    def queued(self, order: str) -> bool:
        return order in self.tickets

    def refusal(self, order: str, count: int | None) -> Refusal | None:
        """Why the order cannot take the lock now; None when it can (J201, J202)."""
        lock = self.lock
        if count is not None and count < 1:
            return Refusal(f"{lock}: Invalid count={count} requested")
        if self.held_by(order):
            return Refusal(f"{lock} has already been acquired by this order")
        if self.exclusive is not None or (count is None and self.shares):
            return Refusal(f"{lock} is in use", waits=True)
        if count is not None and self.used + count > lock.limit:
            text = f"{lock}: count={count} plus alreadyAcquired={self.used} would exceed limit={lock.limit}"
            return Refusal(text, waits=True)
        return None

    def snapshot(self) -> dict[str, Any]:
        """The lock as JSON (J112)."""
        if self.exclusive is not None:
            acquired: dict[str, Any] = {"TYPE": "Exclusive", "orderId": self.exclusive}
        elif self.shares:
            acquired = {"TYPE": "NonExclusive", "orderToCount": dict(self.shares)}
        else:
            acquired = {"TYPE": "Available"}
        lock = {"path": self.lock.path, "limit": self.lock.limit}
        return {"lock": lock, "acquired": acquired, "queue": list(self.queue)}

    @property
    def _value(self) -> tuple[Any, ...]:
        return self.lock, self.exclusive, tuple(self.shares), self.waiting.items()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, LockState) and self._value == other._value)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self._value)
        return self._hash

    def __repr__(self) -> str:
        return f"LockState({self.lock!r}, {self.holders}, queue={list(self.queue)})"

    # --- changing ----------------------------------------------------------------------------------------------------

    def acquire(self, order: str, count: int | None = None) -> LockState | Refusal:
        """With the lock held by the order, which leaves the queue; `count` None is exclusive (J201)."""
        refused = self.refusal(order, count)
        if refused is not None:
            return refused
        made = self._copy()
        if count is None:
            made.exclusive = order
        else:
            made.shares = self.shares.set(order, count)
            made.used = self.used + count
        made._drop(order)
        return made

    def enqueue(self, order: str, count: int | None = None, waiter: Waiter | None = None) -> LockState | Refusal:
        """With the order at the tail of the queue, whether or not it would fit (J203, J204, J212, J221)."""
        lock = self.lock
        if count is not None and count > lock.limit:
            return Refusal(f"Cannot fulfill lock count={count} with {lock} limit={lock.limit}")
        if self.held_by(order):
            return Refusal(f"{lock} has already been acquired by this order")
        if self.queued(order):
            return Refusal(f"Order:{order} already queues for {lock}")
        for parent in ancestors(order):
            if self.held_by(parent):
                return Refusal(f"{lock} has already been acquired by parent Order:{parent}")
        made = self._copy()
        made._push(waiter or Waiter(order, (Demand(lock.path, count),)))
        return made

    def release(self, order: str) -> LockState | Refusal:
        """Without the order's hold."""
        if not self.held_by(order):
            return Refusal(f"{self.lock} has not been acquired by this order")
        made = self._copy()
        if self.exclusive == order:
            made.exclusive = None
        else:
            made.used = self.used - self.shares.get(order)
            made.shares = self.shares.remove(order)
        return made

    def dequeue(self, order: str) -> LockState | Refusal:
        """Without the order in the queue."""
        if not self.queued(order):
            return Refusal(f"Order:{order} does not queue for {self.lock}")
        made = self._copy()
        made._drop(order)
        return made

    def prioritize(self, order: str, priority: int) -> LockState | Refusal:
        """With another priority of a waiting order, which keeps its place in the queue (J226)."""
        if not self.queued(order):
            return Refusal(f"Order:{order} does not queue for {self.lock}")
        made = self._copy()
        ticket = self.tickets.get(order)
        old = self.waiting.get(ticket)
        new = old._replace(priority=priority)
        made.waiting = self.waiting.set(ticket, new)
        made._leave_line(old, ticket)
        made._join_line(new, ticket)
        return made

    def _copy(self) -> LockState:
        made = object.__new__(LockState)
        made.lock, made.exclusive, made.shares, made.used = self.lock, self.exclusive, self.shares, self.used
        made.waiting, made.tickets, made.lines = self.waiting, self.tickets, self.lines
        made._hash = None
        return made

    # The four below change a state that nobody has seen yet.

    def _push(self, waiter: Waiter) -> None:
        # Counted on from the last in the queue, so that an empty queue starts anew.
        ticket = self.waiting.kth(0, len(self.waiting) - 1)[0] + 1 if self.waiting else 0
        self.waiting = self.waiting.set(ticket, waiter)
        self.tickets = self.tickets.set(waiter.order, ticket)
        self._join_line(waiter, ticket)

    def _drop(self, order: str) -> None:
        ticket = self.tickets.get(order)
        if ticket is not None:
            self._leave_line(self.waiting.get(ticket), ticket)
            self.tickets = self.tickets.remove(order)
            self.waiting = self.waiting.remove(ticket)

    def _join_line(self, waiter: Waiter, ticket: int) -> None:
        key = self._key(waiter)
        line: _Line = self.lines.get(key) or _Line(waiter.demands, _NOBODY)
        self.lines = self.lines.set(key, line._replace(places=line.places.set((-waiter.priority, ticket), waiter)))

    def _leave_line(self, waiter: Waiter, ticket: int) -> None:
        key = self._key(waiter)
        line: _Line = self.lines.get(key)
        places = line.places.remove((-waiter.priority, ticket))
        self.lines = self.lines.set(key, line._replace(places=places)) if places else self.lines.remove(key)

    def _key(self, waiter: Waiter) -> tuple[Any, ...]:
        """Which line the waiter stands in: lines of less weight come first, those for all of the lock last."""
        kind = tuple([(demand.lock, demand.weight or 0) for demand in waiter.demands])
        here = next((weight for path, weight in kind if path == self.lock.path), 0)
        return here or inf, kind

    def lines_with_room(self) -> Iterator[_Line]:
        """The lines that this lock has room for."""
        if self.exclusive is not None:
            return
        room = self.lock.limit - self.used
        for (weight, _), line in self.lines:
            if weight > room:
                break
            yield line
        if not self.shares:
            for _, line in self.lines.from_key((inf,)):
                yield line


class _Line(NamedTuple):
    """Waiters with equal demands: when the first does not fit, none does. By priority, then in queue order."""

    demands: tuple[Demand, ...]
    places: Tree
    """(-priority, ticket) to Waiter."""

    def next(self, after: tuple[float, int] = (-inf, 0)) -> tuple[tuple[float, int], Waiter] | None:
        """The first place behind this one, and who stands there."""
        priority, ticket = after
        return next(self.places.from_key((priority, ticket + 1)), None)


class Locks:
    """All locks at one moment. With `fair` nobody is granted past an order that came before him (J227).

    >>> locks = Locks([Lock("A", 3), Lock("B", 1)])
    >>> locks, granted = locks.request("X", (Demand("A"), Demand("B")))
    >>> granted, locks.request("Y", (Demand("A", 4),))
    (True, Refusal(text='Cannot fulfill lock count=4 with Lock:A limit=3', waits=False))
    """

    __slots__ = ("fair", "states")

    def __init__(self, locks: Iterable[Lock], fair: bool = False) -> None:
        self.fair = fair
        self.states: Mapping[str, LockState] = {lock.path: LockState(lock) for lock in sorted(locks)}

    def __getitem__(self, path: str) -> LockState:
        return self.states[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self.states)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Locks) and self.fair == other.fair and self.states == other.states

    def __hash__(self) -> int:
        return hash((self.fair, *self.states.values()))

    def snapshot(self) -> list[dict[str, Any]]:
        """Every lock as JSON, by path (J112)."""
        return [state.snapshot() for state in self.states.values()]

    def _with(self, changed: Mapping[str, LockState]) -> Locks:
        made = object.__new__(Locks)
        made.fair, made.states = self.fair, {**self.states, **changed}
        return made

    def _each(self, demands: Iterable[Demand], change: Callable[[LockState, Demand], Any]) -> Locks | Refusal:
        """Change every demanded lock, or none."""
        changed: dict[str, LockState] = {}
        for demand in demands:
            state = self.states.get(demand.lock)
            made = Refusal(f"unknown lock '{demand.lock}'") if state is None else change(state, demand)
            if isinstance(made, Refusal):
                return made
            changed[demand.lock] = made
        return self._with(changed)

    # --- one order ---------------------------------------------------------------------------------------------------

    def refusal(self, order: str, demands: Iterable[Demand]) -> Refusal | None:
        """Why the order cannot take all of this now; None when it can. What never can be goes before what may."""
        waits: Refusal | None = None
        for demand in demands:
            state = self.states.get(demand.lock)
            if state is None:
                return Refusal(f"unknown lock '{demand.lock}'")
            refused = state.refusal(order, demand.weight)
            if refused is None and self.fair and self._before(state, order):
                refused = Refusal(f"Order:{order} has to wait its turn for {state.lock}", waits=True)
            if refused is not None and not refused.waits:
                return refused
            waits = waits or refused
        return waits

    @staticmethod
    def _before(state: LockState, order: str) -> bool:
        """Whether somebody else is first in the queue."""
        return bool(state.waiting) and state.waiting.kth(0, 0)[1].order != order

    def request(self, order: str, demands: tuple[Demand, ...], priority: int = 0) -> tuple[Locks, bool] | Refusal:
        """The order comes to a Lock instruction: it gets all locks (True) or queues for all of them (False).

        A `Refusal` is a failure of the order: it can never get them (J202-J204).
        """
        refused = self.refusal(order, demands)
        made = self.acquire(order, demands) if refused is None else refused
        if isinstance(made, Refusal) and made.waits:
            made = self.enqueue(order, demands, priority)
        return made if isinstance(made, Refusal) else (made, refused is None)

    def acquire(self, order: str, demands: tuple[Demand, ...]) -> Locks | Refusal:
        """With all demands held by the order, which leaves the queues; a `Refusal` when one does not fit (J211)."""
        refused = self.refusal(order, demands)
        return refused or self._each(demands, lambda state, demand: state.acquire(order, demand.weight))

    def enqueue(self, order: str, demands: tuple[Demand, ...], priority: int = 0) -> Locks | Refusal:
        """With the order at the tail of every demanded lock's queue, the free ones too (J212)."""
        waiter = Waiter(order, demands, priority)
        return self._each(demands, lambda state, demand: state.enqueue(order, demand.weight, waiter))

    def release(self, order: str, paths: Iterable[str]) -> Locks | Refusal:
        """Without the order's hold on these locks; who comes next is a question of its own (`sweep`)."""
        return self._each((Demand(path) for path in paths), lambda state, _: state.release(order))

    def dequeue(self, order: str, paths: Iterable[str]) -> Locks | Refusal:
        """Without the order in these queues: it was cancelled, or suspended with its state reset (J221)."""
        return self._each((Demand(path) for path in paths), lambda state, _: state.dequeue(order))

    def prioritize(self, order: str, paths: Iterable[str], priority: int) -> Locks | Refusal:
        """With another priority of an order that waits for these locks (J226)."""
        return self._each((Demand(path) for path in paths), lambda state, _: state.prioritize(order, priority))

    # --- who comes next ----------------------------------------------------------------------------------------------

    def sweep(self, paths: Iterable[str], above: int | None = None) -> tuple[Locks, tuple[Waiter, ...]]:
        """After a release of these locks: everybody who fits takes his, one after the other (J222, J223).

        `above` sweeps only those of a higher priority: they come before the order that released (J225). Looks at one
        waiter of each line, not at each waiter.
        """
        if self.fair:
            return self._sweep_fairly()
        todo: list[tuple[float, int, int, Waiter, _Line]] = []

        def enter(number: int, line: _Line, found: tuple[tuple[float, int], Waiter] | None) -> None:
            if found is not None and (above is None or -found[0][0] > above):
                heappush(todo, (found[0][0], number, found[0][1], found[1], line))

        for number, path in enumerate(paths):
            for line in self.states[path].lines_with_room():
                if self._have_room(line.demands):
                    enter(number, line, line.next())
        locks: Locks = self
        granted: list[Waiter] = []
        while todo:
            priority, number, ticket, waiter, line = heappop(todo)
            if locks.states[waiter.demands[0].lock].queued(waiter.order):
                made = locks.acquire(waiter.order, waiter.demands) if locks._have_room(waiter.demands) else None
                if not isinstance(made, Locks):
                    continue  # nor does anybody behind fit: in a sweep the locks only fill up
                locks = made
                granted.append(waiter)
            enter(number, line, line.next((priority, ticket)))
        return locks, tuple(granted)

    def _have_room(self, demands: tuple[Demand, ...]) -> bool:
        """Whether these demands fit, whoever asks; a quick look before the one that says why not."""
        for path, weight in demands:
            state = self.states[path]
            if state.exclusive is not None:
                return False
            if state.shares if weight is None else state.used + weight > state.lock.limit:
                return False
        return True

    def _sweep_fairly(self) -> tuple[Locks, tuple[Waiter, ...]]:
        """Look at the head of every queue: who left one may have stood in the way of others elsewhere (J227)."""
        locks = self
        granted: list[Waiter] = []
        while True:
            heads = (state.waiting.kth(0, 0)[1] for state in locks.states.values() if state.waiting)
            waiter = next((head for head in heads if locks.refusal(head.order, head.demands) is None), None)
            if waiter is None:
                return locks, tuple(granted)
            made = locks.acquire(waiter.order, waiter.demands)
            assert isinstance(made, Locks)
            locks = made
            granted.append(waiter)
