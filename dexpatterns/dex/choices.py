"""Everything that may happen next to a Flow, as a sequence that is counted and not built.

A table of segments says which executions a kind of choice concerns; the tree of executions knows their number and
the k-th of each. The machine gives every choice named here its meaning, and makes no other move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from dexpatterns.dex import locking
from dexpatterns.dex.draft import Rules
from dexpatterns.dex.options import FlowStatus
from dexpatterns.dex.scenario import Invoke
from dexpatterns.dex.settling import group_of
from dexpatterns.dex.state import (
    BEGIN,
    COMMIT,
    FIRE,
    GIVE_UP,
    HIT,
    QUEUED,
    RETRY,
    RETRYING,
    RUNNING,
    WAITING,
    Execution,
    State,
)
from dexpatterns.engine.machine import Choice, Choices, Lineage

__all__ = ["FlowChoices", "name_of"]


def name_of(e: Execution) -> str:
    """Whom a choice moves, in words: `Step.method`, or the name of an RPC."""
    return f"{e.step}.{e.method}" if e.is_step else e.step


class _Segment(NamedTuple):
    """Choices of one kind."""

    size: int
    kth: Callable[[int], Choice]
    all: Callable[[], Iterable[Choice]]


class _Counted(NamedTuple):
    """A kind of choice that the tree of executions counts under `field`."""

    kind: str
    field: int


_TIMED = (_Counted("begin", BEGIN), _Counted("commit", COMMIT), _Counted("give_up", GIVE_UP),
          _Counted("retry", RETRY), _Counted("fire", FIRE))  # fmt: skip
_FAULTS = (_Counted("lose", HIT), _Counted("late", HIT))


class FlowChoices(Choices):
    """The choices of one state: takes alone while Waits are ready (D-15a), else all that the rules allow."""

    __slots__ = ("_len", "_rules", "_segments", "_state", "immediate", "owed", "untimed")

    immediate: int
    untimed: int
    owed: bool
    """Whether something may happen that is sure to: not an event that is not owed, nor the end of late code."""

    def __init__(self, rules: Rules, state: State) -> None:
        self._rules = rules
        self._state = state
        self._segments: list[_Segment] = []
        self.immediate = self.untimed = self._len = 0
        self.owed = False
        if state.status is not FlowStatus.RUNNING:
            return
        if state.ready:
            for key in state.ready:
                self._add(self._takes(state.waits.get(key)[1]))
            self.immediate, self.owed = self._len, True
            return
        if state.lock_groups.count(1):
            self._add(self._locked_begins())
            self.immediate = self._len
        for kind, field in _TIMED:
            if state.executions.count(field):
                self._add(self._counted(kind, field))
        owed, free = self._externals()
        if owed:
            self._add(_listed(owed))
        if state.timeout:
            self._add(_listed([Choice("timeout", rules.spec.name, (1, 0))]))
        self.owed = self._len > 0
        if state.late:
            self._add(self._late_ends())
        timed = self._len
        for (kind, field), left in zip(_FAULTS, state.faults, strict=True):
            if left and state.executions.count(field):
                self._add(self._counted(kind, field))
        if free:
            self._add(_listed(free))
        self.untimed = self._len - timed

    def _add(self, segment: _Segment) -> None:
        self._segments.append(segment)
        self._len += segment.size

    def _counted(self, kind: str, field: int) -> _Segment:
        executions = self._state.executions

        def choice(e: Execution) -> Choice:
            return Choice(kind, name_of(e), e.path)

        return _Segment(
            executions.count(field),
            lambda k: choice(executions.kth(field, k)[1]),
            lambda: map(choice, executions.of(field)),
        )

    def _takes(self, members: Any) -> _Segment:
        executions = self._state.executions

        def choice(path: Lineage) -> Choice:
            return Choice("take", executions.get(path).step, path)

        return _Segment(len(members), lambda k: choice(members.kth(0, k)[1]), lambda: map(choice, members.items()))

    def _locked_begins(self) -> _Segment:
        groups, executions = self._state.lock_groups, self._state.executions

        def choice(path: Lineage) -> Choice:
            return Choice("begin", name_of(executions.get(path)), path)

        def kth(k: int) -> Choice:
            _, (members, _), rest = groups.kth(1, k)
            return choice(members.kth(0, rest)[1])

        return _Segment(
            groups.count(1),
            kth,
            lambda: (choice(path) for members, _ in groups.of(1) for path in members.items()),
        )

    def _late_ends(self) -> _Segment:
        late = self._state.late

        def choice(key: Lineage) -> Choice:
            code = late.get(key)
            return Choice("end", f"{code.step}.{code.method}", key)

        return _Segment(len(late), lambda k: choice(late.kth(0, k)[0]), lambda: [choice(key) for key, _ in late])

    def _externals(self) -> tuple[list[Choice], list[Choice]]:
        """The events of the scenario that may happen now: owed, and not owed (D-26a)."""
        owed: list[Choice] = []
        free: list[Choice] = []
        for place, event in enumerate(self._rules.events):
            if self._may_come(place):
                use = event.times - self._state.externals[place]
                kind = "call" if isinstance(event.what, Invoke) else "stop"
                (owed if event.owed else free).append(Choice(kind, event.name, (2, place, use, 0)))
        return owed, free

    def _may_come(self, place: int) -> bool:
        state, events = self._state, self._rules.events
        event = events[place]
        if not state.externals[place]:
            return False
        if event.seconds is not None and any(
            left and other.seconds is not None and other.seconds < event.seconds
            for left, other in zip(state.externals, events, strict=True)
        ):
            return False
        return locking.free(state, self._rules.spec.rpcs[event.name].locks) if isinstance(event.what, Invoke) else True

    def __len__(self) -> int:
        return self._len

    def __iter__(self) -> Iterator[Choice]:
        for segment in self._segments:
            yield from segment.all()

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return tuple(self)[k]
        k = k + self._len if k < 0 else k
        if k >= 0:
            for segment in self._segments:
                if k < segment.size:
                    return segment.kth(k)
                k -= segment.size
        raise IndexError(k)

    def __contains__(self, choice: object) -> bool:
        if not isinstance(choice, Choice) or not self._len:
            return False
        possible = _POSSIBLE.get(choice.kind)
        if possible is None or (self._state.ready and choice.kind != "take"):
            return False
        return possible(self, choice)

    def __repr__(self) -> str:
        return f"<{self._len} choices>"


def _listed(choices: list[Choice]) -> _Segment:
    return _Segment(len(choices), choices.__getitem__, lambda: choices)


def _is_call(phase: int, bits: int = 0) -> Callable[[FlowChoices, Choice], bool]:
    def possible(choices: FlowChoices, choice: Choice) -> bool:
        e = choices._state.executions.get(choice.path)
        if e is None or e.phase != phase or (bits and not e.ends & bits):
            return False
        return name_of(e) == choice.name

    return possible


def _may_begin(choices: FlowChoices, choice: Choice) -> bool:
    e = choices._state.executions.get(choice.path)
    return (
        e is not None
        and e.phase == QUEUED
        and name_of(e) == choice.name
        and (not e.lockset or locking.free(choices._state, e.lockset))
    )


def _may_take(choices: FlowChoices, choice: Choice) -> bool:
    e = choices._state.executions.get(choice.path)
    return e is not None and e.phase == WAITING and e.step == choice.name and group_of(e) in choices._state.ready


def _may_fire(choices: FlowChoices, choice: Choice) -> bool:
    e = choices._state.executions.get(choice.path)
    return (
        e is not None and e.phase == WAITING and name_of(e) == choice.name and e.fired < len(e.wait.wait.timers)
    )


def _may_hit(budget: int) -> Callable[[FlowChoices, Choice], bool]:
    is_running = _is_call(RUNNING)

    def possible(choices: FlowChoices, choice: Choice) -> bool:
        if not choices._state.faults[budget] or not is_running(choices, choice):
            return False
        e = choices._state.executions.get(choice.path)
        return e.is_step and e.step in choices._rules.hit_steps

    return possible


def _may_come(choices: FlowChoices, choice: Choice) -> bool:
    owed, free = choices._externals()
    return choice in owed or choice in free


def _may_end(choices: FlowChoices, choice: Choice) -> bool:
    code = choices._state.late.get(choice.path)
    return code is not None and f"{code.step}.{code.method}" == choice.name


_POSSIBLE: dict[str, Callable[[FlowChoices, Choice], bool]] = {
    "take": _may_take,
    "begin": _may_begin,
    "commit": _is_call(RUNNING, 1),
    "give_up": _is_call(RUNNING, 2),
    "retry": _is_call(RETRYING),
    "fire": _may_fire,
    "call": _may_come,
    "stop": _may_come,
    "timeout": lambda choices, choice: (
        choices._state.timeout and choice == ("timeout", choices._rules.spec.name, (1, 0))
    ),
    "end": _may_end,
    "lose": _may_hit(0),
    "late": _may_hit(1),
}
"""For each kind, whether a choice of it is among these: the same answer as a walk, without the walk."""
