"""A violation that is looked into: its run as facts, the property that broke, and the questions that causes ask.

Every answer is read off the run; two of them try something on the machine, if it is at hand: what a handler's source
declares, and whether the violation would still be there if one branch had read later. Nothing here is a cause yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from dexpatterns.dex import wording
from dexpatterns.dex.clauses import Names
from dexpatterns.dex.events import Began
from dexpatterns.dex.facts import Facts, Guest, Moment
from dexpatterns.dex.telling import Cause
from dexpatterns.dex.watch import Fault, Tokens, TokenWatch
from dexpatterns.engine.machine import Choice, Lineage
from dexpatterns.engine.properties import Property, View
from dexpatterns.errors import ScheduleError

__all__ = ["Case"]


class Case:
    """`broken` is the property that the run of `facts` breaks at its end; `asked` are all that were asked."""

    def __init__(self, facts: Facts, broken: Any, asked: Iterable[Property], study: Any, lang: str) -> None:
        self.facts = facts
        self.broken = broken
        self.asked = tuple(asked)
        self.study = study
        self.lang = lang
        self.names = Names(facts, lang)
        self.limit: int = getattr(broken, "limit", 1)
        section = getattr(broken, "section", None)
        self.section = facts.sections.index(section) if section in facts.sections else 0

    # Words.

    def say(self, key: str, /, **fields: object) -> str:
        return wording.say(self.lang, key, **fields)

    def token(self, channel: str) -> str:
        """`the token`; with its Channel where there are several."""
        several = len(self.facts.token_channels()) > 1
        return self.say("token_of", channel=wording.shown(channel)) if several else self.say("the_token")

    def cause(
        self,
        kind: str,
        fields: dict[str, Any],
        turns: Iterable[int],
        branches: Iterable[str],
        *,
        said: str = "",
        general: str = "",
        mend: str = "",
        more: str = "",
    ) -> Cause:
        """A cause in words: the texts of its kind, or those named, with the fields filled in."""
        first = self.say(said or f"{kind}_said", **fields)
        between = " " if self.lang == "en" and first and more else ""
        return Cause(
            kind,
            self.say(f"{kind}_title"),
            f"{first}{between}{more}",
            self.say(general or f"{kind}_general", **fields),
            self.say(mend or f"{kind}_mend", **fields),
            tuple(sorted({turn for turn in turns if turn})),
            tuple(dict.fromkeys(name for name in branches if name)),
            self.lang,
        )

    # Turns.

    @property
    def last(self) -> Moment:
        return self.facts.moments[-1]

    def moment(self, turn: int) -> Moment:
        return self.facts.moments[turn - 1]

    def events(self, kind: str) -> list[tuple[int, Any]]:
        """Every event of a kind, with its turn; the start counts as turn 0."""
        return self._by_kind.get(kind, [])

    @cached_property
    def _by_kind(self) -> dict[str, list[tuple[int, Any]]]:
        found: dict[str, list[tuple[int, Any]]] = {}
        for turn, events in ((0, self.facts.trace.started), *((m.number, m.events) for m in self.facts.moments)):
            for event in events:
                found.setdefault(event.kind, []).append((turn, event))
        return found

    @cached_property
    def _started(self) -> dict[Lineage, tuple[int, Any]]:
        return {event.path: (turn, event) for turn, event in self.events("step_started")}

    def started(self, path: Lineage) -> Any:
        """The `Stepped` of an execution."""
        return self._started.get(path, (0, None))[1]

    def turn_of(self, path: Lineage) -> int:
        """The turn in which an execution was started."""
        return self._started.get(path, (0, None))[0]

    def belongs(self, path: Lineage, entry: Lineage) -> bool:
        """Whether an execution is of the same line as an entry, or descends from it."""
        if self.facts.same_line(path, entry):
            return True
        return entry in self._ancestors(path)

    def _ancestors(self, path: Lineage) -> Iterator[Lineage]:
        """An execution, its parent, and so on."""
        while path:
            yield path
            path = self.facts.parents.get(path, ())

    def calls_of(self, entry: Lineage) -> list[tuple[int, Began]]:
        """The first attempts of everything that a branch has called, by turn."""
        return [
            (turn, event)
            for turn, event in self.events("began")
            if event.attempt == 1 and self.belongs(event.path, entry)
        ]

    def begin_of(self, path: Lineage, before: int) -> tuple[int, Began] | None:
        """The begin of the call that an execution saved in this turn."""
        calls = [(t, e) for t, e in self.events("began") if e.path == path and e.attempt == 1 and t < before]
        return calls[-1] if calls else None

    def end_of(self, path: Lineage, method: str) -> int | None:
        """The turn in which a call was saved."""
        ends = (t for t, e in self.events("saved") if e.path == path and e.method == method)
        return next(ends, None)

    def writes(self, entry: Lineage, name: str) -> bool:
        """Whether a branch has written an Attribute."""
        return any(e.name == name and self.belongs(e.path, entry) for _, e in self.events("attribute_changed"))

    def waiting(self) -> dict[Lineage, Any]:
        """The Waits that are open at the end, in lineage order."""
        found: dict[Lineage, Any] = {}
        for moment in self.facts.moments:
            for event in moment.events:
                if event.kind == "waiting":
                    found[event.path] = event
                elif event.kind in ("wait_completed", "cancelled"):
                    found.pop(event.path, None)
                elif event.kind == "closed":
                    found.clear()
        return dict(sorted(found.items()))

    # The section.

    def inside(self, late: bool = False) -> tuple[list[Guest], list[Guest]]:
        """Who entered in the last turn, and who was there before; `late` counts code that runs on."""
        now = [g for g in self.last.after[self.section] if late or g.attempt is None] if self.facts.sections else []
        return [g for g in now if g.since == self.last.number], [g for g in now if g.since != self.last.number]

    # Tokens.

    def channels(self) -> list[str]:
        """The token Channels that the broken property is about: its own, else all."""
        own = getattr(self.broken, "channel", None)
        return [one for one in self.facts.token_channels() if own in (None, one, one.partition("/")[0])]

    def count(self, channel: str) -> int:
        """How many tokens a Channel is meant to hold: as a property says, else as many as were first published."""
        asked: list[Any] = [self.broken, *self.asked]
        for one in asked:
            if one.kind == "token_conserved" and one.channel in (channel, channel.partition("/")[0]):
                return int(one.count)
        limits = [one.limit for one in asked if one.kind == "mutual_exclusion"]
        if limits and "/" not in channel:
            return int(limits[0])
        first = [turn for turn, event in self.events("published") if event.channel == channel]
        return first.count(first[0]) if first else 1

    def fault(self, channel: str) -> tuple[Moment, Fault, Tokens] | None:
        """The turn in which a Channel's tokens stopped being conserved, how, and what was there before it."""
        watch = TokenWatch(channel, self.count(channel))
        state = watch.initial()
        for moment in self.facts.moments:
            before, state = state, watch.step(state, moment.events)
            if state.fault is not None:
                return moment, state.fault, before
        return None

    def taken_at(self, channel: str, path: Lineage) -> int:
        """The turn in which an execution, or whoever it descends from, last took from a Channel; 0 for never."""
        turns = self._takings.get(channel, {})
        return next((turns[one] for one in self._ancestors(path) if one in turns), 0)

    @cached_property
    def _takings(self) -> dict[str, dict[Lineage, int]]:
        found: dict[str, dict[Lineage, int]] = {}
        for turn, event in self.events("wait_completed"):
            for channel, _ in event.taken:
                found.setdefault(channel, {})[event.path] = turn
        return found

    def ever_taken(self, channel: str, before_turn: int) -> bool:
        return any(turn < before_turn for turn in self._takings.get(channel, {}).values())

    def published_at(self, channel: str, turn: int) -> Any:
        return next(e for e in self.moment(turn).events if e.kind == "published" and e.channel == channel)

    def gave_back_at(self, channel: str, entry: Lineage, before_turn: int) -> int | None:
        """The turn in which a branch that had taken a token last put one back."""
        turns = [
            t
            for t, e in self.events("published")
            if e.channel == channel
            and t < before_turn
            and self.belongs(e.path, entry)
            and 0 < self.taken_at(channel, e.path) < t
        ]
        return turns[-1] if turns else None

    def holds(self, channel: str, entry: Lineage) -> bool:
        """Whether a branch holds a token when all is over."""
        for moment in reversed(self.facts.moments):
            if channel in moment.tokens:
                return any(self.belongs(path, entry) for path, _ in moment.tokens[channel][1].held)
        return False

    # The machine.

    @property
    def routes(self) -> tuple[Any, ...]:
        """What the handlers' source shows: an element for each handler; nothing when the machine is not at hand."""
        spec = getattr(self.study, "spec", None)
        return spec.routes if spec is not None else ()

    def may_cancel(self, step: str) -> bool:
        """Whether the Step's source cancels anything."""
        return any(kind.startswith("cancel") for r in self.routes if r.step == step for _, kind in r.goes_to)

    def final_state(self) -> Any:
        """The machine's state at the end; None when it is not at hand."""
        return self._replay([turn.choice for turn in self.facts.trace.turns])[0] if self.study is not None else None

    def differs_after(self, reader: Lineage, read: int, written: int) -> bool:
        """Whether all would be different if a branch had read just after a write instead of before it.

        True as well when that cannot be tried.
        """
        if self.study is None:
            return True
        turns = self.facts.trace.turns
        moved = [t for t in turns[read - 1 : written] if self.belongs(t.choice.path, reader)]
        kept = [t for t in turns[read - 1 : written] if t not in moved]
        order = [t.choice for t in (*turns[: read - 1], *kept, *moved, *turns[written:])]
        try:
            state, memory = self._replay(order)
        except ScheduleError:
            return True
        return self.broken.fault(memory, View(self.study, state)) is None

    def _replay(self, choices: Iterable[Choice]) -> tuple[Any, Any]:
        """The state and the property's memory after these moves; raises `ScheduleError` at one that is not possible."""
        state, events = self.study.start()
        memory = self.broken.step(self.broken.initial(), events)
        for choice in choices:
            state, events = self.study.apply(state, choice)
            memory = self.broken.step(memory, events)
        return state, memory
