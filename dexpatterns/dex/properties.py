"""What can be asked of a Flow beyond the general: that a section excludes, that a token is conserved.

The bookkeeping is `watch`'s; here it is judged. Nothing searches, and nothing tells a story.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from dexpatterns.dex.channel import Channel, ChannelMap
from dexpatterns.dex.scenario import Section
from dexpatterns.dex.watch import Inside, SectionWatch, Tokens, TokenWatch
from dexpatterns.dex.wording import say
from dexpatterns.engine.arguments import check_count
from dexpatterns.engine.machine import Event, Machine
from dexpatterns.engine.properties import Property, Rank, View
from dexpatterns.errors import InputError

__all__ = ["mutual_exclusion", "token_conserved"]


class _MutualExclusion(Property):
    kind = "mutual_exclusion"

    def __init__(self, section: Section, limit: int, late: bool) -> None:
        self.section = section
        self.limit = limit
        self.late = late
        self._watch = SectionWatch(section)
        # What is cancelled while it runs leaves late code behind, what is cancelled while it is queued does not.
        self.blind_to_running = not late
        self.name = self.title()

    def title(self, lang: str = "en") -> str:
        late = say(lang, "late_counted") if self.late else ""
        return say(lang, "property_mutual_exclusion", n=self.limit, name=self.section.name, late=late)

    def check(self, machine: Machine[Any]) -> None:
        steps = machine.describe_definition()["steps"]
        for step in self.section.steps:
            if step not in steps:
                raise InputError(
                    f"section {self.section.name!r}: {machine.name!r} has no Step {step!r}; expected some of {steps}"
                )

    def initial(self) -> Hashable:
        return self._watch.initial()

    def step(self, memory: Inside, events: tuple[Event, ...]) -> Inside:
        return self._watch.step(memory, events)

    def key(self, memory: Inside, rank: Rank) -> Hashable:
        return self._watch.key(memory, rank) if memory.members or memory.late else None

    def fault(self, memory: Inside, view: View) -> str | None:
        if len(memory.members) + (len(memory.late) if self.late else 0) <= self.limit:
            return None
        return self.told(memory, view)

    def told(self, memory: Inside, view: View, lang: str = "en") -> str | None:
        inside = self._watch.inside(memory, late=self.late)
        return say(lang, "fault_inside", there=len(inside), limit=self.limit) if len(inside) > self.limit else None


class _TokenConserved(Property):
    """The memory is that of the Channel's watch; of a ChannelMap, that of every entry met so far, by its name."""

    kind = "token_conserved"

    def __init__(self, channel: str, count: int) -> None:
        self.channel = channel
        self.count = count
        self._watch = TokenWatch(channel, count)
        self._entries: dict[str, TokenWatch] | None = None
        """Of a ChannelMap: the watches of its entries."""
        self.name = self.title()

    def title(self, lang: str = "en") -> str:
        return say(lang, "property_token_conserved", n=self.count, channel=self.channel)

    def check(self, machine: Machine[Any]) -> None:
        channels = machine.describe_definition().get("channels", [])
        name, _, key = self.channel.partition("/")
        spec: Any = getattr(machine, "spec", None)
        maps = [n for n in channels if spec is not None and isinstance(spec.channels[n], ChannelMap)]
        if name not in channels or (key and name not in maps):
            known = [f"{n}/KEY" if n in maps else n for n in channels]
            raise InputError(f"token: {machine.name!r} has no Channel {self.channel!r}; expected one of {known}")
        self._entries = {} if name in maps and not key else None

    def initial(self) -> Hashable:
        return self._watch.initial() if self._entries is None else ()

    def step(self, memory: Any, events: tuple[Event, ...]) -> Any:
        if self._entries is None:
            return self._watch.step(memory, events)
        known = dict(memory)
        for event in events:
            # A message of an entry is published before anything else can happen to it.
            entry = getattr(event, "channel", "")
            if entry.startswith(f"{self.channel}/"):
                known.setdefault(entry, Tokens())
        stepped = tuple([(entry, self._watch_of(entry).step(known[entry], events)) for entry in sorted(known)])
        return memory if stepped == memory else stepped

    def _watch_of(self, entry: str) -> TokenWatch:
        assert self._entries is not None
        watch = self._entries.get(entry)
        if watch is None:
            watch = self._entries[entry] = TokenWatch(entry, self.count)
        return watch

    def key(self, memory: Any, rank: Rank) -> Hashable:
        if self._entries is None:
            return self._watch.key(memory, rank)
        return tuple([(entry, self._watch_of(entry).key(tokens, rank)) for entry, tokens in memory])

    def fault(self, memory: Any, view: View) -> str | None:
        return None if self._entries is None and memory.fault is None else self.told(memory, view)

    def told(self, memory: Any, view: View, lang: str = "en") -> str | None:
        if self._entries is None:
            return self._fault_in(memory, "", lang)
        faults = (self._fault_in(tokens, say(lang, "fault_in", entry=entry), lang) for entry, tokens in memory)
        return next((fault for fault in faults if fault is not None), None)

    def _fault_in(self, tokens: Tokens, where: str, lang: str) -> str | None:
        found = tokens.fault
        if found is None:
            return None
        there = found.queued + len(found.holders)
        by = found.step or say(lang, "nobody")
        return say(lang, f"fault_{found.kind}", where=where, by=by, there=there, count=self.count)


def mutual_exclusion(section: Section, limit: int = 1, late: bool = False) -> Property:
    """Never more than `limit` branches are inside the section at once.

    It judges saved work. With `late=True` code that runs on after it was given up or cancelled counts too, and then
    even a correct token can be broken by one late attempt (D-10, D-29).
    """
    if not isinstance(section, Section):
        raise InputError(f"mutual_exclusion: expected a Section, got {section!r}; write Section(FirstStep, LastStep)")
    check_count("mutual_exclusion limit", limit)
    return _MutualExclusion(section, limit, late)


def token_conserved(channel: Channel[Any] | ChannelMap[Any] | str, count: int = 1) -> Property:
    """While the Flow is open, messages in the Channel plus tokens held make `count`, once they are there.

    More than `count` is a violation at any time. A branch holds from consumption until the commit that publishes
    back; a commit that neither publishes nor starts a Step has lost it; of several Steps the first inherits it.
    Of a ChannelMap it is asked for each key on its own; `name/key` asks for one.
    """
    if not isinstance(channel, (str, Channel, ChannelMap)):
        raise InputError(f"token_conserved: expected a Channel or its name, got {channel!r}")
    check_count("token_conserved count", count)
    return _TokenConserved(channel if isinstance(channel, str) else channel.name, count)
