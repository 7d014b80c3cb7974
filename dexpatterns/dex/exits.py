"""How a token leaves its holder: a fold over events that names each way out of a section and what became of it.

A way out is taken by whoever holds the token: it gives it back, hands it on to a Step that will, or loses it. What
happens later to a token handed on (by a failure route, say) still belongs to the way that was taken. Nothing is
judged here but the one move; which ways there could be is `audit`'s to list.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

from dexpatterns.dex import events as ev
from dexpatterns.dex.scenario import Section
from dexpatterns.dex.watch import Tokens, TokenWatch
from dexpatterns.engine.machine import Event, Lineage
from dexpatterns.engine.properties import Property, Rank, View

__all__ = ["CANCELLED_HANDOFF", "CANCELLED_INSIDE", "EARLY", "FAILURE", "NORMAL", "WAIT_FAILURE", "Exit", "ExitWatch"]

NORMAL = "normal"
FAILURE = "execute failure"
WAIT_FAILURE = "wait_for failure"
EARLY = "early exit"
CANCELLED_HANDOFF = "handoff cancelled"
CANCELLED_INSIDE = "cancelled inside"
UNHELD = "published without holding it"


class Exit(NamedTuple):
    """One way out, taken. `verdict` is 'returned', 'lost', 'doubled' or 'not needed' (the Flow closed)."""

    way: str
    step: str
    verdict: str


class _Memory(NamedTuple):
    tokens: Tokens
    pending: tuple[tuple[Lineage, str, str], ...] = ()
    """Holders that have left already, by which way and Step, and have not given the token back yet."""
    last: frozenset[Exit] = frozenset()
    """The ways out that the last move took."""


class ExitWatch(Property):
    """Notes every way out that any run takes; breaks at the `wanted` one, so that a search finds a shortest way."""

    name = "ways out"

    def __init__(self, section: Section, token: str, count: int, wanted: Exit | None = None) -> None:
        self.section = frozenset(section.steps)
        self.final = section.steps[-1]
        self.wanted = wanted
        self.seen: set[Exit] = set()
        self.handoffs: set[str] = set()
        """The Steps outside the section that were seen to take the token."""
        self.dropped: set[tuple[str, str, str]] = set()
        """(who started it, Step, where its failure route led) for options that dropped the route (D-12)."""
        self._watch = TokenWatch(token, count)
        self._token = token

    def initial(self) -> Hashable:
        return _Memory(self._watch.initial())

    def key(self, memory: _Memory, rank: Rank) -> Hashable:
        pending = tuple(sorted((rank(path), way, step) for path, way, step in memory.pending))
        return self._watch.key(memory.tokens, rank), pending, memory.last

    def fault(self, memory: _Memory, view: View) -> str | None:
        self.seen |= memory.last
        return "taken" if self.wanted in memory.last else None

    def step(self, memory: _Memory, events: tuple[Event, ...]) -> _Memory:
        before = memory.tokens
        tokens = self._watch.step(before, events)
        if tokens is before and not memory.last and not any(e.kind in _TELLING for e in events):
            return memory
        if before.closed or before.fault is not None:
            return memory._replace(last=frozenset())
        move = _Move(self, memory, tokens, events)
        new = _Memory(tokens, tuple(sorted(move.pending)), frozenset(move.exits))
        return memory if new == memory else new


_FORCED = ("force_complete", "force_fail", "force_complete_if_channels_empty")


def _closing(decision: str) -> str:
    return f"closing: {decision if decision in _FORCED else 'completes'}"


_TELLING = frozenset(("failed", "cancelled", "closed", "wait_completed", "step_started"))


class _Move:
    """The holders before and after one move, and what made of the one the other."""

    def __init__(self, watch: ExitWatch, memory: _Memory, tokens: Tokens, events: Iterable[Event]) -> None:
        self.watch = watch
        self.tokens = tokens
        self.before = {path: (way, step) for path, way, step in memory.pending}
        self.pending: list[tuple[Lineage, str, str]] = []
        self.exits: list[Exit] = []
        self.closing = ""
        self.ended: dict[Lineage, Any] = {}
        self.heir: dict[Lineage, ev.Stepped] = {}
        self.taken: dict[Lineage, str] = {}
        for event in events:
            self._note(event)
        held = dict(tokens.held)
        for path, _ in memory.tokens.held:
            if path not in held or path in self.ended:
                self._left(path, held)
            elif path in self.before:
                self.pending.append((path, *self.before[path]))
        if self.closing:
            way, step = self.closing_way
            self.exits.append(Exit(way, step, "not needed"))
        elif tokens.fault is not None and not any(one.verdict == tokens.fault.kind for one in self.exits):
            self.exits.append(Exit(UNHELD, tokens.fault.step, tokens.fault.kind))

    closing_way: tuple[str, str] = ("", "")

    def _note(self, event: Any) -> None:
        kind = event.kind
        if kind == "saved" and event.method == "execute":
            self.ended[event.path] = event
            self.closing_way = (_closing(event.decision), event.step if event.decision in _FORCED else "")
        elif kind == "failed" and event.then in ("route", "flow_failed"):
            self.ended[event.path] = event
            self.closing_way = (FAILURE if event.method == "execute" else WAIT_FAILURE, event.step)
        elif kind == "cancelled" or (kind == "failed" and event.then == "proceed"):
            self.ended[event.path] = event
        elif kind == "step_started":
            self.heir.setdefault(event.parent, event)
            if event.dropped_route:
                self.watch.dropped.add((event.by, event.step, event.dropped_route))
        elif kind == "wait_completed" and any(name == self.watch._token for name, _ in event.taken):
            if event.step not in self.watch.section:
                self.watch.handoffs.add(event.step)
        elif kind == "stop":
            self.closing_way = (f"closing: stop {event.type}", "")
        elif kind == "flow_timeout":
            self.closing_way = (f"closing: timeout {event.policy}", "")
        elif kind == "closed":
            self.closing = event.status

    def _left(self, path: Lineage, held: dict[Lineage, int]) -> None:
        """A holder ended or went on otherwise: find the way, and who has the token now."""
        event: Any = self.ended.get(path)
        heir: Any = self.heir.get(path)
        holder = path if path in held else heir.path if heir is not None and heir.path in held else None
        known = self.before.get(path)
        if holder is None:
            if not self.closing:
                fault = self.tokens.fault
                way, step = known or self._way(event)
                self.exits.append(Exit(way, step, "returned" if fault is None else fault.kind))
        elif known:
            self.pending.append((holder, *known))
        elif event.kind == "failed" or (event.step in self.watch.section and heir.step not in self.watch.section):
            self.pending.append((holder, *self._way(event)))

    def _way(self, event: Any) -> tuple[str, str]:
        watch = self.watch
        if event is None:
            return EARLY, ""
        if event.kind == "failed":
            return (FAILURE if event.method == "execute" else WAIT_FAILURE), event.step
        if event.kind == "cancelled":
            return (CANCELLED_INSIDE if event.step in watch.section else CANCELLED_HANDOFF), event.step
        return (NORMAL if event.step == watch.final else EARLY), event.step
