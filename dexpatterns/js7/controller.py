"""Operating the real thing, in a notebook: add orders, answer, cancel, suspend, resume, and let time pass.

After each command everything runs until nothing more happens without a person or the clock. The clock is virtual and
stands still until `advance` moves it: jobs end, delays and sleeps are over in the order of their times, at equal times
in the order in which they were set running. A command that cannot be obeyed raises `InputError` and changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple

from dexpatterns.engine.looking import Shown
from dexpatterns.engine.machine import Choice, Choices
from dexpatterns.engine.run import Run
from dexpatterns.engine.schedule import trace_of
from dexpatterns.engine.trace import Turn
from dexpatterns.engine.values import freeze
from dexpatterns.errors import DexpatternsError, InputError
from dexpatterns.js7 import commands
from dexpatterns.js7.events import OrderEvent
from dexpatterns.js7.fields import suggest
from dexpatterns.js7.machine import Js7Machine
from dexpatterns.js7.retelling import retold
from dexpatterns.js7.scenario import Order, check_time
from dexpatterns.js7.state import SHOWN, OrderState, State

__all__ = ["Controller", "Place", "Standing"]

_MICRO = 1_000_000


class Place(tuple[Any, ...]):
    """A position: a tuple that is shown as the JSON array that it is, and equal to the list of the same parts.

    >>> Place((0, "lock", 1)), Place((0, "lock", 1)) == [0, "lock", 1]
    ([0, "lock", 1], True)
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        return json.dumps(self, ensure_ascii=False)


class Standing(NamedTuple):
    """An order as it stands. `state` is one of J301, `seen` what a user sees of it (J302)."""

    id: str
    workflow: str
    state: str
    position: Place
    suspended: bool
    seen: str
    priority: int
    arguments: dict[str, Any]
    outcome: dict[str, Any]
    """The last one, as JSON."""
    mark: str
    """'cancel', 'suspend' or 'suspend reset', as soon as that can be; '' for nothing."""
    children: tuple[str, ...]


class Controller(Shown):
    """Workflows and locks in a person's hands.

    `items` is what `load` gives or takes, `jobs` a `Jobs` or a dict of `Job` by name, `fair=True` makes the queues
    of locks strict (J227).

    >>> c = Controller([{"TYPE": "Lock", "path": "L"}, {"path": "W", "instructions": [{"TYPE": "Lock",
    ...     "demands": [{"lockPath": "L"}], "lockedWorkflow": {"instructions": [
    ...         {"TYPE": "Prompt", "question": "'go on?'"}]}}]}])
    >>> c.add_order("A", "W").add_order("B", "W").lock("L")["queue"]
    ['B']
    >>> [event.name for event in c.answer("A").events("B")]
    ['OrderAdded', 'OrderStarted', 'OrderLocksQueued', 'OrderLocksAcquired', 'OrderPrompted']
    """

    def __init__(self, items: Any, *, jobs: Any = None, fair: bool = False) -> None:
        self._machine = Js7Machine(items, jobs=jobs, fair=fair)
        self._state: State = self._machine.initial()
        self._turns: list[Turn] = []
        self._added = 0
        self._agenda = _Agenda()

    # --- commands ----------------------------------------------------------------------------------------------------

    def add_order(
        self, id: str, workflow: str, arguments: Mapping[str, Any] | None = None, priority: int = 0,
        delete_when_terminated: bool = False,
    ) -> Controller:  # fmt: skip
        """An order comes to a workflow. Its id has no '|'; a child's is `PARENT|BRANCH`."""
        order = Order(id, workflow, arguments, priority)
        if not isinstance(delete_when_terminated, bool):
            raise InputError(f"order '{id}': expected True or False, got {delete_when_terminated!r}")
        place = (self._added,)
        made = self._machine.add(self._state, order, place, self._seconds, delete=delete_when_terminated)
        self._obey(Choice("arrive", id, place), *made)
        self._added += 1
        return self

    def answer(self, id: str) -> Controller:
        """Answer the question of an order that prompts."""
        return self._command("answer", id, commands.answer, id)

    def cancel(self, *ids: str) -> Controller:
        """Cancel an order, or several at once; a running job or living children are waited for (J231)."""
        return self._command("cancel", ids[0] if ids else "", commands.cancel, ids)

    def suspend(self, id: str, reset_state: bool = False) -> Controller:
        """Let an order stand still; with its locks, and with `reset_state` out of every queue (J232, J233)."""
        return self._command("suspend", id, commands.suspend, id, reset_state)

    def resume(
        self, id: str, position: Sequence[int | str] | None = None, as_succeeded: bool = True,
        history_operations: Iterable[Mapping[str, Any]] = (),
    ) -> Controller:  # fmt: skip
        """Let a suspended, failed or stopped order go on, where it stands or at a position that it may reach (J234).

        `as_succeeded` takes its failure for a success; `history_operations` change its outcomes, such as
        `{"TYPE": "Append", "outcome": {"TYPE": "Succeeded", "namedValues": {...}}}` (J236).
        """
        return self._command("resume", id, commands.resume, id, position, bool(as_succeeded), history_operations)

    def change_priority(self, id: str, priority: int) -> Controller:
        """Give an order another priority; while it waits, it counts from the next release on (J226)."""
        return self._command("prioritize", id, commands.change_priority, id, priority)

    def advance(self, time: timedelta) -> Controller:
        """Let so much time pass, with all that happens in it."""
        check_time("advance", time)
        with self._or_nothing():
            self._pass(self._agenda.now + _micros(time))
        return self

    # --- looking -----------------------------------------------------------------------------------------------------

    @property
    def now(self) -> timedelta:
        """The virtual time since the start."""
        return timedelta(microseconds=self._agenda.now)

    def events(self, id: str | None = None) -> tuple[OrderEvent, ...]:
        """What happened so far, to all orders or to one; each event has `name`, `order` and `data` (J114)."""
        if id is not None:
            self.order(id)
        return tuple([event for event in self._happened() if id is None or event.order == id])

    def order(self, id: str) -> Standing:
        """An order as it stands; one that is gone as it was last. Raises `InputError` with the near ids."""
        # Whatever is no text is the id of none.
        name = str(id)
        found = self._state.order(name)
        if found is None:
            seen = retold(self._happened())
            if name not in seen:
                raise InputError(f"there is no order {id!r}{suggest(name, sorted(seen))}")
            found = seen[name]
        return _standing(found)

    @property
    def orders(self) -> tuple[Standing, ...]:
        """All orders that are there, by id."""
        return tuple(map(_standing, self._state.orders.items()))

    def lock(self, path: str) -> dict[str, Any]:
        """A lock as JSON: `lock`, `acquired`, `queue` (J112). Raises `InputError` with the near names."""
        locks = self._state.locks
        name = str(path)
        if name not in locks.states:
            raise InputError(f"unknown lock {path!r}{suggest(name, locks)}")
        return locks[name].snapshot()

    @property
    def run(self) -> Run:
        """The run so far."""
        orders = freeze([event.data | {"id": event.order} for event in self.events() if event.name == "OrderAdded"])
        return Run(trace_of(self._machine, self._state, (), self._turns, input=orders), machine=self._machine)

    def __repr__(self) -> str:
        orders = self._state.orders
        return f"<Controller: {len(orders)} orders, {len(self._turns)} turns, {self.now} on its clock>"

    # --- inside ------------------------------------------------------------------------------------------------------

    @property
    def _seconds(self) -> float:
        return self._agenda.now / _MICRO

    def _command(self, kind: str, id: str, do: Callable[..., None], *args: Any) -> Controller:
        made = self._machine.command(self._state, self._seconds, do, *args)
        order = self._state.order(id)
        return self._obey(Choice(kind, id, order.place if order is not None else ()), *made)

    def _obey(self, choice: Choice, state: State, events: tuple[Any, ...]) -> Controller:
        """What a command made, and all that follows before any time passes."""
        with self._or_nothing():
            self._happen(choice, state, events)
            self._pass(self._agenda.now)
        return self

    @contextmanager
    def _or_nothing(self) -> Iterator[None]:
        """Either all of it happens, or an error leaves everything as it was."""
        before = self._state, len(self._turns)
        self._agenda.begin()
        try:
            yield
        except DexpatternsError:
            self._state, turns = before
            del self._turns[turns:]
            self._agenda.take_back()
            raise

    def _pass(self, until: int) -> None:
        """Let all happen that is due up to then."""
        moves, time = 0, self._agenda.now
        while (choice := self._agenda.next(until, self._machine.choices(self._state))) is not None:
            moves, time = (moves + 1 if self._agenda.now == time else 0), self._agenda.now
            if moves > MOST_AT_ONCE and moves > 10 * len(self._state.orders):
                raise InputError(
                    f"order '{choice.name}' goes round without end while no time passes; give its job a duration, or "
                    "the Try around it a 'maxTries' or 'retryDelays' above 0"
                )
            self._happen(choice, *self._machine.apply(self._state, choice, self._seconds))
        self._agenda.now = until

    def _happened(self) -> Iterator[Any]:
        return (event for turn in self._turns for event in turn.events)

    def _happen(self, choice: Choice, state: State, events: tuple[Any, ...]) -> None:
        self._state = state
        self._turns.append(Turn(len(self._turns) + 1, self._seconds, choice, events))
        for timed in self._machine.timed(state, events, _Certain()):
            if timed.choice.kind not in _BY_HAND:
                self._agenda.set(timed.choice, timed.seconds)


MOST_AT_ONCE = 20_000
"""More moves than that while no time passes never come to an end."""
_BY_HAND = frozenset(("answer", "arrive"))
"""Choices that a person makes here, at no time that was announced."""


class _Certain:
    """Draws for those who want no chance: what may end either way succeeds."""

    def random(self) -> float:
        return 0.0

    def expovariate(self, _: float) -> float:
        return 0.0


class _Agenda:
    """What the clock brings, in the order of time and then of entry. Times are whole microseconds."""

    def __init__(self) -> None:
        self.now = 0
        self._entries = 0
        self._due: list[tuple[int, int, Choice]] = []
        """A heap of (time, entry, choice)."""
        self._entry: dict[Choice, int] = {}
        """The entry that counts for a choice: a later one stands in the place of an earlier one."""
        self._before: list[tuple[Choice, int | None]] = []
        self._taken: list[tuple[int, int, Choice]] = []
        self._then = 0

    def begin(self) -> None:
        """From here on everything may be taken back."""
        self._before.clear()
        self._taken.clear()
        self._then = self.now

    def take_back(self) -> None:
        """As it was at the beginning."""
        for choice, entry in reversed(self._before):
            self._put(choice, entry)
        for one in self._taken:
            heappush(self._due, one)
        self.now = self._then

    def _put(self, choice: Choice, entry: int | None) -> None:
        if entry is None:
            self._entry.pop(choice, None)
        else:
            self._entry[choice] = entry

    def set(self, choice: Choice, seconds: float) -> None:
        """Let a choice happen after some time; an infinite one takes back what was set."""
        self._before.append((choice, self._entry.get(choice)))
        if seconds == inf:
            self._put(choice, None)
            return
        self._entries += 1
        self._put(choice, self._entries)
        heappush(self._due, (self.now + round(seconds * _MICRO), self._entries, choice))

    def next(self, until: int, choices: Choices) -> Choice | None:
        """Take out the next that is due and possible, and go to its time; what is not possible yet has to wait."""
        found = None
        waiting = []
        while self._due and self._due[0][0] <= until:
            at, entry, choice = one = heappop(self._due)
            if self._entry.get(choice) != entry:
                continue
            if choice in choices:
                self._before.append((choice, entry))
                self._taken.append(one)
                self._put(choice, None)
                self.now = max(self.now, at)
                found = choice
                break
            waiting.append(one)
        for one in waiting:
            heappush(self._due, one)
        return found


def _micros(time: timedelta) -> int:
    return (time.days * 86_400 + time.seconds) * _MICRO + time.microseconds


def _standing(order: OrderState) -> Standing:
    return Standing(
        order.id, order.workflow, order.state, Place(order.position), order.suspended,
        "SUSPENDED" if order.suspended else SHOWN[order.state], order.priority, order.arguments.plain,
        order.outcome.plain, order.mark, tuple([id for _, id in order.children]),
    )  # fmt: skip
