"""A Flow execution as a value: its executions in lineage order, its Channels, Attributes and locks.

The machine makes a new `State` for every move and changes it only until it is handed out. Everything in it is
shared with the state before where nothing changed. What stands here decides nothing; it says what there is, what
is counted, and what makes two states the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import count
from typing import Any, NamedTuple

from dexpatterns.dex.handlers import Outcome
from dexpatterns.dex.options import FlowStatus
from dexpatterns.dex.rules import CallSpec
from dexpatterns.dex.waiting import WaitPlan
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.queue import EMPTY
from dexpatterns.engine.table import Table
from dexpatterns.engine.tree import FIELD, Tree
from dexpatterns.engine.values import Data

__all__ = [
    "ACTIVE", "BEGIN", "COMMIT", "FIRE", "GIVE_UP", "HIT", "PHASES", "QUEUED", "RETRY", "RETRYING", "RUNNING",
    "WAITING", "Execution", "LateCode", "LaterPlan", "Plan", "State", "call_name", "children_of",
    "running_weight", "weight_of",
]  # fmt: skip

QUEUED, RUNNING, RETRYING, WAITING = range(4)
PHASES = ("queued", "running", "retrying", "waiting")

# The counts that the table of executions keeps: whether something may happen, and how many such moves, is known.
ACTIVE, BEGIN, COMMIT, GIVE_UP, FIRE, RETRY, HIT = range(1, 8)
"""Steps active (D-18); calls that may begin without a lock; attempts that may be saved; attempts that outlive their
method timeout (D-10); Waits with a timer to fire; calls between attempts; attempts that a fault may hit."""


class Plan:
    """What an attempt does, and the plan of the attempts that may follow it.

    All attempts of a call see one snapshot, so what they do is settled when the call begins (D-8).
    """

    __slots__ = ("ends", "outcome", "rest")

    ends: int
    """How this attempt may end, as `Execution.ends`."""
    outcome: Outcome
    """What this attempt does."""
    rest: Plan | None
    """The attempts that may follow; None when there can be none."""

    def __init__(self, ends: int, outcome: Outcome, rest: Plan | None) -> None:
        self.ends = ends
        self.outcome = outcome
        self.rest = rest

    def __iter__(self) -> Iterator[Outcome]:
        plan: Plan | None = self
        while plan is not None:
            yield plan.outcome
            plan = plan.rest


class LaterPlan(Plan):
    """The plan of an attempt that may yet come, and runs when somebody looks at what it does.

    So a run makes no attempt that does not happen in it (D-29), and a search, which compares states, makes them all.
    """

    __slots__ = ("_look",)

    def __init__(self, look: Callable[[], Plan]) -> None:
        self._look = look

    def __getattr__(self, name: str) -> Any:
        """Fill the slots when one of them is first asked for, and let go of the snapshot."""
        if name not in Plan.__slots__:
            raise AttributeError(name)
        made = self._look()
        self.ends, self.outcome, self.rest = made.ends, made.outcome, made.rest
        del self._look
        return getattr(self, name)


class Execution:
    """One execution of a Step, or one call of an RPC or of the timeout handler, from start to end."""

    __slots__ = (
        "attempt", "call", "ends", "first_at", "fired", "ident", "input", "parent", "path", "phase", "plan", "recovery",
        "step", "taken", "wait", "wait_failed", "weight",
    )  # fmt: skip

    path: Lineage
    parent: Lineage
    """Whose result started it; executions with the same parent are siblings (D-21)."""
    step: str
    input: Data
    recovery: tuple[str, str] | None
    call: CallSpec
    """What holds for its call: the one that is queued, that runs, or whose Wait was saved."""
    phase: int
    attempt: int
    plan: Plan | None
    """What this attempt and those that may follow it will do; of a call that has not begun, None."""
    ends: int
    """Of a running attempt, bits: 1 it may be saved, 2 it may outlive its method timeout."""
    first_at: float
    wait: WaitPlan | None
    fired: int
    taken: tuple[tuple[str, tuple[Data, ...]], ...]
    wait_failed: bool
    weight: int
    ident: int | None
    """The number of this local state in one machine's searches; made when first asked for."""

    def evolve(self) -> Execution:
        """A copy to be changed before it is handed out."""
        new = Execution.__new__(Execution)
        new.path = self.path
        new.parent = self.parent
        new.step = self.step
        new.input = self.input
        new.recovery = self.recovery
        new.call = self.call
        new.phase = self.phase
        new.attempt = self.attempt
        new.plan = self.plan
        new.ends = self.ends
        new.first_at = self.first_at
        new.wait = self.wait
        new.fired = self.fired
        new.taken = self.taken
        new.wait_failed = self.wait_failed
        new.ident = None
        return new

    @classmethod
    def start(
        cls, path: Lineage, parent: Lineage, step: str, input: Data, call: CallSpec,
        recovery: tuple[str, str] | None = None,
    ) -> Execution:  # fmt: skip
        """One that was just started, its first call queued."""
        new = cls.__new__(cls)
        new.path = path
        new.parent = parent
        new.step = step
        new.input = input
        new.recovery = recovery
        new.wait = new.ident = None
        new.fired = 0
        new.first_at = 0.0
        new.taken = ()
        new.wait_failed = False
        new.queue(call)
        return new

    def queue(self, call: CallSpec) -> None:
        """Let this call be its next."""
        self.call = call
        self.phase = QUEUED
        self.attempt = 1
        self.plan = None
        self.ends = 0
        # A call that needs locks is counted by its group (`locking`).
        self.weight = weight_of(call.is_step) if call.locks else weight_of(call.is_step, BEGIN)

    def content(self) -> tuple[Any, ...]:
        """Everything that its future depends on, but for who it is.

        `first_at` is left out: it was told when the call began and stands in the plan wherever a handler used it.
        """
        return (
            self.step, self.input, self.call.options, self.recovery, self.call.method, self.phase, self.attempt,
            tuple([outcome.effect for outcome in self.plan or ()]), self.ends, self.wait, self.fired, self.taken,
            self.wait_failed,
        )  # fmt: skip


@lru_cache(maxsize=4096)
def call_name(step: str, method: str) -> str:
    """A call of a Step in words; one text for all its executions, since every turn of a trace keeps one."""
    return f"{step}.{method}"


class LateCode(NamedTuple):
    """Code of an attempt that was given up or cancelled and still runs (D-10)."""

    path: Lineage
    step: str
    method: str
    attempt: int

    @property
    def key(self) -> Lineage:
        """Its place in `State.late`: beside others of the same execution, by method and attempt."""
        return (*self.path, self.method == "execute", self.attempt)

    @property
    def place(self) -> Lineage:
        """What names it in a choice, beside its name."""
        return (*self.path, self.attempt)

    @property
    def name(self) -> str:
        return call_name(self.step, self.method)


# Positional alone: a call by keyword costs the cache much more, and every move asks.


@cache
def weight_of(is_step: bool, *fields: int) -> int:
    """The counts of an execution: itself, whether it is a Step that is active, and one in each of these fields."""
    return sum(1 << field * FIELD for field in (0, *[ACTIVE] * is_step, *fields))


@cache
def running_weight(is_step: bool, ends: int, hit: bool) -> int:
    """The counts of a running attempt: how it may end (`Execution.ends`), and whether a fault may hit it."""
    counted = {COMMIT: ends & 1, GIVE_UP: ends & 2, HIT: hit}
    return weight_of(is_step, *[field for field, counts in counted.items() if counts])


def _group_weight(group: Any) -> int:
    """The weight of a group of executions that wait for the same locks: its members count while it may begin."""
    members, held = group
    return 1 + (len(members) << FIELD if not held else 0)


class State:
    """The state of one Flow execution."""

    __slots__ = (
        "attributes", "channels", "executions", "externals", "faults", "graceful", "late", "lock_groups", "lock_index",
        "locks", "outputs", "ready", "reason", "status", "timeout", "waits", "waits_on",
    )  # fmt: skip

    status: FlowStatus
    reason: str
    outputs: tuple[Data, ...]
    graceful: bool
    """A graceful completion was asked for (D-18)."""
    executions: Table
    """path -> Execution."""
    channels: Table
    """entry name -> Queue."""
    attributes: Table
    """entry name -> Data."""
    waits: Table
    """(first channel, plan key, fired timers) -> (WaitPlan, Tree of paths): all who wait alike."""
    waits_on: Table
    """Channel -> the keys of the groups in `waits` that wait for it."""
    ready: tuple[tuple[str, str, int], ...]
    """The groups in `waits` whose members are ready, when there is more than one such member (D-15a)."""
    locks: Table
    """lock -> path of the holder."""
    lock_groups: Tree
    """lock set -> (Tree of the paths queued for it, how many of its locks are held)."""
    lock_index: Table
    """lock -> the lock sets in `lock_groups` that it is in."""
    late: Tree
    """`LateCode.key` -> LateCode."""
    externals: tuple[int, ...]
    """For each event of the scenario, how often it may still happen."""
    faults: tuple[int, int]
    """Lost and late attempts still to be spent."""
    timeout: bool
    """The Flow timeout is still to come."""

    def draft(self) -> State:
        """A copy to be changed before it is handed out."""
        new = State.__new__(State)
        new.status = self.status
        new.reason = self.reason
        new.outputs = self.outputs
        new.graceful = self.graceful
        new.executions = self.executions
        new.channels = self.channels
        new.attributes = self.attributes
        new.waits = self.waits
        new.waits_on = self.waits_on
        new.ready = self.ready
        new.locks = self.locks
        new.lock_groups = self.lock_groups
        new.lock_index = self.lock_index
        new.late = self.late
        new.externals = self.externals
        new.faults = self.faults
        new.timeout = self.timeout
        return new

    @classmethod
    def empty(cls, externals: tuple[int, ...], faults: tuple[int, int], timeout: bool) -> State:
        new = cls.__new__(cls)
        new.status, new.reason, new.outputs, new.graceful = FlowStatus.RUNNING, "", (), False
        new.executions = Table(weighted=True)
        new.lock_groups = Tree(_group_weight)
        new.channels = new.attributes = new.waits = new.waits_on = new.locks = new.lock_index = Table()
        new.late = Tree()
        new.ready = ()
        new.externals, new.faults, new.timeout = externals, faults, timeout
        return new

    def content(self) -> tuple[Any, ...]:
        """Everything that tells this state from another, lineages by their names."""
        return (
            self.status, self.reason, self.outputs, self.graceful,
            tuple((e.path, e.parent, e.content()) for e in self.executions.items()),
            tuple((name, queue.whole) for name, queue in self.channels if queue),
            tuple(self.attributes), tuple(self.late.items()), self.externals, self.faults, self.timeout,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, State) and self.content() == other.content())

    def __hash__(self) -> int:
        return hash(self.content())

    def __repr__(self) -> str:
        return f"<State of a Flow: {self.status.name}, {len(self.executions)} executions>"

    def size_of(self, channel: str) -> int:
        """How many messages lie in a Channel."""
        size: int = self.channels.get(channel, EMPTY).size
        return size

    def sibling_labels(self) -> tuple[int, ...]:
        """For each execution the place of the first one with the same parent: who is whose sibling, without names."""
        first: dict[Lineage, int] = {}
        return tuple(map(first.setdefault, [e.parent for e in self.executions.items()], count()))


def children_of(path: Lineage, n: int) -> tuple[Lineage, ...]:
    """The lineages of the n executions that one result of `path` starts; they stand where `path` stood (D-24).

    A lineage is turns and places in alternation: a single child is the next turn of the same place, so that a loop
    does not grow it.
    """
    place, turn = path[:-1], path[-1] + 1
    if n == 1:
        return ((*place, turn),)
    return tuple([(*place, turn, j, 0) for j in range(n)])
