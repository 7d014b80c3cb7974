"""Where everything stands after a turn of a run, folded over its events: who is where, what lies in which Channel.

`moment(trace, at)` agrees with the machine's own description of that state in everything that the events tell. It
takes no machine and runs no handler, so that a loaded run is shown as well as a fresh one. A fold that is kept goes
from turn to turn at the cost of what changed. Of JS7 orders a moment is an `OrdersMoment` (`js7_moment`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from dexpatterns.dex.sections import SectionLike
from dexpatterns.dex.watch import Ledger
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.trace import Trace
from dexpatterns.engine.values import Data
from dexpatterns.errors import InputError
from dexpatterns.views.texts import check_turn

__all__ = ["Fold", "Late", "Message", "Moment", "Standing", "describe", "moment", "moments", "turn_of"]


class Standing(NamedTuple):
    """An execution of a Step that lives, or a call of an RPC or of the timeout handler that is under way."""

    path: Lineage
    step: str
    method: str
    """'' while it is queued and has not begun: its events do not say yet whether it waits first."""
    phase: str
    """'queued', 'running', 'retrying' (between two attempts) or 'waiting'."""
    attempt: int
    input: Data | None
    """None of a call: its events do not say."""
    wait: str = ""
    """What it waits for, in words."""
    channels: tuple[str, ...] = ()
    """The Channels that it waits for."""


class Message(NamedTuple):
    """A message in a Channel, and whose result published it."""

    value: Data
    by: Lineage


class Late(NamedTuple):
    """Code of an attempt that was given up or cancelled and runs on (D-10)."""

    path: Lineage
    step: str
    method: str
    attempt: int


class Moment(NamedTuple):
    """The state after turn `turn`; nothing in it is changed by what happens later."""

    turn: int
    time: float | None
    status: str
    reason: str
    outputs: tuple[Data, ...]
    attributes: Mapping[str, Data]
    channels: Mapping[str, tuple[Message, ...]]
    """Those that hold messages; an entry of a map is `name/key`."""
    steps: tuple[Standing, ...]
    """In lineage order, as are `calls`."""
    calls: tuple[Standing, ...]
    late: tuple[Late, ...]
    locks: Mapping[str, Lineage]
    """Attribute locks, and who holds them (D-20)."""
    held: Mapping[Lineage, tuple[str, ...]]
    """Who holds tokens: for each token the Channel that it came from."""
    inside: Mapping[str, tuple[tuple[Lineage, ...], ...]]
    """By section: the branches inside, each as its executions in a Step of the section."""


def moment(
    trace: Trace, at: int | None = None, sections: Iterable[SectionLike] = (), tokens: Iterable[str] = ()
) -> Any:
    """The state after turn `at`: 0 is the start, None the last turn; raises `InputError` for one that there is not."""
    at = turn_of(trace, at)
    fold = Fold.of(trace, sections, tokens)
    for turn in islice(trace.turns, at):
        fold.apply(turn.events, turn.number, turn.time)
    return fold.moment()


def moments(trace: Trace, sections: Iterable[SectionLike] = (), tokens: Iterable[str] = ()) -> Iterator[Any]:
    """The states after turn 0, 1, 2, ..., in one pass."""
    fold = Fold.of(trace, sections, tokens)
    yield fold.moment()
    for turn in trace.turns:
        fold.apply(turn.events, turn.number, turn.time)
        yield fold.moment()


def turn_of(trace: Trace, at: int | None) -> int:
    """The number of the turn that is meant, None being the last one; raises `InputError`."""
    return len(trace.turns) if at is None else check_turn(at, len(trace.turns))


def describe(at: Moment) -> dict[str, Any]:
    """The moment as plain data, in the shape of `Machine.describe`."""
    return {
        "status": at.status,
        "reason": at.reason,
        "outputs": [value.plain for value in at.outputs],
        "attributes": {name: value.plain for name, value in at.attributes.items()},
        "channels": {name: [message.value.plain for message in queue] for name, queue in at.channels.items()},
        "steps": [_told(one) for one in at.steps],
        "calls": [_told(one) for one in at.calls],
        "late": [{**code._asdict(), "id": _id(code.path), "path": None} for code in at.late],
        "locks": {name: _id(path) for name, path in at.locks.items()},
    }


def _told(one: Standing) -> dict[str, Any]:
    return {
        "id": _id(one.path),
        "step": one.step,
        "method": one.method,
        "phase": one.phase,
        "attempt": one.attempt,
        "input": None if one.input is None else one.input.plain,
    }


def _id(path: Lineage) -> str:
    return ".".join(map(str, path))


class _Held:
    """The tokens that executions hold: from the consumption to the commit that publishes them back.

    A result that starts Steps hands them to the first one; what ends otherwise loses them. The name of a ChannelMap
    stands for all its entries.
    """

    def __init__(self, channels: Iterable[str]) -> None:
        self.channels = frozenset(channels)
        self.by: dict[Lineage, list[str]] = {}
        self.ending: list[Lineage] = []
        self.heirs: dict[Lineage, Lineage] = {}

    def take(self, path: Lineage, channel: str, n: int) -> None:
        if n and (channel in self.channels or channel.partition("/")[0] in self.channels):
            self.by.setdefault(path, []).extend([channel] * n)

    def give(self, path: Lineage, channel: str, n: int = 1) -> None:
        held = self.by.get(path, [])
        for _ in range(min(n, held.count(channel))):
            held.remove(channel)

    def settle(self) -> None:
        for path in self.ending:
            tokens = self.by.pop(path, ())
            if path in self.heirs and tokens:
                self.by.setdefault(self.heirs[path], []).extend(tokens)
        self.ending.clear()
        self.heirs.clear()


class Fold:
    """The books of a run, kept turn by turn."""

    def __init__(self, sections: Iterable[SectionLike] = (), tokens: Iterable[str] = ()) -> None:
        self.turn = 0
        self.time: float | None = None
        self.status = "RUNNING"
        self.reason = ""
        self.outputs: tuple[Data, ...] = ()
        self.attributes: dict[str, Data] = {}
        self.channels: dict[str, deque[Message]] = {}
        self.living: dict[Lineage, Standing] = {}
        self.calls: dict[Lineage, Standing] = {}
        self.late: list[Late] = []
        self.locks: dict[str, Lineage] = {}
        self.held = _Held(tokens)
        self._ledgers = {section.name: Ledger(frozenset(section.steps)) for section in sections}
        self._took: dict[Lineage, dict[str, deque[Message]]] = {}

    @classmethod
    def of(cls, trace: Trace, sections: Iterable[SectionLike] = (), tokens: Iterable[str] = ()) -> Any:
        """The books of this run after its start, `Fold` or another machine's with the same `apply` and `moment`.

        Raises `InputError` for a machine whose events are not known.
        """
        made = _FOLDS.get(trace.machine)
        if made is None:
            raise InputError(f"a run of machine {trace.machine!r} cannot be shown; expected one of {sorted(_FOLDS)}")
        fold = made(trace, sections, tokens)
        fold.apply(trace.started, 0, None if not trace.turns or trace.turns[0].time is None else 0.0)
        return fold

    def apply(self, events: Iterable[Any], turn: int, time: float | None) -> None:
        """Take in the events of one turn."""
        events = tuple(events)
        self.turn, self.time = turn, time
        for event in events:
            rule = _RULES.get(event.kind)
            if rule is not None:
                rule(self, event)
        self.held.settle()
        for ledger in self._ledgers.values():
            ledger.apply(events)

    def moment(self) -> Moment:
        return Moment(
            self.turn, self.time, self.status, self.reason, self.outputs,
            dict(sorted(self.attributes.items())),
            {name: tuple(queue) for name, queue in sorted(self.channels.items()) if queue},
            tuple([one for _, one in sorted(self.living.items())]),
            tuple([one for _, one in sorted(self.calls.items())]),
            tuple(sorted(self.late)),
            dict(sorted(self.locks.items())),
            {path: tuple(tokens) for path, tokens in sorted(self.held.by.items()) if tokens},
            {name: _inside(ledger) for name, ledger in self._ledgers.items()},
        )  # fmt: skip

    # Executions.

    def started(self, event: Any) -> None:
        self.held.heirs.setdefault(event.parent, event.path)
        self.living[event.path] = Standing(event.path, event.step, "", "queued", 1, event.input)

    def began(self, event: Any) -> None:
        kept = self.living if event.method in ("execute", "wait_for") else self.calls
        before = kept.get(event.path)
        kept[event.path] = Standing(
            event.path, event.step, event.method, "running", event.attempt, before.input if before else None
        )
        self.locks.update(dict.fromkeys(event.locks, event.path))

    def saved(self, event: Any) -> None:
        self._release(event.path)
        if event.method == "wait_for":
            self._change(event.path, phase="waiting", attempt=1)
        else:
            self._end(event.path)

    def waits(self, event: Any) -> None:
        self._change(event.path, wait=event.wait, channels=event.channels)

    def failed(self, event: Any) -> None:
        if event.how == "late":
            self.late.append(Late(event.path, event.step, event.method, event.attempt))
        if event.then == "retry":
            self._change(event.path, phase="retrying", attempt=event.attempt + 1)
            return
        self._release(event.path)
        if event.then == "proceed":
            self._change(event.path, phase="queued", method="execute", attempt=1)
        elif event.then != "flow_failed":  # else the close that follows ends it
            self._end(event.path)

    def cancelled(self, event: Any) -> None:
        one = self.living.get(event.path)
        if event.phase == "running" and one is not None:
            self.late.append(Late(event.path, event.step, event.method, one.attempt))
        self._release(event.path)
        self._end(event.path)

    def late_ended(self, event: Any) -> None:
        self.late = [code for code in self.late if code != tuple(event)]

    def closed(self, event: Any) -> None:
        self.status, self.reason = event.status, event.reason
        self.outputs = event.outputs if event.status == "COMPLETED" else ()
        for books in (self.living, self.calls, self.locks, self._took, self.held.by):
            books.clear()
        self.late.clear()

    def _change(self, path: Lineage, **fields: Any) -> None:
        if path in self.living:
            self.living[path] = self.living[path]._replace(**fields)

    def _end(self, path: Lineage) -> None:
        self.living.pop(path, None)
        self.calls.pop(path, None)
        self.held.ending.append(path)

    def _release(self, path: Lineage) -> None:
        for lock in [lock for lock, holder in self.locks.items() if holder == path]:
            del self.locks[lock]

    # Channels and Attributes.

    def published(self, event: Any) -> None:
        self.channels.setdefault(event.channel, deque()).append(Message(event.value, event.path))
        self.held.give(event.path, event.channel)

    def consumed(self, event: Any) -> None:
        for channel, values in event.taken:
            queue = self.channels.setdefault(channel, deque())
            # A trace without its beginning may take what it never saw published.
            taken = deque(queue.popleft() if queue else Message(value, ()) for value in values)
            self._took.setdefault(event.path, {})[channel] = taken
            self.held.take(event.path, channel, len(values))
        self._change(event.path, phase="queued", method="execute", attempt=1, wait="", channels=())

    def returned(self, event: Any) -> None:
        taken = self._took.get(event.path, {}).pop(event.channel, None)
        messages = taken or [Message(value, event.path) for value in event.values]
        self.channels.setdefault(event.channel, deque()).extendleft(reversed(messages))
        self.held.give(event.path, event.channel, len(event.values))

    def written(self, event: Any) -> None:
        if event.new is None:
            self.attributes.pop(event.name, None)
        else:
            self.attributes[event.name] = event.new


def _inside(ledger: Ledger) -> tuple[tuple[Lineage, ...], ...]:
    branches: dict[int, list[Lineage]] = {}
    for member in sorted(ledger.members.values()):
        if member.inside:
            branches.setdefault(member.branch, []).append(member.path)
    return tuple(tuple(paths) for paths in branches.values())


_RULES: Mapping[str, Callable[[Fold, Any], None]] = {
    "step_started": Fold.started,
    "began": Fold.began,
    "saved": Fold.saved,
    "waiting": Fold.waits,
    "failed": Fold.failed,
    "cancelled": Fold.cancelled,
    "late_ended": Fold.late_ended,
    "closed": Fold.closed,
    "published": Fold.published,
    "wait_completed": Fold.consumed,
    "returned": Fold.returned,
    "attribute_changed": Fold.written,
}


def _orders(trace: Trace, sections: Iterable[SectionLike], tokens: Iterable[str]) -> Any:
    from dexpatterns.views.js7_moment import OrdersFold

    return OrdersFold(trace)


_FOLDS: Mapping[str, Callable[[Trace, Iterable[SectionLike], Iterable[str]], Any]] = {
    "dex": lambda trace, sections, tokens: Fold(sections, tokens),
    "js7": _orders,
}
"""How each machine's events are kept; another machine brings its own."""
