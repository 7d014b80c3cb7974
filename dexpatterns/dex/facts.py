"""What a run of a Flow amounts to, turn by turn: who is who, who was inside, what lay in a Channel, who held a token.

Stories and causes are read off these facts alone. They are made in one pass over a trace, with the rules of being
inside (`dex.watch`) and of holding a token. This module has no words in it and judges nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dexpatterns.dex.sections import Lane, SectionLike, read
from dexpatterns.dex.watch import Change, Ledger, Tokens, TokenWatch
from dexpatterns.engine.machine import Lineage
from dexpatterns.engine.queue import EMPTY, Queue
from dexpatterns.engine.trace import Trace, Turn

__all__ = ["Facts", "Guest", "Moment"]

_NO_TOKENS = Tokens()


class Guest(NamedTuple):
    """A branch inside a section, or its code that runs on."""

    branch: int
    entry: Lineage
    since: int
    """The turn in which it entered, or its code was given up or cancelled."""
    step: str
    attempt: int | None = None
    """Of code that runs on: which attempt it was, 0 when it was cancelled; None for a branch."""


class Moment(NamedTuple):
    """A turn, and what it changed. Sections are in the order in which they were given."""

    turn: Turn
    before: tuple[tuple[Guest, ...], ...]
    after: tuple[tuple[Guest, ...], ...]
    queues: dict[str, tuple[Queue, Queue]]
    """For the Channels that something was put into or taken from: what lay there before, and after."""
    tokens: dict[str, tuple[Tokens, Tokens]]
    """The same for token Channels, with who holds how many."""

    @property
    def number(self) -> int:
        return self.turn.number

    @property
    def events(self) -> tuple[Any, ...]:
        return self.turn.events

    @property
    def path(self) -> Lineage:
        """Whose turn it is."""
        return getattr(self.events[0], "path", ()) if self.events else ()

    def entered(self, section: int) -> Guest | None:
        """Who entered in this turn."""
        known = {guest.branch for guest in self.before[section]}
        return next((g for g in self.after[section] if g.attempt is None and g.branch not in known), None)

    def published(self, channel: str, path: Lineage) -> int:
        """How many messages an execution put into a Channel."""
        return sum(e.channel == channel and e.path == path for e in self.events if e.kind == "published")

    def losers(self, channel: str) -> list[Lineage]:
        """Who held a token and ended without putting it back, and without a Step that inherits it."""
        before, after = self.tokens[channel]
        left = dict(after.held)
        for event in self.events:
            if event.kind == "step_started":
                left[event.parent] = left.get(event.parent, 0) + left.get(event.path, 0)
            elif event.kind == "returned" and event.channel == channel:
                left[event.path] = left.get(event.path, 0) + len(event.values)
        return [
            path
            for path, n in before.held
            if not after.closed and n > left.get(path, 0) + self.published(channel, path)
        ]


class Facts:
    """A trace and its moments. Raises `InputError` when a section's label function fails."""

    def __init__(self, trace: Trace, sections: Sequence[SectionLike] = (), tokens: Iterable[str] = ()) -> None:
        self.trace = trace
        self.sections = tuple(sections)
        self.token_names = tuple(dict.fromkeys(tokens))
        naming = next((s for s in self.sections if s.label or getattr(s, "labels", None)), None)
        self.reading = read(trace, naming or next(iter(self.sections), None))
        self.parents: dict[Lineage, Lineage] = {}
        self.moments: list[Moment] = []
        self._ledgers = [Ledger(frozenset(section.steps)) for section in self.sections]
        self._queues: dict[str, Queue] = {}
        self._tokens: dict[str, Tokens] = {}
        self._descend(trace.started)
        inside: tuple[tuple[Guest, ...], ...] = ((),) * len(self.sections)
        for turn in trace.turns:
            self._descend(turn.events)
            queues, tokens_now = self._messages(turn), self._holders(turn)
            after = tuple(
                _changed(guests, ledger.apply(turn.events), turn.number)
                for guests, ledger in zip(inside, self._ledgers, strict=True)
            )
            self.moments.append(Moment(turn, inside, after, queues, tokens_now))
            inside = after

    def lane(self, path: Lineage) -> Lane | None:
        """The line of descent that an execution or call belongs to."""
        place = self.reading.lane_of.get(path)
        return self.reading.lanes[place] if place is not None else None

    def same_line(self, one: Lineage, other: Lineage) -> bool:
        found = self.reading.lane_of.get(one)
        return found is not None and found == self.reading.lane_of.get(other)

    def is_token(self, channel: str) -> bool:
        """Whether a Channel, or the map that it is an entry of, was named as one of tokens."""
        return channel in self.token_names or channel.partition("/")[0] in self.token_names

    def token_channels(self) -> list[str]:
        """The Channels of tokens that something happened to, in order of appearance."""
        return list(self._tokens)

    def _descend(self, events: Iterable[Any]) -> None:
        for event in events:
            if event.kind == "step_started":
                self.parents[event.path] = event.parent

    def _messages(self, turn: Turn) -> dict[str, tuple[Queue, Queue]]:
        changed: dict[str, tuple[Queue, Queue]] = {}
        for event in turn.events:
            for channel, move, given in _queued(event):
                now = self._queues.get(channel, EMPTY)
                new = self._queues[channel] = move(now, given)
                changed[channel] = (changed.get(channel, (now,))[0], new)
        return changed

    def _holders(self, turn: Turn) -> dict[str, tuple[Tokens, Tokens]]:
        for event in turn.events:
            for channel, *_ in _queued(event):
                if self.is_token(channel):
                    self._tokens.setdefault(channel, _NO_TOKENS)
        changed = {}
        for channel, now in self._tokens.items():
            # So many tokens are never there: nothing counts as lost or doubled, and the books never close.
            new = TokenWatch(channel, sys.maxsize).step(now, turn.events)
            if new is not now:
                changed[channel] = (now, new)
                self._tokens[channel] = new
        return changed


_Move = Callable[[Queue, Any], Queue]


def _queued(event: Any) -> Iterable[tuple[str, _Move, Any]]:
    """What an event does to Channels: which, and how the queue follows."""
    if event.kind == "published":
        return [(event.channel, Queue.push, event.value)]
    if event.kind == "returned":
        return [(event.channel, Queue.push_front, event.values)]
    if event.kind == "wait_completed":
        return [(channel, _without, len(messages)) for channel, messages in event.taken]
    return []


def _without(queue: Queue, n: int) -> Queue:
    return queue.take(min(n, len(queue)))[1]


def _changed(guests: tuple[Guest, ...], changes: Iterable[Change], turn: int) -> tuple[Guest, ...]:
    for change in changes:
        if change.what == "enters":
            guests += (Guest(change.branch, change.path, turn, change.step),)
        elif change.what == "leaves":
            guests = tuple([g for g in guests if g.branch != change.branch or g.attempt is not None])
        elif change.what == "late":
            guests += (Guest(change.branch, change.path, turn, change.step, change.how),)
        elif change.what == "late_ended":
            guests = tuple([g for g in guests if (g.entry, g.attempt) != (change.path, change.how)])
    return guests
