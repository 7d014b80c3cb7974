"""What an explorer remembers about sections and tokens: small values, folded over events one move at a time.

`SectionWatch` knows who is inside a section, `TokenWatch` who holds the tokens of a Channel. A state is immutable
and hashable, and holds living executions alone, so that it cannot grow with the length of a run. This module knows
no machine, no property and no label.

Rules of being inside:

1. In: the begin of the first `execute` attempt of a section Step, or the commit that starts one section Step out of
   another (its `wait_for` is inside then too).
2. Everything that descends from one entry is one branch.
3. Out: the move after which no descendant of the entry is in a section Step. A failed attempt that is tried again
   is no way out (D-11). Coming back later is a new entry.
4. Code of `execute` that runs on after it was given up or cancelled (D-10) is late: kept apart, under its branch.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, Protocol

from dexpatterns.dex.events import (
    Began,
    Cancelled,
    Closed,
    Consumed,
    Failed,
    LateEnded,
    Published,
    Returned,
    Saved,
    Stepped,
)
from dexpatterns.engine.machine import Event, Lineage

__all__ = [
    "Change", "Fault", "Inside", "Late", "Ledger", "Member", "SectionLike", "SectionWatch", "TokenWatch", "Tokens",
]  # fmt: skip

Rank = Callable[[Lineage], Any]
"""Gives each living lineage a sortable stand-in, such as its place among the living."""


class SectionLike(Protocol):
    """What is read of a section: `dex.Section`, or what a saved run kept of one."""

    @property
    def name(self) -> str: ...
    @property
    def steps(self) -> tuple[str, ...]: ...
    @property
    def label(self) -> Callable[[Any], str] | None: ...


class Member(NamedTuple):
    """A living execution of an open branch; `inside` tells whether it is in a section Step itself."""

    path: Lineage
    branch: int
    inside: bool


class Late(NamedTuple):
    """Code that runs on. `attempt` is 0 when it was cancelled, since a cancellation does not count attempts."""

    path: Lineage
    attempt: int
    branch: int


class Inside(NamedTuple):
    """The state of a `SectionWatch`: sorted, branches numbered by first appearance."""

    members: tuple[Member, ...] = ()
    late: tuple[Late, ...] = ()


class Change(NamedTuple):
    """What a move did to a section: `what` is 'enters', 'joins', 'ends', 'leaves', 'late' or 'late_ended'.

    `how` is the outcome of what ended: 'left', 'failed', 'cancelled' or 'closed'; of late code its attempt.
    """

    what: str
    branch: int
    path: Lineage
    step: str
    how: Any = ""


class Ledger:
    """The rules of being inside, on books that may be written in; a whole trace costs one `apply` a turn."""

    __slots__ = ("_changes", "_ending", "_inside", "_kin", "_next", "late", "members", "steps")

    def __init__(self, steps: frozenset[str], state: Inside = Inside()) -> None:  # noqa: B008  # immutable
        self.steps = steps
        self.members = {member.path: member for member in state.members}
        self.late = list(state.late)
        known = [member.branch for member in state.members] + [late.branch for late in state.late]
        self._next = 1 + max(known, default=0)
        self._kin: dict[int, set[Lineage]] = {}
        self._inside: dict[int, int] = {}
        for member in state.members:
            self._kin.setdefault(member.branch, set()).add(member.path)
            self._inside[member.branch] = self._inside.get(member.branch, 0) + member.inside
        self._ending: dict[Lineage, tuple[str, str]] = {}
        self._changes: list[Change] = []

    def apply(self, events: Iterable[Event]) -> list[Change]:
        """Take in the events of one move; branches leave at its end, not in its middle."""
        self._changes = []
        for event in events:
            rule = _SECTION_RULES.get(event.kind)
            if rule is not None:
                rule(self, event)
        if self._ending:
            self._settle()
        return self._changes

    def state(self) -> Inside:
        return _numbered(sorted(self.members.values()), sorted(self.late))

    def _admit(self, path: Lineage, branch: int, inside: bool) -> None:
        self.members[path] = Member(path, branch, inside)
        self._kin.setdefault(branch, set()).add(path)
        self._inside[branch] = self._inside.get(branch, 0) + inside

    def _began(self, event: Began) -> None:
        if event.method != "execute" or event.step not in self.steps:
            return
        member = self.members.get(event.path)
        if member is None:
            branch = self._next
            self._next += 1
            self._admit(event.path, branch, True)
            self._changes.append(Change("enters", branch, event.path, event.step))
        elif not member.inside:
            self._admit(event.path, member.branch, True)
            self._changes.append(Change("joins", member.branch, event.path, event.step))

    def _stepped(self, event: Stepped) -> None:
        parent = self.members.get(event.parent)
        if parent is None:
            return
        inside = parent.inside and event.by in self.steps and event.step in self.steps
        self._admit(event.path, parent.branch, inside)
        if inside:
            self._changes.append(Change("joins", parent.branch, event.path, event.step))

    def _saved(self, event: Saved) -> None:
        if event.method == "execute":
            self._end(event.path, event.step, "left")

    def _failed(self, event: Failed) -> None:
        if event.how == "late" and event.method == "execute":
            self._runs_on(event.path, event.step, event.attempt)
        if event.then in ("route", "flow_failed"):
            self._end(event.path, event.step, "failed")

    def _cancelled(self, event: Cancelled) -> None:
        if event.phase == "running" and event.method == "execute":
            self._runs_on(event.path, event.step, 0)
        self._end(event.path, event.step, "cancelled")

    def _runs_on(self, path: Lineage, step: str, attempt: int) -> None:
        member = self.members.get(path)
        if member is not None and step in self.steps:
            self.late.append(Late(path, attempt, member.branch))
            self._changes.append(Change("late", member.branch, path, step, attempt))

    def _late_ended(self, event: LateEnded) -> None:
        if event.method != "execute":
            return
        for attempt in (event.attempt, 0):
            for late in self.late:
                if late.path == event.path and late.attempt == attempt:
                    self.late.remove(late)
                    self._changes.append(Change("late_ended", late.branch, late.path, event.step, attempt))
                    return

    def _closed(self, _: Closed) -> None:
        for path in self.members:
            self._end(path, "", "closed")
        # Nothing runs on in the state of a closed Flow (D-10).
        self._changes += [Change("late_ended", late.branch, late.path, "", late.attempt) for late in self.late]
        self.late.clear()

    def _end(self, path: Lineage, step: str, how: str) -> None:
        if path in self.members:
            self._ending.setdefault(path, (step, how))

    def _settle(self) -> None:
        last: dict[int, Change] = {}
        for path, (step, how) in self._ending.items():
            member = self.members.pop(path)
            self._kin[member.branch].discard(path)
            if member.inside:
                self._inside[member.branch] -= 1
                change = Change("ends", member.branch, path, step, how)
                self._changes.append(change)
                last.setdefault(member.branch, change)
        for branch, change in last.items():
            if not self._inside[branch]:
                for path in self._kin.pop(branch):
                    del self.members[path]
                del self._inside[branch]
                self._changes.append(change._replace(what="leaves"))
        self._ending = {}


_SECTION_RULES: dict[str, Callable[[Ledger, Any], None]] = {
    "began": Ledger._began,
    "step_started": Ledger._stepped,
    "saved": Ledger._saved,
    "failed": Ledger._failed,
    "cancelled": Ledger._cancelled,
    "late_ended": Ledger._late_ended,
    "closed": Ledger._closed,
}


def _numbered(members: Iterable[Any], late: Iterable[Any]) -> Inside:
    """Both given in their order; equal branches get equal numbers, counted from 1 by first appearance."""
    numbers: dict[int, int] = {}

    def number(branch: int) -> int:
        return numbers.setdefault(branch, len(numbers) + 1)

    return Inside(
        tuple([Member(path, number(branch), inside) for path, branch, inside in members]),
        tuple([Late(path, attempt, number(branch)) for path, attempt, branch in late]),
    )


class SectionWatch:
    """Who is inside a section, folded over events."""

    __slots__ = ("_steps", "section")

    def __init__(self, section: SectionLike) -> None:
        self.section = section
        self._steps = frozenset(section.steps)

    def initial(self) -> Inside:
        return Inside()

    def step(self, state: Inside, events: Iterable[Event]) -> Inside:
        """The state after the events of one move; the very same object when they do not concern the section."""
        events = tuple(events)
        if not any(self._concerns(state, event) for event in events):
            return state
        ledger = Ledger(self._steps, state)
        ledger.apply(events)
        new = ledger.state()
        return state if new == state else new

    def inside(self, state: Inside, late: bool = False) -> tuple[tuple[Lineage, ...], ...]:
        """The branches inside, each as its executions in a section Step; `late` adds code that runs on.

        Late code belongs to its branch: beside another attempt of its own it is no second branch.
        """
        branches: dict[int, list[Lineage]] = {}
        for member in state.members:
            if member.inside:
                branches.setdefault(member.branch, []).append(member.path)
        if late:
            for one in state.late:
                branches.setdefault(one.branch, []).append(one.path)
        return tuple(tuple(paths) for paths in branches.values())

    def key(self, state: Inside, rank: Rank) -> Hashable:
        """Equal for two states that differ only in the names of lineages."""
        members = sorted((rank(path), branch, inside) for path, branch, inside in state.members)
        late = sorted((rank(path), attempt, branch) for path, attempt, branch in state.late)
        return _numbered(members, late)

    def _concerns(self, state: Inside, event: Any) -> bool:
        if event.kind == "began":
            return event.method == "execute" and event.step in self._steps
        return event.kind in _SECTION_RULES and (state.members != () or state.late != ())


class Fault(NamedTuple):
    """How a Channel's tokens stopped being conserved: the first time, for it does not heal."""

    kind: str
    """'lost' or 'doubled'."""
    path: Lineage
    """Who did it: the execution that left without giving back, or that published one too many."""
    step: str
    how: str
    """'saved', 'cancelled' or 'failed' (lost), 'published' (doubled)."""
    holders: tuple[Lineage, ...]
    """Who held tokens of this Channel when the move was over, once per token."""
    queued: int
    """Messages in the Channel when the move was over."""


class Tokens(NamedTuple):
    """The state of a `TokenWatch`."""

    queued: int = 0
    held: tuple[tuple[Lineage, int], ...] = ()
    established: bool = False
    closed: bool = False
    fault: Fault | None = None


class TokenWatch:
    """Whether the tokens of a Channel are conserved while the Flow is open, folded over events.

    Held plus queued must make `count` from the first state in which `count` exist; more is a fault at any time. An
    execution holds from consumption (D-17) until the commit that publishes back; if it starts Steps instead, the
    first inherits, as the Step of a failure route does (D-12). Messages returned by a cancellation (D-24) are queued.
    """

    __slots__ = ("channel", "count")

    def __init__(self, channel: Any, count: int = 1) -> None:
        self.channel: str = channel if isinstance(channel, str) else channel.name
        self.count = count

    def initial(self) -> Tokens:
        return Tokens()

    def fault(self, state: Tokens) -> Fault | None:
        return state.fault

    def key(self, state: Tokens, rank: Rank) -> Hashable:
        """Equal for two states that differ only in the names of lineages; who is to blame does not count."""
        held = tuple(sorted((rank(path), n) for path, n in state.held))
        return state.queued, held, state.established, state.closed, state.fault and state.fault.kind

    def step(self, state: Tokens, events: Iterable[Event]) -> Tokens:
        """The state after the events of one move; the very same object when they do not concern the Channel."""
        if state.closed or state.fault is not None:
            return state
        move = _TokenMove(self.channel, state)
        for event in events:
            rule = _TOKEN_RULES.get(event.kind)
            if rule is not None:
                rule(move, event)
        return move.settle(self.count) if move.touched else state


class _TokenMove:
    """One move, as far as it concerns the tokens of a Channel."""

    __slots__ = ("channel", "closed", "ending", "heirs", "held", "publisher", "queued", "state", "touched")

    def __init__(self, channel: str, state: Tokens) -> None:
        self.channel = channel
        self.state = state
        self.held = dict(state.held)
        self.queued = state.queued
        self.ending: dict[Lineage, tuple[str, str]] = {}
        self.heirs: dict[Lineage, Lineage] = {}
        self.publisher: tuple[Lineage, str] = ((), "")
        self.closed = False
        self.touched = False

    def _give_up(self, path: Lineage, n: int) -> None:
        left = self.held.get(path, 0) - n
        if left > 0:
            self.held[path] = left
        else:
            self.held.pop(path, None)

    def published(self, event: Published) -> None:
        if event.channel == self.channel:
            self.touched = True
            self.queued += 1
            if event.path not in self.held:
                self.publisher = (event.path, event.step)
            self._give_up(event.path, 1)

    def consumed(self, event: Consumed) -> None:
        n = sum(len(messages) for channel, messages in event.taken if channel == self.channel)
        if n:
            self.touched = True
            self.queued -= n
            self.held[event.path] = self.held.get(event.path, 0) + n

    def returned(self, event: Returned) -> None:
        if event.channel == self.channel:
            self.touched = True
            self.queued += len(event.values)
            self._give_up(event.path, len(event.values))

    def stepped(self, event: Stepped) -> None:
        self.heirs.setdefault(event.parent, event.path)

    def saved(self, event: Saved) -> None:
        if event.method == "execute":
            self._end(event.path, event.step, "saved")

    def failed(self, event: Failed) -> None:
        if event.then in ("route", "flow_failed"):
            self._end(event.path, event.step, "failed")

    def cancelled(self, event: Cancelled) -> None:
        self._end(event.path, event.step, "cancelled")

    def flow_closed(self, _: Closed) -> None:
        self.closed = self.touched = True

    def _end(self, path: Lineage, step: str, how: str) -> None:
        if path in self.held:
            self.touched = True
            self.ending[path] = (step, how)

    def settle(self, count: int) -> Tokens:
        loser: tuple[Lineage, str, str] | None = None
        for path, (step, how) in self.ending.items():
            n = self.held.pop(path, 0)
            if not n:
                continue
            heir = self.heirs.get(path)
            if heir is not None:
                self.held[heir] = self.held.get(heir, 0) + n
            else:
                loser = loser or (path, step, how)
        total = self.queued + sum(self.held.values())
        established = self.state.established or total >= count
        fault: Fault | None = None
        holders = tuple([path for path, n in sorted(self.held.items()) for _ in range(n)])
        if total > count:
            fault = Fault("doubled", *self.publisher, "published", holders, self.queued)
        elif total < count and established and not self.closed:
            fault = Fault("lost", *(loser or ((), "", "saved")), holders, self.queued)
        if self.closed:
            return Tokens(self.queued, (), established, True, fault)
        return Tokens(self.queued, tuple(sorted(self.held.items())), established, False, fault)


_TOKEN_RULES: dict[str, Callable[[_TokenMove, Any], None]] = {
    "published": _TokenMove.published,
    "wait_completed": _TokenMove.consumed,
    "returned": _TokenMove.returned,
    "step_started": _TokenMove.stepped,
    "saved": _TokenMove.saved,
    "failed": _TokenMove.failed,
    "cancelled": _TokenMove.cancelled,
    "closed": _TokenMove.flow_closed,
}
