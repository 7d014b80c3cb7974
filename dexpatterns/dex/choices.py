"""Everything that may happen next to a Flow, as a sequence that is counted and not built.

Each kind of choice is a segment: which executions it concerns. `State.executions` knows their number and the k-th of
them. The machine gives every choice named here its meaning, and makes no other move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from dexpatterns.dex import locking
from dexpatterns.dex.options import FlowStatus
from dexpatterns.dex.rules import Rules
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
    LateCode,
    State,
)
from dexpatterns.engine.machine import Choice, Choices, Lineage
from dexpatterns.engine.tree import FIELD, MASK
from dexpatterns.engine.values import new

__all__ = ["CALLS", "FlowChoices", "is_possible", "late_code"]

_METHODS = ("wait_for", "execute")
_LEAST = 1 << BEGIN * FIELD
"""The least weight of executions among which one has a choice of its own."""
_RUNNING = FlowStatus.RUNNING
CALLS = 2
"""The lineages of RPC calls begin with it: after the start's, and the timeout handler's (D-24)."""


class _Segment(NamedTuple):
    """Choices of one kind."""

    size: int
    kth: Callable[[int], Choice]
    all: Callable[[], Iterable[Choice]]


class _Counted(NamedTuple):
    """A kind of choice that `State.executions` counts under `field`."""

    kind: str
    field: int


_TIMED = (_Counted("begin", BEGIN), _Counted("commit", COMMIT), _Counted("give_up", GIVE_UP),
          _Counted("retry", RETRY), _Counted("fire", FIRE))  # fmt: skip
_FAULTS = (_Counted("lose", HIT), _Counted("late", HIT))


class FlowChoices(Choices):
    """The choices of one state: takes alone while Waits are ready (D-15a), else all that the rules allow."""

    __slots__ = ("_built", "_rules", "_state", "immediate", "untimed", "urgent")

    # Asked of every state of a run, so they are no properties.
    urgent: bool
    immediate: int
    untimed: int

    def __init__(self, rules: Rules, state: State) -> None:
        self._rules = rules
        self._state = state
        self._built: _Segments | None = None
        self.untimed = 0
        if state.ready:
            self.urgent = True
            self.immediate = self._segments.size
        else:
            self.urgent = False
            self.immediate = state.lock_groups.count(1) if state.lock_groups.weight else 0
            if rules.events or state.faults != (0, 0):
                self.untimed = self._segments.untimed

    @property
    def owed(self) -> bool:
        return self._segments.owed

    @property
    def _segments(self) -> _Segments:
        if self._built is None:
            self._built = _Segments(self._rules, self._state)
        return self._built

    def __bool__(self) -> bool:
        state = self._state
        # Anything that is counted beyond the executions and the active Steps is a choice.
        return state.executions.weight >= _LEAST or state.ready != () or len(self) > 0

    def __len__(self) -> int:
        return self._segments.size

    def __iter__(self) -> Iterator[Choice]:
        for segment in self._segments.kinds:
            yield from segment.all()

    def __getitem__(self, k: Any) -> Any:
        size = len(self)
        if isinstance(k, slice):
            return tuple(self[i] for i in range(*k.indices(size)))
        k = k + size if k < 0 else k
        if k >= 0:
            for segment_size, kth, _ in self._segments.kinds:
                if k < segment_size:
                    return kth(k)
                k -= segment_size
        raise IndexError(k)

    def __contains__(self, choice: object) -> bool:
        if not isinstance(choice, Choice):
            return False
        return is_possible(self._rules, self._state, choice, self._state.executions.get(choice.path))

    def __repr__(self) -> str:
        return f"<{len(self)} choices>"


class _Segments:
    """All that may happen in a state, kind by kind, and how much it is."""

    __slots__ = ("_rules", "_state", "kinds", "owed", "size", "untimed")

    owed: bool
    """Whether something may happen that is sure to: not an event that is not owed, nor the end of late code."""

    def __init__(self, rules: Rules, state: State) -> None:
        self._rules = rules
        self._state = state
        self.kinds: list[_Segment] = []
        self.untimed = self.size = 0
        self.owed = False
        if state.status is not _RUNNING:
            return
        if state.ready:
            for key in state.ready:
                self._add(self._takes(state.waits.get(key)[1]))
            self.owed = True
            return
        if state.lock_groups.count(1):
            self._add(self._locked_begins())
        weight = state.executions.weight
        for kind, field in _TIMED:
            if weight >> field * FIELD & MASK:
                self._add(self._counted(kind, field))
        owed, free = external_choices(rules, state)
        if owed:
            self._add(_listed(owed))
        if state.timeout:
            self._add(_listed([Choice("timeout", rules.spec.name, (1, 0))]))
        self.owed = self.size > 0
        if state.late:
            self._add(self._late_ends())
        timed = self.size
        for (kind, field), left in zip(_FAULTS, state.faults, strict=True):
            if left and weight >> field * FIELD & MASK:
                self._add(self._counted(kind, field))
        if free:
            self._add(_listed(free))
        self.untimed = self.size - timed

    def _add(self, segment: _Segment) -> None:
        self.kinds.append(segment)
        self.size += segment.size

    def _counted(self, kind: str, field: int) -> _Segment:
        executions = self._state.executions

        def choice(e: Execution) -> Choice:
            return new(Choice, (kind, e.call.name, e.path))

        return _Segment(
            executions.count(field),
            lambda k: choice(executions.kth(field, k)),
            lambda: map(choice, executions.of(field)),
        )

    def _takes(self, members: Any) -> _Segment:
        executions = self._state.executions

        def choice(path: Lineage) -> Choice:
            return new(Choice, ("take", executions.get(path).step, path))

        return _Segment(len(members), lambda k: choice(members.kth(0, k)[1]), lambda: map(choice, members.items()))

    def _locked_begins(self) -> _Segment:
        groups, executions = self._state.lock_groups, self._state.executions

        def choice(path: Lineage) -> Choice:
            return Choice("begin", executions.get(path).call.name, path)

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

        def choice(code: LateCode) -> Choice:
            return Choice("end", code.name, code.place)

        return _Segment(len(late), lambda k: choice(late.kth(0, k)[1]), lambda: map(choice, late.values()))


def external_choices(rules: Rules, state: State) -> tuple[list[Choice], list[Choice]]:
    """The events of the scenario that may happen now: owed, and not owed (D-26a)."""
    owed: list[Choice] = []
    free: list[Choice] = []
    for place, event in enumerate(rules.events):
        if _may_come(rules, state, place):
            use = event.times - state.externals[place]
            (owed if event.owed else free).append(Choice(event.kind, event.name, (CALLS, place, use, 0)))
    return owed, free


def _may_come(rules: Rules, state: State, place: int) -> bool:
    event = rules.events[place]
    if not state.externals[place]:
        return False
    if event.seconds is not None and any(
        left and other.seconds is not None and other.seconds < event.seconds
        for left, other in zip(state.externals, rules.events, strict=True)
    ):
        return False
    return event.kind == "stop" or locking.free(state, rules.spec.rpcs[event.name].locks)


def _listed(choices: list[Choice]) -> _Segment:
    return _Segment(len(choices), choices.__getitem__, lambda: choices)


def late_code(state: State, choice: Choice) -> LateCode | None:
    """The code whose end this choice is."""
    for code in (LateCode(choice.path[:-1], "", method, choice.path[-1]) for method in _METHODS if choice.path):
        found: LateCode | None = state.late.get(code.key)
        if found is not None and found.name == choice.name:
            return found
    return None


Test = Callable[[Rules, State, Choice, Any], bool]


def is_possible(rules: Rules, state: State, choice: Choice, e: Execution | None) -> bool:
    """Whether this is among the choices of the state: the same answer as a walk, without the walk.

    `e` is the execution that stands at the choice's path.
    """
    kind, name, _ = choice
    if state.status is not _RUNNING or (state.ready and kind != "take"):
        return False
    phase = _OF_CALLS.get(kind)
    if phase is not None and (e is None or e.phase != phase or e.call.name != name):
        return False
    test = _POSSIBLE.get(kind)
    return phase is not None if test is None else test(rules, state, choice, e)


_OF_CALLS = {
    "begin": QUEUED, "commit": RUNNING, "give_up": RUNNING, "lose": RUNNING, "late": RUNNING, "retry": RETRYING,
    "fire": WAITING,
}  # fmt: skip
"""In which phase an execution must be for a choice of this kind, which bears its name."""


def _may_take(rules: Rules, state: State, choice: Choice, e: Any) -> bool:
    return e is not None and e.phase == WAITING and e.step == choice.name and group_of(e) in state.ready


def _may_fire(rules: Rules, state: State, choice: Choice, e: Any) -> bool:
    return bool(e.fired < len(e.wait.wait.timers))


def _may_hit(budget: int) -> Test:
    return lambda rules, state, choice, e: state.faults[budget] > 0 and e.call.may_be_hit


def _may_come_now(rules: Rules, state: State, choice: Choice, e: Any) -> bool:
    owed, free = external_choices(rules, state)
    return choice in owed or choice in free


def _may_end(rules: Rules, state: State, choice: Choice, e: Any) -> bool:
    return late_code(state, choice) is not None


def _may_time_out(rules: Rules, state: State, choice: Choice, e: Any) -> bool:
    return state.timeout and choice == ("timeout", rules.spec.name, (1, 0))


_POSSIBLE: dict[str, Test] = {
    "take": _may_take,
    "begin": lambda rules, state, choice, e: not e.call.locks or locking.free(state, e.call.locks),
    "commit": lambda rules, state, choice, e: e.ends & 1 != 0,
    "give_up": lambda rules, state, choice, e: e.ends & 2 != 0,
    "fire": _may_fire,
    "call": _may_come_now,
    "stop": _may_come_now,
    "timeout": _may_time_out,
    "end": _may_end,
    "lose": _may_hit(0),
    "late": _may_hit(1),
}
